//! Frames placed by motion, on the GPU: every vertex at random moments between frames against the keys, all sources of
//! error included.

use rayon::prelude::*;
use throng::{
    atlas::{AtlasFormat, FramePlacement, placement::height},
    bake::skinning,
    character::Character,
    config::Technique,
    crowd::{Instance, MotionPlan, hash::Draws},
    gpu::Gpu,
    model::Model,
    render::{passes::ProbeVertex, resources::AtlasSource},
    scene::open_model,
};

use crate::common::{self, worse::worse};

/// Number of moments of every clip.
const MOMENTS: u32 = 12;

const CASES: [(Technique, AtlasFormat, AtlasSource); 6] = [
    (Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage),
    (Technique::Matrix, AtlasFormat::F16, AtlasSource::Texture),
    (Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage),
    (Technique::Matrix, AtlasFormat::Trs16, AtlasSource::Storage),
    (Technique::Vertex, AtlasFormat::F16, AtlasSource::Texture),
    (Technique::Textbook, AtlasFormat::F32, AtlasSource::Storage),
];

/// Shares of a clip at which an instance can start exactly.
fn moments(clip: u32) -> Vec<f32> {
    let draws = Draws::new(3, 0, clip);
    (0..MOMENTS).map(|i| draws.unit(i)).collect()
}

/// Largest distance of any vertex from its place by the keys (percent of the height).
fn worst_percent(gpu: &Gpu, character: &Character, case: (Technique, AtlasFormat, AtlasSource)) -> f32 {
    let (assets, probe) = common::gpu::upload(gpu, character, case);
    let vertices = assets.vertex_count as usize;
    let mut worst = 0.0;
    for (index, clip) in character.palettes.clips.iter().enumerate() {
        let moments = moments(index as u32);
        let instance = |share: &f32| Instance::new(glam::Vec3::ZERO).with_clip(index as u16, 1.0, *share);
        let instances: Vec<Instance> = moments.iter().map(instance).collect();
        let crowd = common::gpu::upload_crowd(gpu, (&assets, &probe), &instances, &MotionPlan::default());
        let input = common::gpu::frame(0.0);
        let probe_output = probe.run(gpu, &assets, &crowd, &input).expect("readback");
        let errors = moments
            .par_iter()
            .zip(probe_output.par_chunks(vertices))
            .map(|(&share, shown)| {
                let exact = skinning::skin_exact(
                    &character.model,
                    character.model.clips.get(index),
                    share * clip.duration,
                );
                let distance = |(shown, exact): (&ProbeVertex, &skinning::SkinnedVertex)| {
                    (glam::Vec4::from(shown.position).truncate() - exact.position).length()
                };
                shown.iter().zip(&exact).map(distance).fold(0.0, worse)
            });
        worst = worse(worst, errors.reduce(|| 0.0, worse));
    }
    worst / height(&character.model) * 100.0
}

fn characters() -> Vec<Model> {
    let mut models: Vec<Model> = ["woman", "knight"]
        .iter()
        .map(|name| open_model(name).expect("embedded").model)
        .collect();
    if let Some(folder) = common::samples() {
        let files = [
            "Fox/Fox.glb",
            "CesiumMan/CesiumMan.glb",
            "AnimatedMorphCube/AnimatedMorphCube.glb",
        ];
        models.extend(files.iter().map(|file| common::load(&folder, file)));
    }
    models
}

#[test]
fn everything_on_the_screen_is_within_a_thousandth_of_the_height_of_the_keys() {
    let Some(gpu) = common::gpu::open() else { return };
    for model in characters() {
        for case @ (technique, format, source) in CASES {
            let placement = FramePlacement::Within { percent: 0.1, format };
            let character = Character::bake(model.clone(), placement).expect("bakes");
            let frames = character.palettes.frame_count;
            let percent = worst_percent(&gpu, &character, case);
            println!(
                "{:<20}{technique:?} {} {source:?}: {frames} frames, {percent:.4} %",
                model.name,
                format.name()
            );
            assert!(percent <= 0.1, "{} {technique:?} {format:?}: {percent} %", model.name);
        }
    }
}
