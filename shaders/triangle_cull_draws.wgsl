// Prefix sum over blocks, then the arguments of both draws of each row. One draw takes the compacted indices. The other
// takes whole instances, where indices do not fit the buffer or the bits of an index. One workgroup.

import package::shared::draw_lists::{ARGUMENT_WORDS, DRAW_LIST_LODS};
import package::shared::raster::{raster, raster_row_table};
import package::shared::triangle_cull::{
    TRIANGLE_CULL_BLOCK, TriangleCullLod, TriangleCullTotals, CompactedRow, groups_before, surviving_arguments, surviving_counts, surviving_starts,
};

@group(1) @binding(8) var<storage, read> triangle_cull_lods: array<TriangleCullLod>;
@group(1) @binding(9) var<storage, read_write> compacted_rows: array<CompactedRow>;
// As slots.wgsl leaves them: draws whose ids do not fit.
@group(1) @binding(10) var<storage, read_write> remaining_arguments: array<u32>;

@group(1) @binding(11) var<storage, read_write> triangle_cull_totals: TriangleCullTotals;

var<workgroup> block_sums: array<u32, 256>;

// Surviving triangles before a workgroup.
fn kept_before(number: u32, end: u32) -> u32 {
    if number >= end {
        return block_sums[255];
    }
    return surviving_starts[number / TRIANGLE_CULL_BLOCK] + surviving_counts[number];
}

fn fits(draw: u32) -> bool {
    for (var row = draw * DRAW_LIST_LODS; row < (draw + 1u) * DRAW_LIST_LODS; row++) {
        let people = raster_row_table[row].people;
        if remaining_arguments[row * ARGUMENT_WORDS + 1u] > 0u || people > (0xffffffffu >> triangle_cull_lods[row].vertex_bits) {
            return false;
        }
    }
    return true;
}

fn write_row(row: u32, first_group: u32, end: u32, taken: bool) {
    let own = raster_row_table[row];
    let lod = triangle_cull_lods[row];
    let begins = kept_before(first_group + own.first_group, end);
    let count = kept_before(first_group + own.first_group + own.group_count, end) - begins;
    let word = row * ARGUMENT_WORDS;
    surviving_arguments[word] = select(0u, 3u * count, taken);
    surviving_arguments[word + 1u] = select(0u, 1u, taken);
    surviving_arguments[word + 2u] = 3u * begins;
    surviving_arguments[word + 3u] = 0u;
    surviving_arguments[word + 4u] = row;
    compacted_rows[row] = CompactedRow(own.list_start, lod.first_vertex, lod.vertex_bits, 0u);
    if !taken && own.people > 0u {
        remaining_arguments[word + 1u] = own.people;
    }
}

@compute @workgroup_size(256)
fn triangle_cull_draws(@builtin(local_invocation_index) local: u32) {
    let groups = groups_before(raster.draw_count);
    let most = arrayLength(&surviving_counts);
    let end = min(groups, most);
    let blocks = (end + TRIANGLE_CULL_BLOCK - 1u) / TRIANGLE_CULL_BLOCK;
    let share = (blocks + 255u) / 256u;
    let first = min(local * share, blocks);
    let last = min(first + share, blocks);
    var own = 0u;
    for (var block = first; block < last; block++) {
        own += surviving_starts[block];
    }
    block_sums[local] = own;
    // Inclusive scan, as in scan.wgsl.
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if local >= reach {
            before = block_sums[local - reach];
        }
        workgroupBarrier();
        block_sums[local] += before;
    }
    var running = block_sums[local] - own;
    for (var block = first; block < last; block++) {
        let count = surviving_starts[block];
        surviving_starts[block] = running;
        running += count;
    }
    workgroupBarrier();
    storageBarrier();
    if local == 0u {
        triangle_cull_totals = TriangleCullTotals(block_sums[255], groups);
    }
    let all_fit = groups <= most && block_sums[255] <= raster.max_surviving;
    for (var draw = local; draw < raster.draw_count; draw += 256u) {
        let first_group = groups_before(draw);
        let taken = all_fit && fits(draw);
        for (var row = draw * DRAW_LIST_LODS; row < (draw + 1u) * DRAW_LIST_LODS; row++) {
            write_row(row, first_group, end, taken);
        }
    }
}
