// First half of picking: instances whose boxes a ray enters, in a bounded list. The counter goes on past the list's
// capacity, so that the CPU notices missing entries. CPU twin: scene/pick.rs.

import package::shared::instance::{Posed, posed_shape, posed_turn, turn_yaw};

/// Ray and crowd of one dispatch.
struct PickQuery { // shared with Rust
    /// Start of the ray (m).
    origin: vec3<f32>,
    /// Instances of the character.
    instance_count: u32,
    /// Direction of the ray, of unit length.
    direction: vec3<f32>,
    /// Number of the character in the scene.
    character: u32,
    /// Lower corner of the character's box over all clips (m, model space).
    box_min: vec3<f32>,
    pad_a: u32,
    /// Upper corner of the character's box over all clips (m, model space).
    box_max: vec3<f32>,
    pad_b: u32,
}

/// Head of the list of candidates; rows follow it in the shader's struct.
struct PickList { // shared with Rust as PickHead
    /// Number of candidates found, including those that did not fit.
    count: atomic<u32>,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    items: array<PickedRow>,
}

/// Candidate in the list.
struct PickedRow { // shared with Rust
    /// Index among the character's instances.
    instance: u32,
    /// Number of the character in the scene.
    character: u32,
    /// Distance along the ray to the box (m).
    distance: f32,
    pad: u32,
}

@group(0) @binding(0) var<uniform> query: PickQuery;
@group(0) @binding(1) var<storage, read> posed: array<Posed>;
@group(0) @binding(2) var<storage, read_write> picked: PickList;

// Distance along the ray to the box by the slab method; negative: not entered.
fn enter(origin: vec3<f32>, direction: vec3<f32>) -> f32 {
    let inverse = 1.0 / direction;
    let a = (query.box_min - origin) * inverse;
    let b = (query.box_max - origin) * inverse;
    let near = min(a, b);
    let far = max(a, b);
    let first = max(max(near.x, near.y), max(near.z, 0.0));
    let last = min(far.x, min(far.y, far.z));
    return select(-1.0, first, first <= last);
}

@compute @workgroup_size(64)
fn pick(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= query.instance_count {
        return;
    }
    let p = posed[index];
    let turn = normalize(posed_turn(p));
    let back = vec2<f32>(-turn.x, turn.y);
    let shape = posed_shape(p);
    // Free slots of actors.
    if shape.y == 0.0 {
        return;
    }
    let origin = turn_yaw(query.origin - bitcast<vec3<f32>>(p.place.xyz), back) / shape;
    // Origin and direction are scaled alike, so distances stay those of the world.
    let distance = enter(origin, turn_yaw(query.direction, back) / shape);
    if distance < 0.0 {
        return;
    }
    let slot = atomicAdd(&picked.count, 1u);
    if slot < arrayLength(&picked.items) {
        picked.items[slot] = PickedRow(index, query.character, distance, 0u);
    }
}
