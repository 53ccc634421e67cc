//! Inputs of one rendered frame (camera, sun, time) and their uniforms.

use glam::{Mat4, Vec2, Vec3, camera::rh};

use crate::{
    config::{Config, Ground, LookConfig},
    crowd::clock::Clock,
    render::{
        Culling, Daylight, DaylightUniforms, Light, View, ViewMode,
        passes::{CROWD_SHADOW_CELL_SIZE, CROWD_SHADOW_CELLS},
    },
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
    /// Sun of throng's own scenes, from its elevation above the horizon and its azimuth (degrees). The azimuth is
    /// clockwise from north (-Z), seen from above.
    #[must_use]
    pub fn from_degrees(elevation: f32, azimuth: f32) -> Self {
        let (elevation, azimuth) = (elevation.to_radians(), azimuth.to_radians());
        let flat = Vec3::new(azimuth.sin(), 0.0, -azimuth.cos());
        Self {
            direction: (flat * elevation.cos() + Vec3::Y * elevation.sin()).normalize(),
            irradiance: 3.4,
        }
    }

    /// Sun at the angles of `[look]`: azimuth clockwise from north (-Z), seen from above.
    #[must_use]
    pub fn from_look(look: &LookConfig) -> Self {
        Self::from_degrees(look.sun_elevation, look.sun_azimuth)
    }
}

/// Inputs of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameInput {
    /// Clip space from world space, with reversed infinite depth.
    pub projection_from_world: Mat4,
    /// Camera position, metres.
    pub eye: Vec3,
    /// Point the camera looks at; shadows are sharpest around it.
    pub focus: Vec3,
    /// Scene time.
    pub clock: Clock,
    /// Light, exposure, ground, shadows.
    pub look: LookConfig,
    /// True to blend the two nearest frames.
    pub interpolate: bool,
    /// See [`View::detail`].
    pub detail: f32,
    /// See [`View::splats`].
    pub splats: bool,
    /// Culling of invisible people and triangles.
    pub culling: Culling,
    /// See [`View::sw_raster_max_rows`].
    pub sw_raster_max_rows: u32,
    /// See [`View::mode`]. Overdraw is shown in the colours of [`heat_color`](crate::render::heat::heat_color).
    pub mode: ViewMode,
    /// True to freeze culling: draws the people of the frame before from any camera.
    pub frozen: bool,
    /// True to reuse the shadow map of the last frame. Its scene, moment and camera position must be the same. Saves
    /// time for several pictures of one moment.
    pub same_shadows: bool,
}

impl FrameInput {
    /// Frame seen by `camera` in a picture of this aspect ratio (width over height), frames of clips blended.
    #[must_use]
    pub fn new(camera: &Camera, aspect: f32, clock: Clock, look: &LookConfig) -> Self {
        Self {
            projection_from_world: camera.projection_from_world(aspect),
            eye: camera.eye,
            focus: camera.target,
            clock,
            look: look.clone(),
            interpolate: true,
            detail: 1.0,
            splats: true,
            culling: Culling::default(),
            sw_raster_max_rows: NEAR_ROWS,
            mode: ViewMode::Light,
            frozen: false,
            same_shadows: false,
        }
    }

    /// Frame with the settings of a scene: all of `[render]` that may differ from frame to frame.
    #[must_use]
    pub fn with_settings(self, config: &Config) -> Self {
        let render = &config.render;
        Self {
            interpolate: render.interpolate,
            detail: render.effective_detail(),
            splats: render.splats,
            culling: Culling::of(config),
            sw_raster_max_rows: render.sw_raster_max_rows,
            ..self
        }
    }

    /// Frame of a picture of `size` pixels, moved to the right and down by a fraction of a pixel.
    #[must_use]
    pub fn moved(&self, pixels: Vec2, size: (u32, u32)) -> Self {
        let part = 2.0 * pixels / Vec2::new(size.0 as f32, size.1 as f32);
        let shift = Mat4::from_translation(Vec3::new(part.x, -part.y, 0.0));
        Self {
            projection_from_world: shift * self.projection_from_world,
            ..self.clone()
        }
    }
}

shader_struct!(FrameUniforms);

/// Height (sample rows) above which people are the near phase, if the hardware rasterizer draws all of them.
pub const NEAR_ROWS: u32 = 32;
/// [`FrameUniforms::culling`]: people outside the view are not drawn.
pub const CULL_OUTSIDE: u32 = 1;
/// [`FrameUniforms::culling`]: occluded people are not drawn.
pub const CULL_HIDDEN: u32 = 2;
/// [`FrameUniforms::culling`]: people have the colour of their LOD.
pub const SHOW_LODS: u32 = 4;
/// [`FrameUniforms::culling`]: the smallest people are splats, which only the software rasterizer draws.
pub const DRAW_SPLATS: u32 = 8;
/// [`FrameUniforms::culling`]: draw lists stay as they are.
pub const FREEZE_CULLING: u32 = 16;
/// [`FrameUniforms::shadows`]: the software rasterizer alone draws the shadow map, and passes read its visibility
/// buffer.
pub const SHADOWS_IN_WORDS: u32 = 2;

/// [`FrameUniforms::ground`]: paving with lawns around.
pub const GROUND_PLAZA: u32 = 0;
/// [`FrameUniforms::ground`]: grass.
pub const GROUND_GRASS: u32 = 1;
/// [`FrameUniforms::ground`]: a metre grid.
pub const GROUND_GRID: u32 = 2;
/// [`FrameUniforms::ground`]: studio floor that blends into the background.
pub const GROUND_STUDIO: u32 = 3;
/// [`FrameUniforms::ground`]: grass, mown in stripes around the origin.
pub const GROUND_PITCH: u32 = 4;

impl FrameUniforms {
    /// Uniforms of a view at a moment, with `samples` per pixel. `shadow_size` is the edge of the shadow map (px), 0
    /// without one.
    #[must_use]
    pub fn of(view: &View, clock: Clock, shadow_size: u32, samples: u32) -> Self {
        let rows = view
            .size
            .map_or(0.0, |(_, height)| height as f32 * (samples as f32).sqrt());
        let flags = [
            (view.culling.outside, CULL_OUTSIDE),
            (view.culling.hidden, CULL_HIDDEN),
            (view.mode == ViewMode::Lods, SHOW_LODS),
        ];
        let focus = view.shadow_focus.unwrap_or(Vec3::ZERO);
        let size = shadow_size.max(1);
        let sun = view.light.sun;
        let (shadow_from_world, shadow_metres) = shadow_matrix(view.eye, focus, casting(sun.direction), size);
        Self {
            projection_from_world: view.projection_from_world,
            world_from_projection: view.projection_from_world.inverse(),
            shadow_from_world,
            eye: view.eye.to_array(),
            exposure: view.light.exposure,
            sun_direction: sun.direction.to_array(),
            sun_irradiance: sun.irradiance,
            shadows: u32::from(view.shadow_focus.is_some() && shadow_size > 0),
            shadow_texel: 1.0 / size as f32,
            shadow_metres,
            ground: GROUND_PLAZA,
            seconds: clock.seconds,
            ticks: clock.ticks,
            interpolate: u32::from(view.interpolate),
            culling: flags.iter().filter(|(on, _)| *on).map(|(_, bit)| bit).sum(),
            sample_rows: rows,
            // Without a picture size, heights of people in it are unknown.
            detail: if rows > 0.0 { view.detail.max(0.0) } else { 0.0 },
            crowd_shadow_origin: crowd_shadow_origin(focus),
            near_rows: NEAR_ROWS as f32,
            pad_a: 0,
            picture_size: view.size.unwrap_or_default().into(),
            daylight: Daylight::default().uniforms(sun.direction.y, 0.0),
        }
    }

    /// Packs a frame's inputs: a picture of `size` pixels with `samples` each. `shadow_size` is the edge of the shadow
    /// map (px).
    #[must_use]
    pub fn new(input: &FrameInput, size: (u32, u32), samples: u32, shadows: bool, shadow_size: u32) -> Self {
        let view = View {
            shadow_focus: Some(input.focus),
            ..input.view(size, shadows)
        };
        Self {
            shadows: u32::from(shadows),
            ground: match input.look.ground {
                Ground::Plaza => GROUND_PLAZA,
                Ground::Grass => GROUND_GRASS,
                Ground::Grid => GROUND_GRID,
                Ground::Pitch => GROUND_PITCH,
                Ground::Studio => GROUND_STUDIO,
            },
            daylight: Daylight::at(input.look.sun_elevation).uniforms(view.light.sun.direction.y, input.look.clouds),
            ..Self::of(&view, input.clock, shadow_size, samples)
        }
    }
}

impl FrameInput {
    /// View of the crowd (camera and light) for a picture of `size` pixels.
    #[must_use]
    pub fn view(&self, size: (u32, u32), shadows: bool) -> View {
        let day = Daylight::at(self.look.sun_elevation);
        View {
            projection_from_world: self.projection_from_world,
            eye: self.eye,
            light: Light {
                sun: Sun::from_look(&self.look),
                sun_color: day.sun_color,
                ambient_above: day.ambient_above,
                ambient_below: day.ambient_below,
                exposure: (self.look.exposure + day.adaptation).exp2(),
            },
            shadow_focus: shadows.then_some(self.focus),
            interpolate: self.interpolate,
            size: Some(size),
            detail: self.detail,
            splats: self.splats,
            culling: self.culling,
            sw_raster_max_rows: self.sw_raster_max_rows,
            mode: self.mode,
            frozen: self.frozen,
        }
    }
}

/// Corner of the crowd shadow grid around the focus, in whole cells so that shadows do not crawl.
fn crowd_shadow_origin(focus: Vec3) -> [f32; 2] {
    let corner =
        |x: f32| ((x / CROWD_SHADOW_CELL_SIZE).floor() - (CROWD_SHADOW_CELLS / 2) as f32) * CROWD_SHADOW_CELL_SIZE;
    [corner(focus.x), corner(focus.z)]
}

/// Direction in which shadows are cast: a sun at the horizon would cast them beyond any map.
fn casting(sun: Vec3) -> Vec3 {
    /// Sine of the lowest elevation, two degrees.
    const LOWEST: f32 = 0.035;
    if sun.y >= LOWEST {
        return sun;
    }
    let flat = Vec3::new(sun.x, 0.0, sun.z).normalize_or(Vec3::NEG_Z);
    (flat * (1.0 - LOWEST * LOWEST).sqrt() + Vec3::Y * LOWEST).normalize()
}

/// Square orthographic view from the sun around the part of the ground that the camera sees large. It snaps to whole
/// texels, so that shadows do not shimmer when the camera moves. Returns the matrix and its width (m).
fn shadow_matrix(eye: Vec3, focus: Vec3, sun: Vec3, size: u32) -> (Mat4, f32) {
    let reach = (focus - eye).length();
    let half = (reach * 1.1).clamp(4.0, 70.0);
    let forward = (focus - eye).normalize_or(Vec3::NEG_Z);
    let flat = Vec3::new(forward.x, 0.0, forward.z).normalize_or_zero();
    let mut centre = Vec3::new(focus.x, 0.0, focus.z) + flat * (half * 0.25);
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
