// What every pass knows of the rendered frame: group 0, binding 0 everywhere. Mirrored by
// FrameUniforms in render/frame.rs. Depth is reversed and infinite: 1 at the near plane, 0 at infinity.

import package::shared::clock::Clock;

struct FrameUniforms {
    projection_from_world: mat4x4<f32>,
    world_from_projection: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,
    // camera, metres
    eye: vec3<f32>,
    // linear factor
    exposure: f32,
    // unit vector towards the sun
    sun_direction: vec3<f32>,
    // irradiance on a surface that faces the sun, relative units
    sun_irradiance: f32,
    // shadow map on (1) or off (0)
    shadows: u32,
    // a texel of the shadow map in uv
    shadow_texel: f32,
    // world metres across the shadow map
    shadow_metres: f32,
    // GROUND_ pattern of shaders/ground.wgsl
    ground: u32,
    // scene time: whole seconds, and the fraction in 1/65536 s
    seconds: u32,
    ticks: u32,
    // 1: poses between two frames of the atlas are blended, 0: the nearest frame is taken
    interpolate: u32,
    // CULL_ and SHOW_ bits
    culling: u32,
    // height of the picture in rows: pixels times the square root of the samples of each
    picture_rows: f32,
    // levels of detail serve up to so many times the height that they were measured for; 0: none
    detail: f32,
    // corner of the grid of shared/density.wgsl: x and z, metres
    density_origin: vec2<f32>,
}

// FrameUniforms.culling: people outside the view are not drawn.
const CULL_OUTSIDE = 1u;
// Nor are those behind others.
const CULL_HIDDEN = 2u;
// Everyone has the colour of their level of detail.
const SHOW_LEVELS = 4u;

@group(0) @binding(0) var<uniform> frame: FrameUniforms;

fn frame_clock() -> Clock {
    return Clock(frame.seconds, frame.ticks);
}
