// Pictures of one size added up: light, or how many samples of every pixel show people of each band of heights
// (condition sum_heights). Each pixel is an invocation's own, so that pictures are added in their order, as on the CPU.

@if(sum_heights) import package::shared::heights::{BANDS_OF_CHANNEL, HEIGHT_BANDS};

@group(0) @binding(0) var picture: texture_2d<f32>;
// Rows top to bottom: red, green and blue of a pixel one after the other.
@if(!sum_heights) @group(0) @binding(1) var<storage, read_write> light_sums: array<f32>;
// A byte for each band, the first one lowest: 64 samples never carry into the next.
@if(sum_heights) @group(0) @binding(1) var<storage, read_write> height_sums: array<vec2<u32>>;
// Samples per pixel of the picture.
@if(sum_heights) @group(0) @binding(2) var<uniform> samples_of_picture: vec4<u32>;

const EDGE = 8u;
// Largest finite half.
const BRIGHTEST = 65504.0;

// What is no number is black, and nothing is brighter than halves can be. By its bits: compilers may take it that there
// are only numbers.
fn finite_light(value: f32) -> f32 {
    let is_number = (bitcast<u32>(value) & 0x7fffffffu) <= 0x7f800000u;
    return select(0.0, min(value, BRIGHTEST), is_number);
}

// Samples of each of a channel's bands, a byte each; render/heights.rs tells how their mean holds them.
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
