//! Files of the window: written, chosen, dropped and recent.

use std::path::PathBuf;

use crate::app::{
    AppOptions,
    convert::Conversion,
    dialog::Dialog,
    share::{Filming, Sharing},
    state::{naming::NamePrompt, open::Arrivals},
};

/// Files of the window: written, chosen, dropped and recent.
pub(in crate::app) struct FileState {
    /// File that the camera path was saved to.
    pub saved_path: Option<PathBuf>,
    /// Scene files, pictures and films.
    pub sharing: Sharing,
    /// Progress of the film being recorded.
    pub filming: Option<Filming>,
    /// File dialog of the system.
    pub dialog: Dialog,
    /// Question for the name of a file to write.
    pub naming: Option<NamePrompt>,
    /// Character being baked or exported.
    pub converting: Option<Conversion>,
    /// Recently opened scenes and characters, newest first.
    pub recent: Vec<PathBuf>,
    /// Dropped and requested files.
    pub arrivals: Arrivals,
    /// True if the characters being loaded were dropped on the window.
    pub dropped: bool,
    /// The system reports files dropped on the window.
    pub takes_drops: bool,
    /// File being dragged over the window.
    pub hovering: Option<PathBuf>,
}

impl FileState {
    /// State for these options.
    pub(super) fn new(options: &AppOptions) -> Self {
        Self {
            saved_path: None,
            sharing: Sharing::of(options.scene.clone()),
            filming: None,
            dialog: Dialog::default(),
            naming: None,
            converting: None,
            recent: Vec::new(),
            arrivals: Arrivals::default(),
            dropped: false,
            takes_drops: true,
            hovering: None,
        }
    }
}
