// Marks the poses that somebody shows who is listed, at the LOD of the list: the second step of technique
// preskinned, once per instance after select. Two lists that show someone at one level ask once.

import package::shared::draw_lists::NO_DRAW_LIST;
import package::shared::pose_steps::{
    COUNT_ASKED, COUNT_RUNNING, RATE_LODS, RATE_SHIFT, STEP_MASK, asked_poses, camera_keys, lod_in_list,
    lod_words, pose_counts, pose_marks, pose_uniforms, sun_keys,
};

// By rate, behind these by level.
var<workgroup> asked_here: array<atomic<u32>, 20>;

fn ask(asked: u32, lod: u32) {
    let step = asked & STEP_MASK;
    let word = lod * lod_words() + step / 32u;
    let bit = 1u << (step % 32u);
    // Most find their pose asked for already: reading is cheaper than writing again.
    if (atomicLoad(&pose_marks[word]) & bit) == 0u {
        atomicOr(&pose_marks[word], bit);
    }
    atomicAdd(&asked_here[asked >> RATE_SHIFT], 1u);
    atomicAdd(&asked_here[RATE_LODS + lod], 1u);
}

// Whoever fades shows two.
fn ask_at(lod: u32, asked: vec2<u32>) {
    ask(asked.x, lod);
    if asked.y != asked.x {
        ask(asked.y, lod);
    }
}

@compute @workgroup_size(64)
fn marks(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = id.x + id.y * groups.x * 64u;
    if index < pose_uniforms.instance_count {
        let asked = asked_poses[index];
        let seen = lod_in_list(camera_keys[index]);
        let lit = lod_in_list(sun_keys[index]);
        if seen != NO_DRAW_LIST {
            ask_at(seen, asked);
        }
        if lit != NO_DRAW_LIST && lit != seen {
            ask_at(lit, asked);
        }
    }
    workgroupBarrier();
    if local < COUNT_ASKED {
        let count = atomicLoad(&asked_here[local]);
        if count > 0u {
            atomicAdd(&pose_counts[COUNT_RUNNING + local], count);
        }
    }
}
