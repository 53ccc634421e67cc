//! Least-squares values of frames at given times: a piecewise linear curve with fixed ends, weighted by sample. All
//! entries share one tridiagonal matrix, solved once per entry.

use glam::Affine3A;

use crate::bake::frame_times::{error_probes::Displacements, motion::Motion, rows::Rows};

/// Weight of a frame's exact value relative to that of the samples: keeps a frame without samples around it in place
/// (ridge regression).
const RIDGE: f64 = 1e-6;

/// Matrices and probe positions of frames.
pub(super) struct Values {
    /// Matrices and morph weights, as in [`Motion::palettes`].
    pub(super) palettes: Rows,
    /// Positions of error probes, as in [`Motion::points`].
    pub(super) points: Rows,
}

impl Values {
    /// Values equal to the samples at the frames.
    pub(super) fn exact(motion: &Motion, frames: &[usize]) -> Self {
        let mut values = Self {
            palettes: Rows::new(motion.palettes.width()),
            points: Rows::new(motion.points.width()),
        };
        for &frame in frames {
            values.palettes.push(motion.palettes.row(frame));
            values.points.push(motion.points.row(frame));
        }
        values
    }
}

/// Fits frames at samples `frames` (first and last sample among them) to all samples, weighted by `weights`. The first
/// and the last frame stay exact. Slots that only rotate, move and scale uniformly keep doing so.
pub(super) fn fit(motion: &Motion, displacements: &Displacements, frames: &[usize], weights: &[f32]) -> Values {
    let mut palettes = best_rows(&motion.palettes, &motion.times, frames, weights);
    let mut points = Rows::new(motion.points.width());
    points.push(motion.points.row(frames[0]));
    let mut posed = vec![0.0; motion.points.width()];
    for (index, &frame) in frames.iter().enumerate().take(frames.len() - 1).skip(1) {
        let row = palettes.row_mut(index);
        let exact = motion.palettes.row(frame).as_chunks::<12>().0;
        for ((matrix, exact), shape) in row.as_chunks_mut::<12>().0.iter_mut().zip(exact).zip(&motion.shapes) {
            let optimized = Affine3A::from_cols_array(matrix);
            let near = shape.map_or(Some(optimized), |shape| shape.nearest(optimized));
            // Close to a scale of zero, a fit may turn nearly invisible parts inside out.
            let side = Affine3A::from_cols_array(exact).matrix3.determinant();
            let near = near.filter(|near| near.matrix3.determinant() * side > 0.0);
            *matrix = near.map_or(*exact, |near| near.to_cols_array());
        }
        motion.pose(displacements, row, &mut posed);
        points.push(&posed);
    }
    points.push(motion.points.row(frames[frames.len() - 1]));
    Values { palettes, points }
}

/// Rows of the frames that fit all samples best; the first and the last row stay exact.
fn best_rows(samples: &Rows, times: &[f32], frames: &[usize], weights: &[f32]) -> Rows {
    let mut system = System::new(samples, times, frames, weights);
    system.solve();
    system.rows
}

/// Time that each sample represents (s).
pub(super) fn durations(times: &[f32]) -> Vec<f32> {
    let last = times.len() - 1;
    let span = |k: usize| times[(k + 1).min(last)] - times[k.saturating_sub(1)];
    (0..=last).map(|k| span(k) * 0.5).collect()
}

/// Fraction of sample `k` between two frames.
pub(super) fn fraction(times: &[f32], from: usize, to: usize, k: usize) -> f32 {
    let length = times[to] - times[from];
    if length > 0.0 {
        (times[k] - times[from]) / length
    } else {
        0.0
    }
}

struct System {
    diagonal: Vec<f64>,
    /// Entries next to the diagonal, equal above and below.
    off_diagonal: Vec<f64>,
    rows: Rows,
}

impl System {
    fn new(samples: &Rows, times: &[f32], frames: &[usize], weights: &[f32]) -> Self {
        let mut system = Self {
            diagonal: vec![0.0; frames.len()],
            off_diagonal: vec![0.0; frames.len()],
            rows: Rows::zeroed(samples.width(), frames.len()),
        };
        for (index, pair) in frames.windows(2).enumerate() {
            // A sample at a frame belongs to the interval that it ends.
            for (k, &weight) in weights.iter().enumerate().take(pair[1] + 1).skip(pair[0] + 1) {
                let u = fraction(times, pair[0], pair[1], k);
                system.add(index, f64::from(u), f64::from(weight), samples.row(k));
            }
        }
        let mean = system.diagonal.iter().sum::<f64>() / frames.len() as f64;
        for (index, &frame) in frames.iter().enumerate() {
            let own = (mean * RIDGE).max(f64::MIN_POSITIVE);
            system.diagonal[index] += own;
            add(system.rows.row_mut(index), samples.row(frame), own as f32);
        }
        system.hold(0, samples.row(frames[0]));
        system.hold(frames.len() - 1, samples.row(frames[frames.len() - 1]));
        system
    }

    fn add(&mut self, index: usize, u: f64, weight: f64, sample: &[f32]) {
        let (a, b) = (1.0 - u, u);
        self.diagonal[index] += weight * a * a;
        self.diagonal[index + 1] += weight * b * b;
        self.off_diagonal[index] += weight * a * b;
        add(self.rows.row_mut(index), sample, (weight * a) as f32);
        add(self.rows.row_mut(index + 1), sample, (weight * b) as f32);
    }

    /// Fixes a row: its equation is replaced, and the other equations take it as known.
    fn hold(&mut self, index: usize, exact: &[f32]) {
        let (before, after) = (index.checked_sub(1), index + 1);
        if let Some(before) = before {
            add(self.rows.row_mut(before), exact, -self.off_diagonal[before] as f32);
            self.off_diagonal[before] = 0.0;
        }
        if after < self.diagonal.len() {
            add(self.rows.row_mut(after), exact, -self.off_diagonal[index] as f32);
            self.off_diagonal[index] = 0.0;
        }
        self.diagonal[index] = 1.0;
        self.rows.row_mut(index).copy_from_slice(exact);
    }

    /// Solves by elimination downwards, then upwards (Thomas algorithm); the matrix is positive definite.
    fn solve(&mut self) {
        let count = self.diagonal.len();
        for i in 1..count {
            let factor = self.off_diagonal[i - 1] / self.diagonal[i - 1];
            if factor != 0.0 {
                self.diagonal[i] -= factor * self.off_diagonal[i - 1];
                let (above, row) = self.rows.two_mut(i - 1, i);
                add(row, above, -factor as f32);
            }
        }
        for i in (0..count).rev() {
            if i + 1 < count && self.off_diagonal[i] != 0.0 {
                let factor = -self.off_diagonal[i] as f32;
                let (row, below) = self.rows.two_mut(i, i + 1);
                add(row, below, factor);
            }
            // Fixed rows stay exact to the bit.
            if self.diagonal[i] != 1.0 {
                let scale = (1.0 / self.diagonal[i]) as f32;
                self.rows.row_mut(i).iter_mut().for_each(|x| *x *= scale);
            }
        }
    }
}

fn add(row: &mut [f32], other: &[f32], factor: f32) {
    for (x, y) in row.iter_mut().zip(other) {
        *x += y * factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(f: impl Fn(f32) -> f32, count: usize) -> (Rows, Vec<f32>) {
        let mut rows = Rows::new(1);
        let times: Vec<f32> = (0..count).map(|k| k as f32 / (count - 1) as f32).collect();
        times.iter().for_each(|&t| rows.push(&[f(t)]));
        (rows, times)
    }

    #[test]
    fn straight_pieces_are_found_exactly_and_ends_are_held() {
        let (rows, times) = samples(|t| if t < 0.5 { t } else { 0.5 - 3.0 * (t - 0.5) }, 41);
        let optimized = best_rows(&rows, &times, &[0, 7, 20, 33, 40], &[1.0; 41]);
        for (index, sample) in [0, 7, 20, 33, 40].into_iter().enumerate() {
            assert!((optimized.row(index)[0] - rows.row(sample)[0]).abs() < 1e-5);
        }
        assert_eq!(optimized.row(0), rows.row(0));
        assert_eq!(optimized.row(4), rows.row(40));
    }

    #[test]
    fn least_squares_beats_frames_on_the_curve() {
        let (rows, times) = samples(|t| (t * 6.0).sin(), 121);
        let frames: Vec<usize> = (0..=6).map(|i| i * 20).collect();
        let optimized = best_rows(&rows, &times, &frames, &[1.0; 121]);
        let worst = |value: &dyn Fn(usize) -> f32| {
            let pieces = frames.windows(2).enumerate();
            let errors = pieces.flat_map(|(i, w)| {
                (w[0]..=w[1]).map(move |k| {
                    let u = fraction(&times_of(121), w[0], w[1], k);
                    (i, k, u)
                })
            });
            errors
                .map(|(i, k, u)| (value(i) * (1.0 - u) + value(i + 1) * u - rows.row(k)[0]).abs())
                .fold(0.0, f32::max)
        };
        let on_curve = worst(&|i| rows.row(frames[i])[0]);
        let off_curve = worst(&|i| optimized.row(i)[0]);
        assert!(off_curve < 0.85 * on_curve, "{off_curve} against {on_curve}");
    }

    fn times_of(count: usize) -> Vec<f32> {
        (0..count).map(|k| k as f32 / (count - 1) as f32).collect()
    }
}
