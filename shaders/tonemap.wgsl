// Tone mapping: scene-referred HDR to display values (shared/tone.wgsl). Targets that apply the sRGB transfer
// themselves get linear values.

import package::shared::tone::displayed;
import package::shared::transfer::linear_from_srgb;

@group(1) @binding(0) var hdr: texture_2d<f32>;

@vertex
fn tonemap_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}

@fragment
fn tonemap_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let display = displayed(textureLoad(hdr, vec2<i32>(position.xy), 0).rgb, position.xy);
    @if(srgb_target) return vec4<f32>(linear_from_srgb(display), 1.0);
    @if(!srgb_target) return vec4<f32>(display, 1.0);
}
