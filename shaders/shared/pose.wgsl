// Poses one vertex of one instance by the technique of the pipeline: exactly one condition technique_* is on. The input
// is in unit space. world_position(), world_normal() and world_along() transform the result to world space.

import package::shared::character::model_position;
import package::shared::packed::CharacterVertex;
import package::shared::instance::{
    Instance, Posed, playback_fade, posed_along, posed_width_scale, posed_normal, posed_position, posed_scale, unpack_playback,
};
import package::shared::skinning::{
    UnitVertex, add_morphs, blend_frame, blend_matrices, transform, unit_vertex,
};
import package::shared::atlas::{no_matrices, matrix_of_sum};
import package::shared::baked_vertex::baked_vertex;
import package::shared::posed_vertex::preskinned_vertex;
import package::shared::hero::{baked_play, hero_matrix, hero_weight, is_hero, mix_matrices, playback_of};

@group(2) @binding(0) var<storage, read> instances: array<Instance>;
@group(2) @binding(1) var<storage, read> posed: array<Posed>;

// Tint indices of an instance: four indices into the ramps, six bits each, with width scale and material variant.
fn instance_tint(instance: u32) -> u32 {
    return instances[instance].tint;
}

@if(technique_matrix)
fn pose_vertex(v: CharacterVertex, index: u32, instance: u32, play: vec4<u32>) -> UnitVertex {
    @if(heroes) let playback = playback_of(baked_play(play), instance);
    @if(!heroes) let playback = playback_of(play, instance);
    var m = blend_matrices(v.joints, v.weights, playback);
    @if(heroes) {
        if is_hero(play) {
            m = mix_matrices(m, hero_matrix(play, v.joints, v.weights), hero_weight(play));
        }
    }
    @if(morphs) let rest = add_morphs(unit_vertex(v), index, playback);
    @if(!morphs) let rest = unit_vertex(v);
    return transform(m, rest);
}

@if(technique_static)
fn pose_vertex(v: CharacterVertex, index: u32, instance: u32, play: vec4<u32>) -> UnitVertex {
    return unit_vertex(v);
}

@if(technique_vertex)
fn pose_vertex(v: CharacterVertex, index: u32, instance: u32, play: vec4<u32>) -> UnitVertex {
    return baked_vertex(index, unpack_playback(play));
}

// The atlas binding holds this frame's live palettes, one "frame" per instance. Morph weights are those of the baked
// frames.
@if(technique_live)
fn pose_vertex(v: CharacterVertex, index: u32, instance: u32, play: vec4<u32>) -> UnitVertex {
    var sum = no_matrices();
    blend_frame(instance, v.joints, v.weights, 1.0, &sum);
    @if(morphs) let rest = add_morphs(unit_vertex(v), index, unpack_playback(play));
    @if(!morphs) let rest = unit_vertex(v);
    return transform(matrix_of_sum(sum), rest);
}

// Vertices are posed already: only the cross-fade remains.
@if(technique_preskinned)
fn pose_vertex(v: CharacterVertex, index: u32, instance: u32, play: vec4<u32>) -> UnitVertex {
    return preskinned_vertex(index, instance, playback_fade(play));
}

@if(technique_attachment)
fn pose_vertex(v: CharacterVertex, index: u32, instance: u32, play: vec4<u32>) -> UnitVertex {
    return unit_vertex(v);
}

// The attachment pass writes a scale and a unit quaternion.
@if(technique_attachment)
fn attachment_turn(v: vec3<f32>, p: Posed) -> vec3<f32> {
    let q = bitcast<vec4<f32>>(p.play);
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

@if(technique_attachment)
fn world_position(unit: vec3<f32>, p: Posed) -> vec3<f32> {
    let model = model_position(unit);
    return attachment_turn(model * bitcast<f32>(p.place.w), p) + bitcast<vec3<f32>>(p.place.xyz);
}

// Scale of a splat's radius in the world: keeps the area that the splat stands for.
@if(technique_attachment)
fn world_scale(p: Posed) -> f32 {
    return abs(bitcast<f32>(p.place.w));
}

@if(!technique_attachment)
fn world_scale(p: Posed) -> f32 {
    return posed_scale(p) * sqrt(posed_width_scale(p));
}

@if(technique_attachment)
fn world_normal(unit: vec3<f32>, p: Posed) -> vec3<f32> {
    return attachment_turn(unit, p);
}

@if(!technique_attachment)
fn world_normal(unit: vec3<f32>, p: Posed) -> vec3<f32> {
    return posed_normal(unit, p);
}

// Tangents: vectors along the surface.
@if(technique_attachment)
fn world_along(unit: vec3<f32>, p: Posed) -> vec3<f32> {
    return attachment_turn(unit, p);
}

@if(!technique_attachment)
fn world_along(unit: vec3<f32>, p: Posed) -> vec3<f32> {
    return posed_along(unit, p);
}

@if(!technique_attachment)
fn world_position(unit: vec3<f32>, p: Posed) -> vec3<f32> {
    return posed_position(model_position(unit), p);
}
