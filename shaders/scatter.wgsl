// Writes instance indices into the draw lists, in the order of instances within a draw list, and the indirect draw
// arguments. One workgroup per block of every list. With far_only only the far phase, after occlusion culling.

import package::shared::draw_lists::{
    ARGUMENT_WORDS, DRAW_LISTS, DRAW_LIST_BLOCK, DRAW_LIST_LODS, FAR_DRAW_LISTS, NO_DRAW_LIST, draw_list_arguments, draw_list_ids, draw_list_keys, draw_list_rows,
    draw_list_totals, block_counts, block_number, counts_of, totals_of,
};
import package::shared::listed::listed_id;

// Members of the block per draw list: eight words of bits each.
var<workgroup> members: array<atomic<u32>, 208>;

// Crowd list that owns a block: the last whose first block is at most this one. Binary search.
fn list_of_block(block: u32) -> u32 {
    var list = 0u;
    var width = arrayLength(&draw_list_rows);
    // This many halvings leave one element.
    let halvings = 32u - countLeadingZeros(max(width, 1u) - 1u);
    for (var i = 0u; i < halvings; i++) {
        let half = width / 2u;
        if draw_list_rows[list + half].first_block <= block {
            list += half;
            width -= half;
        } else {
            width = half;
        }
    }
    return list;
}

// First entry of a draw list. Where the backend cannot start draws inside a list, each draw list has a fixed range of
// its own.
fn draw_list_start(list: u32, draw_list: u32) -> u32 {
    if draw_list_rows[list].draw_list_stride > 0u {
        return draw_list_rows[list].first_id + draw_list * draw_list_rows[list].draw_list_stride;
    }
    let left = totals_of(list) + DRAW_LISTS;
    var start = draw_list_rows[list].first_id;
    for (var before = 0u; before < draw_list; before++) {
        start += draw_list_totals[left + before];
    }
    return start;
}

fn write_arguments(list: u32, draw_list: u32) {
    let lod = draw_list_rows[list].lods[draw_list % DRAW_LIST_LODS];
    let word = (list * DRAW_LISTS + draw_list) * ARGUMENT_WORDS;
    draw_list_arguments[word] = lod.index_count;
    draw_list_arguments[word + 1u] = draw_list_totals[totals_of(list) + DRAW_LISTS + draw_list];
    draw_list_arguments[word + 2u] = lod.first_index;
    draw_list_arguments[word + 3u] = 0u;
    draw_list_arguments[word + 4u] = select(draw_list_start(list, draw_list), 0u, draw_list_rows[list].draw_list_stride > 0u);
}

// Rank of an instance among members of its block in the same draw list.
fn rank_in(draw_list: u32, local: u32) -> u32 {
    let word = local / 32u;
    var rank = 0u;
    for (var before = 0u; before < word; before++) {
        rank += countOneBits(atomicLoad(&members[draw_list * 8u + before]));
    }
    let own = atomicLoad(&members[draw_list * 8u + word]);
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
    let block = block_of_all - draw_list_rows[list].first_block;
    let index = block * DRAW_LIST_BLOCK + local;
    var draw_list = NO_DRAW_LIST;
    if index < draw_list_rows[list].count {
        draw_list = draw_list_keys[draw_list_rows[list].first_key + index];
    }
    @if(far_only) {
        if draw_list < FAR_DRAW_LISTS {
            draw_list = NO_DRAW_LIST;
        }
    }
    if draw_list != NO_DRAW_LIST {
        atomicOr(&members[draw_list * 8u + local / 32u], 1u << (local % 32u));
    }
    workgroupBarrier();
    if draw_list != NO_DRAW_LIST {
        let place = draw_list_start(list, draw_list) + block_counts[counts_of(list, draw_list) + block] + rank_in(draw_list, local);
        draw_list_ids[place] = listed_id(index, draw_list % DRAW_LIST_LODS);
    }
    @if(far_only) let written = block == 0u && local >= FAR_DRAW_LISTS && local < DRAW_LISTS;
    @if(!far_only) let written = block == 0u && local < DRAW_LISTS;
    if written {
        write_arguments(list, local);
    }
}
