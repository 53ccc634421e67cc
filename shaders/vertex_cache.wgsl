// Fills the vertex cache of a character: its meshlet vertices posed in every frame of the atlas, for rasterise. Runs
// once per character.

import package::shared::vertex_cache::{PLACE_MASK, corner_range, packed_corner};
import package::shared::instance::Playback;
import package::shared::packed::load_vertex;
import package::shared::skinning::{blend_matrices, transform, unit_vertex};

// Vertex of each meshlet corner.
@group(2) @binding(1) var<storage, read> corner_vertices: array<u32>;
@group(2) @binding(2) var<storage, read_write> written_vertices: array<vec2<u32>>;

@compute @workgroup_size(64)
fn pose_vertices(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= corner_range.corner_count {
        return;
    }
    let v = load_vertex(corner_vertices[at.x]);
    var play: Playback;
    play.a = at.yy;
    let unit = transform(blend_matrices(v.joints, v.weights, play), unit_vertex(v)).position;
    let place = clamp((unit - corner_range.low) / corner_range.step + 0.5, vec3<f32>(0.0), vec3<f32>(f32(PLACE_MASK)));
    written_vertices[at.y * corner_range.corner_count + at.x] = packed_corner(vec3<u32>(place));
}
