//! What is kept and passed on: the scene as a file, the command line of the picture, pictures and films.

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
pub(crate) use screenshot::Screenshot;

use crate::app::{share::names::FileNames, state::AppState};

/// Files that the window has written or opened.
pub(crate) struct Sharing {
    /// The folder that files are written to; empty: the working folder.
    pub folder: PathBuf,
    /// The file of the scene that is shown: where saving it goes again.
    pub file: Option<PathBuf>,
    names: FileNames,
    /// Channel of messages from threads that write files.
    told: (Sender<FileOutcome>, Receiver<FileOutcome>),
}

/// Outcome of writing a file: a line, and whether it failed.
type FileOutcome = Result<String, String>;

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
    /// Share state of a scene, with its file if it is from one.
    #[must_use]
    pub(crate) fn of(file: Option<PathBuf>) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// A name for a new file after the scene's: `plaza.png`, or the first of `plaza-2.png`, … that nothing has.
    pub(crate) fn new_file(&mut self, scene: &str, ending: &str) -> PathBuf {
        self.names.free(&self.folder, scene, ending)
    }

    /// For a thread that writes a file.
    pub(crate) fn outcome_sender(&self) -> Sender<FileOutcome> {
        self.told.0.clone()
    }
}

impl AppState {
    /// Tells what has come of files that are written on other threads; whether there was anything.
    pub(in crate::app) fn poll_file_outcomes(&mut self) -> bool {
        let mut any = false;
        while let Ok(told) = self.sharing.told.1.try_recv() {
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

/// A file for people: where it is, whatever the working folder is.
pub(crate) fn absolute_path_text(file: &std::path::Path) -> String {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    whole.display().to_string()
}
