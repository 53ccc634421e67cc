// Adds the shadow of someone to the square of the ground on which its middle falls: as much as someone of their
// height, a quarter as broad, would cover. Whole numbers: the order of the additions does not matter. Rust side:
// render/passes/density.rs.

import package::shared::crowd_shadow::{CROWD_SHADOW_CELLS, CROWD_SHADOW_UNITS, crowd_shadow_place};
import package::shared::frame::frame;
import package::shared::instance::posed_scale;
import package::shared::visible::seen_people;

@group(2) @binding(0) var<storage, read_write> crowd_shadow_sums: array<atomic<u32>>;

// Lowest sun that is reckoned with: sine of its elevation.
const LEAST_ELEVATION = 0.08;
// Breadth of people over their height.
const WIDTH_SCALE = 0.25;

// Of a list's people, so tall at scale 1 (metres).
fn add_shadow(index: u32, tall: f32) {
    let p = seen_people[index];
    let height = tall * posed_scale(p);
    let position = bitcast<vec3<f32>>(p.place.xyz);
    // Metres along the ground for each metre of height.
    let normal_bias = frame.sun_direction.xz / max(frame.sun_direction.y, LEAST_ELEVATION);
    let place = crowd_shadow_place(position.xz - normal_bias * (position.y + 0.5 * height));
    let edge = f32(CROWD_SHADOW_CELLS);
    if !(all(place >= vec2<f32>(0.0)) && all(place < vec2<f32>(edge))) {
        return;
    }
    let cell = vec2<u32>(place);
    let area = clamp(WIDTH_SCALE * height * height * (length(normal_bias) + WIDTH_SCALE), 0.0, 1000.0);
    atomicAdd(&crowd_shadow_sums[cell.y * CROWD_SHADOW_CELLS + cell.x], u32(area * CROWD_SHADOW_UNITS));
}
