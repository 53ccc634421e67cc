//! GIF that loops forever; each picture is reduced to 256 colours.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::{Context, Result};
use image::{
    Delay, Frame, RgbaImage,
    codecs::gif::{GifEncoder, Repeat},
};

use crate::{
    file::output::GrowingFile,
    film::{FilmFrame, FrameRate, Stream},
};

/// Speed of the colour quantization, 1 (best) to 30.
const SPEED: i32 = 10;

/// GIF that is being written.
pub struct Gif {
    encoder: GifEncoder<SharedFile>,
    file: SharedFile,
    delay: Delay,
}

/// File shared with the encoder, which never returns its writer.
#[derive(Clone)]
struct SharedFile(Arc<Mutex<Option<GrowingFile>>>);

impl SharedFile {
    fn lock(&self) -> MutexGuard<'_, Option<GrowingFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.lock() {
            Some(file) => file.write(bytes),
            // The encoder writes the last byte of a GIF when it is dropped.
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Gif {
    /// Begins a GIF.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn new(file: GrowingFile, rate: FrameRate) -> Result<Self> {
        let file = SharedFile(Arc::new(Mutex::new(Some(file))));
        let mut encoder = GifEncoder::new_with_speed(file.clone(), SPEED);
        encoder.set_repeat(Repeat::Infinite)?;
        let delay = Delay::from_numer_denom_ms(1000 * rate.seconds, rate.frames);
        Ok(Self { encoder, file, delay })
    }
}

impl Stream for Gif {
    fn put(&mut self, picture: &FilmFrame) -> Result<()> {
        let (width, height) = picture.size;
        let pixels = RgbaImage::from_raw(width, height, picture.pixels.clone()).context("a picture of another size")?;
        Ok(self.encoder.encode_frame(Frame::from_parts(pixels, 0, 0, self.delay))?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let Self { encoder, file, .. } = *self;
        drop(encoder);
        let grown = file.lock().take();
        grown.map_or(Ok(()), GrowingFile::finish)
    }
}
