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

pub(crate) use film::{Filming, Recording};
pub(crate) use screenshot::Screenshot;

use crate::app::{share::names::Names, state::AppState};

/// Files that the window has written or opened.
pub(crate) struct Sharing {
    /// The folder that files are written to; empty: the working folder.
    pub folder: PathBuf,
    /// The file of the scene that is shown: where saving it goes again.
    pub file: Option<PathBuf>,
    names: Names,
    /// Channel of messages from threads that write files.
    told: (Sender<Told>, Receiver<Told>),
}

/// Outcome of writing a file: a line, and whether it failed.
type Told = Result<String, String>;

impl Default for Sharing {
    fn default() -> Self {
        Self {
            folder: PathBuf::new(),
            file: None,
            names: Names::default(),
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
    pub(crate) fn teller(&self) -> Sender<Told> {
        self.told.0.clone()
    }
}

impl AppState {
    /// Tells what has come of files that are written on other threads; whether there was anything.
    pub(in crate::app) fn hear_of_files(&mut self) -> bool {
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
pub(crate) fn whereabouts(file: &std::path::Path) -> String {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    whole.display().to_string()
}
