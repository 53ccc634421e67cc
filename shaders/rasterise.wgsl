// Software rasterizer in compute, into a visibility buffer (Burns and Hunt 2013) by one 64-bit atomic maximum per
// sample (Nanite: Karis 2021; Schütz 2021). A dispatch draws the instances of one draw and phase.
//
// A workgroup loads the vertices of its meshlets from the vertex cache, or poses them once by the functions of the
// crowd pass. Each thread then tests triangles. Most are back faces or hold no sample, and are rejected by their
// bounding box. Survivors go to a list, so that neighbouring threads all have a triangle to cover (shared/cover.wgsl).
// Teams of threads share large triangles. Very large ones go to the queue of large_triangles.wgsl, if it has room.
//
// With `splats` some LODs consist of splats, one per vertex: the thread that poses the vertex covers its circle.
//
// With `sun` the target is the shadow map, and both sides are drawn. With `raster_ids` the low word is an instance id.
// With `crosses` triangles are clipped at the near plane; the far phase never needs it.

import package::shared::cover::{SampleShare, TriangleSetup, cover, cover_splat, samples_in, setup_of};
import package::shared::edges::snapped;
import package::shared::frame::frame;
import package::shared::listed::listed_instance;
import package::shared::pose::{posed, world_scale};
import package::shared::raster::{Meshlet, splat_radius, listed_people, meshlet_radius, pixel_of};
import package::shared::large_triangles::push_large_triangle;
import package::shared::aov::{EVERYBODY, aov};
import package::shared::workgroup::{
    GroupWork, corner_in_world, corners_of, group_of, owner_of, quotient, row_of_group,
};

// Position (1/256 px) and depth of each vertex; a negative depth marks vertices in front of the near plane.
var<workgroup> corner_places: array<vec2<i32>, 256>;
var<workgroup> corner_depths: array<f32, 256>;
// Clip-space positions, for clipping.
@if(crosses) var<workgroup> corner_clips: array<vec4<f32>, 256>;
// Instances that own the meshlets of this workgroup.
@if(raster_ids) var<workgroup> owners: array<u32, 256>;
// Triangles, or clipped parts, that may hold samples. Small ones are listed from the start, those whose box holds more
// than LARGE samples from the end.
@if(crosses) const MOST_LISTED = 1024u; // shader only
@if(!crosses) const MOST_LISTED = 512u; // shader only
var<workgroup> listed_triangles: array<u32, MOST_LISTED>;
var<workgroup> small_count: atomic<u32>;
var<workgroup> large_count: atomic<u32>;

const NOWHERE_NEAR = -1.0; // shader only
// Threads per workgroup: half the maximum number of vertices, so that two vertices share each thread's fixed cost.
// Devices with few resident workgroups (`wide`) use one thread per vertex.
@if(!wide) const THREADS = 128u; // shader only
@if(wide) const THREADS = 256u; // shader only
// Maximum number of samples that one thread tests alone.
const LARGE = 64; // shader only
// Team of threads that shares a large triangle: columns times rows of samples at once.
const TEAM = 32u; // shader only
const TEAM_COLUMNS = 8u; // shader only
const TEAM_ROWS = 4u; // shader only
// List entry: triangle within the workgroup | clipped part << PART_BITS.
const PART_BITS = 9u; // shader only

fn pose_corner(place: u32, id: u32, m: Meshlet, number: u32) {
    let instance = listed_instance(id);
    let world = corner_in_world(instance, posed[instance], m, number);
    @if(sun) {
        // Orthographic projection: no vertex is in front of the near plane.
        let lit = frame.shadow_from_world * world;
        corner_places[place] = snapped(pixel_of(lit));
        corner_depths[place] = lit.z;
    }
    @if(!sun) {
        let clip = frame.projection_from_world * world;
        @if(crosses) corner_clips[place] = clip;
        @if(crosses) let is_in_front = near_distance(clip) >= 0.0 && clip.w > 0.0;
        @if(!crosses) let is_in_front = clip.w > 0.0;
        if is_in_front {
            corner_places[place] = snapped(pixel_of(clip));
            corner_depths[place] = clamp(clip.z / clip.w, 0.0, 1.0);
        } else {
            corner_depths[place] = NOWHERE_NEAR;
        }
    }
}

// Rasterizes one splat of instance `id`; splats are too far to reach the near plane.
@if(splats)
fn pose_splat(group: GroupWork, own: vec2<u32>, id: u32) {
    let instance = listed_instance(id);
    let p = posed[instance];
    let world = corner_in_world(instance, p, group.m, own.y);
    let clip = frame.projection_from_world * world;
    if clip.w > 0.0 {
        let radius = splat_radius(meshlet_radius(group.m, own.y) * world_scale(p), world.xyz, clip.w);
        cover_splat(snapped(pixel_of(clip)), radius, clamp(clip.z / clip.w, 0.0, 1.0), triangle_id(group, own));
    }
}

// Signed distance beyond the near plane, in clip space.
@if(crosses)
fn near_distance(clip: vec4<f32>) -> f32 {
    @if(standard_depth) return clip.z;
    @if(!standard_depth) return clip.w - clip.z;
}

struct Corner {
    place: vec2<i32>,
    depth: f32,
}

// A vertex, or the point where an edge crosses the near plane. Neighbours clip a shared edge from the same inner
// vertex, so that they find the same point.
fn corner(number: u32) -> Corner {
    return Corner(corner_places[number], corner_depths[number]);
}

@if(crosses)
fn cut(inside: u32, outside: u32) -> Corner {
    let a = corner_clips[inside];
    let b = corner_clips[outside];
    let room = near_distance(a);
    let clip = a + (b - a) * (room / (room - near_distance(b)));
    return Corner(snapped(pixel_of(clip)), clamp(clip.z / clip.w, 0.0, 1.0));
}

fn setup_of_corners(a: Corner, b: Corner, c: Corner, id: u32) -> TriangleSetup {
    return setup_of(a.place, b.place, c.place, vec3<f32>(a.depth, b.depth, c.depth), id);
}

// Number of triangles that remain after clipping: 0 to 2.
@if(crosses)
fn parts_of(corners: vec3<u32>) -> u32 {
    let outside = countOneBits(outside_of(corners));
    return select(1u, select(2u, 0u, outside == 3u), outside == 1u || outside == 3u);
}

// Bit mask of the vertices in front of the near plane.
@if(crosses)
fn outside_of(corners: vec3<u32>) -> u32 {
    let depths = vec3<f32>(corner_depths[corners.x], corner_depths[corners.y], corner_depths[corners.z]);
    return dot(select(vec3<u32>(0u), vec3<u32>(1u, 2u, 4u), depths < vec3<f32>(0.0)), vec3<u32>(1u));
}

fn set_up(corners: vec3<u32>, part: u32, id: u32) -> TriangleSetup {
    @if(crosses) {
        let outside = outside_of(corners);
        if outside != 0u {
            return set_up_cut(corners, outside, part, id);
        }
    }
    @if(!sun && !crosses) {
        if min(corner_depths[corners.x], min(corner_depths[corners.y], corner_depths[corners.z])) < 0.0 {
            return TriangleSetup();
        }
    }
    return setup_of_corners(corner(corners.x), corner(corners.y), corner(corners.z), id);
}

@if(crosses)
fn set_up_cut(corners: vec3<u32>, outside: u32, part: u32, id: u32) -> TriangleSetup {
    // Rotate corners so that the vertex alone on its side of the plane comes first.
    let single = select(outside, 7u - outside, countOneBits(outside) == 2u);
    var c = corners;
    if single == 2u {
        c = corners.yzx;
    } else if single == 4u {
        c = corners.zxy;
    }
    if countOneBits(outside) == 2u {
        return setup_of_corners(corner(c.x), cut(c.x, c.y), cut(c.x, c.z), id);
    }
    if part == 0u {
        return setup_of_corners(cut(c.y, c.x), corner(c.y), corner(c.z), id);
    }
    return setup_of_corners(cut(c.z, c.x), cut(c.y, c.x), corner(c.z), id);
}

fn set_up_triangle(group: GroupWork, triangle: u32, part: u32) -> TriangleSetup {
    let own = owner_of(group, triangle);
    @if(raster_ids) {
        var setup = set_up(corners_of(group, triangle), part, aov.first_id + owners[own.x]);
        if aov.only != EVERYBODY && aov.only != owners[own.x] {
            setup.turn = 0;
        }
        return setup;
    }
    @if(!raster_ids) {
        return set_up(corners_of(group, triangle), part, triangle_id(group, own));
    }
}

// Visibility id of a triangle or splat: its number within the frame.
@if(!raster_ids)
fn triangle_id(group: GroupWork, own: vec2<u32>) -> u32 {
    return group.first_triangle + own.x * group.person_triangles + own.y;
}

// Front faces wind counter-clockwise.
fn is_front(setup: TriangleSetup) -> bool {
    @if(one_sided) return setup.turn < 0;
    @if(!one_sided) return setup.turn != 0;
}

// Lists a (clipped) triangle that may hold samples, unless it goes to the queue of large triangles.
fn list(group: GroupWork, triangle: u32, part: u32) {
    let setup = set_up_triangle(group, triangle, part);
    if !is_front(setup) {
        return;
    }
    let listed = triangle | (part << PART_BITS);
    if samples_in(setup.box, LARGE) <= LARGE {
        listed_triangles[atomicAdd(&small_count, 1u)] = listed;
        return;
    }
    @if(spreads) {
        if push_large_triangle(setup) {
            return;
        }
    }
    listed_triangles[MOST_LISTED - 1u - atomicAdd(&large_count, 1u)] = listed;
}

fn cover_listed(group: GroupWork, listed: u32, share: SampleShare) {
    cover(set_up_triangle(group, listed & ((1u << PART_BITS) - 1u), listed >> PART_BITS), share);
}

@compute @workgroup_size(THREADS)
fn rasterise(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) at: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    // Workgroup memory is not zero-initialised (gpu/pipeline.rs): everything else is written before it is read.
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
    let single = SampleShare(vec2<i32>(0), vec2<i32>(1));
    let small = atomicLoad(&small_count);
    for (var place = thread; place < small; place += THREADS) {
        cover_listed(group, listed_triangles[place], single);
    }
    let member = vec2<i32>(vec2<u32>(thread % TEAM_COLUMNS, (thread % TEAM) / TEAM_COLUMNS));
    let share = SampleShare(member, vec2<i32>(vec2<u32>(TEAM_COLUMNS, TEAM_ROWS)));
    let count = atomicLoad(&large_count);
    for (var place = thread / TEAM; place < count; place += THREADS / TEAM) {
        cover_listed(group, listed_triangles[MOST_LISTED - 1u - place], share);
    }
}
