// Linear blend skinning: four matrices are fetched and blended before one transform.
// CPU twin: bake::skinning.

import package::shared::atlas::{Matrix3x4, MatrixSum, add_matrix, no_matrices, summed_matrix};
import package::shared::character::{CharacterVertex, character};
import package::shared::instance::Playback;

struct UnitVertex {
    position: vec3<f32>,
    // not unit length: the fragment shader normalises after interpolation anyway
    normal: vec3<f32>,
    // xyz not unit length either; w: sign of the bitangent
    @if(normal_mapped) tangent: vec4<f32>,
}

fn unit_vertex(v: CharacterVertex) -> UnitVertex {
    var rest: UnitVertex;
    rest.position = v.position;
    rest.normal = v.normal;
    @if(normal_mapped) rest.tangent = v.tangent;
    return rest;
}

fn blend_frame(frame_index: u32, joints: vec4<u32>, weights: vec4<f32>, factor: f32, sum: ptr<function, MatrixSum>) {
    let first = frame_index * character.slot_count;
    add_matrix(sum, first + joints.x, weights.x * factor);
    add_matrix(sum, first + joints.y, weights.y * factor);
    // Weights are sorted: neighbours in the mesh mostly agree on having only two.
    if weights.z > 0.0 {
        add_matrix(sum, first + joints.z, weights.z * factor);
        add_matrix(sum, first + joints.w, weights.w * factor);
    }
}

// Blends over influences, over the two nearest frames and, while fading, over both clips.
fn blend_matrices(joints: vec4<u32>, weights: vec4<f32>, play: Playback) -> Matrix3x4 {
    var sum = no_matrices();
    let a = 1.0 - play.fade;
    blend_frame(play.a.x, joints, weights, a * (1.0 - play.between.x), &sum);
    if play.between.x > 0.0 {
        blend_frame(play.a.y, joints, weights, a * play.between.x, &sum);
    }
    if play.fade > 0.0 {
        blend_frame(play.b.x, joints, weights, play.fade * (1.0 - play.between.y), &sum);
        blend_frame(play.b.y, joints, weights, play.fade * play.between.y, &sum);
    }
    return summed_matrix(sum);
}

// Normals go through the cofactor matrix, which equals the inverse transpose up to a positive or
// negative factor and exists for singular matrices too; its rows are cross products of the
// matrix's rows. The sign of the determinant keeps mirrored joints right. Tangents lie in the
// surface and go through the matrix itself; mirroring turns the bitangent's sign around.
fn transform(m: Matrix3x4, rest: UnitVertex) -> UnitVertex {
    let p = vec4<f32>(rest.position, 1.0);
    let normal = rest.normal;
    let cx = cross(m.y.xyz, m.z.xyz);
    let cy = cross(m.z.xyz, m.x.xyz);
    let cz = cross(m.x.xyz, m.y.xyz);
    let mirrored = select(1.0, -1.0, dot(m.x.xyz, cx) < 0.0);
    var v: UnitVertex;
    v.position = vec3<f32>(dot(m.x, p), dot(m.y, p), dot(m.z, p));
    v.normal = vec3<f32>(dot(cx, normal), dot(cy, normal), dot(cz, normal)) * mirrored;
    @if(normal_mapped) let t = rest.tangent.xyz;
    @if(normal_mapped) v.tangent = vec4<f32>(dot(m.x.xyz, t), dot(m.y.xyz, t), dot(m.z.xyz, t), rest.tangent.w * mirrored);
    return v;
}
