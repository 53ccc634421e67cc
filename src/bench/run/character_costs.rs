//! CPU cost of preparing and animating a character.

use std::sync::Arc;

use rayon::prelude::*;

use crate::{
    atlas::{
        AtlasFormat, FramePlacement, VerifyOptions,
        placement::DEFAULT_PERCENT,
        verify::{Comparison, MAX_COMPARED_SAMPLES, compare},
    },
    bake::pose::Poser,
    bench::{CharacterCosts, run::group::repeat},
    character::Character,
    measure::accuracy::height,
    model::{MOST_INFLUENCES, Model, USUAL_INFLUENCES},
};

/// Number of instances that the animator is measured with.
const ANIMATED: usize = 1000;

/// Measures one character: `repeats` bakes and as many rounds of the animator.
#[must_use]
pub(super) fn measure(character: &Arc<Character>, repeats: u32) -> CharacterCosts {
    let (model, palettes) = (&character.model, &character.palettes);
    let bake_ms = repeat(repeats, || {
        let baked = FramePlacement::default().bake(model, &|_| {});
        std::hint::black_box(baked.is_ok());
    });
    let play_seconds: f64 = palettes.clips.iter().map(|c| f64::from(c.duration)).sum();
    CharacterCosts {
        name: model.name.clone(),
        height_m: height(character),
        vertices: character.packed.vertices.len() as u32,
        triangles: (character.packed.indices.len() / 3) as u32,
        influences: if model.mesh.is_wide() {
            MOST_INFLUENCES
        } else {
            USUAL_INFLUENCES
        } as u32,
        slots: palettes.slot_count as u32,
        joints: model.skeleton.joints.len() as u32,
        clips: palettes.clips.len() as u32,
        frames: palettes.frame_count as u32,
        play_seconds,
        bake_ms,
        bake_speed: bake_ms.map(|ms| play_seconds / (ms.median * 1e-3).max(1e-9)),
        frame_placement: frame_placement(model),
        animator_ms_per_1000: animator(character, repeats),
    }
}

/// Compares frames placed by motion with frames at even steps in the formats that promise an error. Returns `None` if nothing moves or
/// even steps do not fit.
fn frame_placement(model: &Model) -> Option<Comparison> {
    let options = VerifyOptions {
        max_samples: MAX_COMPARED_SAMPLES,
        ..VerifyOptions::default()
    };
    let formats: Vec<AtlasFormat> = AtlasFormat::with_promise().collect();
    let moves = !model.clips.is_empty();
    let compared = moves.then(|| compare(model, &formats, DEFAULT_PERCENT, &options));
    compared?.ok()
}

/// Poses 1,000 instances on all cores as technique `live` does: `model_from_joint` of every slot, ready to upload.
fn animator(character: &Character, repeats: u32) -> Option<crate::measure::summary::Summary> {
    let skeleton = &character.model.skeleton;
    let slots = skeleton.slots.len().max(1);
    let clips = &character.model.clips;
    let mut rows = vec![glam::Affine3A::IDENTITY; ANIMATED * slots];
    let mut round = 0_usize;
    repeat(repeats, || {
        round += 1;
        let pose = |poser: &mut Poser, (index, rows): (usize, &mut [glam::Affine3A])| {
            let clip = clips.get(index % clips.len().max(1));
            // Each instance has its own phase, which changes in every round: no pose is computed twice.
            let phase = (index * 7919 + round * 31) % ANIMATED;
            let time = clip.map_or(0.0, |c| c.duration * phase as f32 / ANIMATED as f32);
            let joints = poser.pose(skeleton, clip, time);
            for (row, slot) in rows.iter_mut().zip(&skeleton.slots) {
                *row = joints
                    .get(slot.joint as usize)
                    .copied()
                    .unwrap_or(glam::Affine3A::IDENTITY);
            }
        };
        rows.par_chunks_mut(slots)
            .enumerate()
            .with_min_len(16)
            .for_each_init(Poser::default, pose);
        std::hint::black_box(&rows);
    })
}
