//! Screenshot: readback of a picture and writing it as PNG.

use std::{path::PathBuf, sync::mpsc::Sender, thread};

use anyhow::{Context, Result};

use crate::{
    app::share::{FileOutcome, absolute_path_text},
    file::output::Output,
    gpu::{Gpu, PendingPicture},
};

/// Drawn picture and its file.
pub(crate) struct Screenshot {
    /// Readback in progress.
    pub(crate) picture: PendingPicture,
    /// Size (px).
    pub(crate) size: (u32, u32),
    /// PNG file.
    pub(crate) file: PathBuf,
}

impl Screenshot {
    /// Writes the file on a background thread, which sends the outcome.
    pub(crate) fn write_in_background(self, gpu: &Gpu, outcome_sender: Sender<FileOutcome>) {
        let gpu = gpu.clone();
        let ended = outcome_sender.clone();
        let write = move || {
            let told = self.write(&gpu);
            // Sending fails if the window was closed meanwhile.
            let _ = outcome_sender.send(told.map_err(|error| format!("{error:#}")));
        };
        if let Err(error) = thread::Builder::new().name("screenshot".into()).spawn(write) {
            let _ = ended.send(Err(format!("cannot start a thread for the picture: {error}")));
        }
    }

    fn write(self, gpu: &Gpu) -> Result<String> {
        let Self { picture, size, file } = self;
        let pixels = picture.wait(gpu).context("cannot read the picture back")?;
        Output::create(&file)?.write_png(&pixels, size)?;
        Ok(format!("wrote {}", absolute_path_text(&file)))
    }
}
