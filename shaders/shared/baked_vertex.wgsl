// Vertex animation textures: baked positions, normals and, with normal maps, tangents per frame; no matrices. CPU
// reference: VertexAtlas::vertex in atlas/baked_vertex.rs, which documents the bit layout.

import package::shared::character::character;
import package::shared::instance::Playback;
import package::shared::packed::unpack_octahedral;
import package::shared::skinning::UnitVertex;

// Position range of the frame's clip, unit space.
struct FrameRange {
    low: vec4<f32>,
    size: vec4<f32>,
}

// Vertex `i` of frame `f` is texel `f * vertices + i`, in rows of 4096 texels and layers of 8192 rows.
@if(normal_mapped) alias BakedWords = vec4<u32>;
@if(!normal_mapped) alias BakedWords = vec2<u32>;

const TEXELS_PER_ROW_BITS = 12u;
const BAKED_ROWS_PER_LAYER_BITS = 13u;

@if(atlas_texture) @group(1) @binding(2) var baked: texture_2d_array<u32>;
@if(!atlas_texture) @group(1) @binding(2) var<storage, read> baked: array<BakedWords>;
@group(1) @binding(3) var<storage, read> frame_ranges: array<FrameRange>;

fn baked_words(index: u32) -> BakedWords {
    @if(atlas_texture) {
        let row = index >> TEXELS_PER_ROW_BITS;
        let x = index & ((1u << TEXELS_PER_ROW_BITS) - 1u);
        let y = row & ((1u << BAKED_ROWS_PER_LAYER_BITS) - 1u);
        let texel = textureLoad(baked, vec2<u32>(x, y), row >> BAKED_ROWS_PER_LAYER_BITS, 0);
        @if(normal_mapped) return texel;
        @if(!normal_mapped) return texel.xy;
    }
    @if(!atlas_texture) {
        return baked[index];
    }
}

fn octahedral_decode8(packed: u32) -> vec3<f32> {
    let p = unpack4x8snorm(packed).zw;
    let z = 1.0 - abs(p.x) - abs(p.y);
    let fold = max(-z, 0.0);
    return normalize(vec3<f32>(p - select(vec2<f32>(-fold), vec2<f32>(fold), p >= vec2<f32>(0.0)), z));
}

fn add_frame(sum: ptr<function, UnitVertex>, frame_index: u32, vertex: u32, factor: f32) {
    let words = baked_words(frame_index * character.vertex_count + vertex);
    let range = frame_ranges[frame_index];
    let q = vec3<f32>(unpack2x16unorm(words.x), f32(words.y & 0xffffu) / 65535.0);
    (*sum).position += (range.low.xyz + q * range.size.xyz) * factor;
    @if(!normal_mapped) {
        (*sum).normal += octahedral_decode8(words.y) * factor;
    }
    @if(normal_mapped) {
        let hand = select(1.0, -1.0, (words.y & 0x10000u) != 0u);
        (*sum).normal += unpack_octahedral(words.z) * factor;
        (*sum).tangent += vec4<f32>(unpack_octahedral(words.w), hand) * factor;
    }
}

fn baked_vertex(index: u32, play: Playback) -> UnitVertex {
    // WGSL zero-initialises it.
    var sum: UnitVertex;
    let a = 1.0 - play.fade;
    add_frame(&sum, play.a.x, index, a * (1.0 - play.between.x));
    if play.between.x > 0.0 {
        add_frame(&sum, play.a.y, index, a * play.between.x);
    }
    if play.fade > 0.0 {
        add_frame(&sum, play.b.x, index, play.fade * (1.0 - play.between.y));
        add_frame(&sum, play.b.y, index, play.fade * play.between.y);
    }
    return sum;
}
