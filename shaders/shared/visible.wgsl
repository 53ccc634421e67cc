// Bounding boxes of instances at this frame: visibility in a view, and size on screen. CPU twin:
// render/passes/draw_lists/visible.rs. NaN counts as visible.

import package::shared::draw_lists::{DRAW_LIST_ACTORS, DRAW_LIST_CARRIED, draw_list_rows};
import package::shared::hash::{pcg, unit_fraction};
import package::shared::hero::is_hero;
import package::shared::instance::{
    Posed, posed_position, posed_scale, posed_shape, posed_turn, third_weight, turn_yaw,
};

/// Bounding box of the clip that a row stands for.
struct BoundsRow { // shared with Rust
    /// Centre of the box (m, model space).
    centre: vec3<f32>,
    /// 1 if the bounds are unknown: never culled.
    unknown: u32,
    /// Half of its edges (m).
    extent: vec3<f32>,
    /// Part of `extent` (m) that only LODs reach. LODs are chosen without it, so that every technique chooses the same.
    spare: f32,
}

@group(1) @binding(1) var<storage, read> posed_people: array<Posed>;
// Per frame of the atlas: box of the frame's clip. A single row: box of everything.
@group(1) @binding(2) var<storage, read> bounds_rows: array<BoundsRow>;
// Of actors, the third clip of each (shared/instance.wgsl); of others any buffer, which is never read.
@group(1) @binding(9) var<storage, read> third_clips: array<vec4<u32>>;

// Height of instances too near to measure (sample rows).
const ENDLESS_ROWS = 1e9; // shader only: tests/gpu/culling.rs
// Share of a LOD's range over which instances switch, one by one.
const SWITCH_SPREAD = 0.05; // shader only: tests/gpu/culling.rs

// Oriented box in world space: centre and half edges.
struct WorldBox {
    centre: vec3<f32>,
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
    // share of each half edge that the full mesh needs: LODs are chosen by it
    own: vec3<f32>,
    // scale of the model's y axis in the world
    scale: f32,
    unknown: bool,
}

fn bounds_row(frames: u32) -> BoundsRow {
    return bounds_rows[min(frames & 0xffffu, arrayLength(&bounds_rows) - 1u)];
}

// Box of the clips played: the union of both during a fade.
fn played_bounds(play: vec4<u32>) -> BoundsRow {
    let a = bounds_row(play.x);
    if (play.w & 0xffffu) == 0u {
        return a;
    }
    return union_of(a, bounds_row(play.y));
}

fn union_of(a: BoundsRow, b: BoundsRow) -> BoundsRow {
    let low = min(a.centre - a.extent, b.centre - b.extent);
    let high = max(a.centre + a.extent, b.centre + b.extent);
    return BoundsRow((low + high) * 0.5, max(a.unknown, b.unknown), (high - low) * 0.5, max(a.spare, b.spare));
}

fn full_detail_share(row: BoundsRow) -> vec3<f32> {
    return 1.0 - row.spare / max(row.extent, vec3<f32>(row.spare + 1e-6));
}

fn rotated(v: vec3<f32>, q: vec4<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

// Box of an attachment: the attachment pass writes a scale and a quaternion.
fn carried_box(p: Posed) -> WorldBox {
    let row = bounds_rows[0];
    let q = bitcast<vec4<f32>>(p.play);
    let scale = bitcast<f32>(p.place.w);
    let e = row.extent * scale;
    return WorldBox(
        rotated(row.centre * scale, q) + bitcast<vec3<f32>>(p.place.xyz),
        rotated(vec3<f32>(e.x, 0.0, 0.0), q),
        rotated(vec3<f32>(0.0, e.y, 0.0), q),
        rotated(vec3<f32>(0.0, 0.0, e.z), q),
        full_detail_share(row),
        abs(scale),
        row.unknown != 0u,
    );
}

// Box of an instance in a list.
fn world_box(list: u32, index: u32) -> WorldBox {
    let p = posed_people[index];
    if (draw_list_rows[list].kind & DRAW_LIST_CARRIED) != 0u {
        return carried_box(p);
    }
    // Poses of heroes are not in any table.
    let hero = is_hero(p.play);
    var play = p.play;
    if hero {
        play = vec4<u32>(0u);
    }
    var row = played_bounds(play);
    if (draw_list_rows[list].kind & DRAW_LIST_ACTORS) != 0u {
        let third = third_clips[index];
        if third_weight(third) > 0.0 {
            row = union_of(row, bounds_row(third.x));
        }
    }
    let turn = posed_turn(p);
    let e = row.extent * posed_shape(p);
    return WorldBox(
        posed_position(row.centre, p),
        turn_yaw(vec3<f32>(e.x, 0.0, 0.0), turn),
        vec3<f32>(0.0, e.y, 0.0),
        turn_yaw(vec3<f32>(0.0, 0.0, e.z), turn),
        full_detail_share(row),
        posed_scale(p),
        hero || row.unknown != 0u,
    );
}

fn extents_along(box: WorldBox, direction: vec3<f32>) -> vec3<f32> {
    return abs(vec3<f32>(dot(box.x, direction), dot(box.y, direction), dot(box.z, direction)));
}

// Half extent of a box along a direction.
fn extent_along(box: WorldBox, direction: vec3<f32>) -> f32 {
    return dot(extents_along(box, direction), vec3<f32>(1.0));
}

// True if the box lies wholly on the negative side of a plane.
fn is_outside_plane(box: WorldBox, plane: vec4<f32>) -> bool {
    return dot(plane.xyz, box.centre) + plane.w < -extent_along(box, plane.xyz);
}

// True if the box lies wholly outside the view frustum.
fn is_outside(box: WorldBox, projection_from_world: mat4x4<f32>) -> bool {
    let rows = transpose(projection_from_world);
    return is_outside_plane(box, rows[3] + rows[0]) || is_outside_plane(box, rows[3] - rows[0])
        || is_outside_plane(box, rows[3] + rows[1]) || is_outside_plane(box, rows[3] - rows[1])
        || is_outside_plane(box, rows[2]) || is_outside_plane(box, rows[3] - rows[2]);
}

// True if the box reaches beyond the near or far plane, for either depth convention.
fn crosses_depth(box: WorldBox, projection_from_world: mat4x4<f32>) -> bool {
    let rows = transpose(projection_from_world);
    let far = rows[3] - rows[2];
    return !(dot(rows[2].xyz, box.centre) + rows[2].w >= extent_along(box, rows[2].xyz)
        && dot(far.xyz, box.centre) + far.w >= extent_along(box, far.xyz));
}

// Projected height (sample rows) of an instance that is `height` tall (m) at scale 1. Measured at the nearest point of
// the part of its box that the full mesh needs.
fn rows_of(box: WorldBox, projection_from_world: mat4x4<f32>, sample_rows: f32, height: f32) -> f32 {
    let rows = transpose(projection_from_world);
    let nearest = dot(rows[3].xyz, box.centre) + rows[3].w - dot(extents_along(box, rows[3].xyz), box.own);
    if box.unknown || !(nearest > 0.0) {
        return ENDLESS_ROWS;
    }
    return 0.5 * sample_rows * length(rows[1].xyz) * height * box.scale / nearest;
}

// Projected height for any direction of view: instances at the camera's back cast shadows into the view.
fn rows_around(
    box: WorldBox, eye: vec3<f32>, projection_from_world: mat4x4<f32>, sample_rows: f32, height: f32,
) -> f32 {
    let nearest = distance(box.centre, eye) - length(vec3<f32>(length(box.x), length(box.y), length(box.z)) * box.own);
    if box.unknown || !(nearest > 0.0) {
        return ENDLESS_ROWS;
    }
    let up = transpose(projection_from_world)[1].xyz;
    return 0.5 * sample_rows * length(up) * height * box.scale / nearest;
}

// Coarsest LOD that looks like full detail at a height, or up to `detail` times that height. Only the first `lod_count`
// LODs count. Switches are spread over instances.
fn lod_of(list: u32, index: u32, rows: f32, detail: f32, lod_count: u32) -> u32 {
    let factor = detail * (1.0 - SWITCH_SPREAD * unit_fraction(pcg(index)));
    var lod = 0u;
    for (var coarser = 1u; coarser < lod_count; coarser++) {
        // Splats may be usable where the coarsest mesh is not.
        if draw_list_rows[list].lods[coarser].max_sample_rows * factor >= max(rows, 1e-6) {
            lod = coarser;
        }
    }
    return lod;
}
