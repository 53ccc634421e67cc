// Triangle coverage and depth test: keeps the nearest triangle of every sample (shared/raster.wgsl).
//
// With `sun` the target is the shadow map: biased depth only, as in the pipeline of shadow.wgsl. With `raster_ids` the
// low word is the instance id at each pixel's centre, as in aov.wgsl. With `amodal_masks` amodal masks are written,
// too. With `multisampled` pixels have four samples. With `splats` circles are drawn as well.
//
// With `split_words` the two words of a sample are kept by 32-bit atomics in two steps, which run the same pipelines in
// the same order. The first keeps the largest depth key of every sample, the second the largest id of those that have
// that key: the maximum of the packed 64-bit word. Only a uniform distinguishes the steps. Both thus compute the same
// depths, whatever a compiler contracts.

import package::shared::amodal::cover_amodal;
import package::shared::edges::{
    edge, first_pixel, first_row, last_pixel, last_row, outside_edge, row_place, sample_column, wide_edge,
};
import package::shared::raster::{SAMPLES, depth_key, raster};
import package::shared::wide::{wide_float, wide_sign};

// Packed samples; with `split_words` their low and high words in turn; with `sun` depth keys alone.
@if(!sun && !split_words) alias SampleWord = u64;
@if(sun || split_words) alias SampleWord = u32;
@if(!large_triangle_pass) @group(3) @binding(4) var<storage, read_write> visibility: array<atomic<SampleWord>>;
@if(large_triangle_pass) @group(1) @binding(1) var<storage, read_write> visibility: array<atomic<SampleWord>>;

// Largest edge (1/256 px) for which products of two edges fit 32 bits.
const SMALL = 16384; // shader only
// Depth bias of the shadow map, as in render/passes/shadow.rs. The slope term multiplies the larger depth change per
// texel. The constant term counts smallest steps of the triangle's largest depth.
const SLOPE_BIAS = 1.5f;
const CONSTANT_BIAS = 1.0f;
// Unit in the last place of an f32, relative to its power of two.
const DEPTH_STEP = 1.1920929e-7; // shader only

// A triangle with its vertices in clockwise order.
struct ClockwiseTriangle {
    a: vec2<i32>,
    b: vec2<i32>,
    c: vec2<i32>,
    depths: vec3<f32>,
    // low word of its samples
    id: u32,
    @if(sun) bias: f32,
}

// Depth bias as Vulkan specifies it for 32-bit float depth.
// https://registry.khronos.org/vulkan/specs/latest/html/vkspec.html#primsrast-depthbias
@if(sun)
fn bias_of(t: ClockwiseTriangle) -> f32 {
    let b = vec2<f32>(t.b - t.a) / 256.0;
    let c = vec2<f32>(t.c - t.a) / 256.0;
    let to = t.depths.yz - t.depths.xx;
    let slopes = vec2<f32>(to.x * c.y - to.y * b.y, to.y * b.x - to.x * c.x) / (b.x * c.y - b.y * c.x);
    let farthest = max(abs(t.depths.x), max(abs(t.depths.y), abs(t.depths.z)));
    let step = bitcast<f32>(bitcast<u32>(farthest) & 0x7f800000u) * DEPTH_STEP;
    return CONSTANT_BIAS * step + SLOPE_BIAS * max(abs(slopes.x), abs(slopes.y));
}

// Depths outside the range of the map cast no shadow.
@if(sun)
fn write_sample(pixel: vec2<i32>, number: u32, depth: f32, t: ClockwiseTriangle) {
    if depth >= 0.0 && depth <= 1.0 {
        let at = u32(pixel.y) * raster.size.x + u32(pixel.x);
        atomicMax(&visibility[at], depth_key(depth + t.bias));
    }
}

@if(!sun)
fn write_sample(pixel: vec2<i32>, number: u32, depth: f32, t: ClockwiseTriangle) {
    let at = (u32(pixel.y) * raster.size.x + u32(pixel.x)) * SAMPLES + number;
    @if(raster_ids && amodal_masks && !split_words) cover_amodal(t.id - 1u, vec2<u32>(pixel));
    @if(raster_ids && amodal_masks && split_words) {
        if raster.writes_ids == 0u {
            cover_amodal(t.id - 1u, vec2<u32>(pixel));
        }
    }
    keep_nearest(at, depth_key(depth), t.id);
}

@if(!sun && !split_words)
fn keep_nearest(at: u32, key: u32, id: u32) {
    atomicMax(&visibility[at], (u64(key) << 32u) | u64(id));
}

@if(!sun && split_words)
fn keep_nearest(at: u32, key: u32, id: u32) {
    if raster.writes_ids == 0u {
        atomicMax(&visibility[2u * at + 1u], key);
    } else if atomicLoad(&visibility[2u * at + 1u]) == key {
        atomicMax(&visibility[2u * at], id);
    }
}

fn depth_at(t: ClockwiseTriangle, at_b: f32, at_c: f32) -> f32 {
    return t.depths.x + (t.depths.y - t.depths.x) * at_b + (t.depths.z - t.depths.x) * at_c;
}

// Bounding box: sample rows, and the range of x (1/256 px).
struct SampleBox {
    rows: vec2<i32>,
    low: i32,
    high: i32,
}

// One row of samples within the box, a pixel each.
struct SampleRow {
    number: u32,
    first: vec2<i32>,
    last: i32,
    // position of the first sample (1/256 px)
    place: vec2<i32>,
}

fn row_of(box: SampleBox, row: i32) -> SampleRow {
    var out: SampleRow;
    out.number = u32(row) % SAMPLES;
    let column = sample_column(out.number, SAMPLES);
    let first = max(first_pixel(box.low, column), 0);
    out.first = vec2<i32>(first, i32(u32(row) / SAMPLES));
    out.last = min(last_pixel(box.high, column), i32(raster.size.x) - 1);
    out.place = vec2<i32>(first * 256 + column, row_place(row, SAMPLES));
    return out;
}

// Samples of one thread: every `stride`th of a box from `first` on (columns, rows).
struct SampleShare {
    first: vec2<i32>,
    stride: vec2<i32>,
}

fn cover_small(t: ClockwiseTriangle, box: SampleBox, share: SampleShare) {
    let whole = 1.0 / f32(edge(t.a, t.b, t.c));
    let outside = vec3<i32>(outside_edge(t.b, t.c), outside_edge(t.c, t.a), outside_edge(t.a, t.b));
    // Incremental edge functions (Pineda 1988): their values at the first vertex, and their change per step right and
    // down. Only the first function is not 0 there: it is twice the area.
    let right = vec3<i32>(t.b.y - t.c.y, t.c.y - t.a.y, t.a.y - t.b.y);
    let down = vec3<i32>(t.c.x - t.b.x, t.a.x - t.c.x, t.b.x - t.a.x);
    let at_first = vec3<i32>(edge(t.a, t.b, t.c), 0, 0);
    let step = right * 256 * share.stride.x;
    for (var y = box.rows.x + share.first.y; y <= box.rows.y; y += share.stride.y) {
        let row = row_of(box, y);
        let beside = row.place + vec2<i32>(256 * share.first.x, 0) - t.a;
        var e = at_first + right * beside.x + down * beside.y;
        for (var x = row.first.x + share.first.x; x <= row.last; x += share.stride.x) {
            if all(e + outside >= vec3<i32>(0)) {
                write_sample(vec2<i32>(x, row.first.y), row.number, depth_at(t, f32(e.y) * whole, f32(e.z) * whole), t);
            }
            e += step;
        }
    }
}

// Coverage of the few large triangles whose products need 64 bits.
fn cover_wide(t: ClockwiseTriangle, box: SampleBox, share: SampleShare) {
    let whole = 1.0 / wide_float(wide_edge(t.a, t.b, t.c));
    let outside = vec3<i32>(outside_edge(t.b, t.c), outside_edge(t.c, t.a), outside_edge(t.a, t.b));
    for (var y = box.rows.x + share.first.y; y <= box.rows.y; y += share.stride.y) {
        let row = row_of(box, y);
        for (var x = row.first.x + share.first.x; x <= row.last; x += share.stride.x) {
            let p = row.place + vec2<i32>((x - row.first.x) * 256, 0);
            let b = wide_edge(t.c, t.a, p);
            let c = wide_edge(t.a, t.b, p);
            let signs = vec3<i32>(wide_sign(wide_edge(t.b, t.c, p)), wide_sign(b), wide_sign(c));
            if all(signs + outside >= vec3<i32>(0)) {
                let depth = depth_at(t, wide_float(b) * whole, wide_float(c) * whole);
                write_sample(vec2<i32>(x, row.first.y), row.number, depth, t);
            }
        }
    }
}

// The triangle must wind clockwise or counter-clockwise, not be degenerate.
fn cover(setup: TriangleSetup, share: SampleShare) {
    if setup.small {
        cover_small(setup.t, setup.box, share);
    } else {
        cover_wide(setup.t, setup.box, share);
    }
}

// Winding: 1 clockwise, -1 counter-clockwise, 0 degenerate.
fn winding(a: vec2<i32>, b: vec2<i32>, c: vec2<i32>, small: bool) -> i32 {
    if small {
        return sign(edge(a, b, c));
    }
    return wide_sign(wide_edge(a, b, c));
}

// A triangle ready to rasterize. `turn` is its winding: 1 clockwise, -1 counter-clockwise, 0 if it covers nothing.
struct TriangleSetup {
    t: ClockwiseTriangle,
    box: SampleBox,
    small: bool,
    turn: i32,
}

fn setup_of(a: vec2<i32>, b: vec2<i32>, c: vec2<i32>, depths: vec3<f32>, id: u32) -> TriangleSetup {
    var setup: TriangleSetup;
    let low = min(a, min(b, c));
    let high = max(a, max(b, c));
    let end = i32(raster.size.y * SAMPLES) - 1;
    let rows = vec2<i32>(max(first_row(low.y, SAMPLES), 0), min(last_row(high.y, SAMPLES), end));
    if rows.x > rows.y {
        return setup;
    }
    if SAMPLES == 1u || rows.x == rows.y {
        // With one sample column in all rows, the box may contain none of its positions.
        let column = sample_column(u32(rows.x) % SAMPLES, SAMPLES);
        if first_pixel(low.x, column) > last_pixel(high.x, column) {
            return setup;
        }
    }
    setup.box = SampleBox(rows, low.x, high.x);
    setup.small = all(high - low < vec2<i32>(SMALL));
    setup.turn = winding(a, b, c, setup.small);
    @if(!sun) setup.t = ClockwiseTriangle(a, b, c, depths, id);
    @if(sun) setup.t = ClockwiseTriangle(a, b, c, depths, id, 0.0);
    if setup.turn < 0 {
        setup.t.b = c;
        setup.t.c = b;
        setup.t.depths = depths.xzy;
    }
    @if(sun) setup.t.bias = bias_of(setup.t);
    return setup;
}

// Rasterizes a splat: a circle with a radius in 1/256 px, at one depth. Clipped to rows and columns of its box.
@if(splats)
fn cover_splat(middle: vec2<i32>, radius: i32, depth: f32, id: u32) {
    var t: ClockwiseTriangle;
    t.id = id;
    let end = i32(raster.size.y * SAMPLES) - 1;
    let first = max(first_row(middle.y - radius, SAMPLES), 0);
    let box = SampleBox(vec2<i32>(first, min(last_row(middle.y + radius, SAMPLES), end)), middle.x - radius, middle.x + radius);
    for (var y = box.rows.x; y <= box.rows.y; y++) {
        let row = row_of(box, y);
        var away = row.place - middle;
        for (var x = row.first.x; x <= row.last; x++) {
            if away.x * away.x + away.y * away.y <= radius * radius {
                write_sample(vec2<i32>(x, row.first.y), row.number, depth, t);
            }
            away.x += 256;
        }
    }
}

// Approximate number of samples in a box, with at most `most` columns.
fn samples_in(box: SampleBox, most: i32) -> i32 {
    return (box.rows.y - box.rows.x + 1) * (min((box.high - box.low) >> 8u, most) + 1);
}
