// Sums of pictures of one size: light, or with sum_heights the number of samples per band of heights. Each invocation
// owns one pixel, so that additions keep the order of the CPU.

@if(sum_heights) import package::shared::heights::{BANDS_OF_CHANNEL, HEIGHT_BANDS};

@group(0) @binding(0) var picture: texture_2d<f32>;
// Rows from top to bottom; red, green and blue of each pixel in turn.
@if(!sum_heights) @group(0) @binding(1) var<storage, read_write> light_sums: array<f32>;
// One byte per band, the first band lowest: 64 samples never carry into the next byte.
@if(sum_heights) @group(0) @binding(1) var<storage, read_write> height_sums: array<vec2<u32>>;
// Samples per pixel of the picture (x).
@if(sum_heights) @group(0) @binding(2) var<uniform> samples_of_picture: vec4<u32>;

const EDGE = 8u; // shader only: tests/gpu/picture_sums.rs
// Largest finite f16.
const BRIGHTEST = 65504.0; // shader only: tests/gpu/picture_sums.rs

// NaN becomes 0 and values are clamped to the largest half. NaN is detected by its bits: compilers may assume that
// floats are numbers.
fn finite_light(value: f32) -> f32 {
    let is_number = (bitcast<u32>(value) & 0x7fffffffu) <= 0x7f800000u;
    return select(0.0, min(value, BRIGHTEST), is_number);
}

// Samples of each band of a channel, one byte each; render/heights.rs explains the encoding of the mean.
@if(sum_heights)
fn counts_of(mean: f32) -> u32 {
    var digits = u32(floor(max(mean, 0.0) * f32(samples_of_picture.x) + 0.5));
    var packed = 0u;
    for (var band = 0u; band < BANDS_OF_CHANNEL; band += 1u) {
        packed |= (digits % 5u) << (8u * band);
        digits /= 5u;
    }
    return packed;
}

@compute @workgroup_size(EDGE, EDGE)
fn picture_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(picture);
    if any(id.xy >= size) {
        return;
    }
    let texel = textureLoad(picture, id.xy, 0);
    let place = id.y * size.x + id.x;
    @if(sum_heights) {
        height_sums[place] += vec2<u32>(counts_of(texel.r), counts_of(texel.g));
    }
    @if(!sum_heights) {
        light_sums[3u * place] += finite_light(texel.r);
        light_sums[3u * place + 1u] += finite_light(texel.g);
        light_sums[3u * place + 2u] += finite_light(texel.b);
    }
}
