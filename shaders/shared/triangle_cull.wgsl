// Triangle culling in compute (render/passes/triangle_cull; Wihlidal 2016): keeps triangles that face the viewer and
// may cover a sample.
//
//   slots                  assigns workgroups to draws
//   triangle_cull          tests triangles, writes bit masks and counts
//   triangle_cull_blocks   prefix sum within blocks
//   triangle_cull_draws    prefix sum over blocks, draw arguments
//   triangle_cull_indices  writes compacted indices in draw order
//
// A compacted index is: place in the row's list << vertex_bits | vertex relative to the LOD's first.

import package::shared::draw_lists::DRAW_LIST_LODS;
import package::shared::raster::{raster, raster_row_table};

// Words of a workgroup's bit mask: one bit per triangle.
const MASK_WORDS = 16u;
// Workgroups per block of the prefix sum.
const TRIANGLE_CULL_BLOCK = 1024u;

/// Vertex range of one LOD of a draw.
struct TriangleCullLod { // shared with Rust
    /// First vertex.
    first_vertex: u32,
    /// Number of low bits that hold the vertex in a compacted index; the others hold the person.
    vertex_bits: u32,
}

/// One LOD of a draw, as the vertex shader reads it.
struct CompactedRow { // shared with Rust
    /// First entry in the draw list.
    list_start: u32,
    /// First vertex, as in `TriangleCullLod`.
    first_vertex: u32,
    /// Bits of the vertex, as in `TriangleCullLod`.
    vertex_bits: u32,
    pad: u32,
}

// Bit masks of surviving triangles, per workgroup.
@if(!kept_pass) @group(3) @binding(4) var<storage, read_write> surviving_masks: array<u32>;
@if(kept_pass) @group(1) @binding(3) var<storage, read> surviving_masks: array<u32>;
// Per workgroup: number of survivors, then the number before it in its block.
@if(!kept_pass) @group(3) @binding(7) var<storage, read_write> surviving_counts: array<u32>;
@if(kept_pass) @group(1) @binding(4) var<storage, read_write> surviving_counts: array<u32>;
// Per block: number of survivors, then the number before it.
@if(kept_pass) @group(1) @binding(5) var<storage, read_write> surviving_starts: array<u32>;
// Per row: five words of an indexed indirect draw of the survivors.
@if(kept_pass) @group(1) @binding(6) var<storage, read_write> surviving_arguments: array<u32>;

/// Survivors of a phase, and its workgroups.
struct TriangleCullTotals { // shared with Rust
    /// Surviving triangles, of as many workgroups as fit.
    triangles: u32,
    /// Number of workgroups.
    groups: u32,
}

// Number of workgroups of the draws before this one.
fn groups_before(draw: u32) -> u32 {
    var groups = 0u;
    for (var before = 0u; before < draw; before++) {
        let last = (before + 1u) * DRAW_LIST_LODS - 1u;
        groups += raster_row_table[last].first_group + raster_row_table[last].group_count;
    }
    return groups;
}

fn draw_number() -> u32 {
    return raster.first_row / DRAW_LIST_LODS;
}
