// Decodes compacted indices: each names an instance and a vertex (shared/triangle_cull.wgsl).

import package::shared::triangle_cull::CompactedRow;

@group(3) @binding(0) var<storage, read> compacted_rows: array<CompactedRow>;
@group(3) @binding(1) var<storage, read> compacted_people: array<u32>;

// Entry of the draw list, and the vertex index.
fn compacted_vertex(row: u32, index: u32) -> vec2<u32> {
    let lod = compacted_rows[row];
    let person = compacted_people[lod.list_start + (index >> lod.vertex_bits)];
    return vec2<u32>(person, lod.first_vertex + (index & ((1u << lod.vertex_bits) - 1u)));
}
