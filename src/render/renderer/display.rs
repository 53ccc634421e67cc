//! Display passes, from scene-referred colour to the display: tone mapping, and the steps after it on request.

use crate::{
    gpu::{Gpu, GpuError, PICTURE_FORMAT},
    render::{
        Pass, RenderContext, RenderOptions,
        passes::display::{
            DISPLAY_FORMAT, DISPLAY_STEPS, DisplayPass, tonemap::Tonemap, tonemap_pixels::TonemapPixels,
        },
        targets::FrameTargets,
    },
};

/// The last passes of a frame, for one format of the target.
pub(super) struct Display {
    pub(super) tonemap: Tonemap,
    /// Steps after tone mapping, in order; each reads what the pass before draws.
    steps: Vec<DisplayPass>,
    /// Tone mapping in compute, for pictures without steps on devices that shade in compute.
    pub(super) pixels: Option<TonemapPixels>,
}

impl Display {
    pub(super) fn new(context: &RenderContext, options: RenderOptions, shades: bool) -> Result<Self, GpuError> {
        let wanted = DISPLAY_STEPS
            .iter()
            .filter(|step| options.display_steps.contains(step.pass));
        // The last pass draws into the target, all others into pictures of display values.
        let (mut target, mut steps) = (options.target, Vec::new());
        for step in wanted.rev() {
            steps.insert(0, DisplayPass::new(&context.gpu, step, target, &options)?);
            target = DISPLAY_FORMAT;
        }
        let pixels = (shades && steps.is_empty() && target == PICTURE_FORMAT).then(|| TonemapPixels::new(context));
        Ok(Self {
            pixels: pixels.transpose()?,
            tonemap: Tonemap::new(context, target)?,
            steps,
        })
    }

    /// Steps after tone mapping, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = Pass> {
        self.steps.iter().map(DisplayPass::pass)
    }

    /// Step of a pass, and the target that it draws into if the frame's is `view`.
    pub(super) fn step<'a>(
        &'a self,
        pass: Pass,
        view: &'a wgpu::TextureView,
    ) -> Option<(&'a DisplayPass, &'a wgpu::TextureView)> {
        let number = self.steps.iter().position(|step| step.pass() == pass)?;
        Some((&self.steps[number], self.target(number + 1, view)))
    }

    /// Target of tone mapping if the frame's is `view`.
    pub(super) fn tonemap_target<'a>(&'a self, view: &'a wgpu::TextureView) -> &'a wgpu::TextureView {
        self.target(0, view)
    }

    /// Picture that a step reads; `view` after the last.
    fn target<'a>(&'a self, reader: usize, view: &'a wgpu::TextureView) -> &'a wgpu::TextureView {
        self.steps.get(reader).and_then(DisplayPass::source).unwrap_or(view)
    }

    /// Bind group of tone mapping for a frame's targets. Pictures between passes get their size.
    pub(super) fn bind(&mut self, gpu: &Gpu, targets: &FrameTargets) -> wgpu::BindGroup {
        for step in &mut self.steps {
            step.resize(gpu, targets.size);
        }
        if let Some(pixels) = &mut self.pixels {
            pixels.bind(gpu, targets.hdr(), targets.size);
        }
        self.tonemap.bind(gpu, targets.hdr())
    }

    /// Bytes of intermediate textures.
    pub(super) fn bytes(&self) -> u64 {
        let steps = self.steps.iter().map(DisplayPass::bytes);
        steps.sum::<u64>() + self.pixels.as_ref().map_or(0, TonemapPixels::bytes)
    }
}
