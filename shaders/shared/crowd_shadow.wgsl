// Crowd shadow grid: how much sunlight the crowd blocks, per cell of the ground. It replaces the shadow map where one
// texel would be larger than a person, as an ambient occlusion proxy.

import package::shared::frame::frame;

// Cells along one edge of the grid.
const CROWD_SHADOW_CELLS = 512u;
// Edge of a cell (m).
const CROWD_SHADOW_CELL_SIZE = 4.0; // shader only
// Fixed-point units per square metre.
const CROWD_SHADOW_UNITS = 1024.0; // shader only

// Position in cells from the corner of the grid.
fn crowd_shadow_place(ground: vec2<f32>) -> vec2<f32> {
    return (ground - frame.crowd_shadow_origin) / CROWD_SHADOW_CELL_SIZE;
}
