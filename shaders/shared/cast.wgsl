// Adds an instance's shadow to the crowd shadow grid, in the cell at the centre of the shadow. Its area is that of a
// box as tall as the instance and a quarter as wide. Integer atomics make the sum independent of the order of
// additions. Rust side: render/passes/crowd_shadow.rs.

import package::shared::crowd_shadow::{CROWD_SHADOW_CELLS, CROWD_SHADOW_UNITS, crowd_shadow_place};
import package::shared::frame::frame;
import package::shared::instance::posed_scale;
import package::shared::visible::posed_people;

@group(2) @binding(0) var<storage, read_write> crowd_shadow_sums: array<atomic<u32>>;

// Lowest sun used: sine of its elevation.
const LEAST_ELEVATION = 0.08; // shader only
// Width of a body over its height.
const BODY_WIDTH = 0.25; // shader only

// `tall` is the height at scale 1 (m).
fn add_shadow(index: u32, tall: f32) {
    let p = posed_people[index];
    let height = tall * posed_scale(p);
    let position = bitcast<vec3<f32>>(p.place.xyz);
    // Shadow length along the ground per metre of height.
    let ground_per_height = frame.sun_direction.xz / max(frame.sun_direction.y, LEAST_ELEVATION);
    let place = crowd_shadow_place(position.xz - ground_per_height * (position.y + 0.5 * height));
    let edge = f32(CROWD_SHADOW_CELLS);
    if !(all(place >= vec2<f32>(0.0)) && all(place < vec2<f32>(edge))) {
        return;
    }
    let cell = vec2<u32>(place);
    let area = clamp(BODY_WIDTH * height * height * (length(ground_per_height) + BODY_WIDTH), 0.0, 1000.0);
    atomicAdd(&crowd_shadow_sums[cell.y * CROWD_SHADOW_CELLS + cell.x], u32(area * CROWD_SHADOW_UNITS));
}
