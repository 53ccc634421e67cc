// Compacts the distinct poses of a frame into slots, in the order of LODs and of time steps. One workgroup computes a
// prefix sum over the mark bits. Writes the dispatch of preskin.

import package::shared::pose_steps::{
    COUNT_ASKED, COUNT_DISPATCH, COUNT_ROWS, COUNT_RUNNING, COUNT_SKINNED, lod_words, mark_words, pose_counts,
    pose_marks, pose_uniforms, slot_steps, step_play,
};

// Maximum number of workgroups of a dispatch along one dimension.
const MOST_GROUPS = 65535u; // shader only

var<workgroup> pose_sums: array<u32, 256>;

// Lists the marked poses of one word, from slot `first_slot` on.
fn list_poses(word: u32, marks: u32, first_slot: u32) {
    let first_step = (word % lod_words()) * 32u;
    var slot = first_slot;
    for (var left = marks; left != 0u; left &= left - 1u) {
        slot_steps[slot] = step_play(first_step + firstTrailingBit(left));
        slot += 1u;
    }
}

fn write_dispatch(rows: u32) {
    let groups = (rows + 63u) / 64u;
    let lines = max((groups + MOST_GROUPS - 1u) / MOST_GROUPS, 1u);
    atomicStore(&pose_counts[COUNT_DISPATCH], (groups + lines - 1u) / lines);
    atomicStore(&pose_counts[COUNT_DISPATCH + 1u], lines);
    atomicStore(&pose_counts[COUNT_DISPATCH + 2u], 1u);
}

// First row of the posed vertices of each LOD; LODs follow each other without gaps.
fn place_lods(pose_count: u32) {
    var row = 0u;
    var slot = 0u;
    for (var lod = 0u; lod < pose_uniforms.lod_count; lod++) {
        var last = pose_count;
        if lod + 1u < pose_uniforms.lod_count {
            last = atomicLoad(&pose_marks[mark_words() + (lod + 1u) * lod_words()]);
        }
        let mesh = pose_uniforms.lods[lod];
        atomicStore(&pose_counts[COUNT_SKINNED + lod], last - slot);
        // The subtraction may wrap around: adding slot * vertex_count and a vertex index of the LOD wraps back.
        atomicStore(&pose_counts[COUNT_ROWS + lod], row - slot * mesh.vertex_count - mesh.first_vertex);
        row += (last - slot) * mesh.vertex_count;
        slot = last;
    }
    write_dispatch(row);
}

@compute @workgroup_size(256)
fn compact_poses(@builtin(local_invocation_index) local: u32) {
    let words = mark_words();
    let share = (words + 255u) / 256u;
    let first = min(local * share, words);
    let last = min(first + share, words);
    var own = 0u;
    for (var word = first; word < last; word++) {
        own += countOneBits(atomicLoad(&pose_marks[word]));
    }
    pose_sums[local] = own;
    // Inclusive scan, as in scan.wgsl.
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
    for (var word = first; word < last; word++) {
        let marks = atomicLoad(&pose_marks[word]);
        atomicStore(&pose_marks[words + word], slot);
        list_poses(word, marks, slot);
        slot += countOneBits(marks);
    }
    if local < COUNT_ASKED {
        atomicStore(&pose_counts[COUNT_ASKED + local], atomicExchange(&pose_counts[COUNT_RUNNING + local], 0u));
    }
    storageBarrier();
    // The last thread holds the total.
    if local == 255u {
        place_lods(pose_sums[local]);
    }
}
