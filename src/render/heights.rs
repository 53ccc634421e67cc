//! Pictures of the heights of people instead of light, for each sample:
//! [`ViewMode::Heights`](crate::render::ViewMode::Heights).
//!
//! Each of two channels holds four bands as digits to a base: the number of samples that show people of the band.

/// Number of height bands; each is twice as tall as the one before.
pub const HEIGHT_BANDS: u32 = 8;
/// Exponent of the first band's end: it holds people below 2^3 sample rows, and the last band people from 2^9 on.
pub const LEAST_BAND: u32 = 3;
/// Bands encoded in one channel of the picture.
pub const BANDS_OF_CHANNEL: u32 = 4;
/// Base of the digits: one more than the largest number of samples per band.
const BASE: u32 = 5;

/// Range of a band (sample rows: pixels times the square root of the samples); its end is exclusive.
#[must_use]
pub fn band_rows(band: usize) -> (f32, f32) {
    let edge = |band: usize| 2.0_f32.powi(band as i32 + LEAST_BAND as i32);
    let last = band + 1 == HEIGHT_BANDS as usize;
    let from = if band == 0 { 0.0 } else { edge(band - 1) };
    (from, if last { f32::INFINITY } else { edge(band) })
}

/// Samples of a pixel that show people of each band. `channels` are red and green of a picture with `samples` per
/// pixel, 1 or 4.
#[must_use]
pub fn band_samples(channels: [f32; 2], samples: u32) -> [u8; HEIGHT_BANDS as usize] {
    let digits = channels.map(|mean| (mean.max(0.0) * samples as f32).round() as u32);
    std::array::from_fn(|band| {
        let (channel, digit) = (band as u32 / BANDS_OF_CHANNEL, band as u32 % BANDS_OF_CHANNEL);
        (digits[channel as usize] / BASE.pow(digit) % BASE) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_follow_each_other() {
        assert_eq!(band_rows(0), (0.0, 8.0));
        for band in 1..HEIGHT_BANDS as usize {
            assert_eq!(band_rows(band).0, band_rows(band - 1).1);
        }
        assert_eq!(band_rows(7), (512.0, f32::INFINITY));
    }

    #[test]
    fn every_mixture_of_four_samples_is_decoded() {
        // Two of band 0, one of band 3, one of band 6: means of the numbers, as halves hold them.
        let mean = |sum: f32| half::f16::from_f32(sum / 4.0).to_f32();
        let told = band_samples([mean(1.0 + 1.0 + 125.0), mean(25.0)], 4);
        assert_eq!(told, [2, 0, 0, 1, 0, 0, 1, 0]);
        assert_eq!(band_samples([mean(4.0 * 125.0), 0.0], 4), [0, 0, 0, 4, 0, 0, 0, 0]);
        assert_eq!(band_samples([0.0, 125.0], 1), [0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(band_samples([0.0, 0.0], 1), [0; 8]);
    }
}
