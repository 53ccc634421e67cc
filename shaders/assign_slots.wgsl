// Writes, for every listed instance, the rows of its posed vertices in the pose cache: the last step before technique
// preskinned draws. Slots come from compact_poses.wgsl: slot = prefix sum of the word + bits set below the pose's own.

import package::shared::draw_lists::NO_DRAW_LIST;
import package::shared::pose_steps::{
    COUNT_ROWS, STEP_MASK, requested_poses, camera_keys, lod_in_list, lod_words, mark_words, pose_counts, pose_marks,
    pose_uniforms, sun_keys, written_poses,
};

fn pose_row(requested: u32, lod: u32) -> u32 {
    let step = requested & STEP_MASK;
    let word = lod * lod_words() + step / 32u;
    let before = atomicLoad(&pose_marks[word]) & ((1u << (step % 32u)) - 1u);
    let slot = atomicLoad(&pose_marks[mark_words() + word]) + countOneBits(before);
    return atomicLoad(&pose_counts[COUNT_ROWS + lod]) + slot * pose_uniforms.lods[lod].vertex_count;
}

// Instances outside a list keep stale rows, which no draw reads.
fn write_poses(row: u32, requested: vec2<u32>, lod: u32) {
    if lod != NO_DRAW_LIST {
        written_poses[row] = vec2<u32>(pose_row(requested.x, lod), pose_row(requested.y, lod));
    }
}

@compute @workgroup_size(64)
fn assign_slots(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= pose_uniforms.instance_count {
        return;
    }
    let requested = requested_poses[index];
    write_poses(index, requested, lod_in_list(camera_keys[index]));
    write_poses(pose_uniforms.sun_row + index, requested, lod_in_list(sun_keys[index]));
}
