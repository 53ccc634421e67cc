// Linear blend skinning: adds morph targets, then blends four matrices (up to eight with eight_influences) before one
// transform. Everything is in unit space. CPU twin: bake/skinning.rs.

import package::shared::atlas::{Matrix3x4, MatrixSum, add_matrix, no_matrices, matrix_of_sum};
import package::shared::character::character;
import package::shared::instance::Playback;
import package::shared::packed::{CharacterVertex, Joints, Weights};

struct UnitVertex {
    position: vec3<f32>,
    // not unit length: the fragment shader normalises after interpolation
    normal: vec3<f32>,
    // xyz: not unit length either; w: sign of the bitangent
    @if(normal_mapped) tangent: vec4<f32>,
}

fn unit_vertex(v: CharacterVertex) -> UnitVertex {
    var rest: UnitVertex;
    rest.position = v.position;
    rest.normal = v.normal;
    @if(normal_mapped) rest.tangent = v.tangent;
    return rest;
}

fn blend_frame(frame_index: u32, joints: Joints, weights: Weights, factor: f32, sum: ptr<function, MatrixSum>) {
    let first = frame_index * character.slot_count;
    add_matrix(sum, first + joints[0], weights[0] * factor);
    add_matrix(sum, first + joints[1], weights[1] * factor);
    // Weights are sorted, and neighbouring vertices mostly agree on having only two: the branch is coherent.
    if weights[2] > 0.0 {
        add_matrix(sum, first + joints[2], weights[2] * factor);
        add_matrix(sum, first + joints[3], weights[3] * factor);
    }
    @if(eight_influences) {
        if weights[4] > 0.0 {
            add_matrix(sum, first + joints[4], weights[4] * factor);
            add_matrix(sum, first + joints[5], weights[5] * factor);
        }
        if weights[6] > 0.0 {
            add_matrix(sum, first + joints[6], weights[6] * factor);
            add_matrix(sum, first + joints[7], weights[7] * factor);
        }
    }
}

// Blends over influences, two frames and, while fading, two clips; with `actors` three.
fn blend_matrices(joints: Joints, weights: Weights, play: Playback) -> Matrix3x4 {
    var sum = no_matrices();
    @if(!actors) let b = play.fade;
    @if(actors) let b = play.fade * (1.0 - play.third.weight);
    @if(!actors) let a = 1.0 - play.fade;
    @if(actors) let a = (1.0 - play.fade) * (1.0 - play.third.weight);
    blend_frame(play.a.x, joints, weights, a * (1.0 - play.between.x), &sum);
    if play.between.x > 0.0 {
        blend_frame(play.a.y, joints, weights, a * play.between.x, &sum);
    }
    if play.fade > 0.0 {
        blend_frame(play.b.x, joints, weights, b * (1.0 - play.between.y), &sum);
        blend_frame(play.b.y, joints, weights, b * play.between.y, &sum);
    }
    @if(actors) {
        if play.third.weight > 0.0 {
            blend_frame(play.third.frames.x, joints, weights, play.third.weight * (1.0 - play.third.between), &sum);
            blend_frame(play.third.frames.y, joints, weights, play.third.weight * play.third.between, &sum);
        }
    }
    return matrix_of_sum(sum);
}

// Normals use the cofactor matrix, whose rows are cross products of the matrix's rows. It equals the inverse transpose
// up to a factor and exists for singular matrices, too. The sign of the determinant corrects mirrored joints. Tangents
// use the matrix itself; mirroring flips the bitangent's sign.
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

// Morph targets, one buffer per character (render/resources/morphs.rs):
//   header   MORPH_ words
//   offsets  per vertex the number of deltas before it, and one more at the end
//   weights  of every target, frame by frame
//   deltas   target, position, normal and, with normal maps, tangent
@if(morphs) @group(1) @binding(7) var<storage, read> morph_words: array<u32>;

// Header words: number of targets, first word of the weights, first word of the deltas, 0.
const MORPH_TARGETS = 0u; // shader only
const MORPH_WEIGHTS = 1u; // shader only
const MORPH_DELTAS = 2u; // shader only
const MORPH_HEADER_WORDS = 4u;

@if(normal_mapped) const DELTA_WORDS = 10u;
@if(!normal_mapped) const DELTA_WORDS = 7u;

@if(morphs)
fn morph_float(word: u32) -> f32 {
    return bitcast<f32>(morph_words[word]);
}

@if(morphs)
fn morph_vec3(word: u32) -> vec3<f32> {
    return vec3<f32>(morph_float(word), morph_float(word + 1u), morph_float(word + 2u));
}

// Weight of a target between two frames.
@if(morphs)
fn frame_weight(target_index: u32, frames: vec2<u32>, between: f32) -> f32 {
    let row = morph_words[MORPH_WEIGHTS] + target_index;
    let first = morph_float(row + frames.x * morph_words[MORPH_TARGETS]);
    let second = morph_float(row + frames.y * morph_words[MORPH_TARGETS]);
    return first * (1.0 - between) + second * between;
}

@if(morphs)
fn morph_weight(target_index: u32, play: Playback) -> f32 {
    var weight = frame_weight(target_index, play.a, play.between.x);
    if play.fade != 0.0 {
        weight = mix(weight, frame_weight(target_index, play.b, play.between.y), play.fade);
    }
    @if(actors) {
        if play.third.weight > 0.0 {
            let third = frame_weight(target_index, play.third.frames, play.third.between);
            weight = mix(weight, third, play.third.weight);
        }
    }
    return weight;
}

// Deltas are stored per vertex: most vertices have none.
@if(morphs)
fn add_morphs(v: UnitVertex, index: u32, play: Playback) -> UnitVertex {
    var moved = v;
    let last = morph_words[MORPH_HEADER_WORDS + index + 1u];
    for (var delta = morph_words[MORPH_HEADER_WORDS + index]; delta < last; delta += 1u) {
        let word = morph_words[MORPH_DELTAS] + delta * DELTA_WORDS;
        let weight = morph_weight(morph_words[word], play);
        if weight != 0.0 {
            moved.position += morph_vec3(word + 1u) * weight;
            moved.normal += morph_vec3(word + 4u) * weight;
            @if(normal_mapped) moved.tangent += vec4<f32>(morph_vec3(word + 7u) * weight, 0.0);
        }
    }
    return moved;
}
