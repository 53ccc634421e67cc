// How many triangles are left before each workgroup of its block, and of all of the block: a workgroup a block.

import package::shared::raster::raster;
import package::shared::triangle_cull::{TRIANGLE_CULL_BLOCK, groups_before, kept_counts, kept_starts};

const SHARE = 4u;

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn triangle_cull_blocks(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let end = min(groups_before(raster.draw_count), arrayLength(&kept_counts));
    let first = group.x * TRIANGLE_CULL_BLOCK + local * SHARE;
    let last = min(first + SHARE, end);
    var own = 0u;
    for (var number = first; number < last; number++) {
        own += kept_counts[number];
    }
    sums[local] = own;
    // As in scan.wgsl.
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
        let count = kept_counts[number];
        kept_counts[number] = running;
        running += count;
    }
    if local == 255u {
        kept_starts[group.x] = sums[local];
    }
}
