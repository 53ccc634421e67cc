// Puts what was rasterised in compute among what the graphics pipe draws: every sample at its depth. With `sun`
// depth is all there is.

import package::shared::raster::{RasterUniforms, key_depth};

@group(1) @binding(0) var<uniform> met: RasterUniforms;
// Low and high halves.
@if(!sun) @group(1) @binding(1) var<storage, read> met_words: array<vec2<u32>>;
@if(!sun) @group(1) @binding(2) var<storage, read> met_colors: array<vec2<u32>>;
// Keys of depths.
@if(sun) @group(1) @binding(1) var<storage, read> met_keys: array<u32>;

struct Met {
    @if(!sun) @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@vertex
fn meet_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.5, 1.0);
}

@if(sun)
@fragment
fn meet_fragment(@builtin(position) position: vec4<f32>) -> Met {
    let texel = vec2<u32>(position.xy);
    let key = met_keys[texel.y * met.size.x + texel.x];
    if key == 0u {
        discard;
    }
    return Met(key_depth(key));
}

@if(!sun)
@fragment
fn meet_fragment(
    @builtin(position) position: vec4<f32>,
    @if(multisampled) @builtin(sample_index) number: u32,
) -> Met {
    let pixel = vec2<u32>(position.xy);
    var at = (pixel.y * met.size.x + pixel.x) * met.samples;
    @if(multisampled) at += number;
    let word = met_words[at];
    if word.y == 0u {
        discard;
    }
    let color = met_colors[at];
    return Met(vec4<f32>(unpack2x16float(color.x), unpack2x16float(color.y)), key_depth(word.y));
}
