//! Boxes around what a slot moves and what a clip reaches.

use glam::{Affine3A, Vec3};

use crate::model::{Bounds, Interpolation, Model, MorphChannel};

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
        for weight in channels.filter(|c| c.morph as usize == index).flat_map(weights) {
            range = (range.0.min(weight), range.1.max(weight));
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

/// Weights between which a channel stays: those of its keys and, as splines swing beyond theirs, of
/// the Bézier points between two keys, whose range holds the curve.
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

/// A box that holds every skinned vertex of the given frames and everything between two frames.
///
/// It is the union of the slots' boxes under their matrices: a skinned vertex is a convex
/// combination of points in them. Somewhat larger than the tightest box, and cheap.
pub(crate) fn clip_bounds(slots: &[Bounds], matrices: &[Affine3A]) -> Bounds {
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
    let reach: Vec3 = (m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z).into();
    Bounds {
        min: centre - reach,
        max: centre + reach,
    }
}
