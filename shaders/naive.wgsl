// The textbook skinned draw, as a baseline: one vertex attribute per quantity, the instance as an
// attribute too, 4x4 f32 matrices in a storage buffer. Same picture as the crowd pass.

import package::shared::frame::frame;
import package::shared::character::character;
import package::shared::instance::{Posed, turn_yaw, posed_turn, posed_scale, unpack_playback};
import package::shared::morph::add_morphs;
import package::shared::skin::UnitVertex;
import package::shared::surface::{Varyings, shade_pixel, tinted};

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
    @if(wide_vertex) @location(10) tangent: vec4<f32>,
    @if(wide_vertex) @location(11) uv1: vec2<f32>,
}

@group(1) @binding(2) var<storage, read> palette_matrices: array<mat4x4<f32>>;

fn frame_matrix(frame_index: u32, joints: vec4<u32>, weights: vec4<f32>) -> mat4x4<f32> {
    let first = frame_index * character.counts.x;
    return palette_matrices[first + joints.x] * weights.x
        + palette_matrices[first + joints.y] * weights.y
        + palette_matrices[first + joints.z] * weights.z
        + palette_matrices[first + joints.w] * weights.w;
}

@vertex
fn naive_vertex(v: NaiveVertex, @builtin(vertex_index) index: u32) -> Varyings {
    let play = unpack_playback(v.play);
    let first = frame_matrix(play.a.x, v.joints, v.weights);
    let second = frame_matrix(play.a.y, v.joints, v.weights);
    var m = first * (1.0 - play.between.x) + second * play.between.x;
    if play.fade > 0.0 {
        let third = frame_matrix(play.b.x, v.joints, v.weights);
        let fourth = frame_matrix(play.b.y, v.joints, v.weights);
        m = m * (1.0 - play.fade) + (third * (1.0 - play.between.y) + fourth * play.between.y) * play.fade;
    }
    var rest: UnitVertex;
    rest.position = v.position;
    rest.normal = v.normal;
    @if(normal_mapped) rest.tangent = v.tangent;
    @if(morphs) {
        // Displacements are in unit space.
        rest.position = (rest.position - character.unit.xyz) / character.unit.w;
        rest = add_morphs(rest, index, play);
        rest.position = rest.position * character.unit.w + character.unit.xyz;
    }
    let model = (m * vec4<f32>(rest.position, 1.0)).xyz;
    let cofactor = mat3x3<f32>(cross(m[1].xyz, m[2].xyz), cross(m[2].xyz, m[0].xyz), cross(m[0].xyz, m[1].xyz));
    let p = Posed(v.place, v.play);
    let turn = posed_turn(p);
    let world = turn_yaw(model * posed_scale(p), turn) + bitcast<vec3<f32>>(v.place.xyz);
    var out: Varyings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    let mirrored = select(1.0, -1.0, dot(m[0].xyz, cofactor[0]) < 0.0);
    out.normal = turn_yaw(normalize(cofactor * rest.normal) * mirrored, turn);
    @if(normal_mapped) {
        let along = (m * vec4<f32>(rest.tangent.xyz, 0.0)).xyz;
        out.tangent = vec4<f32>(turn_yaw(along, turn), rest.tangent.w * mirrored);
    }
    out.uv = v.uv;
    @if(wide_vertex) out.uv1 = v.uv1;
    @if(wide_vertex) out.alpha = v.color.a;
    out.color = tinted(v.color.rgb, v.material, v.tint);
    out.material = v.material;
    return out;
}

@fragment
fn naive_fragment(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return shade_pixel(in, front);
}
