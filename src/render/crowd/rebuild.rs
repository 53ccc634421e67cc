//! All pipelines of a crowd anew, from shaders that have changed while its contents stay.

use crate::{
    gpu::GpuError,
    render::{
        crowd::CrowdRenderer,
        passes::{
            animate::Animate, attachments::AttachmentPass, crowd::CrowdPass, heroes::HeroPass, live::LivePass,
            pick::PickPass, shadow::ShadowPass,
        },
    },
};

/// Every pass of a crowd that has a pipeline.
pub(crate) struct CrowdPasses {
    animate: Animate,
    live: LivePass,
    heroes: HeroPass,
    attachments: AttachmentPass,
    shadow: ShadowPass,
    crowd: CrowdPass,
    pick: PickPass,
}

impl CrowdRenderer {
    /// The same passes from the shaders that the device has now.
    pub(crate) fn passes_anew(&self) -> Result<CrowdPasses, GpuError> {
        let (gpu, layouts) = (&self.gpu, &self.layouts);
        Ok(CrowdPasses {
            animate: Animate::new(gpu, layouts)?,
            live: LivePass::new(gpu, layouts)?,
            heroes: HeroPass::new(gpu, layouts)?,
            attachments: AttachmentPass::new(gpu, layouts)?,
            shadow: self.shadow.rebuilt(gpu, layouts)?,
            crowd: self.crowd.rebuilt(gpu, layouts)?,
            pick: PickPass::new(gpu)?,
        })
    }

    pub(crate) fn replace_passes(&mut self, passes: CrowdPasses) {
        self.animate = passes.animate;
        self.live = passes.live;
        self.heroes = passes.heroes;
        self.attachments = passes.attachments;
        self.shadow = passes.shadow;
        self.crowd = passes.crowd;
        self.pick = passes.pick;
    }
}
