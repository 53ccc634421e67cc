//! What one rendered frame needs to know: camera, sun, time.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, camera::rh};

use crate::{
    config::{Ground, LookConfig},
    crowd::clock::Clock,
    view::Camera,
};

/// Direction and strength of the sun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Unit vector towards the sun.
    pub direction: Vec3,
    /// Irradiance on a surface that faces it, relative units.
    pub irradiance: f32,
}

impl Sun {
    /// From the angles of `[look]`: azimuth clockwise from north (-Z), seen from above.
    #[must_use]
    pub fn from_look(look: &LookConfig) -> Self {
        let (elevation, azimuth) = (look.sun_elevation.to_radians(), look.sun_azimuth.to_radians());
        let flat = Vec3::new(azimuth.sin(), 0.0, -azimuth.cos());
        Self {
            direction: (flat * elevation.cos() + Vec3::Y * elevation.sin()).normalize(),
            irradiance: 3.4,
        }
    }
}

/// The inputs of one frame.
#[derive(Clone, Debug)]
pub struct FrameInput {
    /// Reversed infinite depth.
    pub projection_from_world: Mat4,
    /// Camera position, metres.
    pub eye: Vec3,
    /// Point the camera looks at; shadows are sharpest around it.
    pub focus: Vec3,
    /// Scene time.
    pub clock: Clock,
    /// Light, exposure, ground, shadows.
    pub look: LookConfig,
    /// Blend the two nearest frames.
    pub interpolate: bool,
}

impl FrameInput {
    /// What `camera` sees in a picture `aspect` times as wide as tall, frames blended.
    #[must_use]
    pub fn new(camera: &Camera, aspect: f32, clock: Clock, look: &LookConfig) -> Self {
        Self {
            projection_from_world: camera.projection_from_world(aspect),
            eye: camera.eye,
            focus: camera.target,
            clock,
            look: look.clone(),
            interpolate: true,
        }
    }
}

/// Uniform buffer of group 0; `FrameUniforms` in shaders/shared/frame.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct FrameUniforms {
    /// Camera matrix.
    pub projection_from_world: Mat4,
    /// Its inverse.
    pub world_from_projection: Mat4,
    /// Orthographic view from the sun.
    pub shadow_from_world: Mat4,
    /// Eye xyz, linear exposure.
    pub eye_exposure: [f32; 4],
    /// Direction xyz, irradiance.
    pub sun: [f32; 4],
    /// Shadow on, texel size in uv, metres across the map, ground pattern.
    pub shadow_ground: [f32; 4],
    /// Whole seconds, fraction, flags, 0.
    pub time: [u32; 4],
}

impl FrameUniforms {
    /// Packs a frame's inputs; `shadow_size` is the shadow map's edge in pixels.
    #[must_use]
    pub fn new(input: &FrameInput, shadows: bool, shadow_size: u32) -> Self {
        let sun = Sun::from_look(&input.look);
        let (shadow_from_world, metres) = shadow_matrix(input, sun.direction, shadow_size);
        let ground = match input.look.ground {
            Ground::Plaza => 0.0,
            Ground::Grass => 1.0,
            Ground::Grid => 2.0,
        };
        Self {
            projection_from_world: input.projection_from_world,
            world_from_projection: input.projection_from_world.inverse(),
            shadow_from_world,
            eye_exposure: input.eye.extend(input.look.exposure.exp2()).to_array(),
            sun: sun.direction.extend(sun.irradiance).to_array(),
            shadow_ground: [f32::from(shadows), 1.0 / shadow_size as f32, metres, ground],
            time: [input.clock.seconds, input.clock.ticks, u32::from(input.interpolate), 0],
        }
    }
}

/// A square orthographic view from the sun around the part of the ground that the camera sees
/// large, snapped to whole texels so that shadows do not shimmer when the camera moves.
fn shadow_matrix(input: &FrameInput, sun: Vec3, size: u32) -> (Mat4, f32) {
    let reach = (input.focus - input.eye).length();
    let half = (reach * 1.1).clamp(4.0, 70.0);
    let forward = (input.focus - input.eye).normalize_or(Vec3::NEG_Z);
    let flat = Vec3::new(forward.x, 0.0, forward.z).normalize_or_zero();
    let mut centre = Vec3::new(input.focus.x, 0.0, input.focus.z) + flat * (half * 0.25);
    let up = if sun.y > 0.99 { Vec3::Z } else { Vec3::Y };
    let light_from_world = rh::view::look_to_mat4(Vec3::ZERO, -sun, up);
    let texel = 2.0 * half / size as f32;
    let mut in_light = light_from_world.transform_point3(centre);
    in_light.x = (in_light.x / texel).floor() * texel;
    in_light.y = (in_light.y / texel).floor() * texel;
    centre = light_from_world.inverse().transform_point3(in_light);
    let view = rh::view::look_at_mat4(centre + sun * 150.0, centre, up);
    let projection = rh::proj::directx::orthographic(-half, half, -half, half, 0.0, 300.0);
    (projection * view, 2.0 * half)
}
