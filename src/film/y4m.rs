//! YUV4MPEG2: uncompressed video that players and encoders read from a pipe. BT.709, limited range, one sample of each
//! colour per pixel (C444).

use std::io::{self, Write};

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::{
    file::output::GrowingFile,
    film::{FilmFrame, FrameRate, Stream},
};

/// Destination of the video.
pub enum Y4mTarget {
    /// A file.
    File(GrowingFile),
    /// A pipe to another program.
    Stdout(io::Stdout),
}

/// Video that is being written.
pub struct Y4m {
    target: Y4mTarget,
    planes: Vec<u8>,
}

impl Y4m {
    /// Begins a video with its header.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn new(target: Y4mTarget, size: (u32, u32), rate: FrameRate) -> Result<Self> {
        let (width, height) = size;
        let mut new = Self {
            target,
            planes: Vec::new(),
        };
        let (frames, seconds) = (rate.frames, rate.seconds);
        let header = format!("YUV4MPEG2 W{width} H{height} F{frames}:{seconds} Ip A1:1 C444 XCOLORRANGE=LIMITED\n");
        new.write(header.as_bytes())?;
        Ok(new)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.target {
            Y4mTarget::File(file) => file.write_all(bytes),
            Y4mTarget::Stdout(out) => out.write_all(bytes),
        };
        written.context("writing the video")
    }
}

impl Stream for Y4m {
    fn put(&mut self, picture: &FilmFrame) -> Result<()> {
        let mut planes = std::mem::take(&mut self.planes);
        planes.resize(picture.pixels.len() / 4 * 3, 0);
        convert(&picture.pixels, &mut planes);
        let written = self.write(b"FRAME\n").and_then(|()| self.write(&planes));
        self.planes = planes;
        written
    }

    fn finish(self: Box<Self>) -> Result<()> {
        match self.target {
            Y4mTarget::File(file) => file.finish(),
            Y4mTarget::Stdout(mut out) => out.flush().context("writing the video"),
        }
    }
}

/// Number of pixels that a thread converts at a time.
const PART: usize = 1 << 14;

/// Fills three consecutive planes from RGBA8.
fn convert(rgba: &[u8], planes: &mut [u8]) {
    let (luma, chroma) = planes.split_at_mut(rgba.len() / 4);
    let (blue, red) = chroma.split_at_mut(rgba.len() / 4);
    let parts = luma
        .par_chunks_mut(PART)
        .zip(blue.par_chunks_mut(PART))
        .zip(red.par_chunks_mut(PART));
    parts
        .zip(rgba.par_chunks(4 * PART))
        .for_each(|(((luma, blue), red), rgba)| {
            for (at, pixel) in rgba.chunks_exact(4).enumerate() {
                [luma[at], blue[at], red[at]] = ycbcr([pixel[0], pixel[1], pixel[2]]);
            }
        });
}

/// Converts an sRGB colour to Y, Cb and Cr in limited range (ITU-R BT.709-6, sections 3.2 to 3.4).
fn ycbcr(rgb: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = rgb.map(|v| f32::from(v) / 255.0);
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let (cb, cr) = ((b - y) / 1.8556, (r - y) / 1.5748);
    [y * 219.0 + 16.0, cb * 224.0 + 128.0, cr * 224.0 + 128.0].map(|v| (v + 0.5) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_of_test_bars_are_those_of_the_recommendation() {
        assert_eq!(ycbcr([255, 255, 255]), [235, 128, 128]);
        assert_eq!(ycbcr([0, 0, 0]), [16, 128, 128]);
        assert_eq!(ycbcr([255, 0, 0]), [63, 102, 240]);
        assert_eq!(ycbcr([0, 255, 0]), [173, 42, 26]);
        assert_eq!(ycbcr([0, 0, 255]), [32, 240, 118]);
    }

    #[test]
    fn planes_follow_each_other() {
        let count = 2 * PART + 7;
        let rgba: Vec<u8> = (0..count * 4).map(|i| (i * 31 % 253) as u8).collect();
        let mut planes = vec![0; count * 3];
        convert(&rgba, &mut planes);
        for (at, pixel) in rgba.chunks_exact(4).enumerate() {
            let own = [planes[at], planes[count + at], planes[2 * count + at]];
            assert_eq!(own, ycbcr([pixel[0], pixel[1], pixel[2]]), "pixel {at}");
        }
    }
}
