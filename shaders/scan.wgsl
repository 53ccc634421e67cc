// Exclusive prefix sum over the blocks of each draw list, in place: where each block's entries begin. One workgroup per
// draw list (x) of a list (y); with few_blocks one workgroup per list, in which each invocation has a draw list. With
// far_only only the far phase, after occlusion culling has removed some instances.

import package::shared::draw_lists::{
    DRAW_LISTS, DRAW_LIST_BLOCK, FAR_DRAW_LISTS, draw_list_rows, draw_list_totals, block_counts, counts_of, totals_of,
};

@if(!few_blocks) var<workgroup> sums: array<u32, 256>;

// CPU rasterizers pay for every barrier of every invocation: with few blocks, a loop without barriers is cheaper.
@if(few_blocks)
@compute @workgroup_size(32)
fn scan(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    @if(far_only) let draw_list = local + FAR_DRAW_LISTS;
    @if(!far_only) let draw_list = local;
    if draw_list >= DRAW_LISTS {
        return;
    }
    let list = group.y;
    let row = counts_of(list, draw_list);
    var running = 0u;
    for (var block = 0u; block < draw_list_rows[list].blocks; block++) {
        let count = block_counts[row + block];
        block_counts[row + block] = running;
        running += count;
    }
    let total = totals_of(list) + draw_list;
    @if(!far_only) draw_list_totals[total] = running;
    draw_list_totals[DRAW_LISTS + total] = running;
}

@if(!few_blocks)
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
    // Inclusive scan by Hillis and Steele 1986: after step n each element holds the sum of the last 2^n.
    for (var reach = 1u; reach < DRAW_LIST_BLOCK; reach *= 2u) {
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
    if local == DRAW_LIST_BLOCK - 1u {
        let total = totals_of(list) + draw_list;
        @if(!far_only) draw_list_totals[total] = sums[local];
        draw_list_totals[DRAW_LISTS + total] = sums[local];
    }
}
