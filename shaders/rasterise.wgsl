// Rasterises everyone of a draw whom the far phase lists: a workgroup poses the vertices of its meshlets
// once, by the functions of the crowd pass, then each thread takes triangles of them. The nearest triangle
// of each sample stays (shared/raster.wgsl). Most triangles hold no sample and end at their box.
//
// With `sun` it is the shadow map that is rasterised into, as the pipeline of shadow.wgsl does: both sides, depth
// alone, biased.

import package::shared::bins::BIN_LEVELS;
import package::shared::edges::{
    edge, first_pixel, last_pixel, outside_edge, sample_place, snapped, wide_edge,
};
import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::packed::load_vertex;
import package::shared::pose::{pose_vertex, posed, world_position};
import package::shared::raster::{
    MESHLET_VERTICES, Meshlet, RasterRow, TRIANGLE_BITS, depth_key, listed_people, meshlet, meshlet_triangle,
    meshlet_vertex, pixel_of, raster, raster_rows,
};

@if(!sun) @group(3) @binding(4) var<storage, read_write> raster_words: array<atomic<u64>>;
// Keys of depths.
@if(sun) @group(3) @binding(4) var<storage, read_write> raster_words: array<atomic<u32>>;

// Of vertices: where in the picture and how far; behind the camera: nowhere.
var<workgroup> corner_places: array<vec2<i32>, 128>;
var<workgroup> corner_depths: array<f32, 128>;

const NOWHERE_NEAR = -1.0;
// Edges of a triangle, in 1/256 pixel, up to which products of two of them fit 32 bits.
const SMALL = 16384;
// How far shadows are moved away from the sun, as render/passes/shadow.rs has it: times the larger change of a
// triangle's depth from texel to texel, and so many of the smallest steps of its largest depth.
const SLOPE_BIAS = 1.5;
const CONSTANT_BIAS = 1.0;
// Smallest step of a depth over the power of two in it.
const DEPTH_STEP = 1.1920929e-7;

// The level of a draw that a workgroup works at.
fn row_of_group(group: u32) -> RasterRow {
    var found = raster.first_row;
    for (var level = 1u; level < BIN_LEVELS; level++) {
        // Every workgroup looks for its own: of the others no more than two words are read.
        let row = raster.first_row + level;
        if raster_rows[row].group_count > 0u && group >= raster_rows[row].first_group {
            found = row;
        }
    }
    return raster_rows[found];
}

fn pose_corner(thread: u32, id: u32, index: u32) {
    let instance = listed_instance(id);
    let p = posed[instance];
    let unit = pose_vertex(load_vertex(index), index, instance, p.play);
    let world = vec4<f32>(world_position(unit.position, p), 1.0);
    @if(sun) {
        // Parallel: the sun sees no one from behind.
        let lit = frame.shadow_from_world * world;
        corner_places[thread] = snapped(pixel_of(lit));
        corner_depths[thread] = lit.z;
        return;
    }
    let clip = frame.projection_from_world * world;
    // Only what is behind the camera has no place; nobody of the far phase is near it.
    if clip.w > 0.0 {
        corner_places[thread] = snapped(pixel_of(clip));
        corner_depths[thread] = clamp(clip.z / clip.w, 0.0, 1.0);
    } else {
        corner_depths[thread] = NOWHERE_NEAR;
    }
}

// A triangle in the order in which it winds clockwise.
struct Facing {
    a: vec2<i32>,
    b: vec2<i32>,
    c: vec2<i32>,
    depths: vec3<f32>,
    // id of its samples
    id: u32,
    @if(sun) bias: f32,
}

// The depth bias of graphics pipes, of 32-bit floats. https://registry.khronos.org/vulkan/specs/latest/html/vkspec.html#primsrast-depthbias
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
        atomicMax(&raster_words[at], depth_key(depth + t.bias));
    }
}

@if(!sun)
fn keep(pixel: vec2<i32>, number: u32, depth: f32, t: Facing) {
    let at = (u32(pixel.y) * raster.size.x + u32(pixel.x)) * raster.samples + number;
    atomicMax(&raster_words[at], (u64(depth_key(depth)) << 32u) | u64(t.id));
}

fn depth_at(t: Facing, at_b: f32, at_c: f32) -> f32 {
    return t.depths.x + (t.depths.y - t.depths.x) * at_b + (t.depths.z - t.depths.x) * at_c;
}

fn cover_small(t: Facing, low: vec2<i32>, high: vec2<i32>) {
    let whole = 1.0 / f32(edge(t.a, t.b, t.c));
    let outside = vec3<i32>(outside_edge(t.b, t.c), outside_edge(t.c, t.a), outside_edge(t.a, t.b));
    for (var y = low.y; y <= high.y; y++) {
        for (var x = low.x; x <= high.x; x++) {
            for (var number = 0u; number < raster.samples; number++) {
                let p = vec2<i32>(x, y) * 256 + sample_place(number, raster.samples);
                let e = vec3<i32>(edge(t.b, t.c, p), edge(t.c, t.a, p), edge(t.a, t.b, p));
                if all(e + outside >= vec3<i32>(0)) {
                    keep(vec2<i32>(x, y), number, depth_at(t, f32(e.y) * whole, f32(e.z) * whole), t);
                }
            }
        }
    }
}

// The same for the few whose products need 64 bits.
fn cover_wide(t: Facing, low: vec2<i32>, high: vec2<i32>) {
    let whole = 1.0 / f32(wide_edge(t.a, t.b, t.c));
    let outside_a = i64(outside_edge(t.b, t.c));
    let outside_b = i64(outside_edge(t.c, t.a));
    let outside_c = i64(outside_edge(t.a, t.b));
    for (var y = low.y; y <= high.y; y++) {
        for (var x = low.x; x <= high.x; x++) {
            for (var number = 0u; number < raster.samples; number++) {
                let p = vec2<i32>(x, y) * 256 + sample_place(number, raster.samples);
                let b = wide_edge(t.c, t.a, p);
                let c = wide_edge(t.a, t.b, p);
                let inside = wide_edge(t.b, t.c, p) + outside_a >= 0li && b + outside_b >= 0li && c + outside_c >= 0li;
                if inside {
                    keep(vec2<i32>(x, y), number, depth_at(t, f32(b) * whole, f32(c) * whole), t);
                }
            }
        }
    }
}

fn rasterise_triangle(corners: vec3<u32>, id: u32) {
    let depths = vec3<f32>(corner_depths[corners.x], corner_depths[corners.y], corner_depths[corners.z]);
    @if(!sun) {
        if min(depths.x, min(depths.y, depths.z)) < 0.0 {
            return;
        }
    }
    let a = corner_places[corners.x];
    let b = corner_places[corners.y];
    let c = corner_places[corners.z];
    let low = min(a, min(b, c));
    let high = max(a, max(b, c));
    let samples = raster.samples;
    let first = max(vec2<i32>(first_pixel(low.x, samples), first_pixel(low.y, samples)), vec2<i32>(0));
    let end = vec2<i32>(raster.size) - 1;
    let last = min(vec2<i32>(last_pixel(high.x, samples), last_pixel(high.y, samples)), end);
    if any(first > last) {
        return;
    }
    let small = all(high - low < vec2<i32>(SMALL));
    var area = 0li;
    if small {
        area = i64(edge(a, b, c));
    } else {
        area = wide_edge(a, b, c);
    }
    // Fronts wind counterclockwise.
    @if(one_sided) let seen = area < 0li;
    @if(!one_sided) let seen = area != 0li;
    if !seen {
        return;
    }
    @if(!sun) var t = Facing(a, b, c, depths, id);
    @if(sun) var t = Facing(a, b, c, depths, id, 0.0);
    if area < 0li {
        t.b = c;
        t.c = b;
        t.depths = depths.xzy;
    }
    @if(sun) t.bias = bias_of(t);
    if small {
        cover_small(t, first, last);
    } else {
        cover_wide(t, first, last);
    }
}

@compute @workgroup_size(128)
fn rasterise(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.x + group.y * groups.x;
    let row = row_of_group(number);
    // Rows of workgroups may be longer than there is work.
    let begins = (number - row.first_group) * row.people_per_group;
    let works = number < row.first_group + row.group_count;
    let together = select(0u, min(row.people_per_group, row.slot_count - begins), works);
    let each = max(row.meshlet_count, 1u);
    let m = meshlet(row.first_meshlet + begins % each);
    let fellow = thread / max(m.vertex_count, 1u);
    if fellow < together {
        let id = listed_people[row.list_start + (begins + fellow) / each];
        pose_corner(thread, id, meshlet_vertex(m, thread - fellow * m.vertex_count));
    }
    workgroupBarrier();
    for (var triangle = thread; triangle < together * m.triangle_count; triangle += MESHLET_VERTICES) {
        let owner = triangle / m.triangle_count;
        let own = triangle - owner * m.triangle_count;
        let corners = meshlet_triangle(m, own) + owner * m.vertex_count;
        rasterise_triangle(corners, ((row.first_slot + begins + owner) << TRIANGLE_BITS) | own);
    }
}
