// Which bin everyone is in, once per instance and view after whatever places them: not drawn where they are
// outside the view, else by size (phase) and level of detail. Counts each bin's people by blocks, and adds
// their shadows to the ground.

import package::shared::bins::{
    BINS, BIN_BLOCK, BIN_NEAR, BIN_SUN, FAR_BINS, NO_BIN, bin_keys, bin_lists, bin_views, block_counts, block_number,
    counts_of, list_of,
};
import package::shared::cast::add_shadow;
import package::shared::frame::{CULL_OUTSIDE, DRAW_DISCS, KEEP_LISTS, frame};
import package::shared::visible::{
    WorldBox, crosses_depth, is_outside, level_of, rows_around, rows_of, world_box,
};

// Rows that a texel of the shadow map counts as: what is finer than two of them is lost where comparisons with
// neighbours are blended (shared/light.wgsl).
const SUN_ROWS = 0.5;

var<workgroup> tally: array<atomic<u32>, 26>;

fn seen_from(sun: bool) -> mat4x4<f32> {
    if sun {
        return frame.shadow_from_world;
    }
    return frame.projection_from_world;
}

fn rows_in_view(box: WorldBox, height: f32) -> f32 {
    return rows_of(box, frame.projection_from_world, frame.picture_rows, height);
}

// Nor is a shadow coarser than whoever casts it is seen: near the camera a texel fills many pixels, and people shade
// themselves, whom what lies outside of their own mesh would darken, and what lies inside leave too bright.
fn rows_in_sun(box: WorldBox, height: f32) -> f32 {
    let drawn = rows_of(box, frame.shadow_from_world, SUN_ROWS / frame.shadow_texel, height);
    let around = rows_around(box, frame.eye, frame.projection_from_world, frame.picture_rows, height);
    return max(drawn, around);
}

// The sun's are two measures more: nobody takes them for the camera.
fn rows_seen(box: WorldBox, height: f32, sun: bool) -> f32 {
    if sun {
        return rows_in_sun(box, height);
    }
    return rows_in_view(box, height);
}

fn bin_of(list: u32, index: u32) -> u32 {
    let box = world_box(list, index);
    let kind = bin_lists[list].kind;
    let sun = (kind & BIN_SUN) != 0u;
    let seen_by = seen_from(sun);
    if (frame.culling & CULL_OUTSIDE) != 0u && !box.unknown && is_outside(box, seen_by) {
        return NO_BIN;
    }
    let rows = rows_seen(box, bin_lists[list].height, sun);
    // Whoever comes near the camera is of the first, however low the picture: the rest is never clipped.
    let near = (kind & BIN_NEAR) != 0u || !(rows <= frame.near_rows) || crosses_depth(box, seen_by);
    let first = sun || near;
    let discs = !first && (frame.culling & DRAW_DISCS) != 0u;
    let levels = select(bin_lists[list].mesh_count, bin_lists[list].level_count, discs);
    return level_of(list, index, rows, frame.detail, levels) + select(FAR_BINS, 0u, first);
}

@compute @workgroup_size(256)
fn select_bins(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_number(group, groups);
    let index = block * BIN_BLOCK + local;
    let list = list_of(group);
    let blocks = bin_lists[list].blocks;
    let is_there = index < bin_lists[list].count;
    // Once, for the first view.
    if is_there && bin_views.casts != 0u && group.z == 0u && frame.shadows != 0u {
        add_shadow(index, bin_lists[list].height);
    }
    if (frame.culling & KEEP_LISTS) != 0u {
        return;
    }
    if is_there {
        let bin = bin_of(list, index);
        bin_keys[bin_lists[list].first_key + index] = bin;
        if bin != NO_BIN {
            atomicAdd(&tally[bin], 1u);
        }
    }
    workgroupBarrier();
    if local < BINS && block < blocks {
        block_counts[counts_of(list, local) + block] = atomicLoad(&tally[local]);
    }
}
