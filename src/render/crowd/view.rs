//! What a picture of the crowd is taken with: camera and light.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3};

use crate::render::{Daylight, NEAR_ROWS, Sun};

/// A camera and the light of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Clip space from world space, in wgpu's convention: x and y in -1..1 with y up, depth in 0..1
    /// as the targets' [`DepthConvention`](super::DepthConvention) says. Front faces are
    /// counter-clockwise: a projection that mirrors would turn everyone inside out.
    pub projection_from_world: Mat4,
    /// Camera position, metres: for highlights, and for heroes who look at it.
    pub eye: Vec3,
    /// Sun, ambient light, exposure.
    pub light: Light,
    /// Where shadows of the crowd on itself are sharpest, metres; `None`: none. Needs
    /// [`CrowdOptions::shadow_size`](super::CrowdOptions::shadow_size).
    pub shadow_focus: Option<Vec3>,
    /// Blend the two nearest frames of the atlas.
    pub interpolate: bool,
    /// Pixels of the picture, width and height: what people's height in it follows from. `None`:
    /// everyone at full detail.
    pub size: Option<(u32, u32)>,
    /// How coarse LODs may be: 1 uses each up to the height at which it cannot be told
    /// from full detail, 2 up to twice that height, 0 none of them.
    pub detail: f32,
    /// Draw those who are small enough as splats, where the picture is drawn by the software rasterizer.
    pub splats: bool,
    /// Culling of invisible people and triangles.
    pub culling: Culling,
    /// Rows (pixels times the square root of the samples) up to which people are drawn by the software rasterizer,
    /// where [`CrowdOptions::raster`](super::CrowdOptions::raster) asks for that; from 1,024 on whatever is taller,
    /// nearer or scenery is, too, where our own [`Renderer`](crate::render::Renderer) can do without the hardware
    /// rasterizer.
    pub sw_raster_max_rows: u32,
    /// Colour people by their LOD.
    pub show_lods: bool,
    /// Instead of light, tell how tall people are in the picture:
    /// [`band_samples`](crate::render::heights::band_samples). Needs
    /// [`CrowdRenderer::prepare_heights`](super::CrowdRenderer::prepare_heights) and technique `matrix`; what is not
    /// people is black.
    pub show_heights: bool,
    /// Instead of light, add one for every fragment that is shaded, always by the hardware rasterizer; ground and sky
    /// are left out. Needs [`CrowdRenderer::prepare_overdraw`](super::CrowdRenderer::prepare_overdraw) and a target
    /// that blends and was cleared to 0.
    pub show_overdraw: bool,
    /// Draw those whom the frame before drew, from wherever it is seen: to look at what was culled.
    pub frozen: bool,
}

/// Culling of people and triangles that cannot be visible. Pictures are the same bytes with and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Culling {
    /// Frustum culling: people outside the view; for shadows, outside the shadow map.
    pub outside: bool,
    /// Occlusion culling: people hidden by others, by [`CrowdRenderer::cull`](super::CrowdRenderer::cull).
    pub hidden: bool,
    /// Triangles that show their back or hold no sample, before the hardware rasterizer sees them: by
    /// [`Renderer`](crate::render::Renderer), where the device and [`Raster::Auto`](crate::config::Raster) allow for
    /// it.
    pub triangles: bool,
}

impl Culling {
    /// Both, or everybody is drawn.
    #[must_use]
    pub const fn all(on: bool) -> Self {
        Self {
            outside: on,
            hidden: on,
            triangles: on,
        }
    }
}

/// Both.
impl Default for Culling {
    fn default() -> Self {
        Self::all(true)
    }
}

/// The light on a crowd. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction, and irradiance on a surface that faces it, in the host's units of radiance times
    /// steradian.
    pub sun: Sun,
    /// Tint of the sun; white is (1, 1, 1).
    pub sun_color: Vec3,
    /// Radiance that comes from straight above; mixed with the other by a surface's slope.
    pub ambient_above: Vec3,
    /// Radiance that comes from straight below.
    pub ambient_below: Vec3,
    /// Factor on everything written: 1 leaves radiance as it is.
    pub exposure: f32,
}

impl View {
    /// A camera in daylight: frames blended, no shadows, full detail for want of a
    /// [size](View::size).
    #[must_use]
    pub fn new(projection_from_world: Mat4, eye: Vec3) -> Self {
        Self {
            projection_from_world,
            eye,
            light: Light::default(),
            shadow_focus: None,
            interpolate: true,
            size: None,
            detail: 1.0,
            splats: true,
            culling: Culling::default(),
            sw_raster_max_rows: NEAR_ROWS,
            show_lods: false,
            show_heights: false,
            show_overdraw: false,
            frozen: false,
        }
    }
}

/// `LightUniforms` in shaders/shared/light.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct LightUniforms {
    /// See [`Light::sun_color`].
    pub sun_color: [f32; 3],
    /// See [`Light::exposure`].
    pub exposure: f32,
    /// See [`Light::ambient_above`].
    pub ambient_above: [f32; 3],
    /// Unused.
    pub pad_a: u32,
    /// See [`Light::ambient_below`].
    pub ambient_below: [f32; 3],
    /// Unused.
    pub pad_b: u32,
}

impl From<&Light> for LightUniforms {
    fn from(light: &Light) -> Self {
        Self {
            sun_color: light.sun_color.to_array(),
            exposure: light.exposure,
            ambient_above: light.ambient_above.to_array(),
            ambient_below: light.ambient_below.to_array(),
            ..Self::default()
        }
    }
}

/// A late morning under a clear sky.
impl Default for Light {
    fn default() -> Self {
        let day = Daylight::default();
        Self {
            sun: Sun::from_degrees(38.0, 135.0),
            sun_color: day.sun_color,
            ambient_above: day.ambient_above,
            ambient_below: day.ambient_below,
            exposure: 1.0,
        }
    }
}
