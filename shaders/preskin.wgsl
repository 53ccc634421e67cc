// Skins every distinct pose of a frame once, by the same functions as technique matrix, for technique preskinned to
// draw: morph targets and normals included, tangents where there are normal maps. One invocation a vertex and pose;
// how many there are is known to the GPU alone (poses.wgsl).

import package::shared::character::character;
import package::shared::instance::Playback;
import package::shared::packed::load_vertex;
import package::shared::pose_steps::COUNT_SKINNED;
import package::shared::posed_vertex::write_posed_vertex;
import package::shared::skinning::{add_morphs, blend_matrices, transform, unit_vertex};

// By slot: frames of the atlas, the fraction between them.
@group(2) @binding(1) var<storage, read> skinned_steps: array<vec2<u32>>;
// As pose_counts in shared/pose_steps.wgsl.
@group(2) @binding(2) var<storage, read> skinned_counts: array<u32>;

@compute @workgroup_size(64)
fn preskin(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let row = id.x + id.y * groups.x * 64u;
    let slot = row / character.vertex_count;
    if slot >= skinned_counts[COUNT_SKINNED] {
        return;
    }
    let index = row - slot * character.vertex_count;
    let step = skinned_steps[slot];
    var play: Playback;
    play.a = vec2<u32>(step.x & 0xffffu, step.x >> 16u);
    play.between.x = f32(step.y) / 65535.0;
    let v = load_vertex(index);
    @if(morphs) let rest = add_morphs(unit_vertex(v), index, play);
    @if(!morphs) let rest = unit_vertex(v);
    write_posed_vertex(row, transform(blend_matrices(v.joints, v.weights, play), rest));
}
