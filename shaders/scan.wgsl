// Where each block's share of a bin begins: an exclusive prefix sum over its blocks, one workgroup a
// bin, in place. With far_only the bins of the far phase alone, after some of their people turned out
// to be hidden.

import package::shared::bins::{BINS, BIN_BLOCK, FAR_BINS, bin_totals, bins, block_counts};

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(256)
fn scan(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    @if(far_only) let bin = group.x + FAR_BINS;
    @if(!far_only) let bin = group.x;
    let share = (bins.blocks + BIN_BLOCK - 1u) / BIN_BLOCK;
    let first = min(local * share, bins.blocks);
    let last = min(first + share, bins.blocks);
    let row = bin * bins.blocks;
    var own = 0u;
    for (var block = first; block < last; block++) {
        own += block_counts[row + block];
    }
    sums[local] = own;
    // Hillis and Steele 1986: after step n each holds the sum of the last 2^n.
    for (var reach = 1u; reach < BIN_BLOCK; reach *= 2u) {
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
    if local == BIN_BLOCK - 1u {
        @if(far_only) bin_totals[BINS + bin] = sums[local];
        @if(!far_only) bin_totals[bin] = sums[local];
        @if(!far_only) bin_totals[BINS + bin] = sums[local];
    }
}
