//! Shaders being worked on: notices when files of the checkout change. Debug builds only.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use super::{
    GpuError,
    shader::{self, ShaderSources},
};

/// Interval between two checks of the folder. Reading the modification times of some thirty files takes less than 1 ms.
/// A file watcher of the operating system would be another dependency.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watch over a folder of shaders.
#[derive(Debug)]
pub struct ShaderWatch {
    folder: PathBuf,
    checked_at: Option<Instant>,
    ages: Vec<(PathBuf, Option<SystemTime>)>,
}

impl ShaderWatch {
    /// Watch over the folder that `THRONG_SHADERS` names, or over the checkout of this build; `None` if there is
    /// neither.
    #[must_use]
    pub fn of_checkout() -> Option<Self> {
        let named = std::env::var_os("THRONG_SHADERS").map(PathBuf::from);
        let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders"));
        folder.is_dir().then(|| Self::new(folder))
    }

    /// Watch over a folder that is laid out as `shaders/`.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            checked_at: None,
            ages: Vec::new(),
        }
    }

    /// Returns the folder's sources at the first call and whenever a file has changed. It checks at most once a second.
    ///
    /// # Errors
    /// [`GpuError::Shader`] inside if the folder cannot be read.
    pub fn poll(&mut self) -> Option<Result<ShaderSources, GpuError>> {
        if self.checked_at.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return None;
        }
        self.checked_at = Some(Instant::now());
        match shader::files(&self.folder) {
            Ok(files) => {
                let ages: Vec<_> = files.iter().map(|file| (file.clone(), age(file))).collect();
                if ages == self.ages {
                    return None;
                }
                self.ages = ages;
                Some(ShaderSources::read(&self.folder))
            }
            // Reported once: the error of a missing folder does not repeat.
            Err(error) => (!std::mem::take(&mut self.ages).is_empty()).then_some(Err(error)),
        }
    }
}

fn age(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|m| m.modified()).ok()
}
