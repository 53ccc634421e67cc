// FXAA 3.11 (Lottes 2009, "FXAA", NVIDIA; FXAA3_11.h): antialiasing of one sample per pixel after tone mapping. Where
// luminance changes sharply, the pixel is read again, offset across the edge by its estimated coverage. Reads the
// present frame only, so that any frame can be rendered alone.

import package::shared::transfer::linear_from_srgb;

// Display-encoded colours: luminance is compared as the eye sees it.
@group(0) @binding(0) var display: texture_2d<f32>;
@group(0) @binding(1) var between: sampler;

// Minimum local contrast that counts as an edge: relative to the brightest neighbour, and absolute.
const SHARE = 0.125; // shader only: tests/gpu/display_steps.rs
const LEAST = 0.0312; // shader only: tests/gpu/display_steps.rs
// Strength of subpixel aliasing removal, 0 to 1.
const SUBPIXEL = 0.75; // shader only: tests/gpu/display_steps.rs
// Steps of the search along an edge (px): exact near by, coarse far away.
const STRIDES = array<f32, 10>(1.0, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0, 2.0, 4.0, 8.0); // shader only

@vertex
fn fxaa_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}

fn brightness(color: vec3<f32>) -> f32 {
    return dot(color, vec3<f32>(0.299, 0.587, 0.114));
}

// Colour at `at` (px); whole numbers lie between pixel centres.
fn read(at: vec2<f32>) -> vec3<f32> {
    return textureSampleLevel(display, between, at / vec2<f32>(textureDimensions(display)), 0.0).rgb;
}

fn read_brightness(at: vec2<f32>) -> f32 {
    return brightness(read(at));
}

// Distance (px, at most 23.5) from `start` along `along` to the end of the edge, and the luminance there less `middle`.
// `middle` is the luminance on the edge.
@if(!simple)
fn follow_edge(start: vec2<f32>, along: vec2<f32>, middle: f32, enough: f32) -> vec2<f32> {
    var far = 0.0;
    var off = 0.0;
    for (var i = 0u; i < 10u; i++) {
        far += STRIDES[i];
        off = read_brightness(start + along * far) - middle;
        if abs(off) >= enough {
            break;
        }
    }
    return vec2<f32>(far, off);
}

@if(!simple)
fn smoothed(at: vec2<f32>) -> vec3<f32> {
    let center = read(at);
    let c = brightness(center);
    let n = read_brightness(at + vec2<f32>(0.0, -1.0));
    let s = read_brightness(at + vec2<f32>(0.0, 1.0));
    let w = read_brightness(at + vec2<f32>(-1.0, 0.0));
    let e = read_brightness(at + vec2<f32>(1.0, 0.0));
    let most = max(c, max(max(n, s), max(w, e)));
    let range = most - min(c, min(min(n, s), min(w, e)));
    if range < max(LEAST, most * SHARE) {
        return center;
    }
    let nw = read_brightness(at + vec2<f32>(-1.0, -1.0));
    let ne = read_brightness(at + vec2<f32>(1.0, -1.0));
    let sw = read_brightness(at + vec2<f32>(-1.0, 1.0));
    let se = read_brightness(at + vec2<f32>(1.0, 1.0));

    // Subpixel aliasing: contrast of the pixel against the weighted mean of its 3x3 neighbourhood.
    let mean = (2.0 * (n + s + w + e) + nw + ne + sw + se) / 12.0;
    let isolation = smoothstep(0.0, 1.0, clamp(abs(mean - c) / range, 0.0, 1.0));
    let single = isolation * isolation * SUBPIXEL;

    // Direction of the edge, and the side of the pixel on which it lies.
    let across_rows = abs(nw + sw - 2.0 * w) + 2.0 * abs(n + s - 2.0 * c) + abs(ne + se - 2.0 * e);
    let across_columns = abs(nw + ne - 2.0 * n) + 2.0 * abs(w + e - 2.0 * c) + abs(sw + se - 2.0 * s);
    let is_horizontal = across_rows >= across_columns;
    let before = select(w, n, is_horizontal);
    let after = select(e, s, is_horizontal);
    let is_before = abs(before - c) >= abs(after - c);
    let aside = select(vec2<f32>(1.0, 0.0), vec2<f32>(0.0, 1.0), is_horizontal) * select(1.0, -1.0, is_before);
    let other = select(after, before, is_before);

    // Both ends of the edge, searched between its two rows of pixels.
    let along = select(vec2<f32>(0.0, 1.0), vec2<f32>(1.0, 0.0), is_horizontal);
    let start = at + 0.5 * aside;
    let middle = 0.5 * (c + other);
    let enough = 0.25 * abs(other - c);
    let back = follow_edge(start, -along, middle, enough);
    let forth = follow_edge(start, along, middle, enough);
    let nearer = select(forth, back, back.x < forth.x);
    // Coverage counts only at the end where the edge turns towards this pixel's side.
    let leaves = (nearer.y < 0.0) != (c < middle);
    let covered = select(0.0, 0.5 - nearer.x / (back.x + forth.x), leaves);
    return read(at + aside * max(covered, single));
}

// Luminance of a pixel without a sampler, which CPU rasterizers emulate tap by tap.
@if(simple)
fn loaded_brightness(pixel: vec2<i32>) -> f32 {
    let last = vec2<i32>(textureDimensions(display)) - 1;
    return brightness(textureLoad(display, clamp(pixel, vec2<i32>(0), last), 0).rgb);
}

// FXAA as for consoles (Lottes 2009): the edge's direction follows from the four diagonal neighbours, and the mean of
// two samples along it is the colour.
@if(simple)
fn smoothed(at: vec2<f32>) -> vec3<f32> {
    let pixel = vec2<i32>(at);
    let center = textureLoad(display, pixel, 0).rgb;
    let c = brightness(center);
    let nw = loaded_brightness(pixel + vec2<i32>(-1, -1));
    let ne = loaded_brightness(pixel + vec2<i32>(1, -1));
    let sw = loaded_brightness(pixel + vec2<i32>(-1, 1));
    let se = loaded_brightness(pixel + vec2<i32>(1, 1));
    let most = max(c, max(max(nw, ne), max(sw, se)));
    let range = most - min(c, min(min(nw, ne), min(sw, se)));
    let across = vec2<f32>(sw + se - nw - ne, nw + sw - ne - se);
    let steepness = max(min(abs(across.x), abs(across.y)) + 0.03125 * (nw + ne + sw + se), 1.0 / 128.0);
    let along = clamp(across / steepness, vec2<f32>(-2.0), vec2<f32>(2.0));
    let smooth_color = 0.5 * (read(at - 0.25 * along) + read(at + 0.25 * along));
    return select(center, smooth_color, range >= max(LEAST, most * SHARE));
}

@fragment
fn fxaa_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let color = smoothed(position.xy);
    @if(srgb_target) return vec4<f32>(linear_from_srgb(color), 1.0);
    @if(!srgb_target) return vec4<f32>(color, 1.0);
}
