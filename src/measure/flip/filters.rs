//! Filters of FLIP as products of one-dimensional ones, which clamp at the edges of a picture.

use std::f32::consts::PI;

use rayon::prelude::*;

/// Contrast sensitivity of the eye in each channel, as a sum of two Gaussians: weight, and spread in square degrees.
/// Table 1 of the paper, after Johnson and Fairchild 2003.
const SENSITIVITY: [[(f32, f32); 2]; 3] = [
    [(1.0, 0.0047), (0.0, 1e-5)],
    [(1.0, 0.0053), (0.0, 1e-5)],
    [(34.1, 0.04), (13.5, 0.025)],
];
/// Largest spread: all channels have its radius.
const LARGEST_SPREAD: f32 = 0.04;
/// Width of the edges and points that people notice (degrees; Marr and Hildreth 1980).
const FEATURE_WIDTH: f32 = 0.082;

/// Channel of a picture, row by row.
pub(super) struct Plane<'a> {
    pub values: &'a [f32],
    pub width: usize,
}

/// Separable filter: one horizontal and one vertical pass for every term of a sum.
pub(super) struct Blur {
    terms: Vec<Vec<f32>>,
    shares: Vec<f32>,
}

impl Blur {
    /// Makes the contrast sensitivity filter of a channel (luminance, red-green, blue-yellow) for a number of pixels
    /// per degree.
    pub(super) fn of_eye(channel: usize, pixels_per_degree: f32) -> Self {
        let radius = (3.0 * (LARGEST_SPREAD / (2.0 * PI * PI)).sqrt() * pixels_per_degree).ceil() as i32;
        let used = SENSITIVITY[channel].iter().filter(|(weight, _)| *weight > 0.0);
        let (mut terms, mut shares) = (Vec::new(), Vec::new());
        for &(weight, spread) in used {
            let value = |x: i32| (-PI * PI / spread * (x as f32 / pixels_per_degree).powi(2)).exp();
            let term: Vec<f32> = (-radius..=radius).map(value).collect();
            let sum: f32 = term.iter().sum();
            shares.push(weight * (PI / spread).sqrt() * sum * sum);
            terms.push(term.iter().map(|v| v / sum).collect());
        }
        let whole: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= whole);
        Self { terms, shares }
    }

    pub(super) fn of(&self, plane: &Plane<'_>) -> Vec<f32> {
        let mut sum = vec![0.0; plane.values.len()];
        for (term, share) in self.terms.iter().zip(&self.shares) {
            let part = convolved(plane, term, term);
            sum.par_iter_mut()
                .zip(part)
                .for_each(|(sum, part)| *sum += share * part);
        }
        sum
    }
}

/// Filters that detect edges and points; each is one-dimensional along a direction and `smooth` across.
pub(super) struct Features {
    smooth: Vec<f32>,
    edge: Vec<f32>,
    point: Vec<f32>,
}

impl Features {
    pub(super) fn new(pixels_per_degree: f32) -> Self {
        let deviation = 0.5 * FEATURE_WIDTH * pixels_per_degree;
        let radius = (3.0 * deviation).ceil() as i32;
        let bell = |x: i32| (-0.5 * (x as f32 / deviation).powi(2)).exp();
        let along = |value: &dyn Fn(f32) -> f32| -> Vec<f32> {
            balanced((-radius..=radius).map(|x| value(x as f32) * bell(x)).collect())
        };
        let smooth: Vec<f32> = (-radius..=radius).map(bell).collect();
        let sum: f32 = smooth.iter().sum();
        Self {
            smooth: smooth.iter().map(|v| v / sum).collect(),
            edge: along(&|x| -x),
            point: along(&|x| (x / deviation).powi(2) - 1.0),
        }
    }

    /// Returns the strength of edges and of points at every pixel.
    pub(super) fn of(&self, plane: &Plane<'_>) -> [Vec<f32>; 2] {
        [&self.edge, &self.point].map(|filter| {
            let across = convolved(plane, filter, &self.smooth);
            let down = convolved(plane, &self.smooth, filter);
            across.par_iter().zip(down).map(|(x, y)| x.hypot(y)).collect()
        })
    }
}

/// Scales positive and negative parts to a sum of 1 each.
fn balanced(filter: Vec<f32>) -> Vec<f32> {
    let sum = |sign: f32| filter.iter().map(|v| (v * sign).max(0.0)).sum::<f32>();
    let (positive, negative) = (sum(1.0), sum(-1.0));
    let scaled = |v: &f32| if *v > 0.0 { v / positive } else { v / negative };
    filter.iter().map(scaled).collect()
}

/// Filters along the rows, then along the columns.
fn convolved(plane: &Plane<'_>, across: &[f32], down: &[f32]) -> Vec<f32> {
    let (width, height) = (plane.width, plane.values.len() / plane.width);
    let radius = across.len() / 2;
    let mut rows = vec![0.0; plane.values.len()];
    rows.par_chunks_mut(width)
        .zip(plane.values.par_chunks(width))
        .for_each(|(out, row)| {
            let at = |x: usize| row[x.saturating_sub(radius).min(width - 1)];
            let padded: Vec<f32> = (0..width + 2 * radius).map(at).collect();
            for (value, window) in out.iter_mut().zip(padded.windows(across.len())) {
                *value = window.iter().zip(across).map(|(v, weight)| v * weight).sum();
            }
        });
    let mut columns = vec![0.0; plane.values.len()];
    let radius = down.len() / 2;
    columns.par_chunks_mut(width).enumerate().for_each(|(y, out)| {
        for (k, weight) in down.iter().enumerate() {
            let from = (y + k).saturating_sub(radius).min(height - 1) * width;
            let row = &rows[from..from + width];
            out.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
        }
    });
    columns
}
