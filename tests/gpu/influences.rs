//! Characters with up to eight influences in every technique, against the keys, between frames.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use throng::{
    atlas::{AtlasFormat, FramePlacement, placement::height},
    bake::skinning,
    character::Character,
    config::Technique,
    crowd::{Instance, MotionPlan, hash::Draws, heroes::Hero},
    gpu::Gpu,
    render::{
        DrawMethod,
        passes::{Probe, ProbeVertex, probe::CrowdWithHeroes},
        resources::{AtlasSource, CharacterAssets, DrawFlags},
    },
};

use crate::common::{self, tube, worse::worse};

const CASES: [(Technique, AtlasFormat, AtlasSource); 10] = [
    (Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage),
    (Technique::Matrix, AtlasFormat::F16, AtlasSource::Texture),
    (Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage),
    (Technique::Matrix, AtlasFormat::F32, AtlasSource::Texture),
    (Technique::Matrix, AtlasFormat::Trs16, AtlasSource::Storage),
    (Technique::Matrix, AtlasFormat::Trs16, AtlasSource::Texture),
    (Technique::Vertex, AtlasFormat::F16, AtlasSource::Texture),
    (Technique::Vertex, AtlasFormat::F16, AtlasSource::Storage),
    (Technique::Textbook, AtlasFormat::F32, AtlasSource::Storage),
    (Technique::Live, AtlasFormat::F32, AtlasSource::Storage),
];

/// The character as drawn, and reduced to four influences.
fn characters(format: AtlasFormat) -> [Arc<Character>; 2] {
    [0.1, 30.0].map(|percent| {
        let placement = FramePlacement::Within { percent, format };
        let mut character = Character::bake(tube::model(), placement).expect("bakes");
        assert_eq!(character.packed.has_eight_influences(), percent == 0.1);
        if percent != 0.1 {
            character.palettes = FramePlacement::by_motion(format)
                .bake(&character.model, &|_| ())
                .expect("bakes");
        }
        Arc::new(character)
    })
}

/// Shares of the clip at which people start.
fn moments() -> Vec<f32> {
    let draws = Draws::new(5, 0, 0);
    (0..24).map(|i| draws.unit(i)).collect()
}

fn instances() -> Vec<Instance> {
    let at = |share| Instance::new(Vec3::ZERO).with_clip(0, 1.0, share);
    moments().into_iter().map(at).collect()
}

/// Largest distance of any vertex from its place by the keys and all influences (percent of the height).
fn worst_percent(found: &[ProbeVertex], exact: &Character) -> f32 {
    let duration = exact.palettes.clips[0].duration;
    let vertices = exact.packed.vertices.len();
    let mut worst = 0.0;
    for (share, shown) in moments().into_iter().zip(found.chunks(vertices)) {
        let clip = exact.model.clips.first();
        let expected = skinning::skin_exact(&exact.model, clip, share * duration);
        for (shown, expected) in shown.iter().zip(&expected) {
            let apart = Vec4::from(shown.position).truncate().distance(expected.position);
            worst = worse(worst, apart);
        }
    }
    worst / height(&exact.model) * 100.0
}

fn probe_output(
    gpu: &Gpu,
    character: &Arc<Character>,
    case: (Technique, AtlasFormat, AtlasSource),
) -> Vec<ProbeVertex> {
    let (assets, probe) = common::gpu::upload(gpu, character, case);
    assert_eq!(
        assets.flags.contains(DrawFlags::EIGHT_INFLUENCES),
        character.packed.has_eight_influences()
    );
    let input = common::gpu::frame(0.0);
    let found = probe.run_instances(gpu, character, &assets, &instances(), &input);
    found.expect("readback")
}

#[test]
fn every_technique_shows_all_influences() {
    let Some(gpu) = common::gpu::open() else { return };
    for case @ (technique, format, source) in CASES {
        let [eight, four] = characters(format);
        let percent = worst_percent(&probe_output(&gpu, &eight, case), &eight);
        let without = worst_percent(&probe_output(&gpu, &four, case), &eight);
        println!(
            "{technique:?} {} {source:?}: {percent:.4} %, with four {without:.2} %",
            format.name()
        );
        assert!(percent <= 0.1, "{technique:?} {format:?} {source:?}: {percent} %");
        assert!(without > 1.0, "{technique:?}: four influences are as good, {without} %");
    }
}

#[test]
fn heroes_have_all_influences() {
    let Some(gpu) = common::gpu::open() else { return };
    let [character, _] = characters(AtlasFormat::F32);
    let method = DrawMethod::new(Technique::Matrix, AtlasFormat::F32, AtlasSource::Storage);
    let assets = CharacterAssets::upload(&gpu, &character, method).expect("fits");
    let probe = Probe::for_heroes(&gpu, &assets).expect("compiles");
    // Heroes without layers play the same as everyone else.
    let heroes: Vec<Hero> = (0..24).step_by(2).map(|index| Hero::new(0, index, 0.0, 0.0)).collect();
    let people = CrowdWithHeroes {
        character: &character,
        instances: &instances(),
        plan: &MotionPlan::default(),
        heroes: &heroes,
    };
    let input = common::gpu::frame(0.0);
    let found = probe.run_heroes(&gpu, &assets, people, &input).expect("readback");
    let percent = worst_percent(&found, &character);
    println!("heroes: {percent:.4} %");
    assert!(percent <= 0.1, "{percent} %");
}
