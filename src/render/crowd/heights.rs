//! Heights of people instead of their light. They have pipelines of their own, so that those of light stay as they are.

use crate::{
    gpu::GpuError,
    render::{
        RenderContext,
        crowd::{CrowdRenderer, draw_list::DrawList},
        passes::{
            DrawVariant,
            crowd::{CrowdPass, FragmentOutput},
            raster::RasterPasses,
        },
        plan::FrameOutput,
    },
};

/// Pipelines that write heights, in place of those that write light.
pub(crate) struct HeightPasses {
    crowd: CrowdPass,
    raster: Option<RasterPasses>,
}

impl HeightPasses {
    pub(super) fn prepare(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant> + Clone + Send,
    ) -> Result<(), GpuError> {
        self.crowd.prepare(context, variants.clone())?;
        match &mut self.raster {
            // Sample counts and shadow map are those of the picture.
            Some(raster) => raster.prepare_shades(context, variants),
            None => Ok(()),
        }
    }

    pub(super) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        let raster = self.raster.as_ref().map(|raster| raster.rebuilt(context));
        Ok(Self {
            crowd: self.crowd.rebuilt(context)?,
            raster: raster.transpose()?,
        })
    }
}

impl CrowdRenderer {
    /// Compiles the pipelines of [`ViewMode::Heights`](super::ViewMode::Heights), for present and future contents.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_heights(&mut self) -> Result<(), GpuError> {
        let (context, targets) = (&self.context, self.targets);
        let uses_sw_raster = self.can_raster();
        let raster = uses_sw_raster.then(|| RasterPasses::new(context, targets, FragmentOutput::Heights, true));
        let mut heights = HeightPasses {
            crowd: CrowdPass::new(targets, FragmentOutput::Heights),
            raster: raster.transpose()?,
        };
        let variants: Vec<DrawVariant> = DrawList::of(&self.contents).iter().map(|d| d.variant).collect();
        heights.prepare(context, variants.iter().copied())?;
        self.passes.heights = Some(heights);
        Ok(())
    }

    /// Render pipelines of people for the frame: overdraw, heights, or light.
    pub(super) fn crowd_pass(&self) -> &CrowdPass {
        let passes = &self.passes;
        let own = match self.plan.output {
            FrameOutput::Light => None,
            FrameOutput::Heights => passes.heights.as_ref().map(|heights| &heights.crowd),
            FrameOutput::Overdraw => passes.overdraw.as_ref(),
        };
        own.unwrap_or(&passes.crowd)
    }

    /// Software rasterizer passes for the frame: heights or light.
    pub(super) fn raster_passes(&self) -> Option<&RasterPasses> {
        let heights = self.passes.heights.as_ref();
        let heights = heights.filter(|_| self.plan.output == FrameOutput::Heights);
        heights.map_or(self.passes.raster.as_ref(), |heights| heights.raster.as_ref())
    }
}
