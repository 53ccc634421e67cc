//! Error of an atlas along one clip.

use rayon::prelude::*;

use crate::{
    atlas::{Atlas, verify::all_influences},
    bake::skinning,
    model::Model,
};

/// Clip time (s) and largest vertex error of an atlas (m) against the exact keys. Times are evenly spaced, plus every
/// frame of the clip, ascending.
#[must_use]
pub fn error_along(model: &Model, atlas: &Atlas, clip: usize, moments: u32) -> Vec<(f32, f32)> {
    let baked = &atlas.clips[clip];
    let even = (0..=moments).map(|i| baked.duration * i as f32 / moments.max(1) as f32);
    let frames = (0..baked.frame_count).map(|frame| baked.time_of(frame));
    let mut times: Vec<f32> = even.chain(frames).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
        .into_par_iter()
        .map(|time| (time, error_at(model, atlas, clip, time)))
        .collect()
}

fn error_at(model: &Model, atlas: &Atlas, clip: usize, time: f32) -> f32 {
    let (a, b, between) = atlas.clips[clip].frames_at(time);
    let pairs = atlas.model_palette(a).into_iter().zip(atlas.model_palette(b));
    let palette: Vec<_> = pairs.map(|(a, b)| skinning::lerp(a, b, between)).collect();
    let morphs = atlas.morph_weights.len() / (atlas.frame_count as usize).max(1);
    let weights = |frame: usize| &atlas.morph_weights[frame * morphs..(frame + 1) * morphs];
    let pairs = weights(a).iter().zip(weights(b));
    let weights: Vec<f32> = pairs.map(|(a, b)| a * (1.0 - between) + b * between).collect();
    let shown = skinning::skin_vertices(&skinning::morphed(model, &weights), &palette);
    let clip = model.clips.get(clip);
    let (vertices, palette) = (
        skinning::morphed(model, &skinning::exact_morphs(model, clip, time)),
        skinning::exact_palette(model, clip, time),
    );
    let exact = all_influences(
        model,
        &vertices,
        &skinning::skin_vertices(&vertices, &palette),
        &palette,
    );
    let distances = shown.iter().zip(&exact).map(|(a, b)| a.position.distance(b.position));
    distances.fold(0.0, f32::max)
}
