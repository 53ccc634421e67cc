//! Bounding boxes of the vertices that a slot moves, and of clips.

use glam::{Affine3A, Vec3};

use crate::{
    bake::pose,
    model::{Bounds, Clip, Interpolation, Model, MorphChannel},
};

/// Rest-space box of the vertices that each slot moves, including displacements by morph targets.
#[must_use]
pub fn slot_bounds(model: &Model) -> Vec<Bounds> {
    let mut bounds = vec![Bounds::EMPTY; model.skeleton.slots.len()];
    for (slot, corners) in influences(model, &morph_reach(model, &model.clips)) {
        bounds[slot] = bounds[slot].union(Bounds::of(corners));
    }
    bounds
}

/// Box of some of the vertices that a slot moves, in one cell of a grid over the slot's box (rest space).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SlotPart {
    slot: usize,
    bounds: Bounds,
}

/// Cells along each axis of the grid that divides a slot's box. A rotated box grows by its empty corners, and small
/// boxes have small corners.
const CELLS: usize = 3;
/// Largest number of slots for which boxes are divided. Beyond it, the grid would take more memory than the matrices.
const MOST_DIVIDED: usize = 4096;

/// Boxes of the vertices that each slot moves while the given clips play; at rest if there are none.
pub(super) fn slot_parts(model: &Model, clips: &[Clip]) -> Vec<SlotPart> {
    let reach = morph_reach(model, clips);
    let slots = model.skeleton.slots.len();
    let mut rooms = vec![Bounds::EMPTY; slots];
    for (slot, corners) in influences(model, &reach) {
        rooms[slot] = rooms[slot].union(Bounds::of(corners));
    }
    let cells = if slots > MOST_DIVIDED { 1 } else { CELLS };
    let mut parts = vec![Bounds::EMPTY; slots * cells * cells * cells];
    for (slot, corners) in influences(model, &reach) {
        let room = rooms[slot];
        let share = (0.5 * (corners[0] + corners[1]) - room.min) / room.size().max(Vec3::splat(f32::MIN_POSITIVE));
        let [x, y, z] = (share * cells as f32).to_array().map(|at| (at as usize).min(cells - 1));
        let part = &mut parts[((slot * cells + x) * cells + y) * cells + z];
        *part = part.union(Bounds::of(corners));
    }
    let cell = cells * cells * cells;
    let used = parts.into_iter().enumerate().filter(|(_, bounds)| !bounds.is_empty());
    used.map(|(index, bounds)| SlotPart {
        slot: index / cell,
        bounds,
    })
    .collect()
}

/// Every pair of a slot and a vertex that it moves, with the range of the vertex under morph targets before skinning.
fn influences<'a>(model: &'a Model, reach: &'a [(Vec3, Vec3)]) -> impl Iterator<Item = (usize, [Vec3; 2])> + 'a {
    let vertices = model.mesh.vertices.iter().enumerate();
    vertices.flat_map(|(index, vertex)| {
        let (low, high) = reach.get(index).copied().unwrap_or_default();
        let corners = [vertex.position + low, vertex.position + high];
        let slots = vertex.joints.iter().zip(&vertex.weights);
        let moving = slots.filter(|(_, weight)| **weight > 0.0);
        moving.map(move |(slot, _)| (usize::from(*slot), corners))
    })
}

/// Limit of steps for sampling every key time. Beyond it the ranges of the targets are added up one by one.
const MOST_STEPS: u64 = 1 << 29;
/// Samples between two keys of a spline, whose weights may overshoot its keys.
const SPLINE_STEPS: u32 = 8;

/// Range of displacements of each vertex by morph targets, over the clips and at rest; empty without targets. Weights
/// change linearly between two neighbouring key times, so the extremes lie at keys.
fn morph_reach(model: &Model, clips: &[Clip]) -> Vec<(Vec3, Vec3)> {
    if model.morphs.is_empty() {
        return Vec::new();
    }
    let moments: Vec<Vec<f32>> = clips.iter().map(key_times).collect();
    let mut touched: Vec<u32> = model.morphs.iter().flat_map(|m| &m.deltas).map(|d| d.vertex).collect();
    let steps = touched.len() as u64 * (1 + moments.iter().map(|m| m.len() as u64).sum::<u64>());
    if steps > MOST_STEPS {
        return widest_reach(model, clips);
    }
    touched.sort_unstable();
    touched.dedup();
    let mut reach = Reach {
        moved: vec![Vec3::ZERO; model.mesh.vertices.len()],
        ranges: vec![(Vec3::ZERO, Vec3::ZERO); model.mesh.vertices.len()],
        touched,
    };
    let mut weights: Vec<f32> = model.morphs.iter().map(|m| m.rest).collect();
    reach.add(model, &weights);
    let mut before = weights.clone();
    for (clip, times) in clips.iter().zip(&moments) {
        for &time in times {
            pose::morph_weights(model, Some(clip), time, &mut weights);
            if weights != before {
                reach.add(model, &weights);
                before.copy_from_slice(&weights);
            }
        }
    }
    reach.ranges
}

/// Range of displacements of each vertex over the added poses.
struct Reach {
    moved: Vec<Vec3>,
    ranges: Vec<(Vec3, Vec3)>,
    touched: Vec<u32>,
}

impl Reach {
    fn add(&mut self, model: &Model, weights: &[f32]) {
        self.touched.iter().for_each(|&v| self.moved[v as usize] = Vec3::ZERO);
        for (morph, &weight) in model.morphs.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            for delta in &morph.deltas {
                self.moved[delta.vertex as usize] += delta.position * weight;
            }
        }
        for &v in &self.touched {
            let (moved, range) = (self.moved[v as usize], &mut self.ranges[v as usize]);
            *range = (range.0.min(moved), range.1.max(moved));
        }
    }
}

/// Every time at which a weight of the clip has a key, and some times between the keys of splines.
fn key_times(clip: &Clip) -> Vec<f32> {
    let mut times: Vec<f32> = clip.morphs.iter().flat_map(|m| &m.times).copied().collect();
    for channel in clip
        .morphs
        .iter()
        .filter(|m| m.interpolation == Interpolation::CubicSpline)
    {
        for pair in channel.times.windows(2) {
            let step = (pair[1] - pair[0]) / SPLINE_STEPS as f32;
            times.extend((1..SPLINE_STEPS).map(|i| pair[0] + i as f32 * step));
        }
        times.extend(turning_times(channel));
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Times at which the weight of a spline has an extreme between two keys. These are the zeros of the derivative of
/// glTF's cubic Hermite polynomial, `a u² + b u + c` for `u` from 0 to 1.
fn turning_times(channel: &MorphChannel) -> Vec<f32> {
    let key = |index: usize, part: usize| {
        channel
            .values
            .get(3 * index + part)
            .map_or(0.0, |&value| f64::from(value))
    };
    let turns = channel.times.windows(2).enumerate().flat_map(|(index, pair)| {
        let length = f64::from(pair[1] - pair[0]);
        let (from, to) = (key(index, 1), key(index + 1, 1));
        let (leaves, arrives) = (length * key(index, 2), length * key(index + 1, 0));
        let a = 6.0 * (from - to) + 3.0 * (leaves + arrives);
        let b = 6.0 * (to - from) - 4.0 * leaves - 2.0 * arrives;
        let root = (b * b - 4.0 * a * leaves).max(0.0).sqrt();
        // This form of the quadratic formula avoids cancellation.
        let q = -0.5 * (b + root.copysign(b));
        let zeros = [q / a, leaves / q];
        let start = f64::from(pair[0]);
        zeros
            .into_iter()
            .filter(|u| *u > 0.0 && *u < 1.0)
            .map(move |u| (start + u * length) as f32)
    });
    turns.collect()
}

/// Upper bound of the displacements: the range of each target's weights, as if all were extreme at once.
fn widest_reach(model: &Model, clips: &[Clip]) -> Vec<(Vec3, Vec3)> {
    let mut ranges: Vec<(f32, f32)> = (model.morphs.iter())
        .map(|morph| (morph.rest.min(0.0), morph.rest.max(0.0)))
        .collect();
    for channel in clips.iter().flat_map(|c| &c.morphs) {
        if let Some(range) = ranges.get_mut(channel.morph as usize) {
            *range = weights(channel)
                .into_iter()
                .fold(*range, |range, weight| (range.0.min(weight), range.1.max(weight)));
        }
    }
    let mut reach = vec![(Vec3::ZERO, Vec3::ZERO); model.mesh.vertices.len()];
    for (morph, range) in model.morphs.iter().zip(ranges) {
        for delta in &morph.deltas {
            let (low, high) = &mut reach[delta.vertex as usize];
            let ends = [delta.position * range.0, delta.position * range.1];
            *low += ends[0].min(ends[1]);
            *high += ends[0].max(ends[1]);
        }
    }
    reach
}

/// Weights whose range holds every value of a channel. For splines, which overshoot their keys, these are the Bézier
/// control points: a curve stays within their hull.
fn weights(channel: &MorphChannel) -> Vec<f32> {
    let values = &channel.values;
    if channel.interpolation != Interpolation::CubicSpline {
        return values.clone();
    }
    let mut weights: Vec<f32> = values.iter().skip(1).step_by(3).copied().collect();
    for (key, times) in channel.times.windows(2).enumerate() {
        let third = (times[1] - times[0]) / 3.0;
        let (out, next_in) = (values[3 * key + 2], values[3 * key + 3]);
        weights.extend([weights[key] + out * third, weights[key + 1] - next_in * third]);
    }
    weights
}

/// Bounding box of every skinned vertex in the given frames and at all times between two of them.
///
/// It is the union of the boxes of the slots' parts under their matrices: a skinned vertex is a convex combination of
/// points in them. The result is cheap, and somewhat larger than the tightest box.
pub(super) fn clip_bounds(parts: &[SlotPart], slots: usize, matrices: &[Affine3A]) -> Bounds {
    let frames = matrices.chunks_exact(slots.max(1));
    let boxes = frames.flat_map(|frame| parts.iter().map(|part| transformed(part.bounds, &frame[part.slot])));
    boxes.fold(Bounds::EMPTY, Bounds::union)
}

/// Box around a transformed box (Arvo 1990, "Transforming Axis-Aligned Bounding Boxes").
fn transformed(bounds: Bounds, matrix: &Affine3A) -> Bounds {
    let centre = matrix.transform_point3(bounds.centre());
    let half = bounds.size() * 0.5;
    let m = matrix.matrix3;
    let reach: Vec3 = (m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z).into();
    Bounds {
        min: centre - reach,
        max: centre + reach,
    }
}
