// Live palettes: the CPU uploads unit_from_joint for every slot of every instance each frame. This pass multiplies by
// the inverse bind matrix. Matrix `instance * slots + slot` has three rows of a 3x4 matrix. CPU twin: palette() in
// bake/pose.rs.

struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

/// Sizes of a crowd's palettes.
struct LiveCounts { // shared with Rust
    /// Palette slots of an instance.
    slot_count: u32,
    /// Matrices of all instances.
    matrix_count: u32,
    pad_a: u32,
    pad_b: u32,
}

@group(1) @binding(0) var<storage, read> unit_from_joint: array<Rows>;
@group(1) @binding(1) var<storage, read> joint_from_unit: array<Rows>;
@group(1) @binding(2) var<storage, read_write> live_palettes: array<Rows>;
@group(1) @binding(3) var<uniform> live_counts: LiveCounts;

fn row_times(row: vec4<f32>, m: Rows) -> vec4<f32> {
    return row.x * m.x + row.y * m.y + row.z * m.z + vec4<f32>(0.0, 0.0, 0.0, row.w);
}

@compute @workgroup_size(64)
fn live(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= live_counts.matrix_count {
        return;
    }
    let joint = unit_from_joint[index];
    let bind = joint_from_unit[index % live_counts.slot_count];
    live_palettes[index] = Rows(row_times(joint.x, bind), row_times(joint.y, bind), row_times(joint.z, bind));
}
