// Rasterises everyone of a draw whom the far phase lists: a workgroup takes the vertices of its meshlets as they
// were baked, or poses them once by the functions of the crowd pass, then each thread takes triangles of them. The
// nearest triangle of each sample stays (shared/raster.wgsl). Most triangles hold no sample and end at their box; the
// few large ones are left for teams of threads.
//
// With `sun` it is the shadow map that is rasterised into, as the pipeline of shadow.wgsl does: both sides, depth
// alone, biased. With `raster_ids` words tell who is at the centre of every pixel, as truth.wgsl does, instead of a
// triangle; with `alone_masks` everyone's pixels are counted, too.

import package::shared::alone::cover_alone;
import package::shared::bins::BIN_LEVELS;
import package::shared::corners::baked_corner;
import package::shared::edges::{
    edge, first_pixel, first_row, last_pixel, last_row, outside_edge, row_place, sample_column, snapped, wide_edge,
};
import package::shared::frame::frame;
import package::shared::hero::is_hero;
import package::shared::instance::unpack_playback;
import package::shared::listed::listed_instance;
import package::shared::packed::load_vertex;
import package::shared::pose::{pose_vertex, posed, world_position};
import package::shared::raster::{
    MESHLET_VERTICES, Meshlet, RasterRow, TRIANGLE_BITS, depth_key, listed_people, meshlet, meshlet_triangle,
    meshlet_vertex, pixel_of, raster, raster_rows,
};
import package::shared::truth::{EVERYBODY, truth};

@if(!sun) @group(3) @binding(4) var<storage, read_write> raster_words: array<atomic<u64>>;
// Keys of depths.
@if(sun) @group(3) @binding(4) var<storage, read_write> raster_words: array<atomic<u32>>;

// Of vertices: where in the picture and how far; behind the camera: nowhere.
var<workgroup> corner_places: array<vec2<i32>, 128>;
var<workgroup> corner_depths: array<f32, 128>;
// Whose the meshlets of a workgroup are.
@if(raster_ids) var<workgroup> owners: array<u32, 128>;
// Triangles whose box holds more than LARGE samples.
var<workgroup> large: array<u32, 256>;
var<workgroup> large_count: atomic<u32>;

const NOWHERE_NEAR = -1.0;
// Edges of a triangle, in 1/256 pixel, up to which products of two of them fit 32 bits.
const SMALL = 16384;
// Samples that a thread looks at alone, at most.
const LARGE = 64;
// Threads that share a large triangle: so many columns and rows of samples at once.
const TEAM = 32u;
const TEAM_COLUMNS = 8u;
const TEAM_ROWS = 4u;
// How far shadows are moved away from the sun, as render/passes/shadow.rs has it: times the larger change of a
// triangle's depth from texel to texel, and so many of the smallest steps of its largest depth.
const SLOPE_BIAS = 1.5f;
const CONSTANT_BIAS = 1.0f;
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

// Where a vertex of a meshlet is, unit space.
fn corner_position(m: Meshlet, number: u32, instance: u32, play: vec4<u32>) -> vec3<f32> {
    @if(baked_corners && heroes) {
        if !is_hero(play) {
            return baked_corner(m.first_corner + number, unpack_playback(play));
        }
    }
    @if(baked_corners && !heroes) return baked_corner(m.first_corner + number, unpack_playback(play));
    @if(!baked_corners || heroes) let index = meshlet_vertex(m, number);
    @if(!baked_corners || heroes) return pose_vertex(load_vertex(index), index, instance, play).position;
}

fn pose_corner(thread: u32, id: u32, m: Meshlet, number: u32) {
    let instance = listed_instance(id);
    let p = posed[instance];
    let world = vec4<f32>(world_position(corner_position(m, number, instance, p.play), p), 1.0);
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
    // of its samples: low half of their words
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
    @if(raster_ids && alone_masks) cover_alone(t.id - 1u, vec2<u32>(pixel));
    atomicMax(&raster_words[at], (u64(depth_key(depth)) << 32u) | u64(t.id));
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
    let samples = raster.samples;
    var out: Row;
    out.number = u32(row) & (samples - 1u);
    let column = sample_column(out.number, samples);
    let first = max(first_pixel(box.low, column), 0);
    out.first = vec2<i32>(first, row / i32(samples));
    out.last = min(last_pixel(box.high, column), i32(raster.size.x) - 1);
    out.place = vec2<i32>(first * 256 + column, row_place(row, samples));
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
    let step = vec3<i32>(t.b.y - t.c.y, t.c.y - t.a.y, t.a.y - t.b.y) * 256 * share.stride.x;
    for (var y = box.rows.x + share.first.y; y <= box.rows.y; y += share.stride.y) {
        let row = row_of(box, y);
        let p = row.place + vec2<i32>(256 * share.first.x, 0);
        var e = vec3<i32>(edge(t.b, t.c, p), edge(t.c, t.a, p), edge(t.a, t.b, p));
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

// A triangle that faces the camera and may cover something, if `seen`.
struct Work {
    t: Facing,
    box: Box,
    small: bool,
    seen: bool,
}

fn set_up(corners: vec3<u32>, id: u32) -> Work {
    var work: Work;
    let depths = vec3<f32>(corner_depths[corners.x], corner_depths[corners.y], corner_depths[corners.z]);
    @if(!sun) {
        if min(depths.x, min(depths.y, depths.z)) < 0.0 {
            return work;
        }
    }
    let a = corner_places[corners.x];
    let b = corner_places[corners.y];
    let c = corner_places[corners.z];
    let low = min(a, min(b, c));
    let high = max(a, max(b, c));
    let samples = raster.samples;
    let end = i32(raster.size.y * samples) - 1;
    let rows = vec2<i32>(max(first_row(low.y, samples), 0), min(last_row(high.y, samples), end));
    if rows.x > rows.y {
        return work;
    }
    work.box = Box(rows, low.x, high.x);
    work.small = all(high - low < vec2<i32>(SMALL));
    let turn = winding(a, b, c, work.small);
    // Fronts wind counterclockwise.
    @if(one_sided) work.seen = turn < 0;
    @if(!one_sided) work.seen = turn != 0;
    @if(!sun) work.t = Facing(a, b, c, depths, id);
    @if(sun) work.t = Facing(a, b, c, depths, id, 0.0);
    if turn < 0 {
        work.t.b = c;
        work.t.c = b;
        work.t.depths = depths.xzy;
    }
    @if(sun) work.t.bias = bias_of(work.t);
    return work;
}

// What a workgroup takes: some people's meshlet, whose slots begin at `first_slot`.
struct Group {
    m: Meshlet,
    together: u32,
    first_slot: u32,
}

fn set_up_triangle(group: Group, triangle: u32) -> Work {
    let owner = triangle / group.m.triangle_count;
    let own = triangle - owner * group.m.triangle_count;
    let corners = meshlet_triangle(group.m, own) + owner * group.m.vertex_count;
    @if(raster_ids) {
        var work = set_up(corners, truth.first_id + owners[owner]);
        work.seen = work.seen && (truth.only == EVERYBODY || truth.only == owners[owner]);
        return work;
    }
    @if(!raster_ids) return set_up(corners, ((group.first_slot + owner) << TRIANGLE_BITS) | own);
}

fn is_large(box: Box) -> bool {
    let columns = min((box.high - box.low) >> 8u, LARGE) + 1;
    return (box.rows.y - box.rows.x + 1) * columns > LARGE;
}

@compute @workgroup_size(128)
fn rasterise(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) at: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let number = at.x + at.y * workgroups.x;
    let row = row_of_group(number);
    // Rows of workgroups may be longer than there is work.
    let begins = (number - row.first_group) * row.people_per_group;
    let works = number < row.first_group + row.group_count;
    let each = max(row.meshlet_count, 1u);
    var group: Group;
    group.together = select(0u, min(row.people_per_group, row.slot_count - begins), works);
    group.m = meshlet(row.first_meshlet + begins % each);
    group.first_slot = row.first_slot + begins;
    let fellow = thread / max(group.m.vertex_count, 1u);
    if fellow < group.together {
        let id = listed_people[row.list_start + (begins + fellow) / each];
        let corner = thread - fellow * group.m.vertex_count;
        @if(raster_ids) {
            if corner == 0u {
                owners[fellow] = listed_instance(id);
            }
        }
        pose_corner(thread, id, group.m, corner);
    }
    workgroupBarrier();
    for (var triangle = thread; triangle < group.together * group.m.triangle_count; triangle += MESHLET_VERTICES) {
        let work = set_up_triangle(group, triangle);
        if work.seen {
            if is_large(work.box) {
                large[atomicAdd(&large_count, 1u)] = triangle;
            } else {
                cover(work, Share(vec2<i32>(0), vec2<i32>(1)));
            }
        }
    }
    workgroupBarrier();
    let member = vec2<i32>(vec2<u32>(thread % TEAM_COLUMNS, (thread % TEAM) / TEAM_COLUMNS));
    let share = Share(member, vec2<i32>(vec2<u32>(TEAM_COLUMNS, TEAM_ROWS)));
    let count = atomicLoad(&large_count);
    for (var place = thread / TEAM; place < count; place += MESHLET_VERTICES / TEAM) {
        cover(set_up_triangle(group, large[place]), share);
    }
}
