// Numbers the distinct poses of a frame: slots in the order of clips and moments, whoever asked first. One workgroup:
// a prefix sum over the marks, which are taken back for the next frame. Tells preskin how much there is to do.

import package::shared::pose_steps::{
    COUNT_ASKED, COUNT_RUNNING, COUNT_SKINNED, RATE_LEVELS, pose_counts, pose_marks, pose_uniforms, skin_dispatch,
    slot_steps, step_play,
};

// Workgroups of a dispatch in one dimension, at most.
const MOST_GROUPS = 65535u;

var<workgroup> pose_sums: array<u32, 256>;

fn write_dispatch(pose_count: u32) {
    let groups = (pose_count * pose_uniforms.vertex_count + 63u) / 64u;
    let rows = max((groups + MOST_GROUPS - 1u) / MOST_GROUPS, 1u);
    skin_dispatch[0] = (groups + rows - 1u) / rows;
    skin_dispatch[1] = rows;
    skin_dispatch[2] = 1u;
}

@compute @workgroup_size(256)
fn poses(@builtin(local_invocation_index) local: u32) {
    let step_count = pose_uniforms.step_count;
    let share = (step_count + 255u) / 256u;
    let first = min(local * share, step_count);
    let last = min(first + share, step_count);
    var own = 0u;
    for (var step = first; step < last; step++) {
        own += atomicLoad(&pose_marks[step]);
    }
    pose_sums[local] = own;
    // As in scan.wgsl.
    for (var reach = 1u; reach < 256u; reach *= 2u) {
        workgroupBarrier();
        var before = 0u;
        if local >= reach {
            before = pose_sums[local - reach];
        }
        workgroupBarrier();
        pose_sums[local] += before;
    }
    var slot = pose_sums[local] - own;
    for (var step = first; step < last; step++) {
        if atomicExchange(&pose_marks[step], 0u) != 0u {
            atomicStore(&pose_marks[step_count + step], slot);
            slot_steps[slot] = step_play(step);
            slot += 1u;
        }
    }
    if local < RATE_LEVELS {
        atomicStore(&pose_counts[COUNT_ASKED + local], atomicExchange(&pose_counts[COUNT_RUNNING + local], 0u));
    }
    if local == 255u {
        atomicStore(&pose_counts[COUNT_SKINNED], pose_sums[local]);
        write_dispatch(pose_sums[local]);
    }
}
