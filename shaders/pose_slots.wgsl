// Tells everyone where the poses are that a list shows, after poses has numbered them.

import package::shared::bins::NO_BIN;
import package::shared::pose_steps::{
    COUNT_ROWS, STEP_MASK, asked_poses, camera_keys, level_in_list, level_words, mark_words, pose_counts, pose_marks,
    pose_uniforms, sun_keys, written_poses,
};

fn pose_row(asked: u32, level: u32) -> u32 {
    let step = asked & STEP_MASK;
    let word = level * level_words() + step / 32u;
    let before = atomicLoad(&pose_marks[word]) & ((1u << (step % 32u)) - 1u);
    let slot = atomicLoad(&pose_marks[mark_words() + word]) + countOneBits(before);
    return atomicLoad(&pose_counts[COUNT_ROWS + level]) + slot * pose_uniforms.levels[level].vertex_count;
}

// Nobody reads those of whom the list does not show.
fn write_poses(row: u32, asked: vec2<u32>, level: u32) {
    if level != NO_BIN {
        written_poses[row] = vec2<u32>(pose_row(asked.x, level), pose_row(asked.y, level));
    }
}

@compute @workgroup_size(64)
fn pose_slots(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= pose_uniforms.instance_count {
        return;
    }
    let asked = asked_poses[index];
    write_poses(index, asked, level_in_list(camera_keys[index]));
    write_poses(pose_uniforms.sun_row + index, asked, level_in_list(sun_keys[index]));
}
