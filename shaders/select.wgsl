// Frustum culling and LOD selection: the draw list of every instance, per view, after the passes that place instances.
// Visible instances are binned by phase (size) and LOD. Counts instances per draw list and block, and adds their
// shadows to the crowd shadow grid.

import package::shared::draw_lists::{
    DRAW_LISTS, DRAW_LIST_BLOCK, DRAW_LIST_NEAR, DRAW_LIST_SUN, FAR_DRAW_LISTS, NO_DRAW_LIST, draw_list_keys, draw_list_rows, draw_list_views, block_counts, block_number,
    counts_of, list_of,
};
import package::shared::cast::add_shadow;
import package::shared::frame::{CULL_OUTSIDE, DRAW_SPLATS, FREEZE_CULLING, frame};
import package::shared::visible::{
    WorldBox, crosses_depth, is_outside, lod_of, rows_around, rows_of, world_box,
};

// Sample rows that one shadow map texel counts as. The filter blends neighbouring comparisons, so detail finer than two
// rows is lost (shared/light.wgsl).
const ROWS_PER_SHADOW_TEXEL = 0.5; // shader only: tests/gpu/culling.rs

var<workgroup> tally: array<atomic<u32>, 26>;

fn projection_of(sun: bool) -> mat4x4<f32> {
    if sun {
        return frame.shadow_from_world;
    }
    return frame.projection_from_world;
}

fn rows_in_view(box: WorldBox, height: f32) -> f32 {
    return rows_of(box, frame.projection_from_world, frame.sample_rows, height);
}

// Height in the shadow map (rows), or in the camera's view if that is larger. Near the camera a texel covers many
// pixels and people shadow themselves. A coarse caster would darken or leak light where its mesh differs from the drawn
// one.
fn rows_in_sun(box: WorldBox, height: f32) -> f32 {
    let drawn = rows_of(box, frame.shadow_from_world, ROWS_PER_SHADOW_TEXEL / frame.shadow_texel, height);
    let around = rows_around(box, frame.eye, frame.projection_from_world, frame.sample_rows, height);
    return max(drawn, around);
}

// The camera's view skips the second measure.
fn height_in_rows(box: WorldBox, height: f32, sun: bool) -> f32 {
    if sun {
        return rows_in_sun(box, height);
    }
    return rows_in_view(box, height);
}

fn draw_list_of(list: u32, index: u32) -> u32 {
    let box = world_box(list, index);
    // Free slots of actors, and what they would carry.
    if box.scale == 0.0 {
        return NO_DRAW_LIST;
    }
    let kind = draw_list_rows[list].kind;
    let sun = (kind & DRAW_LIST_SUN) != 0u;
    let projection = projection_of(sun);
    if (frame.culling & CULL_OUTSIDE) != 0u && !box.unknown && is_outside(box, projection) {
        return NO_DRAW_LIST;
    }
    let rows = height_in_rows(box, draw_list_rows[list].height, sun);
    // Instances that cross the near plane join the near phase at any size: the far phase is never clipped.
    let near = (kind & DRAW_LIST_NEAR) != 0u || !(rows <= frame.near_rows) || crosses_depth(box, projection);
    let first = sun || near;
    let splats = !first && (frame.culling & DRAW_SPLATS) != 0u;
    let lods = select(draw_list_rows[list].mesh_count, draw_list_rows[list].lod_count, splats);
    return lod_of(list, index, rows, frame.detail, lods) + select(FAR_DRAW_LISTS, 0u, first);
}

@compute @workgroup_size(256)
fn select_draw_lists(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_number(group, groups);
    let index = block * DRAW_LIST_BLOCK + local;
    let list = list_of(group);
    let blocks = draw_list_rows[list].blocks;
    let is_there = index < draw_list_rows[list].count;
    // Once per instance: the first view does it.
    if is_there && draw_list_views.casts != 0u && group.z == 0u && frame.shadows != 0u {
        add_shadow(index, draw_list_rows[list].height);
    }
    if (frame.culling & FREEZE_CULLING) != 0u {
        return;
    }
    if is_there {
        let draw_list = draw_list_of(list, index);
        draw_list_keys[draw_list_rows[list].first_key + index] = draw_list;
        if draw_list != NO_DRAW_LIST {
            atomicAdd(&tally[draw_list], 1u);
        }
    }
    workgroupBarrier();
    if local < DRAW_LISTS && block < blocks {
        block_counts[counts_of(list, local) + block] = atomicLoad(&tally[local]);
    }
}
