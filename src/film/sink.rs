//! Destinations of the frames of a film.

use anyhow::Result;

use crate::film::FrameFiles;

/// Finished frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilmFrame {
    /// Number of the frame.
    pub frame: u64,
    /// Width and height (px).
    pub size: (u32, u32),
    /// RGBA8 in sRGB, rows top to bottom.
    pub pixels: Vec<u8>,
}

/// One file of all frames, in their order.
pub trait Stream: Send {
    /// Appends a frame.
    ///
    /// # Errors
    /// Errors of writing.
    fn put(&mut self, picture: &FilmFrame) -> Result<()>;

    /// Completes the file and gives it its name. A stream that is dropped earlier leaves no file.
    ///
    /// # Errors
    /// Errors of writing.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Destination that encodes frames.
pub enum Sink {
    /// One file per frame, in any order, several at a time.
    Files(FrameFiles),
    /// One file, frame after frame.
    Stream(Box<dyn Stream>),
}
