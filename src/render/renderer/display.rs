//! Display passes, from scene-referred colour to the display: tone mapping, and FXAA on request.

use crate::{
    gpu::{Gpu, GpuError, PICTURE_FORMAT},
    render::{
        RenderContext, RenderOptions,
        passes::display::{
            fxaa::{DISPLAY_FORMAT, Fxaa},
            tonemap::Tonemap,
            tonemap_pixels::TonemapPixels,
        },
        targets::FrameTargets,
    },
};

/// The last passes of a frame, for one format of the target.
pub(super) struct Display {
    pub(super) tonemap: Tonemap,
    /// FXAA; it reads what tone mapping draws.
    pub(super) fxaa: Option<Fxaa>,
    /// Tone mapping in compute, for pictures without FXAA on devices that shade in compute.
    pub(super) pixels: Option<TonemapPixels>,
}

impl Display {
    pub(super) fn new(context: &RenderContext, options: RenderOptions, shades: bool) -> Result<Self, GpuError> {
        let RenderOptions { target, fxaa, .. } = options;
        let pixels = (shades && !fxaa && target == PICTURE_FORMAT).then(|| TonemapPixels::new(context));
        let fxaa = fxaa
            .then(|| Fxaa::new(&context.gpu, target, options.effort))
            .transpose()?;
        let target = if fxaa.is_some() { DISPLAY_FORMAT } else { target };
        Ok(Self {
            tonemap: Tonemap::new(context, target)?,
            fxaa,
            pixels: pixels.transpose()?,
        })
    }

    /// Bind group of tone mapping for a frame's targets. The texture before FXAA gets their size.
    pub(super) fn bind(&mut self, gpu: &Gpu, targets: &FrameTargets) -> wgpu::BindGroup {
        if let Some(fxaa) = &mut self.fxaa {
            fxaa.resize(gpu, targets.size);
        }
        if let Some(pixels) = &mut self.pixels {
            pixels.bind(gpu, targets.hdr(), targets.size);
        }
        self.tonemap.bind(gpu, targets.hdr())
    }

    /// Bytes of intermediate textures.
    pub(super) fn bytes(&self) -> u64 {
        self.fxaa.as_ref().map_or(0, Fxaa::bytes) + self.pixels.as_ref().map_or(0, TonemapPixels::bytes)
    }
}
