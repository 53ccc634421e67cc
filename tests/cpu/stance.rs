//! Ground contact of characters that were authored around their middle, far too large, or with a death clip first.

use std::sync::Arc;

use glam::{Vec3, Vec4};
use throng::{
    bake::BakeOptions,
    character::Character,
    config::{Config, GroundContact},
    model::{Clip, Interpolation, Keys, Material, Mesh, Model, Morph, MorphChannel, MorphDelta, Transform, Vertex},
    scene::Scene,
};

use crate::common::surfaces::{clip, skeleton};

/// Box from `low` to `high`, all of it on one joint.
fn solid(low: Vec3, high: Vec3, clips: Vec<Clip>) -> Model {
    let corner = |i: u32| {
        let pick = |axis: usize| if i >> axis & 1 == 0 { low[axis] } else { high[axis] };
        Vertex {
            position: Vec3::new(pick(0), pick(1), pick(2)),
            normal: Vec3::Y,
            color: Vec4::ONE,
            weights: throng::model::padded([1.0], 0.0),
            ..Vertex::default()
        }
    };
    Model {
        name: "box".into(),
        skeleton: skeleton(&[Transform::IDENTITY]),
        mesh: Mesh {
            vertices: (0..8).map(corner).collect(),
            indices: vec![0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7, 0, 4, 1, 1, 4, 5, 2, 3, 6, 3, 7, 6],
        },
        materials: vec![Material::default()],
        clips,
        ..Model::default()
    }
}

/// Clip that holds the joint at a height.
fn at(name: &str, height: f32) -> Clip {
    clip(name, vec![(0, Keys::Translation(vec![Vec3::Y * height; 2]))])
}

fn scene(model: &Model, count: u32, ground: GroundContact) -> Scene {
    let character = Character::bake(model.clone(), &BakeOptions::default()).expect("bakes");
    let mut config = Config::default();
    (config.scene.count, config.scene.ground_contact) = (count, ground);
    Scene::populate(&config, vec![Arc::new(character)]).expect("populates")
}

/// Notes of a scene as text.
fn told(scene: &Scene) -> Vec<String> {
    scene.notes().iter().map(ToString::to_string).collect()
}

/// Lowest and highest offset of the instances, relative to their size.
fn lifts(scene: &Scene) -> (f32, f32) {
    let of = |i: &throng::crowd::Instance| i.position[1] / i.scale();
    let all = scene.crowd.per_character.iter().flatten().map(of);
    all.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)))
}

#[test]
fn characters_centred_on_the_origin_are_raised_alone_and_in_crowds() {
    let fish = solid(
        Vec3::new(-0.3, -0.9, -0.3),
        Vec3::new(0.3, 0.9, 0.3),
        vec![at("Swim", 0.0)],
    );
    for count in [1, 60] {
        let (low, high) = lifts(&scene(&fish, count, GroundContact::Feet));
        assert!(
            (low - 0.9).abs() < 1e-4 && (high - 0.9).abs() < 1e-4,
            "{count}: {low} to {high}"
        );
        assert_eq!(lifts(&scene(&fish, count, GroundContact::Origin)), (0.0, 0.0));
    }
    let notes = told(&scene(&fish, 60, GroundContact::Feet));
    assert!(
        notes
            .iter()
            .any(|n| n.contains("raised by 0.900") && n.contains("--ground origin")),
        "{notes:?}"
    );
    let view = scene(&fish, 1, GroundContact::Feet).crowd.extent.reach;
    assert!(view.min.y.abs() < 1e-5 && (view.max.y - 1.8).abs() < 1e-5, "{view:?}");
}

#[test]
fn standing_and_moving_clips_decide_and_others_are_noted() {
    let bird = solid(
        Vec3::new(-0.3, 0.0, -0.3),
        Vec3::new(0.3, 1.0, 0.3),
        vec![at("Death", -0.8), at("Idle", -0.05), at("Walk", -0.04)],
    );
    let scene = scene(&bird, 1, GroundContact::Feet);
    assert!((lifts(&scene).0 - 0.05).abs() < 1e-4, "{:?}", lifts(&scene));
    let notes = told(&scene);
    let about = notes.iter().find(|n| n.contains("\"Death\"")).expect("told");
    assert!(about.contains("75 %"), "{about}");
    // The chosen clip is not the file's first.
    assert_eq!(scene.crowd.per_character[0][0].clip(), 1);
}

#[test]
fn characters_that_stand_or_float_high_stay_as_authored() {
    for low in [0.0, -0.01, 3.0] {
        let model = solid(
            Vec3::new(-0.3, low, -0.3),
            Vec3::new(0.3, low + 1.7, 0.3),
            vec![at("Idle", 0.0)],
        );
        assert_eq!(lifts(&scene(&model, 1, GroundContact::Feet)), (0.0, 0.0), "{low}");
    }
    let carpet = solid(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, 1.0), Vec::new());
    let (low, _) = lifts(&scene(&carpet, 1, GroundContact::Feet));
    assert!(low > 0.0 && low < 0.05, "{low}");
}

#[test]
fn giants_and_dwarfs_are_shown_at_a_size_that_light_and_mist_fit() {
    for (height, drawn) in [(1000.0, 1.75), (100.0, 1.75), (0.02, 1.75), (14.7, 14.7), (1.7, 1.7)] {
        let half = height * 0.2;
        let model = solid(Vec3::new(-half, 0.0, -half), Vec3::new(half, height, half), Vec::new());
        let scene = scene(&model, 1, GroundContact::Feet);
        let size = scene.crowd.per_character[0][0].scale() * height;
        assert!((size / drawn - 1.0).abs() < 1e-3, "{height}: {size}");
        let reach = scene.crowd.extent.reach.size().y;
        assert!((reach / drawn - 1.0).abs() < 1e-3, "{height}: {reach}");
    }
}

#[test]
fn bounds_follow_what_morph_weights_really_reach() {
    let mut model = solid(Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 1.0, 0.5), Vec::new());
    // Twenty targets, each of which moves 1 m upwards at a different time.
    let count = 20;
    for index in 0..count {
        let delta = MorphDelta {
            vertex: 7,
            position: Vec3::Y,
            ..MorphDelta::default()
        };
        model.morphs.push(Morph {
            name: format!("target {index}"),
            rest: 0.0,
            deltas: vec![delta],
        });
    }
    let channel = |index: u32| {
        let at = index as f32;
        MorphChannel {
            morph: index,
            interpolation: Interpolation::Linear,
            times: vec![at, at + 0.5, at + 1.0],
            values: vec![0.0, 1.0, 0.0],
        }
    };
    model.clips = vec![Clip {
        name: "talk".into(),
        duration: count as f32,
        morphs: (0..count).map(channel).collect(),
        ..Clip::default()
    }];
    let character = Character::bake(model, &BakeOptions::default()).expect("bakes");
    let bounds = character.palettes.clips[0].bounds;
    assert!((bounds.max.y - 2.0).abs() < 1e-3, "{bounds:?}");
}
