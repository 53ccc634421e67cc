//! Overdraw map: pipelines that add one for every shaded fragment instead of light. Fragments rejected by early depth
//! tests are not shaded, and not counted.

use crate::{
    gpu::GpuError,
    render::{
        ViewMode,
        crowd::{CrowdRenderer, draw_list::DrawList},
        passes::crowd::{CrowdPass, FragmentOutput},
    },
};

impl CrowdRenderer {
    /// Compiles the pipelines of [`ViewMode::Overdraw`], for present and future contents.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_overdraw(&mut self) -> Result<(), GpuError> {
        let mut overdraw = CrowdPass::new(self.targets, FragmentOutput::Overdraw);
        let draws = DrawList::of(&self.contents);
        overdraw.prepare(&self.context, draws.iter().map(|d| d.variant))?;
        self.passes.overdraw = Some(overdraw);
        Ok(())
    }

    /// True once the overdraw pipelines exist.
    pub(crate) fn has_overdraw(&self) -> bool {
        self.passes.overdraw.is_some()
    }

    /// True if the view prepared last shows overdraw.
    pub(crate) fn shows_overdraw(&self) -> bool {
        self.view.mode == ViewMode::Overdraw && self.has_overdraw()
    }
}
