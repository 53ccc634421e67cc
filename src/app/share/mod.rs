//! Output of the window: scene files, the command line of the picture, pictures and films.

mod command;
mod film;
mod heroes;
mod names;
mod picture;
mod scene_file;
mod screenshot;

use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, channel},
};

pub(crate) use film::{FilmRecording, Filming};
pub(crate) use names::plain_stem;
pub(crate) use screenshot::Screenshot;

use crate::app::{share::names::FileNames, state::AppState};

/// Files that the window has written or opened.
pub(crate) struct Sharing {
    /// Folder for new files; empty means the working folder.
    pub folder: PathBuf,
    /// File of the scene shown, which saving overwrites.
    pub file: Option<PathBuf>,
    names: FileNames,
    /// Channel of messages from threads that write files.
    told: (Sender<FileOutcome>, Receiver<FileOutcome>),
}

/// Outcome of writing a file: a message of one line, as success or error.
pub(crate) type FileOutcome = Result<String, String>;

impl Default for Sharing {
    fn default() -> Self {
        Self {
            folder: PathBuf::new(),
            file: None,
            names: FileNames::default(),
            told: channel(),
        }
    }
}

impl Sharing {
    /// State for a scene, with its file if there is one.
    #[must_use]
    pub(crate) fn of(file: Option<PathBuf>) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// New file name after the scene's: `plaza.png`, or the first free of `plaza-2.png`, ….
    pub(crate) fn new_file(&mut self, scene: &str, ending: &str) -> PathBuf {
        self.names.free(&self.folder, scene, ending)
    }

    /// Sender of outcomes for a thread that writes a file.
    pub(crate) fn outcome_sender(&self) -> Sender<FileOutcome> {
        self.told.0.clone()
    }
}

impl AppState {
    /// Shows outcomes of files written on other threads; true if there were any.
    pub(in crate::app) fn poll_file_outcomes(&mut self) -> bool {
        let mut any = false;
        while let Ok(told) = self.files.sharing.told.1.try_recv() {
            any = true;
            match told {
                Ok(done) => {
                    tracing::info!("{done}");
                    self.notices.tell(done);
                }
                Err(failed) => self.notices.fail(failed),
            }
        }
        any
    }
}

/// Absolute path of a file, for messages.
pub(crate) fn absolute_path_text(file: &std::path::Path) -> String {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    whole.display().to_string()
}
