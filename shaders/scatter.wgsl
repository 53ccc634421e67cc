// Writes everyone's number to their place in the list, in the order of instances within a bin, and
// the arguments of the draws: a workgroup for each block of every list. With far_only the far phase alone, without those who are hidden.

import package::shared::bins::{
    ARGUMENT_WORDS, BINS, BIN_BLOCK, BIN_LEVELS, FAR_BINS, NO_BIN, bin_arguments, bin_ids, bin_keys, bin_lists,
    bin_totals, block_counts, block_number, counts_of, totals_of,
};
import package::shared::listed::listed_id;

// Who of the block is in a bin: eight words of bits each.
var<workgroup> members: array<atomic<u32>, 208>;

// The list that a block of all is of: the last that does not begin behind it.
fn list_of_block(block: u32) -> u32 {
    var list = 0u;
    var width = arrayLength(&bin_lists);
    // Halving so often leaves one.
    let halvings = 32u - countLeadingZeros(max(width, 1u) - 1u);
    for (var i = 0u; i < halvings; i++) {
        let half = width / 2u;
        if bin_lists[list + half].first_block <= block {
            list += half;
            width -= half;
        } else {
            width = half;
        }
    }
    return list;
}

// First entry of a bin. Where draws cannot begin there, each bin has a list of its own.
fn bin_start(list: u32, bin: u32) -> u32 {
    if bin_lists[list].bin_stride > 0u {
        return bin_lists[list].first_id + bin * bin_lists[list].bin_stride;
    }
    let left = totals_of(list) + BINS;
    var start = bin_lists[list].first_id;
    for (var before = 0u; before < bin; before++) {
        start += bin_totals[left + before];
    }
    return start;
}

fn write_arguments(list: u32, bin: u32) {
    let level = bin_lists[list].levels[bin % BIN_LEVELS];
    let word = (list * BINS + bin) * ARGUMENT_WORDS;
    bin_arguments[word] = level.index_count;
    bin_arguments[word + 1u] = bin_totals[totals_of(list) + BINS + bin];
    bin_arguments[word + 2u] = level.first_index;
    bin_arguments[word + 3u] = 0u;
    bin_arguments[word + 4u] = select(bin_start(list, bin), 0u, bin_lists[list].bin_stride > 0u);
}

// How many of the block are before someone in the same bin.
fn rank_in(bin: u32, local: u32) -> u32 {
    let word = local / 32u;
    var rank = 0u;
    for (var before = 0u; before < word; before++) {
        rank += countOneBits(atomicLoad(&members[bin * 8u + before]));
    }
    let own = atomicLoad(&members[bin * 8u + word]);
    return rank + countOneBits(own & ((1u << (local % 32u)) - 1u));
}

@compute @workgroup_size(256)
fn scatter(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block_of_all = block_number(group, groups);
    let list = list_of_block(block_of_all);
    let block = block_of_all - bin_lists[list].first_block;
    let index = block * BIN_BLOCK + local;
    var bin = NO_BIN;
    if index < bin_lists[list].count {
        bin = bin_keys[bin_lists[list].first_key + index];
    }
    @if(far_only) {
        if bin < FAR_BINS {
            bin = NO_BIN;
        }
    }
    if bin != NO_BIN {
        atomicOr(&members[bin * 8u + local / 32u], 1u << (local % 32u));
    }
    workgroupBarrier();
    if bin != NO_BIN {
        let place = bin_start(list, bin) + block_counts[counts_of(list, bin) + block] + rank_in(bin, local);
        bin_ids[place] = listed_id(index, bin % BIN_LEVELS);
    }
    @if(far_only) let written = block == 0u && local >= FAR_BINS && local < BINS;
    @if(!far_only) let written = block == 0u && local < BINS;
    if written {
        write_arguments(list, local);
    }
}
