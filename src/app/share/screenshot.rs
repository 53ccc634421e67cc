//! A picture on its way from the GPU into a file.

use std::{path::PathBuf, sync::mpsc::Sender, thread};

use anyhow::{Context, Result};

use crate::{
    app::share::{FileOutcome, absolute_path_text},
    file::output::Output,
    gpu::{Gpu, PendingPicture},
};

/// A picture that has been drawn, and where it goes.
pub(crate) struct Screenshot {
    /// On its way.
    pub(crate) picture: PendingPicture,
    /// Pixels.
    pub(crate) size: (u32, u32),
    /// PNG.
    pub(crate) file: PathBuf,
}

impl Screenshot {
    /// Writes it on a thread of its own, which tells what came of it.
    pub(crate) fn write_in_background(self, gpu: &Gpu, outcome_sender: Sender<FileOutcome>) {
        let gpu = gpu.clone();
        let ended = outcome_sender.clone();
        let write = move || {
            let told = self.write(&gpu);
            // A window that closed meanwhile tells nothing.
            let _ = outcome_sender.send(told.map_err(|error| format!("{error:#}")));
        };
        if let Err(error) = thread::Builder::new().name("screenshot".into()).spawn(write) {
            let _ = ended.send(Err(format!("no thread for the picture: {error}")));
        }
    }

    fn write(self, gpu: &Gpu) -> Result<String> {
        let Self { picture, size, file } = self;
        let pixels = picture.wait(gpu).context("reading the picture back")?;
        Output::create(&file)?.write_png(&pixels, size)?;
        Ok(format!("wrote {}", absolute_path_text(&file)))
    }
}
