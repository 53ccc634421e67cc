//! Short moving pictures: `throng shot --frames N -o x.gif`.

use std::time::{Duration, Instant};

use anyhow::Result;
use image::{
    Delay, Frame, RgbaImage,
    codecs::gif::{GifEncoder, Repeat},
};
use indicatif::{ProgressBar, ProgressStyle};

/// From one line about the progress to the next.
const TELL_EVERY: Duration = Duration::from_secs(3);

/// Length and pace of a moving picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reel {
    /// Pictures, at least 1.
    pub frames: u32,
    /// Pictures per second.
    pub fps: u32,
}

impl Reel {
    /// Scene time of picture `index` of a reel that starts at `start` seconds.
    #[must_use]
    pub fn time(self, start: f64, index: u32) -> f64 {
        start + f64::from(index) / f64::from(self.fps.max(1))
    }
}

/// Draws every picture with `draw` (RGBA8 of `size` pixels at a scene time) and encodes an endless
/// GIF. Pictures are reduced to 256 colours each.
///
/// # Errors
/// Whatever `draw` fails with.
pub fn gif(
    reel: Reel,
    start: f64,
    (width, height): (u32, u32),
    mut draw: impl FnMut(f64) -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new_with_speed(&mut bytes, 10);
    encoder.set_repeat(Repeat::Infinite)?;
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} pictures")?;
    let bar = ProgressBar::new(u64::from(reel.frames)).with_style(style);
    let mut told = Instant::now();
    for index in 0..reel.frames {
        let pixels = draw(reel.time(start, index))?;
        let picture = RgbaImage::from_raw(width, height, pixels)
            .ok_or_else(|| anyhow::anyhow!("the device returned a picture of a different size"))?;
        let delay = Delay::from_numer_denom_ms(1000, reel.fps.max(1));
        encoder.encode_frame(Frame::from_parts(picture, 0, 0, delay))?;
        bar.inc(1);
        // Where there is no terminal to draw a bar on.
        if bar.is_hidden() && told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            eprintln!("picture {}/{}", index + 1, reel.frames);
        }
    }
    bar.finish_and_clear();
    drop(encoder);
    Ok(bytes)
}
