//! View of a crowd: camera, light, culling and debug modes.

use glam::{Mat4, Vec3};

use crate::{
    config::Config,
    render::{Daylight, NEAR_ROWS, Sun},
};

/// Camera and light of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Clip space from world space, in wgpu's convention: x and y in -1..1 with y up, depth in 0..1 as the targets'
    /// [`DepthConvention`](super::DepthConvention) says. Front faces are counter-clockwise: a mirroring projection
    /// would turn everyone inside out.
    pub projection_from_world: Mat4,
    /// Camera position (m), for highlights and for heroes who look at it.
    pub eye: Vec3,
    /// Sun, ambient light, exposure.
    pub light: Light,
    /// Point (m) around which the crowd's shadows on itself are sharpest; `None` draws no shadows. Needs
    /// [`CrowdOptions::shadow_size`](super::CrowdOptions::shadow_size).
    pub shadow_focus: Option<Vec3>,
    /// True to blend the two nearest frames of the atlas.
    pub interpolate: bool,
    /// Width and height of the picture (px), from which the heights of people in it follow. `None` draws everyone at
    /// full detail.
    pub size: Option<(u32, u32)>,
    /// Scale of LOD selection. At 1 each LOD is used up to the height at which it cannot be told from full detail. 2
    /// doubles these heights; 0 uses no LOD.
    pub detail: f32,
    /// True to draw the smallest people as splats, if the software rasterizer draws the picture.
    pub splats: bool,
    /// Culling of invisible people and triangles.
    pub culling: Culling,
    /// Largest height (sample rows: pixels times the square root of the samples) of people for the software rasterizer.
    /// [`CrowdOptions::raster`](super::CrowdOptions::raster) must ask for it. From 1,024 on, it also draws taller and
    /// nearer people and scenery, if our [`Renderer`](crate::render::Renderer) needs no hardware draw.
    pub sw_raster_max_rows: u32,
    /// Meaning of the picture: light, or a debug mode.
    pub mode: ViewMode,
    /// True to freeze culling: draws the people of the frame before from any camera, to look at what was culled.
    pub frozen: bool,
}

/// Meaning of a picture. A mode whose pipelines were not prepared shows light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewMode {
    /// Light.
    #[default]
    Light,
    /// Light on people in the colours of their LODs.
    Lods,
    /// Heights of people, see [`band_samples`](crate::render::heights::band_samples). Needs
    /// [`CrowdRenderer::prepare_heights`](super::CrowdRenderer::prepare_heights) and technique `matrix`. Everything
    /// except people is black.
    Heights,
    /// Overdraw: adds one for every shaded fragment, always by the hardware rasterizer. Ground and sky are left out.
    /// Needs [`CrowdRenderer::prepare_overdraw`](super::CrowdRenderer::prepare_overdraw) and a blendable target that
    /// was cleared to 0.
    Overdraw,
}

/// Culling of invisible people and triangles. Pictures are byte-identical with and without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Culling {
    /// Frustum culling: people outside the view; for shadows, outside the shadow map.
    pub outside: bool,
    /// Occlusion culling: people hidden by others, by [`CrowdRenderer::cull`](super::CrowdRenderer::cull).
    pub hidden: bool,
    /// Triangle culling: back faces and triangles without a sample, before the hardware rasterizer.
    /// [`Renderer`](crate::render::Renderer) does it if the device and [`Raster::Auto`](crate::config::Raster) allow
    /// it.
    pub triangles: bool,
}

impl Culling {
    /// Culling of a scene's pictures, by its settings and its number of people.
    #[must_use]
    pub const fn of(config: &Config) -> Self {
        Self {
            hidden: config.render.culls_hidden(config.scene.count),
            ..Self::all(config.render.cull)
        }
    }

    /// All kinds of culling on or off.
    #[must_use]
    pub const fn all(on: bool) -> Self {
        Self {
            outside: on,
            hidden: on,
            triangles: on,
        }
    }

    /// Kinds that are on in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            outside: self.outside && other.outside,
            hidden: self.hidden && other.hidden,
            triangles: self.triangles && other.triangles,
        }
    }
}

/// Default: all kinds of culling.
impl Default for Culling {
    fn default() -> Self {
        Self::all(true)
    }
}

/// Light on a crowd. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction, and irradiance on a surface that faces the sun, in the host's units of radiance times steradian.
    pub sun: Sun,
    /// Tint of the sun; white is (1, 1, 1).
    pub sun_color: Vec3,
    /// Radiance from straight above; a surface's slope mixes it with `ambient_below`.
    pub ambient_above: Vec3,
    /// Radiance from straight below.
    pub ambient_below: Vec3,
    /// Factor on all output: 1 leaves radiance as it is.
    pub exposure: f32,
}

impl View {
    /// View as [`View::new`] makes it, from plain arrays: the columns of the matrix, and the eye (m). Other vectors of
    /// a view or an instance are made from arrays by `into()`.
    #[must_use]
    pub fn from_arrays(projection_from_world: [[f32; 4]; 4], eye: [f32; 3]) -> Self {
        Self::new(Mat4::from_cols_array_2d(&projection_from_world), eye.into())
    }

    /// View in daylight: frames blended, no shadows, full detail since it has no [size](View::size).
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
            mode: ViewMode::Light,
            frozen: false,
        }
    }
}

shader_struct!(LightUniforms);

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

/// Default: a late morning under a clear sky.
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
