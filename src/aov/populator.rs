//! Maker of the scenes that an AOV renderer shows one after the other, on any thread.

use std::sync::Arc;

use crate::{
    config::Config,
    scene::{LodMaker, Progress, Scene, SceneError},
};

/// Makes scenes with the characters of an [`AovRenderer`](crate::aov::AovRenderer), beside its drawing.
pub struct Populator {
    /// Scene made last, of which the next one reuses what it can.
    pub(super) scene: Arc<Scene>,
    pub(super) lods: Option<Arc<LodMaker>>,
}

impl Populator {
    /// Returns the scene made last.
    #[must_use]
    pub const fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// Makes the scene of another configuration with the same characters.
    ///
    /// # Errors
    /// A faulty scene.
    pub fn repopulate(&mut self, config: &Config) -> Result<Arc<Scene>, SceneError> {
        let mut scene = self.scene.repopulate(config, &Progress::default())?;
        if let Some(lods) = &self.lods {
            scene.load_or_make_lods(lods);
        }
        self.scene = Arc::new(scene);
        Ok(self.scene.clone())
    }
}
