// Edges of one sample per pixel, smoothed after tone mapping: FXAA 3.11 (Lottes, "FXAA", NVIDIA 2009, and
// FXAA3_11.h). Where brightness around a pixel jumps, the pixel is read again from aside of the edge, by as much as
// the edge's course covers it. Reads one frame only, so that any picture can be made alone.

import package::shared::transfer::linear_from_srgb;

// As displays are sent it: brightness is evaluated as it is seen.
@group(0) @binding(0) var display: texture_2d<f32>;
@group(0) @binding(1) var between: sampler;

// Least jump that counts, as a share of the brightest of the neighbours, and at all.
const SHARE = 0.125;
const LEAST = 0.0312;
// How much of single pixels is taken back.
const SUBPIXEL = 0.75;
// Pixels from one look along the edge to the next: exact near by, coarse far away.
const STRIDES = array<f32, 10>(1.0, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0, 2.0, 4.0, 8.0);

@vertex
fn fxaa_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 0.0, 1.0);
}

fn brightness(color: vec3<f32>) -> f32 {
    return dot(color, vec3<f32>(0.299, 0.587, 0.114));
}

// `at` is in pixels, whole numbers between pixels.
fn read(at: vec2<f32>) -> vec3<f32> {
    return textureSampleLevel(display, between, at / vec2<f32>(textureDimensions(display)), 0.0).rgb;
}

fn read_brightness(at: vec2<f32>) -> f32 {
    return brightness(read(at));
}

// How far the edge goes on from `start` in steps of `along`, at most 23.5 pixels, and the brightness there less
// `middle`, that on the edge.
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

    // What is alone in its pixel, against the mean around it.
    let mean = (2.0 * (n + s + w + e) + nw + ne + sw + se) / 12.0;
    let amodal = smoothstep(0.0, 1.0, clamp(abs(mean - c) / range, 0.0, 1.0));
    let single = amodal * amodal * SUBPIXEL;

    // Which way the edge runs, and on which side of the pixel it is.
    let across_rows = abs(nw + sw - 2.0 * w) + 2.0 * abs(n + s - 2.0 * c) + abs(ne + se - 2.0 * e);
    let across_columns = abs(nw + ne - 2.0 * n) + 2.0 * abs(w + e - 2.0 * c) + abs(sw + se - 2.0 * s);
    let lod = across_rows >= across_columns;
    let before = select(w, n, lod);
    let after = select(e, s, lod);
    let is_before = abs(before - c) >= abs(after - c);
    let aside = select(vec2<f32>(1.0, 0.0), vec2<f32>(0.0, 1.0), lod) * select(1.0, -1.0, is_before);
    let other = select(after, before, is_before);

    // Both ends of the edge, looked for between its two rows of pixels.
    let along = select(vec2<f32>(0.0, 1.0), vec2<f32>(1.0, 0.0), lod);
    let start = at + 0.5 * aside;
    let middle = 0.5 * (c + other);
    let enough = 0.25 * abs(other - c);
    let back = follow_edge(start, -along, middle, enough);
    let forth = follow_edge(start, along, middle, enough);
    let nearer = select(forth, back, back.x < forth.x);
    // Only the end at which the edge leaves towards this pixel's side covers a part of it.
    let leaves = (nearer.y < 0.0) != (c < middle);
    let covered = select(0.0, 0.5 - nearer.x / (back.x + forth.x), leaves);
    return read(at + aside * max(covered, single));
}

@fragment
fn fxaa_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let color = smoothed(position.xy);
    @if(srgb_target) return vec4<f32>(linear_from_srgb(color), 1.0);
    @if(!srgb_target) return vec4<f32>(color, 1.0);
}
