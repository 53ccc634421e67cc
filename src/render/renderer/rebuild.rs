//! All pipelines anew, from shaders that have changed while the scene stays.

use crate::{
    gpu::{Gpu, GpuError},
    render::{
        Renderer,
        passes::{
            animate::Animate, attachments::AttachmentPass, backdrop::Backdrop, crowd::CrowdPass, heroes::HeroPass,
            live::LivePass, pick::PickPass, shadow::ShadowPass, tonemap::Tonemap,
        },
    },
};

/// Every pass that has a pipeline.
struct Passes {
    animate: Animate,
    live: LivePass,
    attachment_pass: AttachmentPass,
    heroes: HeroPass,
    shadow: ShadowPass,
    crowd: CrowdPass,
    backdrop: Backdrop,
    tonemap: Tonemap,
    pick: PickPass,
}

impl Renderer {
    /// Compiles all pipelines again, from the shaders that the device has now
    /// ([`Gpu::replace_shaders`]).
    ///
    /// # Errors
    /// [`GpuError::Shader`] where any does not compile; all pipelines stay as they are.
    pub fn rebuild_pipelines(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let passes = gpu.checked("pipelines", || self.passes_anew(gpu))?;
        self.animate = passes.animate;
        self.live = passes.live;
        self.attachment_pass = passes.attachment_pass;
        self.heroes = passes.heroes;
        self.shadow = passes.shadow;
        self.crowd = passes.crowd;
        self.backdrop = passes.backdrop;
        self.tonemap = passes.tonemap;
        self.pick = passes.pick;
        // Bound for the tone mapping before.
        self.targets = None;
        Ok(())
    }

    fn passes_anew(&self, gpu: &Gpu) -> Result<Passes, GpuError> {
        let layouts = &self.layouts;
        Ok(Passes {
            animate: Animate::new(gpu, layouts)?,
            live: LivePass::new(gpu, layouts)?,
            attachment_pass: AttachmentPass::new(gpu, layouts)?,
            heroes: HeroPass::new(gpu, layouts)?,
            shadow: self.shadow.rebuilt(gpu, layouts)?,
            crowd: self.crowd.rebuilt(gpu, layouts)?,
            backdrop: Backdrop::new(gpu, layouts, self.options.samples)?,
            tonemap: Tonemap::new(gpu, layouts, self.options.target)?,
            pick: PickPass::new(gpu)?,
        })
    }
}
