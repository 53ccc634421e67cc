// Writes the compacted index buffer: surviving triangles in the order of the original draw. One workgroup per workgroup
// of triangle_cull.wgsl.

import package::shared::draw_lists::{ARGUMENT_WORDS, DRAW_LIST_LODS};
import package::shared::raster::{raster, raster_row_table, triangle_vertices};
import package::shared::triangle_cull::{
    MASK_WORDS, TRIANGLE_CULL_BLOCK, TriangleCullLod, draw_number, groups_before, surviving_arguments, surviving_counts, surviving_masks, surviving_starts,
};
import package::shared::workgroup::{group_of, owner_of, row_number_of_group};

@group(1) @binding(7) var<storage, read_write> surviving_indices: array<u32>;
@group(1) @binding(8) var<storage, read> triangle_cull_lods: array<TriangleCullLod>;

var<workgroup> own_masks: array<u32, MASK_WORDS>;

// Rank of a triangle among the survivors of its workgroup.
fn rank_of(triangle: u32) -> u32 {
    var rank = 0u;
    for (var word = 0u; word < triangle / 32u; word++) {
        rank += countOneBits(own_masks[word]);
    }
    return rank + countOneBits(own_masks[triangle / 32u] & ((1u << (triangle % 32u)) - 1u));
}

@compute @workgroup_size(128)
fn triangle_cull_indices(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) at: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let number = at.x + at.y * workgroups.x;
    let row_number = row_number_of_group(number);
    let row = raster_row_table[row_number];
    let group = group_of(row, number);
    let taken = group.batch > 0u && surviving_arguments[row_number * ARGUMENT_WORDS + 1u] > 0u;
    let place = select(0u, groups_before(draw_number()) + number, taken);
    if thread < MASK_WORDS {
        own_masks[thread] = select(0u, surviving_masks[place * MASK_WORDS + thread], taken);
    }
    workgroupBarrier();
    let lod = triangle_cull_lods[row_number];
    let begins = surviving_starts[place / TRIANGLE_CULL_BLOCK] + surviving_counts[place];
    let triangles = group.batch * group.m.triangle_count;
    for (var triangle = thread; triangle < triangles; triangle += 128u) {
        if (own_masks[triangle / 32u] & (1u << (triangle % 32u))) != 0u {
            let own = owner_of(group, triangle);
            let person = (group.first_person + own.x) << lod.vertex_bits;
            let vertices = triangle_vertices(group.m, own.y) - lod.first_vertex;
            let first = 3u * (begins + rank_of(triangle));
            surviving_indices[first] = person | vertices.x;
            surviving_indices[first + 1u] = person | vertices.y;
            surviving_indices[first + 2u] = person | vertices.z;
        }
    }
}
