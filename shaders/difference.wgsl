// Compare view: two pictures of one frame side by side, or a heat map of their difference. Both pictures and the target
// have one size and format.

import package::shared::heat::heat_color;
import package::shared::transfer::srgb_from_linear;

/// Settings of the comparison.
struct DifferenceUniforms { // shared with Rust
    /// First column of the right picture (px).
    divider: f32,
    /// Factor on differences of display values (0 to 1) in the heat map.
    gain: f32,
    /// 1 shows the heat map, 0 the pictures side by side.
    heat: u32,
    pad: u32,
}

@group(0) @binding(0) var<uniform> comparison: DifferenceUniforms;
@group(0) @binding(1) var left_picture: texture_2d<f32>;
@group(0) @binding(2) var right_picture: texture_2d<f32>;

@vertex
fn difference_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}

@fragment
fn difference_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(position.xy);
    let left = textureLoad(left_picture, pixel, 0).rgb;
    let right = textureLoad(right_picture, pixel, 0).rgb;
    if comparison.heat == 0u {
        return vec4<f32>(select(right, left, position.x < comparison.divider), 1.0);
    }
    @if(srgb_target) let apart = abs(srgb_from_linear(left) - srgb_from_linear(right));
    @if(!srgb_target) let apart = abs(left - right);
    let heat = max(apart.r, max(apart.g, apart.b)) * comparison.gain;
    // A faint trace of the picture shows where differences are.
    let trace = dot(left, vec3<f32>(0.2126, 0.7152, 0.0722)) * 0.16;
    return vec4<f32>(max(heat_color(heat), vec3<f32>(trace)), 1.0);
}
