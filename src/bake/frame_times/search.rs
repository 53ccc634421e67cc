//! Selection of frames among the samples: as few as keep the blend of neighbouring frames within a bound at every
//! sample.
//!
//! Frames on the motion itself leave the middle of every interval on one side of the curve, which wastes half of the
//! error bound. Frames may therefore leave the motion. First, intervals are made as long as an error far above the
//! bound allows. Then values are computed by least squares, with weights that grow where the error is large (Lawson
//! 1961). This tends to the smallest maximum error. Intervals above the bound get a smaller allowance in the next
//! round, those below it a larger one. Finally, intervals that still fail are split.

use crate::bake::frame_times::{
    error_probes::Displacements,
    fit::{Values, durations, fit, fraction},
    motion::Motion,
    rows::worst_squared,
};

/// Initial allowance of intervals before the fit (in bounds).
const START: f32 = 1.6;
/// Target error after the fit (in bounds), one round each. At first many intervals end above the bound, in the end few.
const AIMS: [f32; 3] = [0.95, 0.92, 0.89];
/// Rounds of splitting intervals that fail.
const CUTS: usize = 8;
/// Rounds of reweighting in a fit.
const FITS: usize = 4;
/// Share of the bound that is used, because samples do not cover every time.
const USED: f32 = 0.98;

/// Frames chosen for a segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Choice {
    /// Samples at which frames stand; the first and the last are the segment's ends.
    pub(super) frames: Vec<usize>,
    /// Weights of the samples in the fit of the frames' values; `None` if these are exact.
    pub(super) weights: Option<Vec<f32>>,
}

impl Choice {
    /// Values of the frames for any table of the same samples.
    pub(super) fn values(&self, motion: &Motion, displacements: &Displacements) -> Values {
        match &self.weights {
            Some(weights) => fit(motion, displacements, &self.frames, weights),
            None => Values::exact(motion, &self.frames),
        }
    }
}

/// Smallest choice of frames found that keeps `bound` (m); `optimized` allows frames to leave the motion.
pub(super) fn choose(motion: &Motion, displacements: &Displacements, bound: f32, optimized: bool) -> Choice {
    let bound = bound * USED;
    let mut best = Choice {
        frames: longest_intervals(motion, &vec![bound * bound; motion.count()]),
        weights: None,
    };
    if !optimized || best.frames.len() <= 3 {
        return best;
    }
    let mut allowed = vec![START * bound; motion.count()];
    for aim in AIMS {
        let squares: Vec<f32> = allowed.iter().map(|a| a * a).collect();
        let frames = longest_intervals(motion, &squares);
        let even = fit_evenly(motion, displacements, &frames, bound);
        let failing = adapt(&mut allowed, &frames, &even.worst, bound, aim);
        if frames.len() + failing < best.frames.len() {
            best = cut(motion, displacements, frames, even, bound, best);
        }
    }
    best
}

/// Splits intervals that fail until all keep the bound. Returns `best` if that takes no fewer frames.
fn cut(
    motion: &Motion,
    displacements: &Displacements,
    mut frames: Vec<usize>,
    mut even: EvenFit,
    bound: f32,
    best: Choice,
) -> Choice {
    for _ in 0..CUTS {
        if even.worst.iter().all(|&w| w <= bound) {
            return Choice {
                frames,
                weights: Some(even.weights),
            };
        }
        let fails = |&(pair, worst): &(&[usize], &f32)| *worst > bound && pair[1] - pair[0] > 1;
        let failing = frames.windows(2).zip(&even.worst).filter(fails);
        let middles: Vec<usize> = failing.map(|(pair, _)| pair[0].midpoint(pair[1])).collect();
        frames.extend(middles);
        frames.sort_unstable();
        frames.dedup();
        if frames.len() >= best.frames.len() {
            break;
        }
        even = fit_evenly(motion, displacements, &frames, bound);
    }
    best
}

/// Greedy choice of frames from first to last, as far apart as the squared errors allowed at the samples permit.
fn longest_intervals(motion: &Motion, allowed: &[f32]) -> Vec<usize> {
    let last = motion.count() - 1;
    let mut frames = vec![0];
    let mut from = 0;
    while from < last {
        from = farthest(motion, allowed, from, last);
        frames.push(from);
    }
    frames
}

/// Farthest sample to which the chord from `from` keeps the allowance: exponential search, then bisection.
fn farthest(motion: &Motion, allowed: &[f32], from: usize, last: usize) -> usize {
    let mut step = 1;
    while from + 2 * step <= last && holds(motion, allowed, from, from + 2 * step) {
        step *= 2;
    }
    let (mut good, mut bad) = (from + step, (from + 2 * step).min(last + 1));
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if holds(motion, allowed, from, middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

fn holds(motion: &Motion, allowed: &[f32], from: usize, to: usize) -> bool {
    let Motion { times, points, .. } = motion;
    let (a, b) = (points.row(from), points.row(to));
    (from + 1..to).all(|k| worst_squared(points.row(k), a, b, fraction(times, from, to, k)) <= allowed[k])
}

/// Fit whose maximum error is small.
struct EvenFit {
    /// Weight of every sample.
    weights: Vec<f32>,
    /// Largest error of every interval (m).
    worst: Vec<f32>,
}

/// Weights with a small maximum error of the fit.
fn fit_evenly(motion: &Motion, displacements: &Displacements, frames: &[usize], bound: f32) -> EvenFit {
    let mut weights = durations(&motion.times);
    let mut least = f32::INFINITY;
    let mut best = EvenFit {
        weights: Vec::new(),
        worst: Vec::new(),
    };
    for _ in 0..FITS {
        let values = fit(motion, displacements, frames, &weights);
        let errors = errors(motion, frames, &values);
        let worst = of_intervals(frames, &errors);
        let excess = worst.iter().map(|w| (w / bound - 1.0).max(0.0)).sum::<f32>();
        if excess < least {
            least = excess;
            best = EvenFit {
                weights: weights.clone(),
                worst,
            };
        }
        if excess == 0.0 {
            break;
        }
        for (weight, error) in weights.iter_mut().zip(&errors) {
            *weight *= (error / bound).max(0.05);
        }
    }
    best
}

/// Error at every sample (m).
pub(super) fn errors(motion: &Motion, frames: &[usize], values: &Values) -> Vec<f32> {
    let mut errors = vec![0.0; motion.count()];
    for (index, pair) in frames.windows(2).enumerate() {
        let (a, b) = (values.points.row(index), values.points.row(index + 1));
        for (k, error) in errors.iter_mut().enumerate().take(pair[1] + 1).skip(pair[0]) {
            let u = fraction(&motion.times, pair[0], pair[1], k);
            *error = worst_squared(motion.points.row(k), a, b, u).sqrt();
        }
    }
    errors
}

fn of_intervals(frames: &[usize], errors: &[f32]) -> Vec<f32> {
    let worst = |pair: &[usize]| errors[pair[0]..=pair[1]].iter().copied().fold(0.0, f32::max);
    frames.windows(2).map(worst).collect()
}

/// Lowers the allowance of intervals above the target and raises that of intervals below it. Returns the number of
/// intervals above the bound.
fn adapt(allowed: &mut [f32], frames: &[usize], worst: &[f32], bound: f32, aim: f32) -> usize {
    for (pair, &worst) in frames.windows(2).zip(worst) {
        let factor = (bound * aim / worst.max(f32::MIN_POSITIVE)).clamp(0.6, 1.1);
        for limit in &mut allowed[pair[0]..pair[1]] {
            *limit = (*limit * factor).clamp(bound * 0.8, bound * 4.0);
        }
    }
    worst.iter().filter(|&&worst| worst > bound).count()
}
