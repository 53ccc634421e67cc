// Tells everyone the slots of their poses, after poses has numbered them.

import package::shared::pose_steps::{asked_poses, pose_marks, pose_uniforms};

@compute @workgroup_size(64)
fn pose_slots(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= pose_uniforms.instance_count {
        return;
    }
    let steps = asked_poses[index] + pose_uniforms.step_count;
    asked_poses[index] = vec2<u32>(atomicLoad(&pose_marks[steps.x]), atomicLoad(&pose_marks[steps.y]));
}
