// Skins every distinct pose of a frame once, by the functions of technique matrix. Includes morph targets and normals,
// and tangents where there are normal maps. Coarser LODs may use fewer influences. One invocation per vertex and pose;
// the GPU alone knows their number (compact_poses.wgsl).

import package::shared::atlas::{Matrix3x4, MatrixSum, add_matrix, no_matrices, matrix_of_sum};
import package::shared::character::character;
import package::shared::instance::Playback;
import package::shared::packed::{CharacterVertex, load_vertex};
import package::shared::pose_steps::{COUNT_SKINNED, PoseUniforms};
import package::shared::posed_vertex::write_posed_vertex;
import package::shared::skinning::{add_morphs, blend_matrices, transform, unit_vertex};

// Per slot: two frames of the atlas, and the fraction between them.
@group(2) @binding(1) var<storage, read> skinned_steps: array<vec2<u32>>;
// Layout: pose_counts in shared/pose_steps.wgsl.
@group(2) @binding(2) var<storage, read> skinned_counts: array<u32>;
@group(2) @binding(3) var<uniform> skinned: PoseUniforms;

fn add_slot(sum: ptr<function, MatrixSum>, slot: u32, weight: f32, play: Playback) {
    add_matrix(sum, play.a.x * character.slot_count + slot, weight * (1.0 - play.between.x));
    if play.between.x > 0.0 {
        add_matrix(sum, play.a.y * character.slot_count + slot, weight * play.between.x);
    }
}

// Blend of the one or two strongest influences, renormalised. CPU twin: strongest() in render/resources/pose_lods.rs.
fn blend_strongest(v: CharacterVertex, influences: u32, play: Playback) -> Matrix3x4 {
    var sum = no_matrices();
    if influences == 1u {
        add_slot(&sum, v.joints[0], 1.0, play);
        return matrix_of_sum(sum);
    }
    let whole = v.weights[0] + v.weights[1];
    add_slot(&sum, v.joints[0], v.weights[0] / whole, play);
    add_slot(&sum, v.joints[1], v.weights[1] / whole, play);
    return matrix_of_sum(sum);
}

fn blend_influences(v: CharacterVertex, influences: u32, play: Playback) -> Matrix3x4 {
    if influences <= 2u {
        return blend_strongest(v, influences, play);
    }
    return blend_matrices(v.joints, v.weights, play);
}

@compute @workgroup_size(64)
fn preskin(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let row = id.x + id.y * groups.x * 64u;
    var first_slot = 0u;
    var in_lod = row;
    var lod = 0u;
    for (; lod < skinned.lod_count; lod++) {
        let slots = skinned_counts[COUNT_SKINNED + lod];
        let rows = slots * skinned.lods[lod].vertex_count;
        if in_lod < rows {
            break;
        }
        in_lod -= rows;
        first_slot += slots;
    }
    if lod >= skinned.lod_count {
        return;
    }
    let mesh = skinned.lods[lod];
    let slot = in_lod / mesh.vertex_count;
    let index = mesh.first_vertex + in_lod - slot * mesh.vertex_count;
    let step = skinned_steps[first_slot + slot];
    var play: Playback;
    play.a = vec2<u32>(step.x & 0xffffu, step.x >> 16u);
    play.between.x = f32(step.y) / 65535.0;
    let v = load_vertex(index);
    @if(morphs) let rest = add_morphs(unit_vertex(v), index, play);
    @if(!morphs) let rest = unit_vertex(v);
    write_posed_vertex(row, transform(blend_influences(v, mesh.influences, play), rest));
}
