// Draws of the triangles that sift.wgsl left: an index says who, and which vertex (shared/sift.wgsl).

import package::shared::sift::SiftedRow;

@group(3) @binding(0) var<storage, read> sifted_rows: array<SiftedRow>;
@group(3) @binding(1) var<storage, read> sifted_people: array<u32>;

// An entry of a list, and the number of a vertex.
fn sifted_vertex(row: u32, index: u32) -> vec2<u32> {
    let level = sifted_rows[row];
    let person = sifted_people[level.list_start + (index >> level.vertex_bits)];
    return vec2<u32>(person, level.first_vertex + (index & ((1u << level.vertex_bits) - 1u)));
}
