// Arbitrary output variables (AOVs): ground truth per pixel instead of light. One sample at the pixel's centre shows
// everything at the LOD of the picture, posed by the functions of the crowd pass. Exactly one of the conditions show_*
// is on. Ground and sky: shaders/aov_background.wgsl.
//
//   show_ids     1 + index of the instance, or an ID_ kind and the index of the thing
//   show_depth   distance along the camera's axis (m)
//   show_normal  unit normal in world space, normal maps included
//   show_motion  motion vector to the next picture (px, right and down)
//   show_uv      first texture coordinates
//   show_albedo  linear base colour, unlit
//
// With show_motion, four buffers hold this frame in their first half and the next frame in their second: posed
// instances, rows of heroes, live palettes, and posed vertices with their slots.

import package::shared::amodal::cover_amodal;
import package::shared::character::character;
import package::shared::frame::frame;
import package::shared::hero::is_hero;
import package::shared::instance::{Posed, unpack_playback};
import package::shared::listed::listed_instance;
import package::shared::packed::{CharacterVertex, load_vertex};
import package::shared::pose::{posed, pose_vertex, world_along, world_normal, world_position, instance_tint};
import package::shared::skinning::UnitVertex;
import package::shared::surface::{Surface, TexturePoint, base_color, facet_normal, is_hole, surface_normal, tinted};
import package::shared::textbook::{TextbookVertex, textbook_pose, textbook_vertex};
import package::shared::aov::{EVERYBODY, OUTSIDE_CLIP_SPACE, moved, aov};

struct AovVaryings {
    @invariant @builtin(position) position: vec4<f32>,
    @location(0) uv: vec2<f32>,
    @location(1) @interpolate(flat) material: u32,
    @if(extended_vertex) @location(2) uv1: vec2<f32>,
    @if(extended_vertex) @location(3) alpha: f32,
    @if(show_ids) @location(4) @interpolate(flat) id: u32,
    @if(show_depth) @location(4) depth: f32,
    @if(show_normal) @location(4) normal: vec3<f32>,
    @if(show_normal && normal_mapped) @location(5) tangent: vec4<f32>,
    @if(show_normal && (mirrored || flat_shaded)) @location(6) world: vec3<f32>,
    @if(show_normal && flat_shaded) @location(7) facet: vec4<f32>,
    @if(show_motion) @location(4) next: vec4<f32>,
    @if(show_albedo) @location(4) color: vec4<f32>,
}

// Posed instance of the next frame, from the second half of the buffer.
@if(show_motion)
fn next_posed(instance: u32) -> Posed {
    var next = posed[instance + character.instance_count];
    @if(heroes) {
        if is_hero(next.play) {
            next.play.x += aov.next_hero_row;
            next.play.y += aov.next_hero_row;
        }
    }
    return next;
}

@if(listed)
@vertex
fn aov_vertex(@builtin(vertex_index) index: u32, @location(0) id: u32) -> AovVaryings {
    let instance = listed_instance(id);
    var out = instance_varyings(index, instance);
    // LODs are shaded by their own normals, never by facet.
    @if(show_normal && flat_shaded) out.facet.w = select(0.0, 1.0, index < character.vertex_count);
    if aov.only != EVERYBODY && aov.only != instance {
        out.position = OUTSIDE_CLIP_SPACE;
    }
    return out;
}

@if(!listed && !technique_textbook)
@vertex
fn aov_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> AovVaryings {
    return instance_varyings(index, instance);
}

@if(!technique_textbook)
fn instance_varyings(index: u32, instance: u32) -> AovVaryings {
    let v = load_vertex(index);
    let p = posed[instance];
    var out = vertex_varyings(v, pose_vertex(v, index, instance, p.play), p);
    @if(show_ids) out.id = aov.first_id + instance;
    @if(show_motion) {
        let q = next_posed(instance);
        let there = pose_vertex(v, index, instance + character.instance_count, q.play);
        out.next = aov.next_from_world * vec4<f32>(world_position(there.position, q), 1.0);
    }
    @if(show_albedo) out.color = tinted(v.color, v.material, instance_tint(instance));
    return out;
}

@if(technique_textbook)
@vertex
fn aov_vertex(fetched: TextbookVertex, @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> AovVaryings {
    let v = textbook_vertex(fetched);
    let p = Posed(fetched.place, fetched.play);
    var out = vertex_varyings(v, textbook_pose(v, index, unpack_playback(p.play)), p);
    @if(show_ids) out.id = aov.first_id + instance;
    @if(show_motion) {
        let q = next_posed(instance);
        let there = textbook_pose(v, index, unpack_playback(q.play));
        out.next = aov.next_from_world * vec4<f32>(world_position(there.position, q), 1.0);
    }
    @if(show_albedo) out.color = tinted(v.color, v.material, fetched.tint);
    return out;
}

// Varyings of a posed vertex, whatever its technique.
fn vertex_varyings(v: CharacterVertex, unit: UnitVertex, p: Posed) -> AovVaryings {
    let world = world_position(unit.position, p);
    var out: AovVaryings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.uv = v.uv;
    out.material = v.material;
    @if(extended_vertex) out.uv1 = v.uv1;
    @if(extended_vertex) out.alpha = v.alpha;
    @if(show_depth) out.depth = out.position.w;
    @if(show_normal) out.normal = world_normal(unit.normal, p);
    @if(show_normal && normal_mapped) out.tangent = vec4<f32>(world_along(unit.tangent.xyz, p), unit.tangent.w);
    @if(show_normal && (mirrored || flat_shaded)) out.world = world;
    @if(show_normal && flat_shaded) out.facet = vec4<f32>(world_along(unit.position, p), 1.0);
    return out;
}

fn surface_of(in: AovVaryings, outside: bool) -> Surface {
    var s: Surface;
    s.material = in.material;
    @if(extended_vertex) s.alpha = in.alpha;
    @if(show_albedo) s.color = in.color;
    @if(show_normal) {
        let side = select(-1.0, 1.0, outside);
        s.normal = in.normal * (side * inverseSqrt(max(dot(in.normal, in.normal), 1e-20)));
        @if(normal_mapped) s.tangent = in.tangent * side;
    }
    return s;
}

// The target stores one channel of a single value and two channels of a pair; further components are ignored.
@if(!show_ids) alias AovValue = vec4<f32>;
@if(show_ids) alias AovValue = vec4<u32>;

@fragment
fn aov_fragment(in: AovVaryings, @builtin(front_facing) front: bool) -> @location(0) AovValue {
    @if(show_normal && mirrored) let across = cross(dpdx(in.world), dpdy(in.world));
    // Same test as is_outside() of shared/surface.wgsl.
    @if(show_normal && mirrored) let outside = dot(in.normal, across) * dot(frame.eye - in.world, across) >= 0.0;
    @if(!(show_normal && mirrored)) let outside = front;
    var s = surface_of(in, outside);
    @if(show_normal && flat_shaded) {
        s.world = in.world;
        s.normal = facet_normal(s, in.facet.w, cross(dpdx(in.facet.xyz), dpdy(in.facet.xyz)));
    }
    s.first_uv = TexturePoint(in.uv, dpdx(in.uv), dpdy(in.uv));
    @if(extended_vertex) s.second_uv = TexturePoint(in.uv1, dpdx(in.uv1), dpdy(in.uv1));
    let base = base_color(s);
    @if(alpha_test) {
        if is_hole(s.material, base.a, in.position.xy) {
            discard;
        }
    }
    @if(show_ids && amodal_masks) cover_amodal(in.id - 1u, vec2<u32>(in.position.xy));
    @if(show_ids) return vec4<u32>(in.id, 0u, 0u, 0u);
    @if(show_depth) return vec4<f32>(in.depth, 0.0, 0.0, 1.0);
    @if(show_normal) return vec4<f32>(surface_normal(s), 1.0);
    @if(show_motion) return vec4<f32>(moved(in.position.xy, in.next), 0.0, 1.0);
    @if(show_uv) return vec4<f32>(in.uv, 0.0, 1.0);
    @if(show_albedo) return vec4<f32>(base.rgb, 1.0);
}
