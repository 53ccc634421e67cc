//! Baking: every clip sampled at even steps, in parallel over frames.

use std::{
    ops::RangeInclusive,
    sync::atomic::{AtomicUsize, Ordering},
};

use glam::Affine3A;
use rayon::prelude::*;

use crate::{
    bake::{
        BakeError, BakeOptions, BakedClip, FrameTable, Palettes,
        bounds::{clip_bounds, slot_parts},
        memory,
        pose::{self, Poser},
        slot_bounds,
    },
    model::{Bounds, Clip, Model},
};

/// Range of rates for even steps (Hz).
pub const RATES: RangeInclusive<f32> = 1.0..=240.0;
/// Largest number of frames that an instance can address.
pub const MAX_FRAMES: u64 = 1 << 16;

/// Samples all clips of a character. `progress` is called with values in `0..=1` from any thread.
///
/// # Errors
/// More frames than an atlas can hold.
pub fn bake(model: &Model, options: &BakeOptions, progress: &(dyn Fn(f32) + Sync)) -> Result<Palettes, BakeError> {
    let counts = frame_counts(model, options)?;
    Ok(bake_frames(model, &counts, progress))
}

/// Bakes as [`bake`] does, with a given number of frames for each clip, at least one. A clip without length gets one
/// frame in any case. A model without clips takes one entry.
#[must_use]
pub fn bake_frames(model: &Model, counts: &[u32], progress: &(dyn Fn(f32) + Sync)) -> Palettes {
    let tables: Vec<FrameTable> = counts.iter().map(|&count| FrameTable::even(count)).collect();
    let mut clips = layout(model, &tables);
    let times = frame_times(&clips);
    let slot_count = model.skeleton.slots.len();
    let mut matrices = vec![Affine3A::IDENTITY; times.len() * slot_count];
    let done = AtomicUsize::new(0);
    let rows = matrices.par_chunks_mut(slot_count.max(1)).zip(&times);
    rows.for_each_init(Poser::default, |poser, (row, &(clip, time))| {
        poser.palette(&model.skeleton, model.clips.get(clip), time, row);
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_multiple_of(256) {
            progress(count as f32 / times.len() as f32);
        }
    });
    let morph_weights = morph_weights(model, &times);
    let slot_bounds = slot_bounds(model);
    set_bounds(&mut clips, model, &matrices);
    progress(1.0);
    Palettes {
        slot_count,
        frame_count: times.len(),
        clips,
        matrices: matrices.into(),
        slot_bounds,
        morph_weights,
        bound: None,
    }
}

/// Number of frames that [`bake`] would make.
#[must_use]
pub fn frame_count(model: &Model, options: &BakeOptions) -> u64 {
    sum(&frames(&lengths(model), usable_rate(options))).max(1)
}

/// Largest rate (Hz, in steps of 0.1 up to 240) at which [`bake`] would make at most `frames` frames; 1 if there is none.
#[must_use]
pub fn largest_rate(model: &Model, frames: u64) -> f32 {
    let lengths = lengths(model);
    let mut rates = (10..=2400).rev().map(|tenths| tenths as f32 / 10.0);
    let fits = |&rate: &f32| sum(&self::frames(&lengths, usable_rate(&BakeOptions { rate }))).max(1) <= frames;
    rates.find(fits).unwrap_or(1.0)
}

fn usable_rate(options: &BakeOptions) -> f32 {
    if options.rate.is_finite() {
        options.rate.clamp(*RATES.start(), *RATES.end())
    } else {
        BakeOptions::default().rate
    }
}

/// Number of frames of every clip at the requested rate.
fn frame_counts(model: &Model, options: &BakeOptions) -> Result<Vec<u32>, BakeError> {
    let (rate, lengths) = (usable_rate(options), lengths(model));
    let counts = frames(&lengths, rate);
    let total = sum(&counts);
    let most = memory::most_frames(model);
    let mut rates = (10..=(rate * 10.0) as u32).rev().map(|r| r as f32 / 10.0);
    let mut fits = || rates.find(|&r| sum(&frames(&lengths, r)) <= most);
    if total > MAX_FRAMES {
        return Err(BakeError::TooManyFrames {
            name: model.name.clone(),
            frames: total,
            rate,
            fits: fits(),
        });
    }
    memory::check(model, total, fits)?;
    Ok(counts.into_iter().map(|count| count as u32).collect())
}

fn sum(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
}

/// Properties that decide a clip's number of frames.
struct Length {
    seconds: f32,
    key_rate: Option<f32>,
}

/// Lengths of all clips, computed once for all candidate rates: a key rate depends on every key.
fn lengths(model: &Model) -> Vec<Length> {
    let length = |clip: &Clip| Length {
        seconds: clip.duration,
        key_rate: clip.key_rate(),
    };
    model.clips.iter().map(length).collect()
}

/// Largest number of clips for which each has its own range of morph displacements: that inspects every vertex per
/// clip.
const MOST_MORPHED: usize = 256;

/// Computes the bounding box of every clip around its frames.
pub(super) fn set_bounds(clips: &mut [BakedClip], model: &Model, matrices: &[Affine3A]) {
    let slots = model.skeleton.slots.len();
    let each = !model.morphs.is_empty() && model.clips.len() <= MOST_MORPHED;
    let common = if each {
        Vec::new()
    } else {
        slot_parts(model, &model.clips)
    };
    clips.par_iter_mut().enumerate().for_each(|(index, clip)| {
        let own = each.then(|| slot_parts(model, model.clips.get(index..=index).unwrap_or_default()));
        let first = clip.first_frame as usize * slots;
        let range = first..first + clip.frame_count as usize * slots;
        clip.bounds = clip_bounds(own.as_deref().unwrap_or(&common), slots, &matrices[range]);
    });
}

/// Places the clips one after another; a model without clips gets one called `rest`. Clips without length have one
/// frame, whatever their table says.
pub(super) fn layout(model: &Model, tables: &[FrameTable]) -> Vec<BakedClip> {
    let rest = [Clip {
        name: "rest".into(),
        ..Clip::default()
    }];
    let sources = if model.clips.is_empty() {
        &rest[..]
    } else {
        &model.clips
    };
    let still = FrameTable::even(1);
    let tables = tables.iter().chain(std::iter::repeat(&still));
    let mut first_frame = 0;
    let place = |(clip, table): (&Clip, &FrameTable)| {
        let times = if clip.duration > 0.0 { table } else { &still }.clone();
        let frame_count = times.shares().len() as u32;
        let placed = BakedClip {
            name: clip.name.clone(),
            first_frame,
            frame_count,
            duration: clip.duration,
            rate: if frame_count > 1 {
                (frame_count - 1) as f32 / clip.duration
            } else {
                0.0
            },
            times,
            wrap: clip.wrap,
            speed: clip.speed,
            turn: clip.turn,
            events: clip.events.clone(),
            bounds: Bounds::EMPTY,
        };
        first_frame += frame_count;
        placed
    };
    sources.iter().zip(tables).map(place).collect()
}

/// Number of frames of a clip at even steps.
pub(super) fn even_frames(clip: &Clip, rate: f32) -> u64 {
    let length = Length {
        seconds: clip.duration,
        key_rate: clip.key_rate(),
    };
    sum(&frames(&[length], rate))
}

/// Number of frames of every clip: intervals + 1, or one for a single pose.
fn frames(lengths: &[Length], rate: f32) -> Vec<u64> {
    let count = |length: &Length| {
        if length.seconds <= 0.0 {
            return 1;
        }
        let intervals = f64::from(length.seconds) * f64::from(clip_rate(length.key_rate, rate));
        (intervals.round().max(1.0) as u64).saturating_add(1)
    };
    lengths.iter().map(count).collect()
}

/// Requested rate, or the nearest multiple of the clip's key rate within a quarter of it. Frames that miss the keys of
/// a fast motion cost far more accuracy than any encoding.
fn clip_rate(keys: Option<f32>, rate: f32) -> f32 {
    let Some(keys) = keys else {
        return rate;
    };
    let multiple = keys * (rate / keys).round();
    if (multiple - rate).abs() <= rate * 0.25 {
        multiple
    } else {
        rate
    }
}

/// Clip index and clip time of every frame.
fn frame_times(clips: &[BakedClip]) -> Vec<(usize, f32)> {
    let of_clip = |(index, clip): (usize, &BakedClip)| {
        let (steps, duration) = (clip.frame_count.max(2) - 1, f64::from(clip.duration));
        (0..clip.frame_count).map(move |i| (index, (f64::from(i) * duration / f64::from(steps)) as f32))
    };
    clips.iter().enumerate().flat_map(of_clip).collect()
}

/// Weights of every frame and morph target.
fn morph_weights(model: &Model, times: &[(usize, f32)]) -> Vec<f32> {
    let count = model.morphs.len();
    let mut weights = vec![0.0; times.len() * count];
    for (row, &(clip, time)) in weights.chunks_mut(count.max(1)).zip(times) {
        pose::morph_weights(model, model.clips.get(clip), time, row);
    }
    weights
}
