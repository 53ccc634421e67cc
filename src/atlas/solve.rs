//! Chooses format and frames per clip within a budget: the smallest atlas below an error, or the
//! smallest error below a size.

use rayon::prelude::*;
use serde::Serialize;

use crate::{
    atlas::{Atlas, AtlasFormat, decode::displacement},
    bake::{self, MAX_FRAMES, Palettes, skinning},
    model::{Bounds, Clip, Model, UnitSpace},
};

/// Rates that are tried for every clip, Hz, besides multiples of its keys' rate.
const RATES: [f32; 13] = [
    5.0, 7.5, 10.0, 15.0, 20.0, 24.0, 30.0, 40.0, 60.0, 90.0, 120.0, 180.0, 240.0,
];
/// The highest that can be asked for, Hz.
const MAX_RATE: f32 = 240.0;

/// What must hold; at least one of the two limits should be set.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Largest error of any vertex at any moment, metres.
    pub max_error: Option<f32>,
    /// Largest atlas, bytes.
    pub max_bytes: Option<u64>,
    /// Formats to choose from.
    pub formats: Vec<AtlasFormat>,
}

/// What was chosen for a clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipChoice {
    /// Name of the clip.
    pub clip: String,
    /// Frames per second; 0 for a single pose.
    pub rate: f32,
    /// Frames.
    pub frames: u32,
    /// Bound of the error from blending frames, millimetres.
    pub resampling_mm: f32,
}

/// What one format could offer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer {
    /// Which.
    pub format: AtlasFormat,
    /// Bound of its encoding error, millimetres.
    pub encoding_mm: f32,
    /// Bytes of the best atlas within the budget; absent where none is.
    pub bytes: Option<u64>,
    /// Bound of the error of that atlas, millimetres.
    pub worst_mm: Option<f32>,
}

/// The best atlas within the budget, and what it was chosen from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Format.
    pub format: AtlasFormat,
    /// Bytes of the atlas.
    pub bytes: u64,
    /// Bound of the error, millimetres.
    pub worst_mm: f32,
    /// Per clip; `frames` go to [`bake::bake_frames`].
    pub clips: Vec<ClipChoice>,
    /// All formats.
    pub offers: Vec<Offer>,
}

/// No choice fits.
#[derive(Debug, thiserror::Error)]
#[error("no format and rate meets the limits: {closest}")]
pub struct NoPlan {
    /// The nearest miss, in words.
    closest: String,
}

/// A candidate rate of a clip.
#[derive(Clone, Copy)]
struct Choice {
    frames: u32,
    /// Metres.
    error: f32,
}

/// A format with a choice for every clip.
struct Candidate {
    format: AtlasFormat,
    encoding: f32,
    choice: Vec<Choice>,
    bytes: u64,
    worst: f32,
}

/// Chooses the smallest atlas within `max_error` (and `max_bytes`), or without `max_error` the most
/// accurate one within `max_bytes`. Errors are bounds over the slots' boxes;
/// [`verify`](super::verify::verify) measures the result. Morph targets are not considered.
///
/// # Errors
/// Nothing fits.
pub fn solve(model: &Model, budget: &Budget) -> Result<Plan, NoPlan> {
    let bounds = bake::slot_bounds(model);
    let counts: Vec<Vec<u32>> = model.clips.par_iter().map(counts).collect();
    let fewest = |counts: &Vec<u32>| counts.first().map_or(MAX_FRAMES + 1, |&count| u64::from(count));
    if counts.iter().map(fewest).sum::<u64>() > MAX_FRAMES {
        let closest = "an atlas holds at most 65536 frames; shorten or omit clips".into();
        return Err(NoPlan { closest });
    }
    let clips: Vec<Vec<Choice>> = model
        .clips
        .par_iter()
        .zip(&counts)
        .map(|(clip, counts)| options(model, &bounds, clip, counts))
        .collect();
    let trial = bake::bake_frames(model, &trial_counts(&clips), &|_| ());
    let space = UnitSpace::around(model.mesh.bounds());
    let candidates: Vec<(AtlasFormat, f32, Option<Candidate>)> = budget
        .formats
        .iter()
        .map(|&format| {
            let encoding = Atlas::encode(&trial, &space, format).error(&trial).worst;
            let matrix = trial.slot_count as u64 * format.matrix_bytes() as u64;
            (format, encoding, choose(&clips, budget, (format, encoding, matrix)))
        })
        .collect();
    let offers = candidates.iter().map(|(format, encoding, candidate)| Offer {
        format: *format,
        encoding_mm: encoding * 1000.0,
        bytes: candidate.as_ref().map(|c| c.bytes),
        worst_mm: candidate.as_ref().map(|c| c.worst * 1000.0),
    });
    let offers: Vec<Offer> = offers.collect();
    let key = |c: &Candidate| match budget.max_error {
        Some(_) => c.bytes as f64,
        None => f64::from(c.worst),
    };
    let best = candidates
        .into_iter()
        .filter_map(|(_, _, c)| c)
        .min_by(|a, b| key(a).total_cmp(&key(b)));
    let best = best.ok_or_else(|| nearest_miss(&clips, &offers, &trial))?;
    Ok(plan(model, best, offers))
}

/// Frames at every rate worth trying for a clip, fewest first; none where an atlas cannot hold them.
fn counts(clip: &Clip) -> Vec<u32> {
    if clip.duration <= 0.0 {
        return vec![1];
    }
    let keys = clip.key_rate();
    let multiples = keys.into_iter().flat_map(|k| [0.5, 1.0, 2.0, 4.0].map(|f| k * f));
    let rates = RATES.into_iter().chain(multiples).filter(|&r| r <= MAX_RATE);
    let intervals = rates.map(|r| (clip.duration * r).round().max(1.0));
    let held = intervals.filter(|&n| n < MAX_FRAMES as f32);
    let mut counts: Vec<u32> = held.map(|n| n as u32 + 1).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// What each number of frames costs.
fn options(model: &Model, bounds: &[Bounds], clip: &Clip, counts: &[u32]) -> Vec<Choice> {
    let choice = |&frames| Choice {
        frames,
        error: resampling(model, bounds, clip, frames),
    };
    counts.iter().map(choice).collect()
}

/// Largest distance between exact and blended poses at three moments of every interval, over the
/// corners of the slots' boxes: a bound for every vertex there.
fn resampling(model: &Model, bounds: &[Bounds], clip: &Clip, frames: u32) -> f32 {
    let intervals = frames - 1;
    if intervals == 0 {
        return 0.0;
    }
    let pose = |position: f32| skinning::exact_palette(model, Some(clip), position / intervals as f32 * clip.duration);
    let mut worst = 0.0_f32;
    let mut start = pose(0.0);
    for interval in 0..intervals {
        let end = pose((interval + 1) as f32);
        for fraction in [0.25, 0.5, 0.75] {
            let exact = pose(interval as f32 + fraction);
            for (slot, &bounds) in bounds.iter().enumerate() {
                let blended = skinning::lerp(start[slot], end[slot], fraction);
                worst = worst.max(displacement(exact[slot], blended, bounds));
            }
        }
        start = end;
    }
    worst
}

/// Frames of a middling bake that the encodings are measured on.
fn trial_counts(clips: &[Vec<Choice>]) -> Vec<u32> {
    clips.iter().map(|options| options[options.len() / 2].frames).collect()
}

/// The best choice per clip in one format; `None` where the budget does not allow any.
fn choose(
    clips: &[Vec<Choice>],
    budget: &Budget,
    (format, encoding, matrix): (AtlasFormat, f32, u64),
) -> Option<Candidate> {
    let candidate = |limit: f32| {
        let pick = |options: &Vec<Choice>| options.iter().copied().find(|o| o.error + encoding <= limit);
        let choice: Vec<Choice> = clips.iter().map(pick).collect::<Option<_>>()?;
        let frames: u64 = choice.iter().map(|o| u64::from(o.frames)).sum::<u64>().max(1);
        let worst = choice.iter().map(|o| o.error).fold(0.0, f32::max) + encoding;
        let fits = frames <= MAX_FRAMES && budget.max_bytes.is_none_or(|max| frames * matrix <= max);
        fits.then_some(Candidate {
            format,
            encoding,
            choice,
            bytes: frames * matrix,
            worst,
        })
    };
    match budget.max_error {
        Some(limit) => candidate(limit).filter(|c| c.worst <= limit),
        None => {
            let errors = clips.iter().flatten().map(|o| o.error + encoding);
            let mut limits: Vec<f32> = errors.chain([encoding]).collect();
            limits.sort_by(f32::total_cmp);
            limits.dedup();
            // Larger limits never need more frames: the first that fits is the smallest.
            let first = limits.partition_point(|&limit| candidate(limit).is_none());
            limits.get(first).and_then(|&limit| candidate(limit))
        }
    }
}

fn plan(model: &Model, best: Candidate, offers: Vec<Offer>) -> Plan {
    debug_assert!(best.worst >= best.encoding);
    let clip = |(clip, option): (&Clip, &Choice)| ClipChoice {
        clip: clip.name.clone(),
        rate: if option.frames > 1 {
            (option.frames - 1) as f32 / clip.duration
        } else {
            0.0
        },
        frames: option.frames,
        resampling_mm: option.error * 1000.0,
    };
    Plan {
        format: best.format,
        bytes: best.bytes,
        worst_mm: best.worst * 1000.0,
        clips: model.clips.iter().zip(&best.choice).map(clip).collect(),
        offers,
    }
}

fn nearest_miss(clips: &[Vec<Choice>], offers: &[Offer], trial: &Palettes) -> NoPlan {
    let fewest: u64 = clips.iter().map(|o| u64::from(o[0].frames)).sum::<u64>().max(1);
    let least = |o: &Offer| fewest * trial.slot_count as u64 * o.format.matrix_bytes() as u64;
    let floor = |options: &Vec<Choice>| options.iter().map(|o| o.error).fold(f32::INFINITY, f32::min);
    let resampling = clips.iter().map(floor).fold(0.0, f32::max) * 1000.0;
    let finest = offers.iter().map(|o| o.encoding_mm).fold(f32::INFINITY, f32::min);
    let smallest = offers.iter().map(least).min().unwrap_or(0);
    NoPlan {
        closest: format!(
            "the smallest atlas has {smallest} bytes, the smallest error is {:.3} mm",
            resampling + finest
        ),
    }
}
