// Triangles of a phase that the hardware rasterizer has to see: all but those that show their back or hold no sample
// (render/passes/triangle_cull).
//
// slots numbers the workgroups of everything that is drawn, triangle_cull tests their triangles, triangle_cull_blocks
// and triangle_cull_draws add up how many are left, triangle_cull_indices lists these in the order of the draws' own.
//
// An index of these says who, and which vertex: the place among the people of the row, shifted by the row's
// `vertex_bits`, and the number of the vertex behind the first of the level.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::raster::{raster, sw_raster_max_rows};

// Of a workgroup: a bit for each of its triangles.
const MASK_WORDS = 16u;
// Workgroups whose counts are added up together.
const TRIANGLE_CULL_BLOCK = 1024u;

// What never changes about a level of a draw. Mirrored by SiftLevel in render/passes/triangle_cull/frame.rs.
struct TriangleCullLod {
    first_vertex: u32,
    vertex_bits: u32,
}

// A level of a draw as the vertex shader reads it. Mirrored by SiftedRow in render/passes/triangle_cull/frame.rs.
struct CompactedRow {
    // in the list of people
    list_start: u32,
    first_vertex: u32,
    vertex_bits: u32,
    pad: u32,
}

// By workgroup.
@if(!kept_pass) @group(3) @binding(4) var<storage, read_write> kept_masks: array<u32>;
@if(kept_pass) @group(1) @binding(3) var<storage, read> kept_masks: array<u32>;
// By workgroup, how many are left; then how many before it in its block.
@if(!kept_pass) @group(3) @binding(7) var<storage, read_write> kept_counts: array<u32>;
@if(kept_pass) @group(1) @binding(4) var<storage, read_write> kept_counts: array<u32>;
// By block, how many are left; then how many before it.
@if(kept_pass) @group(1) @binding(5) var<storage, read_write> kept_starts: array<u32>;
// By row, of what is left of the draws; five words as of every indexed indirect draw.
@if(kept_pass) @group(1) @binding(6) var<storage, read_write> kept_arguments: array<u32>;

// Triangles that are left of a phase, and its workgroups. Mirrored by SiftTotals in
// render/passes/triangle_cull/room.rs.
struct TriangleCullTotals {
    triangles: u32,
    groups: u32,
}

// Workgroups of the draws before one.
fn groups_before(draw: u32) -> u32 {
    var groups = 0u;
    for (var before = 0u; before < draw; before++) {
        let last = (before + 1u) * DRAW_LIST_LODS - 1u;
        groups += sw_raster_max_rows[last].first_group + sw_raster_max_rows[last].group_count;
    }
    return groups;
}

fn draw_number() -> u32 {
    return raster.first_row / DRAW_LIST_LODS;
}
