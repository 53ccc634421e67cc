// Exclusive prefix sum over the blocks of each draw list, in place: where each block's entries begin. One workgroup per
// draw list (x) of a list (y). With far_only only the far phase, after occlusion culling has removed some instances.

import package::shared::draw_lists::{
    DRAW_LISTS, DRAW_LIST_BLOCK, FAR_DRAW_LISTS, draw_list_rows, draw_list_totals, block_counts, counts_of, totals_of,
};

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn scan(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    @if(far_only) let draw_list = group.x + FAR_DRAW_LISTS;
    @if(!far_only) let draw_list = group.x;
    let list = group.y;
    let blocks = draw_list_rows[list].blocks;
    let share = (blocks + DRAW_LIST_BLOCK - 1u) / DRAW_LIST_BLOCK;
    let first = min(local * share, blocks);
    let last = min(first + share, blocks);
    let row = counts_of(list, draw_list);
    var own = 0u;
    for (var block = first; block < last; block++) {
        own += block_counts[row + block];
    }
    sums[local] = own;
    // Sums beyond those of the last block are zero. A small crowd has one, which needs no step: CPU rasterizers pay for
    // every barrier of every invocation.
    let used = clamp(blocks, 1u, DRAW_LIST_BLOCK);
    // Inclusive scan by Hillis and Steele 1986: after step n each element holds the sum of the last 2^n.
    for (var reach = 1u; reach < used; reach *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if local >= reach {
            before = sums[local - reach];
        }
        workgroupBarrier();
        sums[local] += before;
    }
    var running = sums[local] - own;
    for (var block = first; block < last; block++) {
        let count = block_counts[row + block];
        block_counts[row + block] = running;
        running += count;
    }
    if local == used - 1u {
        let total = totals_of(list) + draw_list;
        @if(!far_only) draw_list_totals[total] = sums[local];
        draw_list_totals[DRAW_LISTS + total] = sums[local];
    }
}
