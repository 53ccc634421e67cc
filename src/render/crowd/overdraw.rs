//! How often the pixels of a picture are shaded, in place of light: pipelines of their own, which add one for every
//! fragment. What early depth tests leave out is not shaded, and not counted.

use crate::{
    gpu::GpuError,
    render::{
        crowd::CrowdRenderer,
        passes::crowd::{CrowdPass, Shown},
    },
};

impl CrowdRenderer {
    /// Compiles what [`View::show_overdraw`](super::View::show_overdraw) needs, for everyone there is and who comes.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_overdraw(&mut self) -> Result<(), GpuError> {
        let mut overdraw = CrowdPass::new(self.targets, Shown::Overdraw);
        overdraw.prepare(&self.gpu, &self.layouts, self.id_draws().map(|(_, d)| d.variant))?;
        self.passes.overdraw = Some(overdraw);
        Ok(())
    }

    /// Whether that is there.
    pub(crate) fn has_overdraw(&self) -> bool {
        self.passes.overdraw.is_some()
    }

    /// Whether the view prepared last tells how often pixels are shaded.
    pub(crate) fn shows_overdraw(&self) -> bool {
        self.shows_overdraw && self.has_overdraw()
    }

    /// Whether it shows light, which ground and sky have too, and neither heights nor overdraw.
    pub(crate) fn shows_light(&self) -> bool {
        !self.shows_heights() && !self.shows_overdraw()
    }
}
