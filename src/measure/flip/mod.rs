//! LDR-FLIP: error of two pictures as people see it who alternate between them. Reference: P. Andersson, J. Nilsson, T.
//! Akenine-Möller, M. Oskarsson, K. Åström and M. D. Fairchild, "FLIP: A Difference Evaluator for Alternating Images",
//! Proceedings of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020.
//!
//! Colours are filtered as the eye filters them at a distance, then compared. Differences of edges and points raise the
//! error. The tests compare it with the authors' own program.

mod color;
mod filters;

use glam::Vec3;
use rayon::prelude::*;

use crate::{
    measure::{
        FloatPicture,
        flip::{
            color::{ColorError, from_opponent, hunt_lab, opponent},
            filters::{Blur, Features, Plane},
        },
    },
    model::linear_from_srgb,
};

/// Pixels per degree of the default viewer: 0.7 m before a display 0.7 m wide with 3,840 pixels.
pub const PIXELS_PER_DEGREE: f32 = 67.020_64;

/// Returns the error of every pixel of `test` against `reference`, 0..1, rows top to bottom. Empty unless both have the
/// same size.
#[must_use]
pub fn flip(reference: &FloatPicture, test: &FloatPicture) -> Vec<f32> {
    FlipReference::new(reference).error_of(test)
}

/// Reference picture; its perceived picture is computed once for all comparisons.
pub struct FlipReference {
    size: (u32, u32),
    /// Perceived picture; `None` for a picture without pixels.
    seen: Option<PerceivedImage>,
}

impl FlipReference {
    /// Makes a reference of a picture.
    #[must_use]
    pub fn new(picture: &FloatPicture) -> Self {
        Self {
            size: picture.size,
            seen: (!picture.pixels.is_empty()).then(|| PerceivedImage::new(picture)),
        }
    }

    /// Returns [`flip`] of a picture against this reference.
    #[must_use]
    pub fn error_of(&self, test: &FloatPicture) -> Vec<f32> {
        let Some(a) = self.seen.as_ref().filter(|_| self.size == test.size) else {
            return Vec::new();
        };
        let b = PerceivedImage::new(test);
        let color = ColorError::new();
        let pixel = |index: usize| {
            let color = color.of(a.lab[index], b.lab[index]);
            let features = [0, 1].map(|kind| (a.features[kind][index] - b.features[kind][index]).abs());
            let feature = (features[0].max(features[1]) / std::f32::consts::SQRT_2).sqrt();
            color.powf(1.0 - feature.min(1.0))
        };
        (0..a.lab.len()).into_par_iter().map(pixel).collect()
    }
}

/// Picture as a viewer perceives it.
struct PerceivedImage {
    /// Filtered colours, CIELAB.
    lab: Vec<Vec3>,
    /// Strength of edges and of points.
    features: [Vec<f32>; 2],
}

impl PerceivedImage {
    fn new(picture: &FloatPicture) -> Self {
        let width = picture.size.0 as usize;
        let channels = |color: &[f32; 3]| opponent(Vec3::from(color.map(linear_from_srgb)));
        let channels: Vec<Vec3> = picture.pixels.par_iter().map(channels).collect();
        let plane = |channel: usize| -> Vec<f32> { channels.par_iter().map(|c| c[channel]).collect() };
        let filtered = [0, 1, 2].map(|channel| {
            let values = plane(channel);
            Blur::of_eye(channel, PIXELS_PER_DEGREE).of(&Plane { values: &values, width })
        });
        let lab = |index: usize| hunt_lab(from_opponent(Vec3::from(filtered.each_ref().map(|plane| plane[index]))));
        let achromatic: Vec<f32> = channels.par_iter().map(|c| (c.x + 16.0) / 116.0).collect();
        let plane = Plane {
            values: &achromatic,
            width,
        };
        Self {
            lab: (0..channels.len()).into_par_iter().map(lab).collect(),
            features: Features::new(PIXELS_PER_DEGREE).of(&plane),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(size: (u32, u32), color: impl Fn(u32, u32) -> [f32; 3]) -> FloatPicture {
        let color = &color;
        let pixels = (0..size.1).flat_map(|y| (0..size.0).map(move |x| color(x, y)));
        FloatPicture {
            size,
            pixels: pixels.collect(),
        }
    }

    fn mean(errors: &[f32]) -> f32 {
        errors.iter().sum::<f32>() / errors.len() as f32
    }

    /// Expected values are from flip-evaluator 1.7, the authors' program, with its default viewer.
    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-4, "{found}, expected {expected}");
    }

    #[test]
    fn uniform_colours_match_the_reference_program() {
        for (a, b, error) in [
            ([0.0; 3], [1.0; 3], 0.967_386),
            ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], 1.0),
            ([0.5; 3], [0.6; 3], 0.285_064),
            ([0.2, 0.4, 0.6], [0.25, 0.4, 0.6], 0.082_894),
        ] {
            let [a, b] = [a, b].map(|color| picture((24, 24), |_, _| color));
            for (a, b) in [(&a, &b), (&b, &a)] {
                let errors = flip(a, b);
                near(mean(&errors), error);
                near(errors[0], error);
            }
            assert!(flip(&a, &a).iter().all(|e| *e == 0.0), "a picture differs from itself");
        }
    }

    #[test]
    fn edges_and_points_match_the_reference_program() {
        let edge = |at: u32| picture((48, 48), |x, _| if x >= at { [0.8; 3] } else { [0.2; 3] });
        let errors = flip(&edge(24), &edge(25));
        near(mean(&errors), 0.047_331);
        near(errors[24 * 48 + 24], 0.446_751);
        near(errors[24 * 48 + 20], 0.026_474);
        let point = picture((48, 48), |x, y| if (x, y) == (24, 24) { [1.0; 3] } else { [0.3; 3] });
        let errors = flip(&point, &picture((48, 48), |_, _| [0.3; 3]));
        near(mean(&errors), 0.003_027);
        near(errors[24 * 48 + 24], 0.553_661);
        near(errors[24 * 48 + 26], 0.212_455);
    }

    #[test]
    fn a_moved_pattern_matches_the_reference_program() {
        let part = |value: u32| (value % 256) as f32 / 255.0;
        let pattern = |x: u32, y: u32| [part(x * 7 + y * 3), part(x * 2 + y * 11), part(x * x + y)];
        let errors = flip(
            &picture((48, 32), pattern),
            &picture((48, 32), |x, y| pattern(x + 1, y)),
        );
        near(mean(&errors), 0.217_179);
        near(errors[0], 0.057_975);
        near(errors[16 * 48 + 24], 0.234_520);
        near(errors[31 * 48 + 47], 0.548_275);
    }

    #[test]
    fn pictures_of_different_sizes_have_no_error() {
        let [a, b] = [(4, 4), (8, 2)].map(|size| picture(size, |_, _| [0.5; 3]));
        assert!(flip(&a, &b).is_empty());
        assert!(flip(&FloatPicture::default(), &FloatPicture::default()).is_empty());
    }
}
