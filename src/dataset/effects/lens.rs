//! Blur of the lens and noise of the sensor.

use crate::{
    crowd::hash::{hash, unit_fraction},
    dataset::effects::{encoded, linear},
};

/// Standard deviation (px) below which a blur changes nothing.
const SHARP: f32 = 0.05;

/// Blurs a picture (RGBA8 in sRGB) with a Gaussian of a standard deviation (px), in linear light.
pub(super) fn blur(color: &mut [u8], size: (u32, u32), deviation: f32) {
    let (width, height) = size;
    let [width, height] = [width, height].map(|pixels| pixels as usize);
    if deviation < SHARP {
        return;
    }
    let kernel = kernel(deviation);
    let light: Vec<[f32; 3]> = color
        .chunks_exact(4)
        .map(|p| [linear(p[0]), linear(p[1]), linear(p[2])])
        .collect();
    let rows = along(&light, width, height, &kernel, true);
    let both = along(&rows, width, height, &kernel, false);
    for (pixel, light) in color.chunks_exact_mut(4).zip(both) {
        pixel[..3].copy_from_slice(&light.map(encoded));
    }
}

/// Returns one half of a kernel, from the middle on; the whole has a sum of 1.
fn kernel(deviation: f32) -> Vec<f32> {
    let reach = (3.0 * deviation).ceil() as usize;
    let own: Vec<f32> = (0..=reach)
        .map(|at| (-0.5 * (at as f32 / deviation).powi(2)).exp())
        .collect();
    let sum = 2.0 * own.iter().sum::<f32>() - own[0];
    own.into_iter().map(|weight| weight / sum).collect()
}

/// Filters along rows or columns; the edge repeats.
fn along(light: &[[f32; 3]], width: usize, height: usize, kernel: &[f32], is_row: bool) -> Vec<[f32; 3]> {
    let at = |x: usize, y: usize, by: isize| -> [f32; 3] {
        let shifted = |v: usize, most: usize| v.saturating_add_signed(by).min(most - 1);
        let (x, y) = if is_row {
            (shifted(x, width), y)
        } else {
            (x, shifted(y, height))
        };
        light[y * width + x]
    };
    let mut filtered = Vec::with_capacity(light.len());
    for y in 0..height {
        for x in 0..width {
            let mut sum = at(x, y, 0).map(|own| own * kernel[0]);
            for (by, weight) in (1..).zip(&kernel[1..]) {
                let (before, after) = (at(x, y, -by), at(x, y, by));
                for channel in 0..3 {
                    sum[channel] += weight * (before[channel] + after[channel]);
                }
            }
            filtered.push(sum);
        }
    }
    filtered
}

/// Noise of a sensor: independent in every pixel and channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    /// Standard deviation (levels of 8 bits).
    pub(super) deviation: f32,
    /// Seed of the set.
    pub(super) seed: u64,
    /// Number of the picture.
    pub(super) picture: u32,
}

impl Noise {
    /// Adds the noise to a picture (RGBA8).
    pub(super) fn add(self, color: &mut [u8]) {
        let own = hash(crate::crowd::hash::fold_seed(self.seed), self.picture, 0x0153);
        for (place, pixel) in (0..).zip(color.chunks_exact_mut(4)) {
            for (channel, byte) in (0..).zip(&mut pixel[..3]) {
                let level = f32::from(*byte) + self.deviation * gaussian(own, place, channel);
                *byte = (level + 0.5).clamp(0.0, 255.0) as u8;
            }
        }
    }
}

/// Returns a number of the standard normal distribution (Box and Muller 1958).
fn gaussian(seed: u32, place: u32, channel: u32) -> f32 {
    let [a, b] = [0, 1].map(|half| unit_fraction(hash(seed, place, 2 * channel + half)));
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f32::consts::TAU * b).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blur_keeps_the_light_and_spreads_a_point() {
        let mut color = vec![0_u8; 4 * 21 * 21];
        color[4 * (10 * 21 + 10)..][..4].copy_from_slice(&[255; 4]);
        blur(&mut color, (21, 21), 1.5);
        let light = |x: usize, y: usize| linear(color[4 * (y * 21 + x)]);
        let sum: f32 = (0..21)
            .flat_map(|y| (0..21).map(move |x| (x, y)))
            .map(|(x, y)| light(x, y))
            .sum();
        assert!((sum - 1.0).abs() < 0.05, "{sum}");
        assert!(light(10, 10) > light(11, 10) && light(11, 10) > light(13, 10) && light(13, 10) > 0.0);
        let before = color.clone();
        blur(&mut color, (21, 21), 0.0);
        assert!(color == before);
    }

    #[test]
    fn noise_has_its_deviation_and_follows_from_the_picture() {
        let noise = |picture: u32| {
            let mut color = vec![128_u8; 4 * 10_000];
            let noise = Noise {
                deviation: 5.0,
                seed: 7,
                picture,
            };
            noise.add(&mut color);
            color
        };
        let color = noise(3);
        let own = || {
            color
                .chunks_exact(4)
                .flat_map(|pixel| &pixel[..3])
                .map(|&byte| f32::from(byte) - 128.0)
        };
        let mean = own().sum::<f32>() / 30_000.0;
        let deviation = (own().map(|v| v * v).sum::<f32>() / 30_000.0).sqrt();
        assert!(mean.abs() < 0.2 && (deviation - 5.0).abs() < 0.2, "{mean} {deviation}");
        assert!(color == noise(3) && color != noise(4));
        assert!(color.chunks_exact(4).all(|pixel| pixel[3] == 128));
    }
}
