// Triangle culling in compute (Wihlidal 2016, "Optimizing the Graphics Pipeline with Compute"): which triangles of a
// draw and phase the hardware rasterizer has to process. Workgroups match those of rasterise.wgsl: vertices of meshlets
// first, then one triangle per thread.
//
// The test is conservative. Culled triangles cover no sample however the hardware rounds, or are occluded (`occluded`).
// Undecided and large triangles survive.

import package::shared::cover::SMALL;
import package::shared::edges::{
    edge, first_pixel, first_row, last_pixel, last_row, row_place, sample_column, snapped,
};
import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::pose::posed;
import package::shared::pyramid::{farthest, is_farther, pyramid_farthest};
import package::shared::raster::{SAMPLES, listed_people, pixel_of, raster};
import package::shared::triangle_cull::{MASK_WORDS, draw_number, groups_before, surviving_counts, surviving_masks};
import package::shared::workgroup::{corner_in_world, corners_of, group_of, quotient, row_of_group};

var<workgroup> places: array<vec2<i32>, 256>;
@if(occluded) var<workgroup> depths: array<f32, 256>;
// Triangles left for the second test, in any order, so that neighbouring threads all have one.
var<workgroup> listed: array<u32, 512>;
var<workgroup> listed_count: atomic<u32>;
var<workgroup> masks: array<atomic<u32>, MASK_WORDS>;
var<workgroup> kept: atomic<u32>;

// Position of vertices at the camera's back, which have no screen position.
const NOWHERE = -2147483647; // shader only: tests/gpu/triangle_cull.rs
// Tolerance (1/256 px) on the hardware's vertex position. Its grid is as fine or finer. Other differences are less than
// a step: shader rounding, and cached vertices a thousandth of a millimetre apart.
const SLACK = 1; // shader only: tests/gpu/triangle_cull.rs
// Tolerance on depth, relative to the distance.
const DEPTH_SLACK = 1e-4; // shader only: tests/gpu/triangle_cull.rs
// Highest pyramid level that is read: larger triangles survive.
const MOST_LEVEL = 4u; // shader only: tests/gpu/triangle_cull.rs
// Maximum number of samples tested per triangle: larger ones hold some.
const MOST_SAMPLES = 32; // shader only: tests/gpu/triangle_cull.rs
@if(!wide) const CULL_THREADS = 128u; // shader only: tests/gpu/triangle_cull.rs
@if(wide) const CULL_THREADS = 256u; // shader only: tests/gpu/triangle_cull.rs

fn place(corner: u32, world: vec4<f32>) {
    let clip = frame.projection_from_world * world;
    places[corner] = vec2<i32>(NOWHERE);
    if clip.w > 0.0 {
        places[corner] = snapped(pixel_of(clip));
        @if(occluded) depths[corner] = clip.z / clip.w;
    }
}

// Largest edge-function change when a vertex moves by SLACK along both axes.
fn edge_slack(along: vec2<i32>) -> i32 {
    return SLACK * (abs(along.x) + abs(along.y));
}

struct ScreenTriangle {
    a: vec2<i32>,
    b: vec2<i32>,
    c: vec2<i32>,
    // bounding box with the tolerance on every side
    low: vec2<i32>,
    high: vec2<i32>,
}

fn screen_triangle(corners: vec3<u32>) -> ScreenTriangle {
    let a = places[corners.x];
    let b = places[corners.y];
    let c = places[corners.z];
    return ScreenTriangle(a, b, c, min(a, min(b, c)) - SLACK, max(a, max(b, c)) + SLACK);
}

fn is_nowhere(t: ScreenTriangle) -> bool {
    return t.a.x == NOWHERE || t.b.x == NOWHERE || t.c.x == NOWHERE;
}

fn is_large(t: ScreenTriangle) -> bool {
    return any(t.high - t.low >= vec2<i32>(SMALL));
}

// Sample rows of its box, and pixel columns below, within the picture.
fn rows_of(t: ScreenTriangle) -> vec2<i32> {
    let end = i32(raster.size.y * SAMPLES) - 1;
    return vec2<i32>(max(first_row(t.low.y, SAMPLES), 0), min(last_row(t.high.y, SAMPLES), end));
}

fn columns_of(t: ScreenTriangle) -> vec2<i32> {
    return vec2<i32>(max(t.low.x >> 8u, 0), min(t.high.x >> 8u, i32(raster.size.x) - 1));
}

// True if its box is in the picture and spans a sample row, and it may be a front face.
fn may_be_seen(t: ScreenTriangle) -> bool {
    let rows = rows_of(t);
    let columns = columns_of(t);
    if rows.x > rows.y || columns.x > columns.y {
        return false;
    }
    @if(one_sided) {
        // Front faces wind counter-clockwise.
        if !is_large(t) {
            return edge(t.a, t.b, t.c) <= edge_slack(t.b - t.a) + edge_slack(t.c - t.b) + edge_slack(t.a - t.c) + 8 * SLACK * SLACK;
        }
    }
    return true;
}

fn holds_sample(t: ScreenTriangle) -> bool {
    let rows = rows_of(t);
    let columns = columns_of(t);
    if is_large(t) || (rows.y - rows.x + 1) * (columns.y - columns.x + 1) > MOST_SAMPLES {
        return true;
    }
    let room = vec3<i32>(edge_slack(t.c - t.b), edge_slack(t.a - t.c), edge_slack(t.b - t.a));
    let turn = select(1, -1, edge(t.a, t.b, t.c) < 0);
    for (var y = rows.x; y <= rows.y; y++) {
        let column = sample_column(u32(y) % SAMPLES, SAMPLES);
        let last = min(last_pixel(t.high.x, column), columns.y);
        for (var x = max(first_pixel(t.low.x, column), columns.x); x <= last; x++) {
            let p = vec2<i32>(x * 256 + column, row_place(y, SAMPLES));
            let inside = turn * vec3<i32>(edge(t.b, t.c, p), edge(t.c, t.a, p), edge(t.a, t.b, p));
            if all(inside + room >= vec3<i32>(0)) {
                return true;
            }
        }
    }
    return false;
}

// True if the depth pyramid is nearer than the triangle everywhere in its box.
@if(occluded)
fn is_hidden(t: ScreenTriangle, corners: vec3<u32>) -> bool {
    let own = vec3<f32>(depths[corners.x], depths[corners.y], depths[corners.z]);
    @if(standard_depth) let most = min(own.x, min(own.y, own.z));
    @if(standard_depth) let nearest = most - (1.0 - most) * DEPTH_SLACK;
    @if(!standard_depth) let nearest = max(own.x, max(own.y, own.z)) * (1.0 + DEPTH_SLACK);
    let end = vec2<i32>(raster.size) - 1;
    let first = vec2<u32>(clamp(t.low >> vec2<u32>(8u), vec2<i32>(0), end));
    let last = vec2<u32>(clamp(t.high >> vec2<u32>(8u), vec2<i32>(0), end));
    for (var level = 1u; level <= MOST_LEVEL; level++) {
        let from_texel = first >> vec2<u32>(level);
        let to_texel = last >> vec2<u32>(level);
        if all(to_texel - from_texel <= vec2<u32>(1u)) {
            let occluder_depth = farthest(
                farthest(pyramid_farthest(level, from_texel), pyramid_farthest(level, to_texel)),
                farthest(
                    pyramid_farthest(level, vec2<u32>(from_texel.x, to_texel.y)),
                    pyramid_farthest(level, vec2<u32>(to_texel.x, from_texel.y)),
                ),
            );
            return is_farther(nearest, occluder_depth);
        }
    }
    return false;
}

fn keep(triangle: u32) {
    atomicOr(&masks[triangle / 32u], 1u << (triangle % 32u));
}

@compute @workgroup_size(CULL_THREADS)
fn triangle_cull(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) at: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    // Workgroup memory is not zero-initialised (gpu/pipeline.rs): everything else is written before it is read.
    if thread < MASK_WORDS {
        atomicStore(&masks[thread], 0u);
    }
    if thread == 0u {
        atomicStore(&listed_count, 0u);
        atomicStore(&kept, 0u);
    }
    let number = at.x + at.y * workgroups.x;
    let row = row_of_group(number);
    let group = group_of(row, number);
    for (var corner = thread; corner < group.batch * group.m.vertex_count; corner += CULL_THREADS) {
        let batch_person = quotient(corner, group.m.vertex_count);
        let instance = listed_instance(listed_people[row.list_start + group.first_person + batch_person]);
        let own = corner - batch_person * group.m.vertex_count;
        place(corner, corner_in_world(instance, posed[instance], group.m, own));
    }
    workgroupBarrier();
    let triangles = group.batch * group.m.triangle_count;
    for (var triangle = thread; triangle < triangles; triangle += CULL_THREADS) {
        let t = screen_triangle(corners_of(group, triangle));
        if is_nowhere(t) {
            keep(triangle);
        } else if may_be_seen(t) {
            listed[atomicAdd(&listed_count, 1u)] = triangle;
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&listed_count);
    for (var place = thread; place < count; place += CULL_THREADS) {
        let triangle = listed[place];
        let corners = corners_of(group, triangle);
        let t = screen_triangle(corners);
        @if(occluded) let occluded_triangle = is_hidden(t, corners);
        @if(!occluded) let occluded_triangle = false;
        if !occluded_triangle && holds_sample(t) {
            keep(triangle);
        }
    }
    workgroupBarrier();
    let own_place = groups_before(draw_number()) + number;
    let written = triangles > 0u && own_place < arrayLength(&surviving_counts);
    if written && thread < MASK_WORDS {
        let mask = atomicLoad(&masks[thread]);
        surviving_masks[own_place * MASK_WORDS + thread] = mask;
        atomicAdd(&kept, countOneBits(mask));
    }
    workgroupBarrier();
    if written && thread == 0u {
        surviving_counts[own_place] = atomicLoad(&kept);
    }
}
