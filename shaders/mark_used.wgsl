// Marks the poses that draw lists need, each at the LOD of its list: the second step of technique preskinned. Runs once
// per instance after select. An instance at one LOD in two lists marks its pose once.

import package::shared::draw_lists::NO_DRAW_LIST;
import package::shared::pose_steps::{
    COUNT_ASKED, COUNT_RUNNING, RATE_LODS, RATE_SHIFT, STEP_MASK, requested_poses, camera_keys, lod_in_list,
    lod_words, pose_counts, pose_marks, pose_uniforms, sun_keys,
};

// Number of requests by rate, then by LOD.
var<workgroup> group_requests: array<atomic<u32>, 20>;

fn request_pose(requested: u32, lod: u32) {
    let step = requested & STEP_MASK;
    let word = lod * lod_words() + step / 32u;
    let bit = 1u << (step % 32u);
    // Most poses are marked already, and a load is cheaper than an atomic write.
    if (atomicLoad(&pose_marks[word]) & bit) == 0u {
        atomicOr(&pose_marks[word], bit);
    }
    atomicAdd(&group_requests[requested >> RATE_SHIFT], 1u);
    atomicAdd(&group_requests[RATE_LODS + lod], 1u);
}

// A cross-fade needs two poses.
fn request_poses(lod: u32, requested: vec2<u32>) {
    request_pose(requested.x, lod);
    if requested.y != requested.x {
        request_pose(requested.y, lod);
    }
}

@compute @workgroup_size(64)
fn mark_used(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = id.x + id.y * groups.x * 64u;
    if index < pose_uniforms.instance_count {
        let requested = requested_poses[index];
        let camera_lod = lod_in_list(camera_keys[index]);
        let shadow_lod = lod_in_list(sun_keys[index]);
        if camera_lod != NO_DRAW_LIST {
            request_poses(camera_lod, requested);
        }
        if shadow_lod != NO_DRAW_LIST && shadow_lod != camera_lod {
            request_poses(shadow_lod, requested);
        }
    }
    workgroupBarrier();
    if local < COUNT_ASKED {
        let count = atomicLoad(&group_requests[local]);
        if count > 0u {
            atomicAdd(&pose_counts[COUNT_RUNNING + local], count);
        }
    }
}
