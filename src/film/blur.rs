//! Motion blur by supersampling in time: pictures of several scene times, averaged in linear light. Exact, because any
//! scene time can be drawn alone.

use std::sync::LazyLock;

use rayon::prelude::*;

use crate::model::{linear_from_srgb, srgb_from_linear};

/// Time for which the shutter is open, and the number of pictures that are averaged over it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionBlur {
    /// Shutter angle (degrees): 180 is half of the time between two frames.
    pub shutter: f64,
    /// Number of subframes, at least 1. One subframe draws the time at which the shutter opens, without blur.
    pub subframes: u32,
}

impl MotionBlur {
    /// No motion blur.
    pub const OFF: Self = Self {
        shutter: 0.0,
        subframes: 1,
    };

    /// Returns the times of the subframes as shares of the time from one frame to the next; the first is 0.
    pub fn shares(self) -> impl Iterator<Item = f64> {
        let open = self.shutter / 360.0;
        let count = self.subframes.max(1);
        (0..count).map(move |index| open * f64::from(index) / f64::from(count))
    }
}

/// Linear light of each sRGB byte.
static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0)));

/// Encodes a linear value, 0..1, as the nearest sRGB byte.
fn encoded(linear: f32) -> u8 {
    (srgb_from_linear(linear) * 255.0 + 0.5) as u8
}

/// Sum of the linear light of RGBA8 pictures in sRGB.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exposure {
    sum: Vec<f32>,
    pictures: u32,
}

impl Exposure {
    /// Adds the light of a picture; all must have the same size.
    pub(crate) fn add(&mut self, pixels: &[u8]) {
        self.sum.resize(pixels.len(), 0.0);
        let rows = self.sum.par_chunks_mut(1 << 16).zip(pixels.par_chunks(1 << 16));
        rows.for_each(|(sums, bytes)| {
            for (index, (sum, &byte)) in sums.iter_mut().zip(bytes).enumerate() {
                // Alpha is linear already.
                *sum += if index % 4 == 3 {
                    f32::from(byte) / 255.0
                } else {
                    LINEAR[usize::from(byte)]
                };
            }
        });
        self.pictures += 1;
    }

    /// True if no picture was added.
    pub(crate) const fn is_dark(&self) -> bool {
        self.pictures == 0
    }

    /// Returns the mean of the pictures.
    pub(crate) fn mean(self) -> Vec<u8> {
        let share = 1.0 / self.pictures.max(1) as f32;
        let byte = |(index, sum): (usize, &f32)| {
            let mean = sum * share;
            if index % 4 == 3 {
                (mean * 255.0 + 0.5) as u8
            } else {
                encoded(mean)
            }
        };
        self.sum.par_iter().enumerate().map(byte).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_picture_is_its_own_mean() {
        let pixels: Vec<u8> = (0..=255).flat_map(|v| [v, 255 - v, v / 2, v]).collect();
        let mut exposure = Exposure::default();
        exposure.add(&pixels);
        assert_eq!(exposure.clone().mean(), pixels);
        exposure.add(&pixels);
        assert_eq!(exposure.mean(), pixels);
    }

    #[test]
    fn motion_blur_averages_linear_light() {
        let mut exposure = Exposure::default();
        exposure.add(&[0, 0, 0, 255]);
        exposure.add(&[255, 255, 255, 255]);
        // Half the light of white is sRGB byte 188.
        assert_eq!(exposure.mean(), [188, 188, 188, 255]);
    }

    #[test]
    fn the_shutter_opens_at_the_frame() {
        let blur = MotionBlur {
            shutter: 180.0,
            subframes: 4,
        };
        assert_eq!(blur.shares().collect::<Vec<_>>(), [0.0, 0.125, 0.25, 0.375]);
        assert_eq!(MotionBlur::OFF.shares().collect::<Vec<_>>(), [0.0]);
    }
}
