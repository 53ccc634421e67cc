//! Framing of a lone person: the whole clip that it plays is in the picture.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use throng::{
    bake::{BakeOptions, skinning},
    character::Character,
    config::Config,
    model::{Keys, Material, Model},
    scene::{Scene, open_model},
    view::Camera,
};

use crate::common::{self, surfaces};

/// Bounds of a lone person's clip in the picture, as shares of its size.
fn seen(model: Model, aspect: f32) -> [Vec2; 2] {
    let mut config = Config::default();
    config.scene.count = 1;
    let character = Character::bake(model, &BakeOptions::default()).expect("bakes");
    let scene = Scene::populate(&config, vec![Arc::new(character)]).expect("populates");
    let camera = Camera::preset("overview", &config.camera, &scene.extent_at(4.0), aspect).expect("built-in");
    let (character, instance) = (&scene.characters[0], &scene.crowd.per_character[0][0]);
    let turn = glam::Quat::from_rotation_y(instance.yaw());
    let clip = &character.palettes.clips[usize::from(instance.clip())];
    let mut ends = [Vec2::INFINITY, Vec2::NEG_INFINITY];
    for frame in (0..clip.frame_count).step_by(3) {
        let frame = (clip.first_frame + frame) as usize;
        for v in skinning::skin_frame(&character.model, &character.palettes, frame) {
            let world = Vec3::from(instance.position) + turn * (v.position * instance.shape());
            let clip = camera.projection_from_world(aspect) * world.extend(1.0);
            assert!(clip.z <= clip.w, "cut by the near plane");
            let place = camera.pixel_of(world, Vec2::new(aspect, 1.0)).expect("ahead");
            let place = place / Vec2::new(aspect, 1.0);
            ends = [ends[0].min(place), ends[1].max(place)];
        }
    }
    ends
}

#[test]
fn everyone_is_whole_through_their_clip() {
    let own = throng::scene::embedded::NAMES.iter().map(|n| (*n).to_owned());
    let samples = common::samples();
    let files = samples.iter().flat_map(|folder| {
        let path = |file: &&str| folder.join(file).to_string_lossy().into_owned();
        common::LOADABLE.iter().map(path).collect::<Vec<_>>()
    });
    for file in own.chain(files) {
        for aspect in [1.0, 16.0 / 9.0, 9.0 / 16.0] {
            let [low, high] = seen(open_model(&file).expect("opens").model, aspect);
            println!("{file} at {aspect:.2}: {low:.2} to {high:.2}");
            assert!(
                low.min_element() > 0.0 && high.max_element() < 1.0,
                "{file} at {aspect}: {low} {high}"
            );
            assert!((high - low).max_element() > 0.4, "{file} at {aspect}: {low} {high}");
        }
    }
}

#[test]
fn a_figurine_of_two_centimetres_is_whole() {
    let mut model = surfaces::quad(1, Material::default(), Vec::new());
    model.mesh.vertices.iter_mut().for_each(|v| v.position *= 0.01);
    let [low, high] = seen(model, 1.0);
    assert!(low.min_element() > 0.0 && high.max_element() < 1.0, "{low} {high}");
    assert!((high - low).max_element() > 0.5, "{low} {high}");
}

/// Square of 2 m that is lifted from one height to another.
fn lifted(from: f32, to: f32) -> Model {
    let mut model = surfaces::quad(1, Material::default(), Vec::new());
    let keys = Keys::Translation(vec![Vec3::Y * from, Vec3::Y * to]);
    model.clips = vec![surfaces::clip("lift", vec![(0, keys)])];
    model
}

#[test]
fn a_clip_that_leads_far_away_makes_nobody_tiny() {
    let [low, high] = seen(lifted(0.0, 1.0), 1.0);
    assert!(low.min_element() > 0.0 && high.max_element() < 1.0, "{low} {high}");
    // It starts on the ground, in the lower half of the picture, and leaves at the top.
    let [low, high] = seen(lifted(0.0, 12.0), 1.0);
    println!("far: {low} to {high}");
    assert!(low.y < 0.0 && (0.3..1.0).contains(&(high.x - low.x)), "{low} {high}");
    // A person who is never or hardly near the rest pose is framed at the animated place.
    for from in [50.0, 2.9] {
        let [low, high] = seen(lifted(from, from + 0.5), 1.0);
        assert!(
            low.min_element() > 0.0 && high.max_element() < 1.0,
            "{from}: {low} {high}"
        );
        assert!((high - low).max_element() > 0.5, "{from}: {low} {high}");
    }
}
