// Baked vertices: positions and normals per frame, no matrices. CPU twin: atlas::vertex.

import package::shared::character::{character, decode_octahedral};
import package::shared::instance::Playback;
import package::shared::skin::UnitVertex;

@group(1) @binding(2) var<storage, read> baked: array<vec2<u32>>;

fn baked_vertex(index: u32, play: Playback) -> UnitVertex {
    return UnitVertex(vec3<f32>(0.0), vec3<f32>(0.0));
}
