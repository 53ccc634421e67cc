//! LODs that are finished while their characters are already drawn.

use std::sync::Arc;

use crate::{app::presenter::Presenter, character::Character, config::RenderConfig, gpu::GpuError};

impl Presenter {
    /// True if the settings draw LODs.
    #[must_use]
    pub(in crate::app) fn draws_lods(&self, config: &RenderConfig) -> bool {
        self.renderer.options().draws_lods(config)
    }

    /// Uploads the characters again that have LODs now.
    ///
    /// # Errors
    /// They do not fit; the previous characters stay.
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
        // Startup times end with the first picture, which did not wait for this upload.
        self.startup.upload = upload;
        sent
    }
}
