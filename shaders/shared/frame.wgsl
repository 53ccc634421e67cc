// What every pass knows of the rendered frame: group 0, binding 0 everywhere. Mirrored by
// FrameUniforms in render/frame.rs. Depth is reversed and infinite: 1 at the near plane, 0 at infinity.

import package::shared::clock::Clock;

// Colours of sky, sun and ambient light; linear, scene-referred. Mirrored by DaylightUniforms in render/daylight.rs.
struct Daylight {
    // radiance straight above
    zenith: vec3<f32>,
    // exponent of the cosine from the sun with which the haze falls off
    haze_falloff: f32,
    // radiance at the horizon
    horizon: vec3<f32>,
    // share of the sky that clouds cover
    clouds: f32,
    // radiance added at the horizon below the sun
    haze: vec3<f32>,
    pad_a: u32,
    sun_color: vec3<f32>,
    pad_b: u32,
    ambient_above: vec3<f32>,
    pad_c: u32,
    ambient_below: vec3<f32>,
    pad_d: u32,
    // light on far land, as a factor on its colours in the late morning
    land: vec3<f32>,
    pad_e: u32,
}

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
    // shadow map on (1, or SHADOWS_IN_WORDS where it is drawn by the software rasterizer) or off (0)
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
    sample_rows: f32,
    // LODs serve up to so many times the height that they were measured for; 0: none
    detail: f32,
    // corner of the grid of shared/crowd_shadow.wgsl: x and z, metres
    crowd_shadow_origin: vec2<f32>,
    // people taller than so many rows are drawn first, and hide others; only the rest is drawn by the software
    // rasterizer
    near_rows: f32,
    pad_a: u32,
    pad_b: u32,
    pad_c: u32,
    daylight: Daylight,
}

// FrameUniforms.culling: people outside the view are not drawn.
const CULL_OUTSIDE = 1u;
// Nor are those behind others.
const CULL_HIDDEN = 2u;
// Everyone has the colour of their LOD.
const SHOW_LODS = 4u;
// Whoever is small enough is splats: the software rasterizer draws them, and nothing else can.
const DRAW_SPLATS = 8u;
// Lists stay as they are.
const FREEZE_CULLING = 16u;
// FrameUniforms.shadows: the map is words that compute left.
const SHADOWS_IN_WORDS = 2u;

@group(0) @binding(0) var<uniform> frame: FrameUniforms;

fn frame_clock() -> Clock {
    return Clock(frame.seconds, frame.ticks);
}
