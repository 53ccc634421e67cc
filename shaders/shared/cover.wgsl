// Which samples a triangle covers, and what stays of it: the nearest triangle of every sample (shared/raster.wgsl).
//
// With `sun` it is the shadow map that is rasterised into, as the pipeline of shadow.wgsl does: depth alone, biased.
// With `raster_ids` words tell who is at the centre of every pixel, as aov.wgsl does, instead of a triangle; with
// `amodal_masks` everyone's pixels are counted, too. With `multisampled` pixels have four samples instead of one. With
// `splats` there are circles among the triangles.

import package::shared::amodal::cover_amodal;
import package::shared::edges::{
    edge, first_pixel, first_row, last_pixel, last_row, outside_edge, row_place, sample_column, wide_edge,
};
import package::shared::raster::{SAMPLES, depth_key, raster};

@if(!sun && !large_triangle_pass) @group(3) @binding(4) var<storage, read_write> visibility: array<atomic<u64>>;
@if(!sun && large_triangle_pass) @group(1) @binding(1) var<storage, read_write> visibility: array<atomic<u64>>;
// Keys of depths.
@if(sun && !large_triangle_pass) @group(3) @binding(4) var<storage, read_write> visibility: array<atomic<u32>>;
@if(sun && large_triangle_pass) @group(1) @binding(1) var<storage, read_write> visibility: array<atomic<u32>>;

// Edges of a triangle, in 1/256 pixel, up to which products of two of them fit 32 bits.
const SMALL = 16384;
// How far shadows are moved away from the sun, as render/passes/shadow.rs has it: times the larger change of a
// triangle's depth from texel to texel, and so many of the smallest steps of its largest depth.
const SLOPE_BIAS = 1.5f;
const CONSTANT_BIAS = 1.0f;
// Smallest step of a depth over the power of two in it.
const DEPTH_STEP = 1.1920929e-7;

// A triangle in the order in which it winds clockwise.
struct Facing {
    a: vec2<i32>,
    b: vec2<i32>,
    c: vec2<i32>,
    depths: vec3<f32>,
    // of its samples: low half of their words
    id: u32,
    @if(sun) bias: f32,
}

// The depth bias of graphics pipes, of 32-bit floats.
// https://registry.khronos.org/vulkan/specs/latest/html/vkspec.html#primsrast-depthbias
@if(sun)
fn bias_of(t: Facing) -> f32 {
    let b = vec2<f32>(t.b - t.a) / 256.0;
    let c = vec2<f32>(t.c - t.a) / 256.0;
    let to = t.depths.yz - t.depths.xx;
    let slopes = vec2<f32>(to.x * c.y - to.y * b.y, to.y * b.x - to.x * c.x) / (b.x * c.y - b.y * c.x);
    let farthest = max(abs(t.depths.x), max(abs(t.depths.y), abs(t.depths.z)));
    let step = bitcast<f32>(bitcast<u32>(farthest) & 0x7f800000u) * DEPTH_STEP;
    return CONSTANT_BIAS * step + SLOPE_BIAS * max(abs(slopes.x), abs(slopes.y));
}

// What is before the map begins or beyond its end casts nothing.
@if(sun)
fn keep(pixel: vec2<i32>, number: u32, depth: f32, t: Facing) {
    if depth >= 0.0 && depth <= 1.0 {
        let at = u32(pixel.y) * raster.size.x + u32(pixel.x);
        atomicMax(&visibility[at], depth_key(depth + t.bias));
    }
}

@if(!sun)
fn keep(pixel: vec2<i32>, number: u32, depth: f32, t: Facing) {
    let at = (u32(pixel.y) * raster.size.x + u32(pixel.x)) * SAMPLES + number;
    @if(raster_ids && amodal_masks) cover_amodal(t.id - 1u, vec2<u32>(pixel));
    atomicMax(&visibility[at], (u64(depth_key(depth)) << 32u) | u64(t.id));
}

fn depth_at(t: Facing, at_b: f32, at_c: f32) -> f32 {
    return t.depths.x + (t.depths.y - t.depths.x) * at_b + (t.depths.z - t.depths.x) * at_c;
}

// Rows of samples of which a triangle may cover any, and its places along them.
struct Box {
    rows: vec2<i32>,
    low: i32,
    high: i32,
}

// Samples of a row within the box, a pixel each.
struct Row {
    number: u32,
    first: vec2<i32>,
    last: i32,
    // of the first
    place: vec2<i32>,
}

fn row_of(box: Box, row: i32) -> Row {
    var out: Row;
    out.number = u32(row) % SAMPLES;
    let column = sample_column(out.number, SAMPLES);
    let first = max(first_pixel(box.low, column), 0);
    out.first = vec2<i32>(first, i32(u32(row) / SAMPLES));
    out.last = min(last_pixel(box.high, column), i32(raster.size.x) - 1);
    out.place = vec2<i32>(first * 256 + column, row_place(row, SAMPLES));
    return out;
}

// The samples of a thread: every `stride`th of a box from `first` on, columns and rows.
struct Share {
    first: vec2<i32>,
    stride: vec2<i32>,
}

fn cover_small(t: Facing, box: Box, share: Share) {
    let whole = 1.0 / f32(edge(t.a, t.b, t.c));
    let outside = vec3<i32>(outside_edge(t.b, t.c), outside_edge(t.c, t.a), outside_edge(t.a, t.b));
    // What edge() is of b to c, c to a and a to b at a place beside the first vertex: so much times how far right of it
    // and below it that is, and the first of them its whole area more.
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
                keep(vec2<i32>(x, row.first.y), row.number, depth_at(t, f32(e.y) * whole, f32(e.z) * whole), t);
            }
            e += step;
        }
    }
}

// The same for the few whose products need 64 bits.
fn cover_wide(t: Facing, box: Box, share: Share) {
    let whole = 1.0 / f32(wide_edge(t.a, t.b, t.c));
    let outside_a = i64(outside_edge(t.b, t.c));
    let outside_b = i64(outside_edge(t.c, t.a));
    let outside_c = i64(outside_edge(t.a, t.b));
    for (var y = box.rows.x + share.first.y; y <= box.rows.y; y += share.stride.y) {
        let row = row_of(box, y);
        for (var x = row.first.x + share.first.x; x <= row.last; x += share.stride.x) {
            let p = row.place + vec2<i32>((x - row.first.x) * 256, 0);
            let b = wide_edge(t.c, t.a, p);
            let c = wide_edge(t.a, t.b, p);
            let inside = wide_edge(t.b, t.c, p) + outside_a >= 0li && b + outside_b >= 0li && c + outside_c >= 0li;
            if inside {
                keep(vec2<i32>(x, row.first.y), row.number, depth_at(t, f32(b) * whole, f32(c) * whole), t);
            }
        }
    }
}

// Of a triangle that covers something.
fn cover(work: Work, share: Share) {
    if work.small {
        cover_small(work.t, work.box, share);
    } else {
        cover_wide(work.t, work.box, share);
    }
}

// 1 clockwise, -1 counterclockwise, 0 not at all.
fn winding(a: vec2<i32>, b: vec2<i32>, c: vec2<i32>, small: bool) -> i32 {
    if small {
        return sign(edge(a, b, c));
    }
    let area = wide_edge(a, b, c);
    return select(0, 1, area > 0li) - select(0, 1, area < 0li);
}

// A triangle of the picture: which way it winds there, 1 clockwise, -1 counterclockwise, 0 where it covers nothing.
struct Work {
    t: Facing,
    box: Box,
    small: bool,
    turn: i32,
}

fn work_of(a: vec2<i32>, b: vec2<i32>, c: vec2<i32>, depths: vec3<f32>, id: u32) -> Work {
    var work: Work;
    let low = min(a, min(b, c));
    let high = max(a, max(b, c));
    let end = i32(raster.size.y * SAMPLES) - 1;
    let rows = vec2<i32>(max(first_row(low.y, SAMPLES), 0), min(last_row(high.y, SAMPLES), end));
    if rows.x > rows.y {
        return work;
    }
    if SAMPLES == 1u || rows.x == rows.y {
        // All columns are one, which may have no sample in the box.
        let column = sample_column(u32(rows.x) % SAMPLES, SAMPLES);
        if first_pixel(low.x, column) > last_pixel(high.x, column) {
            return work;
        }
    }
    work.box = Box(rows, low.x, high.x);
    work.small = all(high - low < vec2<i32>(SMALL));
    work.turn = winding(a, b, c, work.small);
    @if(!sun) work.t = Facing(a, b, c, depths, id);
    @if(sun) work.t = Facing(a, b, c, depths, id, 0.0);
    if work.turn < 0 {
        work.t.b = c;
        work.t.c = b;
        work.t.depths = depths.xzy;
    }
    @if(sun) work.t.bias = bias_of(work.t);
    return work;
}

// Covers the samples of a circle of a radius in 1/256 pixel, all at one depth. Rows and columns are those of its box.
@if(splats)
fn cover_splat(middle: vec2<i32>, radius: i32, depth: f32, id: u32) {
    var t: Facing;
    t.id = id;
    let end = i32(raster.size.y * SAMPLES) - 1;
    let first = max(first_row(middle.y - radius, SAMPLES), 0);
    let box = Box(vec2<i32>(first, min(last_row(middle.y + radius, SAMPLES), end)), middle.x - radius, middle.x + radius);
    for (var y = box.rows.x; y <= box.rows.y; y++) {
        let row = row_of(box, y);
        var away = row.place - middle;
        for (var x = row.first.x; x <= row.last; x++) {
            if away.x * away.x + away.y * away.y <= radius * radius {
                keep(vec2<i32>(x, row.first.y), row.number, depth, t);
            }
            away.x += 256;
        }
    }
}

// Samples of its box, about: `most` columns at most are counted of each row.
fn samples_in(box: Box, most: i32) -> i32 {
    return (box.rows.y - box.rows.x + 1) * (min((box.high - box.low) >> 8u, most) + 1);
}
