//! View and time with which pictures start, and scenes of trajectories alone.

use std::path::Path;

use crate::config::{Config, ConfigError, Ground, Layout, ViewConfig, error::Place, validate::ValidationError};

/// Name of the view for a camera that has no name of its own.
pub const FREE_VIEW: &str = "saved";

impl Config {
    /// Scene time (s) of the view that pictures start with, if it has one.
    #[must_use]
    pub fn start_time(&self) -> Option<f64> {
        self.camera.views.get(&self.camera.start)?.time
    }

    /// Makes pictures start with a free camera, the view [`FREE_VIEW`].
    pub fn start_with(&mut self, view: ViewConfig) {
        self.camera.views.insert(FREE_VIEW.to_owned(), view);
        FREE_VIEW.clone_into(&mut self.camera.start);
    }

    /// Makes people follow a file of trajectories; `-` is standard input.
    pub fn follow(&mut self, file: &Path) {
        self.scene.trajectories.file = file.to_owned();
        self.scene.layout = Layout::Scatter;
    }

    /// Names the scene after a file of trajectories, without a caption, and draws a grid on its ground.
    pub fn name_after(&mut self, file: &Path) {
        let stem = file.file_stem().unwrap_or(file.as_os_str());
        self.scene.name = if file.as_os_str() == "-" {
            "standard input".to_owned()
        } else {
            stem.to_string_lossy().into_owned()
        };
        self.scene.caption.clear();
        self.look.ground = Ground::Grid;
    }

    /// Checks that settings do not contradict each other; `name` stands for the file in errors.
    ///
    /// # Errors
    /// [`ConfigError::OutOfRange`] for the first contradiction.
    pub fn consistent(&self, name: &str) -> Result<(), ConfigError> {
        match self.validation_error() {
            None => Ok(()),
            Some(ValidationError { key, value, expected }) => Err(ConfigError::OutOfRange {
                place: Place {
                    file: name.to_owned(),
                    line: 0,
                },
                key,
                value,
                expected,
            }),
        }
    }
}
