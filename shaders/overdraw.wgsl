// Overdraw heat map (shared/heat.wgsl) in place of tone mapping. The crowd pass has added 1 per fragment (condition
// show_overdraw).

import package::shared::heat::{heat_color, overdraw_heat};
import package::shared::transfer::srgb_from_linear;

// Fragment count in the red channel, averaged over the samples of a pixel.
@group(0) @binding(0) var fragment_counts: texture_2d<f32>;

@vertex
fn overdraw_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}

@fragment
fn overdraw_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let color = heat_color(overdraw_heat(textureLoad(fragment_counts, vec2<i32>(position.xy), 0).r));
    @if(srgb_target) return vec4<f32>(color, 1.0);
    @if(!srgb_target) return vec4<f32>(srgb_from_linear(color), 1.0);
}
