// Rasterizes the queue of large triangles (shared/large_triangles.wgsl). SLICES workgroups share each triangle; every
// one takes some rows of samples.

import package::shared::cover::{SampleShare, cover, setup_of};
import package::shared::large_triangles::{MOST_SPREAD, large_triangles};

// Workgroups per triangle.
const SLICES = 32u; // shader only
// Samples that a workgroup tests at once: columns, rows.
const COLUMNS = 32u; // shader only
const ROWS = 4u; // shader only

@compute @workgroup_size(128)
fn cover_large_triangles(
    @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let end = min(large_triangles.count, MOST_SPREAD) * SLICES;
    for (var item = group.x; item < end; item += groups.x) {
        let t = large_triangles.triangles[item / SLICES];
        let row = thread / COLUMNS + ROWS * (item % SLICES);
        let share = SampleShare(vec2<i32>(vec2<u32>(thread % COLUMNS, row)), vec2<i32>(vec2<u32>(COLUMNS, ROWS * SLICES)));
        cover(setup_of(t.a, t.b, t.c, t.depths, t.id), share);
    }
}
