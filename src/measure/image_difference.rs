//! Difference between two pictures.

use serde::{Deserialize, Serialize};

/// Difference of two pictures over red, green and blue, in percent of full scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PictureDifference {
    /// Mean of the absolute differences.
    pub mean_percent: f64,
    /// Largest absolute difference.
    pub max_percent: f64,
}

impl PictureDifference {
    /// Compares RGBA8 pixels of pictures of one size.
    #[must_use]
    pub fn between(a: &[u8], b: &[u8]) -> Self {
        let (mut sum, mut largest, mut count) = (0_u64, 0_u8, 0_u64);
        for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
            for (&a, &b) in a.iter().zip(b).take(3) {
                let difference = a.abs_diff(b);
                sum += u64::from(difference);
                largest = largest.max(difference);
                count += 1;
            }
        }
        Self {
            mean_percent: sum as f64 / count.max(1) as f64 / 2.55,
            max_percent: f64::from(largest) / 2.55,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_does_not_count() {
        let difference =
            PictureDifference::between(&[0, 0, 0, 0, 255, 255, 255, 9], &[51, 0, 0, 255, 255, 255, 255, 0]);
        assert!((difference.max_percent - 20.0).abs() < 1e-9);
        assert!((difference.mean_percent - 20.0 / 6.0).abs() < 1e-9);
    }
}
