//! Passes of a crowd: compiled at the start, and again for hot reload when shaders change while the contents stay.

use crate::{
    config::Raster,
    gpu::GpuError,
    render::{
        RenderContext, Targets,
        crowd::{CrowdRenderer, heights::HeightPasses},
        passes::{
            ScatterRowsPass, animate::Animate, aov::AovPass, attachments::AttachmentPass, crowd::CrowdPass,
            draw_lists::DrawListPasses, heroes::HeroPass, live::LivePass, pick::PickPass, preskin::PreskinPass,
            raster::RasterPasses, shadow::ShadowPass, triangle_cull::TriangleCullPasses,
        },
    },
};

/// Function that makes the software rasterizer's passes, on any thread.
pub(super) trait RasterFactory: FnOnce() -> Result<RasterPasses, GpuError> + Send {}

impl<F: FnOnce() -> Result<RasterPasses, GpuError> + Send> RasterFactory for F {}

/// Passes that keep state.
pub(super) struct KeptPasses<F> {
    pub(super) shadow: ShadowPass,
    pub(super) crowd: CrowdPass,
    /// Function that makes the software rasterizer's passes, if there are any.
    pub(super) raster: Option<F>,
}

/// All passes of a crowd that have a pipeline.
pub(crate) struct CrowdPasses {
    pub(super) animate: Animate,
    /// Scattered changes of actors, once there are any.
    pub(super) scatter_rows: Option<ScatterRowsPass>,
    pub(super) live: LivePass,
    pub(super) preskin: PreskinPass,
    pub(super) heroes: HeroPass,
    pub(super) attachments: AttachmentPass,
    pub(super) shadow: ShadowPass,
    pub(super) crowd: CrowdPass,
    /// Software rasterizer, if it draws people, their shadows or ids.
    pub(super) raster: Option<RasterPasses>,
    /// Triangle culling, if it is on.
    pub(super) triangle_cull: Option<TriangleCullPasses>,
    /// Height pipelines, once requested.
    pub(super) heights: Option<HeightPasses>,
    /// Overdraw pipelines, once requested.
    pub(super) overdraw: Option<CrowdPass>,
    /// Pipelines that write depth alone, once requested.
    pub(super) depth: Option<CrowdPass>,
    /// Draw list passes, if people are drawn from lists.
    pub(super) draw_lists: Option<DrawListPasses>,
    pub(super) pick: PickPass,
    /// AOV pipelines, made on first use, and so remade too.
    pub(super) aov: AovPass,
}

impl CrowdPasses {
    /// Makes all other passes beside those that keep state. `lists` is `Some` with draw lists, and true in it if the
    /// software rasterizer draws pictures. `culls_triangles` adds triangle culling.
    pub(super) fn with_kept_passes(
        kept: KeptPasses<impl RasterFactory>,
        context: &RenderContext,
        targets: Targets,
        lists: Option<bool>,
        culls_triangles: bool,
    ) -> Result<Self, GpuError> {
        let KeptPasses { shadow, crowd, raster } = kept;
        let triangle_cull = || culls_triangles.then(|| TriangleCullPasses::new(context, targets));
        let draw_lists = || lists.map(|uses_sw_raster| DrawListPasses::new(context, targets, uses_sw_raster));
        let ((animate, live, preskin, heroes, attachments), (raster, draw_lists, pick, triangle_cull)) =
            context.gpu.run_parallel((
                || {
                    context.gpu.run_parallel((
                        || Animate::new(context),
                        || LivePass::new(context),
                        || PreskinPass::new(context),
                        || HeroPass::new(context),
                        || AttachmentPass::new(context),
                    ))
                },
                || {
                    context.gpu.run_parallel((
                        || raster.map(|make| make()).transpose(),
                        || draw_lists().transpose(),
                        || PickPass::new(&context.gpu),
                        || triangle_cull().transpose(),
                    ))
                },
            ))?;
        Ok(Self {
            animate,
            scatter_rows: None,
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
            depth: None,
            draw_lists,
            pick,
            aov: AovPass::new(),
        })
    }
}

impl CrowdRenderer {
    /// Passes compiled again from the device's current shaders.
    pub(crate) fn recompiled_passes(&self) -> Result<CrowdPasses, GpuError> {
        let (context, own) = (&self.context, &self.passes);
        let raster = own.raster.as_ref().map(|raster| || raster.rebuilt(context));
        let kept = KeptPasses {
            shadow: own.shadow.rebuilt(context)?,
            crowd: own.crowd.rebuilt(context)?,
            raster,
        };
        let heights = own.heights.as_ref().map(|heights| heights.rebuilt(context));
        let overdraw = own.overdraw.as_ref().map(|overdraw| overdraw.rebuilt(context));
        let depth = own.depth.as_ref().map(|depth| depth.rebuilt(context));
        let passes = CrowdPasses::with_kept_passes(
            kept,
            context,
            self.targets,
            own.draw_lists.as_ref().map(|_| self.options.raster == Raster::Compute),
            false,
        )?;
        let scatter_rows = own.scatter_rows.as_ref().map(|_| ScatterRowsPass::new(&context.gpu));
        let triangle_cull = own
            .triangle_cull
            .as_ref()
            .map(|triangle_cull| triangle_cull.rebuilt(context));
        Ok(CrowdPasses {
            animate: own.animate.rebuilt(context)?,
            scatter_rows: scatter_rows.transpose()?,
            heights: heights.transpose()?,
            overdraw: overdraw.transpose()?,
            depth: depth.transpose()?,
            triangle_cull: triangle_cull.transpose()?,
            preskin: own.preskin.rebuilt(context)?,
            ..passes
        })
    }

    pub(crate) fn replace_passes(&mut self, passes: CrowdPasses) {
        self.passes = passes;
    }
}
