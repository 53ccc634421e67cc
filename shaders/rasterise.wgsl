// Rasterises everyone of a draw whom a phase lists: a workgroup takes the vertices of its meshlets as they
// were baked, or poses them once by the functions of the crowd pass, then each thread looks at triangles of them. Most
// show their back or hold no sample and end at their box; the others are listed, so that neighbouring threads all have
// one of them to cover: the nearest triangle of each sample stays (shared/cover.wgsl). Of these the few large ones are
// left for teams of threads, and the very large ones, where there is room, for large_triangles.wgsl.
//
// With `splats` there may be levels that are circles instead, a vertex each: whoever poses it covers what it shows.
//
// With `sun` it is the shadow map that is rasterised into, both sides; with `raster_ids` words tell who it is; with
// `crosses` the near plane cuts triangles: the far phase has none that it could.

import package::shared::cover::{Share, Work, cover, cover_splat, samples_in, work_of};
import package::shared::edges::snapped;
import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::pose::{posed, world_scale};
import package::shared::raster::{Meshlet, splat_radius, listed_people, meshlet_radius, pixel_of};
import package::shared::large_triangles::spread_out;
import package::shared::aov::{EVERYBODY, aov};
import package::shared::workgroup::{
    Group, corner_in_world, corners_of, group_of, owner_of, quotient, row_of_group,
};

// Of vertices: where in the picture and how far; in front of what the camera shows: nowhere.
var<workgroup> corner_places: array<vec2<i32>, 256>;
var<workgroup> corner_depths: array<f32, 256>;
// Where they are before that is decided.
@if(crosses) var<workgroup> corner_clips: array<vec4<f32>, 256>;
// Whose the meshlets of a workgroup are.
@if(raster_ids) var<workgroup> owners: array<u32, 256>;
// Triangles, or what the near plane leaves of them, that may hold samples: from the beginning those whose box holds
// few, from the end those whose box holds more than LARGE.
@if(crosses) const MOST_LISTED = 1024u;
@if(!crosses) const MOST_LISTED = 512u;
var<workgroup> seen: array<u32, MOST_LISTED>;
var<workgroup> small_count: atomic<u32>;
var<workgroup> large_count: atomic<u32>;

const NOWHERE_NEAR = -1.0;
// Of a workgroup: half as many as vertices, so that what one costs beside these is shared by more of them. Where many
// workgroups at once are not to be had, all at once (`wide`).
@if(!wide) const THREADS = 128u;
@if(wide) const THREADS = 256u;
// Samples that a thread looks at alone, at most.
const LARGE = 64;
// Threads that share a large triangle: so many columns and rows of samples at once.
const TEAM = 32u;
const TEAM_COLUMNS = 8u;
const TEAM_ROWS = 4u;
// A triangle in a workgroup, and which part of it: that one shifted by this many bits.
const PART_BITS = 9u;

fn pose_corner(place: u32, id: u32, m: Meshlet, number: u32) {
    let instance = listed_instance(id);
    let world = corner_in_world(instance, posed[instance], m, number);
    @if(sun) {
        // Parallel: the sun sees no one from behind.
        let lit = frame.shadow_from_world * world;
        corner_places[place] = snapped(pixel_of(lit));
        corner_depths[place] = lit.z;
    }
    @if(!sun) {
        let clip = frame.projection_from_world * world;
        @if(crosses) corner_clips[place] = clip;
        @if(crosses) let is_outside_plane = room_before(clip) >= 0.0 && clip.w > 0.0;
        @if(!crosses) let is_outside_plane = clip.w > 0.0;
        if is_outside_plane {
            corner_places[place] = snapped(pixel_of(clip));
            corner_depths[place] = clamp(clip.z / clip.w, 0.0, 1.0);
        } else {
            corner_depths[place] = NOWHERE_NEAR;
        }
    }
}

// Covers what a splat of an owner shows, who is too far for the near plane to cut it.
@if(splats)
fn pose_splat(group: Group, own: vec2<u32>, id: u32) {
    let instance = listed_instance(id);
    let p = posed[instance];
    let world = corner_in_world(instance, p, group.m, own.y);
    let clip = frame.projection_from_world * world;
    if clip.w > 0.0 {
        let radius = splat_radius(meshlet_radius(group.m, own.y) * world_scale(p), world.xyz, clip.w);
        cover_splat(snapped(pixel_of(clip)), radius, clamp(clip.z / clip.w, 0.0, 1.0), triangle_id(group, own));
    }
}

// How far behind the near plane, in clip space.
@if(crosses)
fn room_before(clip: vec4<f32>) -> f32 {
    @if(standard_depth) return clip.z;
    @if(!standard_depth) return clip.w - clip.z;
}

struct Corner {
    place: vec2<i32>,
    depth: f32,
}

// A vertex, or where an edge that leads out of the picture meets the near plane: neighbours, who come from the same
// vertex, find the same place.
fn corner(number: u32) -> Corner {
    return Corner(corner_places[number], corner_depths[number]);
}

@if(crosses)
fn cut(inside: u32, outside: u32) -> Corner {
    let a = corner_clips[inside];
    let b = corner_clips[outside];
    let room = room_before(a);
    let clip = a + (b - a) * (room / (room - room_before(b)));
    return Corner(snapped(pixel_of(clip)), clamp(clip.z / clip.w, 0.0, 1.0));
}

fn work_of_corners(a: Corner, b: Corner, c: Corner, id: u32) -> Work {
    return work_of(a.place, b.place, c.place, vec3<f32>(a.depth, b.depth, c.depth), id);
}

// Parts of a triangle that the near plane leaves.
@if(crosses)
fn parts_of(corners: vec3<u32>) -> u32 {
    let outside = countOneBits(outside_of(corners));
    return select(1u, select(2u, 0u, outside == 3u), outside == 1u || outside == 3u);
}

// A bit for each vertex that is nowhere.
@if(crosses)
fn outside_of(corners: vec3<u32>) -> u32 {
    let depths = vec3<f32>(corner_depths[corners.x], corner_depths[corners.y], corner_depths[corners.z]);
    return dot(select(vec3<u32>(0u), vec3<u32>(1u, 2u, 4u), depths < vec3<f32>(0.0)), vec3<u32>(1u));
}

fn set_up(corners: vec3<u32>, part: u32, id: u32) -> Work {
    @if(crosses) {
        let outside = outside_of(corners);
        if outside != 0u {
            return set_up_cut(corners, outside, part, id);
        }
    }
    @if(!sun && !crosses) {
        if min(corner_depths[corners.x], min(corner_depths[corners.y], corner_depths[corners.z])) < 0.0 {
            return Work();
        }
    }
    return work_of_corners(corner(corners.x), corner(corners.y), corner(corners.z), id);
}

@if(crosses)
fn set_up_cut(corners: vec3<u32>, outside: u32, part: u32, id: u32) -> Work {
    // The vertex that stands alone on its side of the plane comes first, or last.
    let amodal = select(outside, 7u - outside, countOneBits(outside) == 2u);
    var c = corners;
    if amodal == 2u {
        c = corners.yzx;
    } else if amodal == 4u {
        c = corners.zxy;
    }
    if countOneBits(outside) == 2u {
        return work_of_corners(corner(c.x), cut(c.x, c.y), cut(c.x, c.z), id);
    }
    if part == 0u {
        return work_of_corners(cut(c.y, c.x), corner(c.y), corner(c.z), id);
    }
    return work_of_corners(cut(c.z, c.x), cut(c.y, c.x), corner(c.z), id);
}

fn set_up_triangle(group: Group, triangle: u32, part: u32) -> Work {
    let own = owner_of(group, triangle);
    @if(raster_ids) {
        var work = set_up(corners_of(group, triangle), part, aov.first_id + owners[own.x]);
        if aov.only != EVERYBODY && aov.only != owners[own.x] {
            work.turn = 0;
        }
        return work;
    }
    @if(!raster_ids) {
        return set_up(corners_of(group, triangle), part, triangle_id(group, own));
    }
}

// What words tell of a triangle, or a splat, of an owner.
@if(!raster_ids)
fn triangle_id(group: Group, own: vec2<u32>) -> u32 {
    return group.first_triangle + own.x * group.person_triangles + own.y;
}

// Fronts wind counterclockwise.
fn is_seen(work: Work) -> bool {
    @if(one_sided) return work.turn < 0;
    @if(!one_sided) return work.turn != 0;
}

// Lists a part of a triangle that may hold samples, unless it is left to many workgroups.
fn list(group: Group, triangle: u32, part: u32) {
    let work = set_up_triangle(group, triangle, part);
    if !is_seen(work) {
        return;
    }
    let listed = triangle | (part << PART_BITS);
    if samples_in(work.box, LARGE) <= LARGE {
        seen[atomicAdd(&small_count, 1u)] = listed;
        return;
    }
    @if(spreads) {
        if spread_out(work) {
            return;
        }
    }
    seen[MOST_LISTED - 1u - atomicAdd(&large_count, 1u)] = listed;
}

fn cover_listed(group: Group, listed: u32, share: Share) {
    cover(set_up_triangle(group, listed & ((1u << PART_BITS) - 1u), listed >> PART_BITS), share);
}

@compute @workgroup_size(THREADS)
fn rasterise(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) at: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    // Of this memory nothing else is read before it is written (gpu/pipeline.rs).
    if thread == 0u {
        atomicStore(&small_count, 0u);
        atomicStore(&large_count, 0u);
    }
    let number = at.x + at.y * workgroups.x;
    let row = row_of_group(number);
    @if(splats) let splats = row.splats == 1u;
    let group = group_of(row, number);
    for (var corner = thread; corner < group.batch * group.m.vertex_count; corner += THREADS) {
        let batch_person = quotient(corner, group.m.vertex_count);
        let own = corner - batch_person * group.m.vertex_count;
        let id = listed_people[row.list_start + group.first_person + batch_person];
        @if(raster_ids) {
            if own == 0u {
                owners[batch_person] = listed_instance(id);
            }
        }
        @if(splats) {
            if splats {
                pose_splat(group, vec2<u32>(batch_person, own), id);
                continue;
            }
        }
        pose_corner(corner, id, group.m, own);
    }
    workgroupBarrier();
    @if(splats) let triangles = select(group.batch * group.m.triangle_count, 0u, splats);
    @if(!splats) let triangles = group.batch * group.m.triangle_count;
    for (var triangle = thread; triangle < triangles; triangle += THREADS) {
        @if(crosses) {
            let parts = parts_of(corners_of(group, triangle));
            for (var part = 0u; part < parts; part++) {
                list(group, triangle, part);
            }
        }
        @if(!crosses) list(group, triangle, 0u);
    }
    workgroupBarrier();
    let amodal = Share(vec2<i32>(0), vec2<i32>(1));
    let small = atomicLoad(&small_count);
    for (var place = thread; place < small; place += THREADS) {
        cover_listed(group, seen[place], amodal);
    }
    let member = vec2<i32>(vec2<u32>(thread % TEAM_COLUMNS, (thread % TEAM) / TEAM_COLUMNS));
    let share = Share(member, vec2<i32>(vec2<u32>(TEAM_COLUMNS, TEAM_ROWS)));
    let count = atomicLoad(&large_count);
    for (var place = thread / TEAM; place < count; place += THREADS / TEAM) {
        cover_listed(group, seen[MOST_LISTED - 1u - place], share);
    }
}
