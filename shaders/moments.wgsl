// Moves everyone to the nearest moment at which people are posed, and marks it: the first step of technique
// preskinned, once per instance after animate. What is carried, picked and told of people follows the same moment.

import package::shared::pose_steps::{
    COUNT_RUNNING, RATE_LEVELS, asked_poses, nearest_step, pose_counts, pose_marks, pose_uniforms, rate_of,
    rows_in_metre, step_play, stepped,
};

// By rate.
var<workgroup> asked_here: array<atomic<u32>, 4>;

fn mark(step: u32) {
    // Most find their pose asked for already: reading is cheaper than writing again.
    if atomicLoad(&pose_marks[step]) == 0u {
        atomicStore(&pose_marks[step], 1u);
    }
}

@compute @workgroup_size(64)
fn moments(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = id.x + id.y * groups.x * 64u;
    if index < pose_uniforms.instance_count {
        let metre = rows_in_metre(stepped[index]);
        var play = stepped[index].play;
        let between = unpack2x16unorm(play.z);
        let fades = (play.w & 0xffffu) != 0u;
        let from_rate = rate_of(play.x, metre);
        let from_step = nearest_step(play.x, between.x, from_rate);
        mark(from_step);
        atomicAdd(&asked_here[from_rate], 1u);
        var to_step = from_step;
        if fades {
            let to_rate = rate_of(play.y, metre);
            to_step = nearest_step(play.y, between.y, to_rate);
            mark(to_step);
            atomicAdd(&asked_here[to_rate], 1u);
        }
        asked_poses[index] = vec2<u32>(from_step, to_step);
        let shown_from = step_play(from_step);
        let shown_to = step_play(to_step);
        play = vec4<u32>(shown_from.frames, shown_to.frames, shown_from.between | (shown_to.between << 16u), play.w);
        stepped[index].play = play;
    }
    workgroupBarrier();
    if local < RATE_LEVELS {
        atomicAdd(&pose_counts[COUNT_RUNNING + local], atomicLoad(&asked_here[local]));
    }
}
