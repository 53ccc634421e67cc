// Where the triangles that are left of each draw begin, and the arguments of both its draws: of these, and of everyone
// whole where there are too many, or people whom an index cannot tell apart. One workgroup.

import package::shared::draw_lists::{ARGUMENT_WORDS, DRAW_LIST_LODS};
import package::shared::raster::{raster, sw_raster_max_rows};
import package::shared::triangle_cull::{
    TRIANGLE_CULL_BLOCK, TriangleCullLod, TriangleCullTotals, CompactedRow, groups_before, kept_arguments, kept_counts, kept_starts,
};

@group(1) @binding(8) var<storage, read> triangle_cull_lods: array<TriangleCullLod>;
@group(1) @binding(9) var<storage, read_write> compacted_rows: array<CompactedRow>;
// As slots.wgsl leaves them: of those who have no workgroups.
@group(1) @binding(10) var<storage, read_write> left_arguments: array<u32>;

@group(1) @binding(11) var<storage, read_write> triangle_cull_totals: TriangleCullTotals;

var<workgroup> block_sums: array<u32, 256>;

// Triangles before a workgroup.
fn kept_before(number: u32, end: u32) -> u32 {
    if number >= end {
        return block_sums[255];
    }
    return kept_starts[number / TRIANGLE_CULL_BLOCK] + kept_counts[number];
}

fn fits(draw: u32) -> bool {
    for (var row = draw * DRAW_LIST_LODS; row < (draw + 1u) * DRAW_LIST_LODS; row++) {
        let people = sw_raster_max_rows[row].people;
        if left_arguments[row * ARGUMENT_WORDS + 1u] > 0u || people > (0xffffffffu >> triangle_cull_lods[row].vertex_bits) {
            return false;
        }
    }
    return true;
}

fn write_row(row: u32, first_group: u32, end: u32, taken: bool) {
    let own = sw_raster_max_rows[row];
    let lod = triangle_cull_lods[row];
    let begins = kept_before(first_group + own.first_group, end);
    let count = kept_before(first_group + own.first_group + own.group_count, end) - begins;
    let word = row * ARGUMENT_WORDS;
    kept_arguments[word] = select(0u, 3u * count, taken);
    kept_arguments[word + 1u] = select(0u, 1u, taken);
    kept_arguments[word + 2u] = 3u * begins;
    kept_arguments[word + 3u] = 0u;
    kept_arguments[word + 4u] = row;
    compacted_rows[row] = CompactedRow(own.list_start, lod.first_vertex, lod.vertex_bits, 0u);
    if !taken && own.people > 0u {
        left_arguments[word + 1u] = own.people;
    }
}

@compute @workgroup_size(256)
fn triangle_cull_draws(@builtin(local_invocation_index) local: u32) {
    let groups = groups_before(raster.draw_count);
    let most = arrayLength(&kept_counts);
    let end = min(groups, most);
    let blocks = (end + TRIANGLE_CULL_BLOCK - 1u) / TRIANGLE_CULL_BLOCK;
    let share = (blocks + 255u) / 256u;
    let first = min(local * share, blocks);
    let last = min(first + share, blocks);
    var own = 0u;
    for (var block = first; block < last; block++) {
        own += kept_starts[block];
    }
    block_sums[local] = own;
    // As in scan.wgsl.
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
        let count = kept_starts[block];
        kept_starts[block] = running;
        running += count;
    }
    workgroupBarrier();
    storageBarrier();
    if local == 0u {
        triangle_cull_totals = TriangleCullTotals(block_sums[255], groups);
    }
    let all_fit = groups <= most && block_sums[255] <= raster.most_kept;
    for (var draw = local; draw < raster.draw_count; draw += 256u) {
        let first_group = groups_before(draw);
        let taken = all_fit && fits(draw);
        for (var row = draw * DRAW_LIST_LODS; row < (draw + 1u) * DRAW_LIST_LODS; row++) {
            write_row(row, first_group, end, taken);
        }
    }
}
