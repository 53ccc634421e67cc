//! The passes of a crowd, made once and again from shaders that have changed while its contents stay.

use crate::{
    config::Raster,
    gpu::{Gpu, GpuError},
    render::{
        Layouts, Targets,
        crowd::{CrowdRenderer, heights::HeightPasses},
        passes::{
            animate::Animate, attachments::AttachmentPass, bins::BinPasses, crowd::CrowdPass, heroes::HeroPass,
            live::LivePass, pick::PickPass, preskin::PreskinPass, raster::RasterPasses, shadow::ShadowPass,
            sift::SiftPasses, truth::TruthPass,
        },
    },
};

/// Makes the rasteriser in compute, on any thread.
pub(super) trait MakesRaster: FnOnce() -> Result<RasterPasses, GpuError> + Send {}

impl<F: FnOnce() -> Result<RasterPasses, GpuError> + Send> MakesRaster for F {}

/// Every pass of a crowd that has a pipeline.
pub(crate) struct CrowdPasses {
    pub(super) animate: Animate,
    pub(super) live: LivePass,
    pub(super) preskin: PreskinPass,
    pub(super) heroes: HeroPass,
    pub(super) attachments: AttachmentPass,
    pub(super) shadow: ShadowPass,
    pub(super) crowd: CrowdPass,
    /// Where people, their shadows or ids are rasterised in compute.
    pub(super) raster: Option<RasterPasses>,
    /// Where triangles are sifted.
    pub(super) sift: Option<SiftPasses>,
    /// Where heights were asked for.
    pub(super) heights: Option<HeightPasses>,
    /// Where overdraw was asked for.
    pub(super) overdraw: Option<CrowdPass>,
    /// Where people are drawn from lists.
    pub(super) bins: Option<BinPasses>,
    pub(super) pick: PickPass,
    /// Made when first asked for, and so anew.
    pub(super) truth: TruthPass,
}

impl CrowdPasses {
    /// Around those that keep something: the shadow map, and the pipelines of what is drawn. Of the rasteriser in
    /// compute comes what makes it; `lists` tells whether people are drawn from these, and then whether pictures are
    /// rasterised; `sifts`, whether triangles are sifted.
    pub(super) fn around(
        (shadow, crowd, raster): (ShadowPass, CrowdPass, Option<impl MakesRaster>),
        (gpu, layouts, targets): (&Gpu, &Layouts, Targets),
        (lists, sifts): (Option<bool>, bool),
    ) -> Result<Self, GpuError> {
        let sift = || sifts.then(|| SiftPasses::new(gpu, layouts, targets));
        let bins = || lists.map(|rasters| BinPasses::new(gpu, layouts, (targets, rasters)));
        let ((animate, live, preskin, heroes, attachments), (raster, bins, pick, sift)) = gpu.together((
            || {
                gpu.together((
                    || Animate::new(gpu, layouts),
                    || LivePass::new(gpu, layouts),
                    || PreskinPass::new(gpu, layouts),
                    || HeroPass::new(gpu, layouts),
                    || AttachmentPass::new(gpu, layouts),
                ))
            },
            || {
                gpu.together((
                    || raster.map(|make| make()).transpose(),
                    || bins().transpose(),
                    || PickPass::new(gpu),
                    || sift().transpose(),
                ))
            },
        ))?;
        Ok(Self {
            animate,
            live,
            preskin,
            heroes,
            attachments,
            shadow,
            crowd,
            raster,
            sift,
            heights: None,
            overdraw: None,
            bins,
            pick,
            truth: TruthPass::new(),
        })
    }
}

impl CrowdRenderer {
    /// The same passes from the shaders that the device has now.
    pub(crate) fn passes_anew(&self) -> Result<CrowdPasses, GpuError> {
        let (gpu, layouts, own) = (&self.gpu, &self.layouts, &self.passes);
        let raster = own.raster.as_ref().map(|raster| || raster.rebuilt(gpu, layouts));
        let kept = (
            own.shadow.rebuilt(gpu, layouts)?,
            own.crowd.rebuilt(gpu, layouts)?,
            raster,
        );
        let heights = own.heights.as_ref().map(|heights| heights.rebuilt(gpu, layouts));
        let overdraw = own.overdraw.as_ref().map(|overdraw| overdraw.rebuilt(gpu, layouts));
        let passes = CrowdPasses::around(
            kept,
            (gpu, layouts, self.targets),
            (own.bins.as_ref().map(|_| self.options.raster == Raster::Compute), false),
        )?;
        let sift = own.sift.as_ref().map(|sift| sift.rebuilt(gpu, layouts));
        Ok(CrowdPasses {
            heights: heights.transpose()?,
            overdraw: overdraw.transpose()?,
            sift: sift.transpose()?,
            preskin: own.preskin.rebuilt(gpu, layouts)?,
            ..passes
        })
    }

    pub(crate) fn replace_passes(&mut self, passes: CrowdPasses) {
        self.passes = passes;
    }
}
