// Which bin everyone is in, once per instance after whatever places them: not drawn where they are
// outside the view, else by size (phase) and level of detail. Counts each bin's people by blocks.

import package::shared::bins::{
    BINS, BIN_BLOCK, BIN_NEAR, BIN_SUN, FAR_BINS, NO_BIN, bin_keys, bins, block_counts, block_number,
};
import package::shared::frame::{CULL_OUTSIDE, frame};
import package::shared::visible::{crosses_depth, is_outside, level_of, rows_of, world_box};

// Rows that a texel of the shadow map counts as: what is finer than two of them is lost where three by three
// comparisons are averaged (shared/light.wgsl).
const SUN_ROWS = 0.5;

var<workgroup> tally: array<atomic<u32>, 20>;

fn bin_of(index: u32) -> u32 {
    let box = world_box(index);
    let sun = (bins.kind & BIN_SUN) != 0u;
    var seen_by = frame.projection_from_world;
    var picture_rows = frame.picture_rows;
    if sun {
        seen_by = frame.shadow_from_world;
        picture_rows = SUN_ROWS / frame.shadow_texel;
    }
    if (frame.culling & CULL_OUTSIDE) != 0u && !box.unknown && is_outside(box, seen_by) {
        return NO_BIN;
    }
    let rows = rows_of(box, seen_by, picture_rows, bins.height);
    let level = level_of(index, rows, frame.detail);
    // Whoever comes near the camera is of the first, however low the picture: the rest is never clipped.
    let near = (bins.kind & BIN_NEAR) != 0u || !(rows <= frame.near_rows) || crosses_depth(box, seen_by);
    let first = sun || near;
    return level + select(FAR_BINS, 0u, first);
}

@compute @workgroup_size(256)
fn select_bins(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = block_number(group, groups);
    let index = block * BIN_BLOCK + local;
    if index < bins.count {
        let bin = bin_of(index);
        bin_keys[index] = bin;
        if bin != NO_BIN {
            atomicAdd(&tally[bin], 1u);
        }
    }
    workgroupBarrier();
    if local < BINS && block < bins.blocks {
        block_counts[local * bins.blocks + block] = atomicLoad(&tally[local]);
    }
}
