// Naive pose: one vertex attribute per quantity, instances as attributes, and 4x4 f32 matrices in a storage buffer.

import package::shared::character::{character, model_position};
import package::shared::instance::Playback;
import package::shared::skinning::{UnitVertex, add_morphs};

struct NaiveVertex {
    // model space
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) joints: vec4<u32>,
    @location(5) weights: vec4<f32>,
    @location(6) material: u32,
    @location(7) place: vec4<u32>,
    @location(8) play: vec4<u32>,
    @location(9) tint: u32,
    @if(extended_vertex) @location(10) tangent: vec4<f32>,
    @if(extended_vertex) @location(11) uv1: vec2<f32>,
    @if(eight_influences) @location(12) more_joints: vec4<u32>,
    @if(eight_influences) @location(13) more_weights: vec4<f32>,
}

@group(1) @binding(2) var<storage, read> palette_matrices: array<mat4x4<f32>>;

fn four_matrices(first: u32, joints: vec4<u32>, weights: vec4<f32>) -> mat4x4<f32> {
    return palette_matrices[first + joints.x] * weights.x
        + palette_matrices[first + joints.y] * weights.y
        + palette_matrices[first + joints.z] * weights.z
        + palette_matrices[first + joints.w] * weights.w;
}

fn frame_matrix(frame_index: u32, v: NaiveVertex) -> mat4x4<f32> {
    let first = frame_index * character.slot_count;
    let strongest = four_matrices(first, v.joints, v.weights);
    @if(eight_influences) return strongest + four_matrices(first, v.more_joints, v.more_weights);
    @if(!eight_influences) return strongest;
}

fn naive_matrix(v: NaiveVertex, play: Playback) -> mat4x4<f32> {
    let first = frame_matrix(play.a.x, v);
    let second = frame_matrix(play.a.y, v);
    var m = first * (1.0 - play.between.x) + second * play.between.x;
    if play.fade > 0.0 {
        let third = frame_matrix(play.b.x, v);
        let fourth = frame_matrix(play.b.y, v);
        m = m * (1.0 - play.fade) + (third * (1.0 - play.between.y) + fourth * play.between.y) * play.fade;
    }
    return m;
}

// Before skinning, model space.
fn naive_rest(v: NaiveVertex, index: u32, play: Playback) -> UnitVertex {
    var rest: UnitVertex;
    rest.position = v.position;
    rest.normal = v.normal;
    @if(normal_mapped) rest.tangent = v.tangent;
    @if(morphs) {
        // Morph deltas are in unit space.
        rest.position = (rest.position - character.unit_centre) / character.unit_half_extent;
        rest = add_morphs(rest, index, play);
        rest.position = model_position(rest.position);
    }
    return rest;
}

// After skinning, model space; the normal has unit length.
fn naive_posed(v: NaiveVertex, index: u32, play: Playback) -> UnitVertex {
    let m = naive_matrix(v, play);
    let rest = naive_rest(v, index, play);
    let cofactor = mat3x3<f32>(cross(m[1].xyz, m[2].xyz), cross(m[2].xyz, m[0].xyz), cross(m[0].xyz, m[1].xyz));
    let mirrored = select(1.0, -1.0, dot(m[0].xyz, cofactor[0]) < 0.0);
    var out: UnitVertex;
    out.position = (m * vec4<f32>(rest.position, 1.0)).xyz;
    out.normal = normalize(cofactor * rest.normal) * mirrored;
    @if(normal_mapped) {
        let along = (m * vec4<f32>(rest.tangent.xyz, 0.0)).xyz;
        out.tangent = vec4<f32>(along, rest.tangent.w * mirrored);
    }
    return out;
}
