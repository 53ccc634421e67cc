//! Choice between four and eight influences per vertex. The error of four is measured on the poses of the clips; eight
//! are kept where it is too large.

use glam::{Affine3A, Vec3};
use rayon::prelude::*;

use crate::{
    bake::skinning,
    model::{Clip, InfluenceReduction, Model, influences::widen},
};

/// Share of the error bound that omitted influences may take; frames and encoding need the rest.
const SHARE: f32 = 0.5;
/// Sampled poses per second (Hz), and the limit of posed vertices.
const RATE: f32 = 60.0;
const MOST_POSED: u64 = 4_000_000;

/// Keeps up to eight influences of a vertex where the four strongest alone would cost more than half of `largest_error`
/// (m). Returns a note for people on the result.
pub(super) fn keep_influences(model: &mut Model, largest_error: f32) -> Option<String> {
    let count = model.reduced.len();
    if count == 0 {
        return None;
    }
    let four = influence_cost(model);
    let (allowed, height) = (SHARE * largest_error, model.height());
    let in_words = |cost: f32| {
        let percent = if height > 0.0 { cost / height * 100.0 } else { 0.0 };
        format!("{:.2} mm ({percent:.3} % of the height)", cost * 1000.0)
    };
    // Not-a-number is no reason to keep more.
    if four.partial_cmp(&allowed) != Some(std::cmp::Ordering::Greater) {
        return Some(format!(
            "{count} vertices have more than four influences; the four largest are kept, which costs at most {}",
            in_words(four)
        ));
    }
    widen(&mut model.mesh, &mut model.reduced);
    let left = match model.reduced.len() {
        0 => String::new(),
        more => format!(
            ", but {more} have more, which costs at most {}",
            in_words(influence_cost(model))
        ),
    };
    Some(format!(
        "{count} vertices have more than four influences; the four largest alone would cost up to {}: up to eight are \
         kept{left}",
        in_words(four)
    ))
}

/// Largest displacement (m) of any vertex by its omitted influences, over the poses of all clips.
#[must_use]
pub fn influence_cost(model: &Model) -> f32 {
    if model.reduced.is_empty() {
        return 0.0;
    }
    let moments = |clip: &Clip| (clip.duration * RATE).ceil().max(0.0) as u64 + 1;
    let posed = model.clips.iter().map(moments).sum::<u64>() * model.reduced.len() as u64;
    let step = posed.div_ceil(MOST_POSED).max(1);
    let poses = model.clips.iter().flat_map(|clip| {
        let count = moments(clip).div_ceil(step).max(2);
        (0..count).map(move |i| (clip, clip.duration * i as f32 / (count - 1) as f32))
    });
    let poses: Vec<(&Clip, f32)> = poses.collect();
    let costs = poses.par_iter().map(|&(clip, time)| cost_at(model, clip, time));
    costs.reduce(|| 0.0, f32::max)
}

fn cost_at(model: &Model, clip: &Clip, time: f32) -> f32 {
    let palette = skinning::exact_palette(model, Some(clip), time);
    let vertices = skinning::morphed(model, &skinning::exact_morphs(model, Some(clip), time));
    let distance = |reduced: &InfluenceReduction| {
        let vertex = &vertices[reduced.vertex as usize];
        let kept: Vec3 = skinning::blend(vertex, &palette).transform_point3(vertex.position);
        kept.distance(all_influences(reduced, &palette).transform_point3(vertex.position))
    };
    model.reduced.iter().map(distance).fold(0.0, f32::max)
}

/// Blended matrix of a vertex with all influences of its file.
#[must_use]
pub fn all_influences(reduced: &InfluenceReduction, palette: &[Affine3A]) -> Affine3A {
    let influences = reduced.influences.iter();
    influences.fold(Affine3A::ZERO, |sum, &(slot, weight)| {
        skinning::add_scaled(sum, palette[usize::from(slot)], weight)
    })
}
