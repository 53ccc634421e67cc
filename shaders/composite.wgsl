// Depth composite: writes the software rasterizer's samples into the hardware rasterizer's targets, each at its own
// depth. With `sun` it fills the shadow map, which has depth only.

import package::shared::raster::{RasterUniforms, key_depth};

@group(1) @binding(0) var<uniform> composite_raster: RasterUniforms;
// Low and high words of each sample: triangle id, depth key.
@if(!sun) @group(1) @binding(1) var<storage, read> composite_visibility: array<vec2<u32>>;
@if(!sun) @group(1) @binding(2) var<storage, read> composite_colors: array<vec2<u32>>;
// Depth keys (depth_key of shared/raster.wgsl); 0: empty.
@if(sun) @group(1) @binding(1) var<storage, read> composite_keys: array<u32>;

struct CompositeOutput {
    @if(!sun) @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@vertex
fn composite_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.5, 1.0);
}

@if(sun)
@fragment
fn composite_fragment(@builtin(position) position: vec4<f32>) -> CompositeOutput {
    let texel = vec2<u32>(position.xy);
    let key = composite_keys[texel.y * composite_raster.size.x + texel.x];
    if key == 0u {
        discard;
    }
    return CompositeOutput(key_depth(key));
}

@if(!sun)
@fragment
fn composite_fragment(
    @builtin(position) position: vec4<f32>,
    @if(multisampled) @builtin(sample_index) number: u32,
) -> CompositeOutput {
    let pixel = vec2<u32>(position.xy);
    var at = (pixel.y * composite_raster.size.x + pixel.x) * composite_raster.samples;
    @if(multisampled) at += number;
    let word = composite_visibility[at];
    if word.y == 0u {
        discard;
    }
    let color = composite_colors[at];
    return CompositeOutput(vec4<f32>(unpack2x16float(color.x), unpack2x16float(color.y)), key_depth(word.y));
}
