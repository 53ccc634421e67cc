// Vertex cache: meshlet vertices posed in each frame of the atlas, filled once per character (vertex_cache.wgsl).
// Skinned positions are linear in the matrices, so interpolating cached positions equals skinning with interpolated
// matrices. Corner `c` of frame `f` is element f * corner_count + c, with 21 bits per axis. CPU twin:
// render/passes/raster/vertex_cache.rs.
//
//   word 0  x | low 11 bits of y << 21
//   word 1  high 10 bits of y | z << 10

import package::shared::instance::Playback;

/// Quantization of cached positions.
struct PosedVertexUniforms { // shared with Rust
    /// Lowest position, that of coordinate 0 (unit space).
    low: vec3<f32>,
    /// Cached vertices per frame.
    corner_count: u32,
    /// Size of a quantization step per axis (unit space).
    step: vec3<f32>,
    /// Frames of the atlas.
    frame_count: u32,
}

const PLACE_BITS = 21u;
const PLACE_MASK = 2097151u;

@if(posing_vertices) @group(2) @binding(0) var<uniform> corner_range: PosedVertexUniforms;
@if(!posing_vertices) @group(3) @binding(5) var<uniform> corner_range: PosedVertexUniforms;
@if(!posing_vertices) @group(3) @binding(6) var<storage, read> cached_vertices: array<vec2<u32>>;

fn packed_corner(place: vec3<u32>) -> vec2<u32> {
    return vec2<u32>(place.x | (place.y << PLACE_BITS), (place.y >> (32u - PLACE_BITS)) | (place.z << 10u));
}

fn unpacked_corner(words: vec2<u32>) -> vec3<u32> {
    let y = (words.x >> PLACE_BITS) | (words.y << (32u - PLACE_BITS));
    return vec3<u32>(words.x, y, words.y >> 10u) & vec3<u32>(PLACE_MASK);
}

@if(!posing_vertices)
fn corner_at(corner: u32, frame_index: u32) -> vec3<f32> {
    return vec3<f32>(unpacked_corner(cached_vertices[frame_index * corner_range.corner_count + corner]));
}

@if(!posing_vertices)
fn corner_between(corner: u32, frames: vec2<u32>, between: f32) -> vec3<f32> {
    let first = corner_at(corner, frames.x);
    if between == 0.0 {
        return first;
    }
    return mix(first, corner_at(corner, frames.y), between);
}

// Cached position, unit space.
@if(!posing_vertices)
fn cached_vertex(corner: u32, play: Playback) -> vec3<f32> {
    var place = corner_between(corner, play.a, play.between.x);
    if play.fade > 0.0 {
        place = mix(place, corner_between(corner, play.b, play.between.y), play.fade);
    }
    @if(actors) {
        if play.third.weight > 0.0 {
            place = mix(place, corner_between(corner, play.third.frames, play.third.between), play.third.weight);
        }
    }
    return corner_range.low + place * corner_range.step;
}
