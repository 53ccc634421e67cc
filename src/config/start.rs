//! Where and when pictures start.

use crate::config::{Config, ConfigError, ViewConfig, error::Place, validate::ValidationError};

/// Name of the view that a camera without a name of its own becomes.
pub const FREE_VIEW: &str = "saved";

impl Config {
    /// Scene time of the view that pictures start with, seconds, where it has one.
    #[must_use]
    pub fn start_time(&self) -> Option<f64> {
        self.camera.views.get(&self.camera.start)?.time
    }

    /// Lets pictures start with a camera of their own, the view [`FREE_VIEW`].
    pub fn start_with(&mut self, view: ViewConfig) {
        self.camera.views.insert(FREE_VIEW.to_owned(), view);
        FREE_VIEW.clone_into(&mut self.camera.start);
    }

    /// Refuses settings that contradict each other; `name` stands for where they were made.
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
