// How much of the sun the crowd takes from the ground, by squares of the ground: what is known of
// shadows beyond the shadow map, where one of its texels would be larger than a person.

import package::shared::frame::frame;

// Squares along an edge of the grid.
const CROWD_SHADOW_CELLS = 512u;
// Edge of a square, metres.
const CROWD_SHADOW_CELL_SIZE = 4.0;
// Of the whole numbers that are added up, to a square metre.
const CROWD_SHADOW_UNITS = 1024.0;

// Squares from the corner of the grid.
fn crowd_shadow_place(ground: vec2<f32>) -> vec2<f32> {
    return (ground - frame.crowd_shadow_origin) / CROWD_SHADOW_CELL_SIZE;
}
