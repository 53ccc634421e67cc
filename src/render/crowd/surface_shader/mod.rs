//! Surface shaders: a host's WGSL function lights people instead of throng's own.
//!
//! The text is checked when it is given ([`SurfaceShader::new`]), without a device: `check.rs` reads it with naga, and
//! `loops.rs` makes sure that it ends. It then replaces the module `shared/surface_shader` of the shaders, under names
//! of its own (gpu/foreign_module.rs).

mod check;
mod error;
mod loops;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::{
    gpu::{Gpu, GpuError, ShaderSources},
    render::crowd::CrowdRenderer,
};

pub use error::{SurfaceShaderError, SurfaceShaderFault};

/// Condition of passes that shade by a surface shader.
pub const SURFACE_SHADER: &str = "surface_shader";

/// WGSL of `SurfacePoint`, the parameter of a surface shader, with unit, range and space of each field.
pub const SURFACE_POINT_WGSL: &str = include_str!("../../../../shaders/shared/surface_point.wgsl");

/// Largest length of a surface shader (bytes).
pub const MOST_TEXT: usize = 1 << 16;
/// Largest number of steps of each function of a surface shader: operations, turns of loops, and calls, all branches
/// counted. So many for each pixel of a screen take a GPU less than the seconds after which drivers give up.
pub const MOST_STEPS: u64 = 1 << 16;
/// Largest size (bytes) of a type, and of all variables of a function: WGSL guarantees no more.
pub const MOST_BYTES: u32 = 8192;

/// Module that the text replaces.
const MODULE: &str = "shared/surface_shader";

/// Imports in front of the text, on its first line.
const IMPORTS: &str = "import package::shared::surface_point::SurfacePoint; \
    import package::shared::standard_radiance::standard_radiance; ";

/// Function of a host that lights people instead of throng's own formula: `fn surface_radiance(point: SurfacePoint) ->
/// vec3<f32>` in WGSL. It returns linear radiance towards the eye, before exposure.
///
/// [`SURFACE_POINT_WGSL`] documents `SurfacePoint`. The text may call `standard_radiance(point)`, throng's own lighting,
/// and may have constants, structs and functions of its own, with any names. Nothing clamps the result.
///
/// ```
/// # use throng::render::SurfaceShader;
/// let toon = SurfaceShader::new(
///     "fn surface_radiance(point: SurfacePoint) -> vec3<f32> {
///         let lit = dot(point.normal, point.sun_direction) * point.sun_visibility > 0.2;
///         return point.base_color * select(0.15, 0.6, lit);
///     }",
/// )?;
/// # Ok::<(), throng::render::SurfaceShaderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceShader {
    text: Arc<str>,
}

impl SurfaceShader {
    /// Checks a text in WGSL. It declares no variable outside functions, no binding, override, entry point or directive.
    /// It takes no derivative, and neither discards nor waits. Its loops count an integer up to a constant.
    ///
    /// # Errors
    /// [`SurfaceShaderError`] with the line and the fault: not valid, one of the above, longer than [`MOST_TEXT`], more
    /// steps than [`MOST_STEPS`], or more memory than [`MOST_BYTES`].
    pub fn new(text: &str) -> Result<Self, SurfaceShaderError> {
        check::check(text)?;
        Ok(Self { text: text.into() })
    }

    /// Text as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Conditions for the shader compiler.
    pub(crate) fn features(shader: Option<&Self>) -> &'static [&'static str] {
        match shader {
            Some(_) => &[SURFACE_SHADER],
            None => &[],
        }
    }

    /// Sources that a device draws with, and the surface shader in them.
    pub(crate) fn sources(shader: Option<&Self>, gpu: &Gpu) -> Arc<ShaderSources> {
        let sources = gpu.shaders();
        match shader {
            Some(own) => sources
                .with_foreign_module(MODULE, IMPORTS.to_owned() + &own.text)
                .into(),
            None => sources,
        }
    }
}

impl CrowdRenderer {
    /// Lights people, attachments and scenery by a host's surface shader from the next frame on, in every view and by
    /// either rasterizer; `None` lights them as throng does. Exposure or haze follow as before. Shadows and outputs
    /// beside colour stay the same. Compiles the pipelines of all contents.
    ///
    /// # Errors
    /// [`GpuError::Shader`] if the device rejects the shader; the one before stays.
    pub fn set_surface_shader(&mut self, shader: Option<SurfaceShader>) -> Result<(), GpuError> {
        let (context, passes) = (&self.context, &mut self.passes);
        let shades = passes.raster.as_ref();
        let shades = shades.map(|raster| raster.shades_with(context, shader.clone()));
        let shades = shades.transpose()?;
        passes.crowd = passes.crowd.with_surface_shader(context, shader)?;
        if let (Some(raster), Some(shades)) = (&mut passes.raster, shades) {
            raster.replace_shades(shades);
        }
        Ok(())
    }

    /// Surface shader that people are lit by, if a host gave one.
    #[must_use]
    pub fn surface_shader(&self) -> Option<&SurfaceShader> {
        self.passes.crowd.surface_shader()
    }
}
