//! Where the frames of a film go.

use anyhow::Result;

use crate::film::FrameFiles;

/// A finished frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilmFrame {
    /// Number of the frame.
    pub frame: u64,
    /// Width and height, pixels.
    pub size: (u32, u32),
    /// RGBA8 in sRGB, rows top to bottom.
    pub pixels: Vec<u8>,
}

/// One file of all frames, in their order.
pub trait Stream: Send {
    /// Appends a frame.
    ///
    /// # Errors
    /// What keeps it from being written.
    fn put(&mut self, picture: &FilmFrame) -> Result<()>;

    /// Puts the finished file into its place. A stream that is dropped before leaves no file.
    ///
    /// # Errors
    /// What keeps it from being written.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Takes frames and encodes them.
pub enum Sink {
    /// A file for each frame: in any order, several at a time.
    Files(FrameFiles),
    /// One file, frame after frame.
    Stream(Box<dyn Stream>),
}
