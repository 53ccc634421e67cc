//! Baking: every clip sampled at even steps, in parallel over frames.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{Affine3A, Vec3, Vec3A};
use rayon::prelude::*;

use super::{
    BakeError, BakeOptions, BakedClip, Palettes,
    pose::{self, Poser},
};
use crate::model::{Bounds, Clip, Model};

/// Frames an instance can address.
pub const MAX_FRAMES: u64 = 1 << 16;

/// Samples all clips of a character. `progress` is called with values in `0..=1` from any thread.
///
/// # Errors
/// More frames than an atlas can hold.
pub fn bake(
    model: &Model,
    options: &BakeOptions,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Palettes, BakeError> {
    let mut clips = layout(model, options)?;
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
    clips.par_iter_mut().for_each(|clip| {
        let first = clip.first_frame as usize * slot_count;
        let range = first..first + clip.frame_count as usize * slot_count;
        clip.bounds = clip_bounds(&slot_bounds, &matrices[range]);
    });
    progress(1.0);
    Ok(Palettes {
        slot_count,
        frame_count: times.len(),
        clips,
        matrices,
        slot_bounds,
        morph_weights,
    })
}

/// Frames that [`bake`] would make, without making them.
#[must_use]
pub fn frame_count(model: &Model, options: &BakeOptions) -> u64 {
    let rate = usable_rate(options);
    let clips = model.clips.iter().map(|c| frames(c, rate));
    clips.sum::<u64>().max(1)
}

fn usable_rate(options: &BakeOptions) -> f32 {
    if options.rate.is_finite() {
        options.rate.clamp(1.0, 240.0)
    } else {
        BakeOptions::default().rate
    }
}

/// Places the clips one after another; a model without clips gets one called `rest`.
fn layout(model: &Model, options: &BakeOptions) -> Result<Vec<BakedClip>, BakeError> {
    let rate = usable_rate(options);
    let rest = [Clip {
        name: "rest".into(),
        ..Clip::default()
    }];
    let sources = if model.clips.is_empty() {
        &rest[..]
    } else {
        &model.clips
    };
    let count = |rate: f32| sources.iter().map(|c| frames(c, rate)).sum::<u64>();
    let total = count(rate);
    if total > MAX_FRAMES {
        let fits = (1..=(rate * 10.0) as u32)
            .rev()
            .map(|r| r as f32 / 10.0)
            .find(|&r| count(r) <= MAX_FRAMES);
        return Err(BakeError::TooManyFrames {
            name: model.name.clone(),
            frames: total,
            rate,
            fits: fits.unwrap_or(0.0),
        });
    }
    let mut first_frame = 0;
    let place = |clip: &Clip| {
        let frame_count = frames(clip, rate) as u32;
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
            wrap: clip.wrap,
            speed: clip.speed,
            events: clip.events.clone(),
            bounds: Bounds::EMPTY,
        };
        first_frame += frame_count;
        placed
    };
    Ok(sources.iter().map(place).collect())
}

/// Frames of a clip: intervals + 1, or one for a single pose.
fn frames(clip: &Clip, rate: f32) -> u64 {
    if clip.duration <= 0.0 {
        return 1;
    }
    let intervals = f64::from(clip.duration) * f64::from(clip_rate(clip, rate));
    intervals.round().max(1.0) as u64 + 1
}

/// The rate asked for, or the multiple of the clip's key rate beside it: frames that miss the keys
/// of a fast motion are off by far more than any encoding.
fn clip_rate(clip: &Clip, rate: f32) -> f32 {
    let Some(keys) = clip.key_rate() else {
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
        (0..clip.frame_count)
            .map(move |i| (index, (f64::from(i) * duration / f64::from(steps)) as f32))
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

/// Rest-space box of the vertices that each slot moves, with everything that morph targets add.
#[must_use]
pub fn slot_bounds(model: &Model) -> Vec<Bounds> {
    let reach = morph_reach(model);
    let mut bounds = vec![Bounds::EMPTY; model.skeleton.slots.len()];
    for (index, vertex) in model.mesh.vertices.iter().enumerate() {
        let (low, high) = reach.get(index).copied().unwrap_or_default();
        let corners = [vertex.position + low, vertex.position + high];
        for (&slot, &weight) in vertex.joints.iter().zip(&vertex.weights) {
            if weight > 0.0 {
                let slot = &mut bounds[usize::from(slot)];
                *slot = slot.union(Bounds::of(corners));
            }
        }
    }
    bounds
}

/// How far morph targets can move each vertex; empty without targets.
fn morph_reach(model: &Model) -> Vec<(Vec3, Vec3)> {
    if model.morphs.is_empty() {
        return Vec::new();
    }
    let mut reach = vec![(Vec3::ZERO, Vec3::ZERO); model.mesh.vertices.len()];
    for (index, morph) in model.morphs.iter().enumerate() {
        let channels = model.clips.iter().flat_map(|c| &c.morphs);
        let mut range = (morph.rest.min(0.0), morph.rest.max(0.0));
        for channel in channels.filter(|c| c.morph as usize == index) {
            // Splines swing beyond their keys: look at quarters of the intervals too.
            let pairs = channel
                .times
                .windows(2)
                .flat_map(|w| [0.0, 0.25, 0.5, 0.75].map(|f| w[0] + (w[1] - w[0]) * f));
            for time in pairs.chain(channel.times.last().copied()) {
                let weight = pose::morph_weight(channel, time);
                range = (range.0.min(weight), range.1.max(weight));
            }
        }
        for delta in &morph.deltas {
            let (low, high) = &mut reach[delta.vertex as usize];
            let ends = [delta.position * range.0, delta.position * range.1];
            *low += ends[0].min(ends[1]);
            *high += ends[0].max(ends[1]);
        }
    }
    reach
}

/// A box that holds every skinned vertex of the given frames and everything between two frames.
///
/// It is the union of the slots' boxes under their matrices: a skinned vertex is a convex
/// combination of points in them. Somewhat larger than the tightest box, and cheap.
fn clip_bounds(slots: &[Bounds], matrices: &[Affine3A]) -> Bounds {
    let used = |(slot, _): &(&Bounds, &Affine3A)| !slot.is_empty();
    let pairs = slots.iter().cycle().zip(matrices).filter(used);
    pairs.fold(Bounds::EMPTY, |all, (slot, matrix)| {
        all.union(transformed(*slot, matrix))
    })
}

/// Box around a transformed box (Arvo 1990, "Transforming Axis-Aligned Bounding Boxes").
fn transformed(bounds: Bounds, matrix: &Affine3A) -> Bounds {
    let centre = matrix.transform_point3(bounds.centre());
    let half = bounds.size() * 0.5;
    let m = matrix.matrix3;
    let reach: Vec3 =
        (m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z + Vec3A::ZERO)
            .into();
    Bounds {
        min: centre - reach,
        max: centre + reach,
    }
}
