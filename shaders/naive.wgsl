// The textbook skinned draw, as a baseline: one vertex attribute per quantity, the instance as an
// attribute too, 4x4 f32 matrices in a storage buffer. Same picture as the crowd pass.

import package::shared::frame::frame;
import package::shared::character::character;
import package::shared::instance::{Posed, turn_yaw, posed_turn, posed_scale, unpack_playback};
import package::shared::surface::{Surface, shade_surface, tinted};

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
}

struct NaiveVaryings {
    @builtin(position) position: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat) material: u32,
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
fn naive_vertex(v: NaiveVertex) -> NaiveVaryings {
    let play = unpack_playback(v.play);
    let first = frame_matrix(play.a.x, v.joints, v.weights);
    let second = frame_matrix(play.a.y, v.joints, v.weights);
    var m = first * (1.0 - play.between.x) + second * play.between.x;
    if play.fade > 0.0 {
        let third = frame_matrix(play.b.x, v.joints, v.weights);
        let fourth = frame_matrix(play.b.y, v.joints, v.weights);
        m = m * (1.0 - play.fade) + (third * (1.0 - play.between.y) + fourth * play.between.y) * play.fade;
    }
    let model = (m * vec4<f32>(v.position, 1.0)).xyz;
    let cofactor = mat3x3<f32>(cross(m[1].xyz, m[2].xyz), cross(m[2].xyz, m[0].xyz), cross(m[0].xyz, m[1].xyz));
    let p = Posed(v.place, v.play);
    let turn = posed_turn(p);
    let world = turn_yaw(model * posed_scale(p), turn) + bitcast<vec3<f32>>(v.place.xyz);
    var out: NaiveVaryings;
    out.position = frame.projection_from_world * vec4<f32>(world, 1.0);
    out.world = world;
    out.normal = turn_yaw(normalize(cofactor * v.normal), turn);
    out.uv = v.uv;
    out.color = tinted(v.color.rgb, v.material, v.tint);
    out.material = v.material;
    return out;
}

@fragment
fn naive_fragment(in: NaiveVaryings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let facing = select(-in.normal, in.normal, front);
    let normal = facing * inverseSqrt(max(dot(facing, facing), 1e-20));
    return shade_surface(Surface(in.world, normal, in.uv, in.color, in.material, in.position.xy));
}
