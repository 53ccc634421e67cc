//! LODs that come while their characters are drawn.

use std::sync::Arc;

use crate::{app::presenter::Presenter, character::Character, config::RenderConfig, gpu::GpuError};

impl Presenter {
    /// Whether LODs would be drawn.
    #[must_use]
    pub(in crate::app) fn draws_lods(&self, config: &RenderConfig) -> bool {
        self.renderer.options().draws_lods(config)
    }

    /// Some characters have LODs now: those on the device are sent anew.
    ///
    /// # Errors
    /// They do not fit; what was there before stays.
    pub(in crate::app) fn set_lods(&mut self, to: &[Arc<Character>]) -> Result<(), GpuError> {
        let Some(scene) = self.scene.clone() else { return Ok(()) };
        let shown = scene
            .characters
            .iter()
            .chain(scene.attachments.iter().map(|kind| &kind.prop));
        if !shown
            .into_iter()
            .any(|shown| to.iter().any(|new| Arc::ptr_eq(new, shown)))
        {
            return Ok(());
        }
        let upload = self.startup.upload;
        let sent = self.set_scene(scene, false);
        // The first picture did not wait for this.
        self.startup.upload = upload;
        sent
    }
}
