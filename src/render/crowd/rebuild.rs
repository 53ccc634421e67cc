//! The passes of a crowd, made once and again from shaders that have changed while its contents stay.

use crate::{
    config::Raster,
    gpu::{Gpu, GpuError},
    render::{
        Layouts, Targets,
        crowd::{CrowdRenderer, heights::HeightPasses},
        passes::{
            animate::Animate, aov::AovPass, attachments::AttachmentPass, crowd::CrowdPass, draw_lists::DrawListPasses,
            heroes::HeroPass, live::LivePass, pick::PickPass, preskin::PreskinPass, raster::RasterPasses,
            shadow::ShadowPass, triangle_cull::TriangleCullPasses,
        },
    },
};

/// Makes the software rasterizer, on any thread.
pub(super) trait RasterFactory: FnOnce() -> Result<RasterPasses, GpuError> + Send {}

impl<F: FnOnce() -> Result<RasterPasses, GpuError> + Send> RasterFactory for F {}

/// Every pass of a crowd that has a pipeline.
pub(crate) struct CrowdPasses {
    pub(super) animate: Animate,
    pub(super) live: LivePass,
    pub(super) preskin: PreskinPass,
    pub(super) heroes: HeroPass,
    pub(super) attachments: AttachmentPass,
    pub(super) shadow: ShadowPass,
    pub(super) crowd: CrowdPass,
    /// Where people, their shadows or ids are drawn by the software rasterizer.
    pub(super) raster: Option<RasterPasses>,
    /// Where triangles are culled.
    pub(super) triangle_cull: Option<TriangleCullPasses>,
    /// Where heights were asked for.
    pub(super) heights: Option<HeightPasses>,
    /// Where overdraw was asked for.
    pub(super) overdraw: Option<CrowdPass>,
    /// Where people are drawn from lists.
    pub(super) draw_lists: Option<DrawListPasses>,
    pub(super) pick: PickPass,
    /// Made when first asked for, and so anew.
    pub(super) aov: AovPass,
}

impl CrowdPasses {
    /// Around those that keep something: the shadow map, and the pipelines of what is drawn. Of the rasteriser in
    /// compute comes what makes it; `lists` tells whether people are drawn from these, and then whether pictures are
    /// rasterised; `culls_triangles`, whether triangles are culled.
    pub(super) fn with_kept_passes(
        (shadow, crowd, raster): (ShadowPass, CrowdPass, Option<impl RasterFactory>),
        (gpu, layouts, targets): (&Gpu, &Layouts, Targets),
        (lists, culls_triangles): (Option<bool>, bool),
    ) -> Result<Self, GpuError> {
        let triangle_cull = || culls_triangles.then(|| TriangleCullPasses::new(gpu, layouts, targets));
        let draw_lists = || lists.map(|uses_sw_raster| DrawListPasses::new(gpu, layouts, (targets, uses_sw_raster)));
        let ((animate, live, preskin, heroes, attachments), (raster, draw_lists, pick, triangle_cull)) = gpu
            .run_parallel((
                || {
                    gpu.run_parallel((
                        || Animate::new(gpu, layouts),
                        || LivePass::new(gpu, layouts),
                        || PreskinPass::new(gpu, layouts),
                        || HeroPass::new(gpu, layouts),
                        || AttachmentPass::new(gpu, layouts),
                    ))
                },
                || {
                    gpu.run_parallel((
                        || raster.map(|make| make()).transpose(),
                        || draw_lists().transpose(),
                        || PickPass::new(gpu),
                        || triangle_cull().transpose(),
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
            triangle_cull,
            heights: None,
            overdraw: None,
            draw_lists,
            pick,
            aov: AovPass::new(),
        })
    }
}

impl CrowdRenderer {
    /// Passes compiled again from the shaders that the device has now.
    pub(crate) fn recompiled_passes(&self) -> Result<CrowdPasses, GpuError> {
        let (gpu, layouts, own) = (&self.gpu, &self.layouts, &self.passes);
        let raster = own.raster.as_ref().map(|raster| || raster.rebuilt(gpu, layouts));
        let kept = (
            own.shadow.rebuilt(gpu, layouts)?,
            own.crowd.rebuilt(gpu, layouts)?,
            raster,
        );
        let heights = own.heights.as_ref().map(|heights| heights.rebuilt(gpu, layouts));
        let overdraw = own.overdraw.as_ref().map(|overdraw| overdraw.rebuilt(gpu, layouts));
        let passes = CrowdPasses::with_kept_passes(
            kept,
            (gpu, layouts, self.targets),
            (
                own.draw_lists.as_ref().map(|_| self.options.raster == Raster::Compute),
                false,
            ),
        )?;
        let triangle_cull = own
            .triangle_cull
            .as_ref()
            .map(|triangle_cull| triangle_cull.rebuilt(gpu, layouts));
        Ok(CrowdPasses {
            heights: heights.transpose()?,
            overdraw: overdraw.transpose()?,
            triangle_cull: triangle_cull.transpose()?,
            preskin: own.preskin.rebuilt(gpu, layouts)?,
            ..passes
        })
    }

    pub(crate) fn replace_passes(&mut self, passes: CrowdPasses) {
        self.passes = passes;
    }
}
