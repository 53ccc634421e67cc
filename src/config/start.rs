//! View and time with which pictures start.

use crate::config::{Config, ConfigError, ViewConfig, error::Place, validate::ValidationError};

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
