// Prefix sum of surviving triangles within each block of workgroups, and each block's total. One workgroup per block.

import package::shared::raster::raster;
import package::shared::triangle_cull::{TRIANGLE_CULL_BLOCK, groups_before, surviving_counts, surviving_starts};

const SHARE = 4u; // shader only: tests/gpu/triangle_cull.rs

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn triangle_cull_blocks(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let end = min(groups_before(raster.draw_count), arrayLength(&surviving_counts));
    let first = group.x * TRIANGLE_CULL_BLOCK + local * SHARE;
    let last = min(first + SHARE, end);
    var own = 0u;
    for (var number = first; number < last; number++) {
        own += surviving_counts[number];
    }
    sums[local] = own;
    // Inclusive scan, as in scan.wgsl.
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if local >= reach {
            before = sums[local - reach];
        }
        workgroupBarrier();
        sums[local] += before;
    }
    var running = sums[local] - own;
    for (var number = first; number < last; number++) {
        let count = surviving_counts[number];
        surviving_counts[number] = running;
        running += count;
    }
    if local == 255u {
        surviving_starts[group.x] = sums[local];
    }
}
