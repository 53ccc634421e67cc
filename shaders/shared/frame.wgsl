// Uniforms of the rendered frame: group 0, binding 0 in all passes. Mirrored by FrameUniforms in render/frame.rs. Depth
// is reversed and infinite: 1 at the near plane, 0 at infinity.

import package::shared::clock::Clock;

// Colours of sky, sun and ambient light; linear, scene-referred. Mirrored by DaylightUniforms in render/daylight.rs.
struct Daylight {
    // radiance at the zenith
    zenith: vec3<f32>,
    // exponent of the cosine to the sun with which haze falls off
    haze_falloff: f32,
    // radiance at the horizon
    horizon: vec3<f32>,
    // cloud cover, 0 to 1
    clouds: f32,
    // haze radiance added at the horizon below the sun
    haze: vec3<f32>,
    pad_a: u32,
    sun_color: vec3<f32>,
    pad_b: u32,
    ambient_above: vec3<f32>,
    pad_c: u32,
    ambient_below: vec3<f32>,
    pad_d: u32,
    // light on distant hills: factor on their late-morning colours
    land: vec3<f32>,
    pad_e: u32,
}

struct FrameUniforms {
    projection_from_world: mat4x4<f32>,
    world_from_projection: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,
    // position of the camera (m)
    eye: vec3<f32>,
    // exposure, a linear factor
    exposure: f32,
    // unit vector towards the sun
    sun_direction: vec3<f32>,
    // irradiance on a surface that faces the sun, relative units
    sun_irradiance: f32,
    // 1: shadow map of the hardware rasterizer; SHADOWS_IN_WORDS: of the software rasterizer; 0: off
    shadows: u32,
    // size of a shadow map texel in uv
    shadow_texel: f32,
    // extent of the shadow map in the world (m)
    shadow_metres: f32,
    // GROUND_ pattern (shared/paving.wgsl)
    ground: u32,
    // scene time: whole seconds and ticks (1/65536 s)
    seconds: u32,
    ticks: u32,
    // 1: interpolate between frames of the atlas; 0: nearest frame
    interpolate: u32,
    // CULL_, SHOW_ and further bits below
    culling: u32,
    // height of the picture in sample rows: pixels times the square root of the samples per pixel
    sample_rows: f32,
    // factor on the heights up to which LODs may be used; 0: full detail only
    detail: f32,
    // corner of the crowd shadow grid (shared/crowd_shadow.wgsl): x and z (m)
    crowd_shadow_origin: vec2<f32>,
    // instances taller than this (sample rows) form the near phase, which occludes; only the rest may use the software
    // rasterizer
    near_rows: f32,
    pad_a: u32,
    // size of the picture (px); 0 where it is unknown
    picture_size: vec2<u32>,
    daylight: Daylight,
}

// Bits of FrameUniforms.culling. Frustum culling.
const CULL_OUTSIDE = 1u;
// Occlusion culling.
const CULL_HIDDEN = 2u;
// Colours by LOD.
const SHOW_LODS = 4u;
// Small instances are drawn as splats, which only the software rasterizer can draw.
const DRAW_SPLATS = 8u;
// Draw lists stay unchanged.
const FREEZE_CULLING = 16u;
// Value of FrameUniforms.shadows: the map is a buffer of depth keys.
const SHADOWS_IN_WORDS = 2u;

@group(0) @binding(0) var<uniform> frame: FrameUniforms;

fn frame_clock() -> Clock {
    return Clock(frame.seconds, frame.ticks);
}
