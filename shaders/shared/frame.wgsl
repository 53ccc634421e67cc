// Uniforms of the rendered frame: group 0, binding 0 in all passes. Depth is reversed and infinite: 1 at the
// near plane, 0 at infinity.

import package::shared::clock::Clock;

/// Colours of sky, sun and ambient light; linear, scene-referred.
struct Daylight { // shared with Rust as DaylightUniforms
    /// Radiance at the zenith.
    zenith: vec3<f32>,
    /// Exponent of the cosine to the sun with which haze falls off.
    haze_falloff: f32,
    /// Radiance at the horizon.
    horizon: vec3<f32>,
    /// Share of the sky that clouds cover, 0 to 1.
    clouds: f32,
    /// Haze radiance added at the horizon below the sun.
    haze: vec3<f32>,
    pad_a: u32,
    /// Tint and strength of the sun; zero once it has set.
    sun_color: vec3<f32>,
    pad_b: u32,
    /// Radiance on a surface that faces up.
    ambient_above: vec3<f32>,
    pad_c: u32,
    /// Radiance on a surface that faces down.
    ambient_below: vec3<f32>,
    pad_d: u32,
    /// Light on distant hills, as a factor on their colours in the late morning.
    land: vec3<f32>,
    pad_e: u32,
}

/// Uniform buffer of group 0.
struct FrameUniforms { // shared with Rust
    /// Camera matrix.
    projection_from_world: mat4x4<f32>,
    /// Inverse of `projection_from_world`.
    world_from_projection: mat4x4<f32>,
    /// Orthographic view from the sun.
    shadow_from_world: mat4x4<f32>,
    /// Position of the camera (m).
    eye: vec3<f32>,
    /// Exposure, linear factor.
    exposure: f32,
    /// Unit vector towards the sun.
    sun_direction: vec3<f32>,
    /// Irradiance on a surface that faces the sun, relative units.
    sun_irradiance: f32,
    /// Shadow map: 0 none, 1 depth texture of the hardware rasterizer, [`SHADOWS_IN_WORDS`] visibility buffer of the
    /// software rasterizer.
    shadows: u32,
    /// Size of a texel of the shadow map in uv.
    shadow_texel: f32,
    /// Width of the shadow map in the world (m).
    shadow_metres: f32,
    /// [`GROUND_PLAZA`], [`GROUND_GRASS`], [`GROUND_GRID`], [`GROUND_STUDIO`] or [`GROUND_PITCH`].
    ground: u32,
    /// Scene time: whole seconds.
    seconds: u32,
    /// Scene time: the fraction, 1/65536 s.
    ticks: u32,
    /// 1: poses between two frames of the atlas are blended, 0: the nearest frame is taken.
    interpolate: u32,
    /// [`CULL_OUTSIDE`], [`CULL_HIDDEN`], [`SHOW_LODS`], [`DRAW_SPLATS`], [`FREEZE_CULLING`].
    culling: u32,
    /// Height of the picture (sample rows: pixels times the square root of the samples per pixel).
    sample_rows: f32,
    /// Scale of LOD selection: LODs serve up to this multiple of the height that they were measured for; 0 uses none.
    detail: f32,
    /// Corner of the crowd shadow grid ([`CROWD_SHADOW_CELLS`]): x and z (m).
    crowd_shadow_origin: vec2<f32>,
    /// Height (sample rows) above which people are the near phase: drawn first, as occluders. Only the others may use
    /// the software rasterizer.
    near_rows: f32,
    pad_a: u32,
    /// Size of the picture (px); 0 where it is unknown.
    picture_size: vec2<u32>,
    /// Colours of sky, sun and ambient light in throng's own scenes.
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
