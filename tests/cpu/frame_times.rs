//! Frames placed by motion: few, within their error bound of every vertex at any moment, and exact where they must be.

use glam::{Affine3A, Quat, Vec3};
use rayon::prelude::*;
use throng::{
    atlas::{AtlasFormat, FramePlacement, VerifyOptions, placement::height, verify},
    bake::{self, FrameBound, Palettes, skinning},
    crowd::hash::Draws,
    model::{Channel, Clip, Interpolation, Keys, Model},
    scene::{embedded, open_model},
};

use crate::common::{
    self,
    surfaces::{channel, one_joint},
    worse::worse,
};

fn model(channel: Channel, duration: f32) -> Model {
    one_joint(vec![channel], duration)
}

fn within(model: &Model, position: f32, optimized: bool) -> Palettes {
    bake::bake_within(model, FrameBound { position, optimized }, &|_| ()).expect("bakes")
}

/// Largest distance (m) of any vertex between the keys and the frames of a clip at one time.
fn error_at(model: &Model, palettes: &Palettes, clip: usize, time: f32) -> f32 {
    let (a, b, between) = palettes.clips[clip].frames_at(time);
    let palette = skinning::palette_between(palettes, a, b, between);
    let weights = skinning::morphs_between(palettes, a, b, between);
    let shown = skinning::skin_vertices(&skinning::morphed(model, &weights), &palette);
    let exact = skinning::skin_exact(model, model.clips.get(clip), time);
    let distances = shown.iter().zip(&exact).map(|(a, b)| a.position.distance(b.position));
    distances.fold(0.0, worse)
}

/// Largest [`error_at`] at random times of every clip, and at all of its frames.
fn worst_error(model: &Model, palettes: &Palettes, moments: u32) -> f32 {
    let of_clip = |(index, clip): (usize, &bake::BakedClip)| {
        let draws = Draws::new(7, 0, index as u32);
        let random = (0..moments).map(|i| draws.unit(i) * clip.duration);
        let frames = (0..clip.frame_count).map(|frame| clip.time_of(frame));
        let times: Vec<f32> = random.chain(frames).collect();
        let errors = times.into_par_iter().map(|time| error_at(model, palettes, index, time));
        errors.reduce(|| 0.0, worse)
    };
    palettes.clips.iter().enumerate().map(of_clip).fold(0.0, worse)
}

#[test]
fn every_vertex_stays_within_the_bound_at_any_moment() {
    let mut models: Vec<Model> = embedded::NAMES
        .iter()
        .map(|name| open_model(name).expect("embedded").model)
        .collect();
    if let Some(folder) = common::samples() {
        models.extend(common::LOADABLE.iter().map(|file| common::load(&folder, file)));
    }
    println!("{:<24}{:>8}{:>8}{:>10}", "", "even", "frames", "% height");
    for mut model in models {
        bake::extract_root_motion(&mut model);
        let height = height(&model);
        let palettes = within(&model, height * 1e-3, true);
        let percent = worst_error(&model, &palettes, 40) / height * 100.0;
        let even = bake::frame_count(&model, &Default::default());
        println!("{:<24}{even:>8}{:>8}{percent:>10.4}", model.name, palettes.frame_count);
        assert!(percent <= 0.101, "{}: {percent} % of the height", model.name);
    }
}

/// Error of frames, encoding and packed vertices combined, in the formats that can satisfy the bound.
/// TRex was once off by 0.10006 % in f32, the format that leaves frames the largest share.
#[test]
fn the_whole_error_stays_within_the_bound() {
    let mut models = vec![open_model("girl").expect("embedded").model];
    if let Some(folder) = common::samples() {
        models.extend(["TRex/TRex.glb", "Fox/Fox.glb"].map(|file| common::load(&folder, file)));
    }
    for mut model in models {
        bake::extract_root_motion(&mut model);
        for format in AtlasFormat::precise() {
            let palettes = FramePlacement::by_motion(format).bake(&model, &|_| ()).expect("bakes");
            let options = VerifyOptions {
                max_samples: 1_500_000,
                ..VerifyOptions::default()
            };
            let report = verify(&model, &palettes, &[format], &options);
            let percent = report.formats[0].worst_percent();
            println!("{} {}: {percent:.5} %", model.name, format.name());
            assert!(percent <= 0.1, "{} {}: {percent} %", model.name, format.name());
        }
    }
}

#[test]
fn sockets_stay_within_the_bound() {
    for name in embedded::NAMES {
        let mut model = open_model(name).expect("embedded").model;
        bake::extract_root_motion(&mut model);
        let bound = height(&model) * 1e-3;
        let palettes = within(&model, bound, true);
        assert!(!model.skeleton.sockets.is_empty(), "{name} has no attachment");
        for (index, clip) in palettes.clips.iter().enumerate() {
            let draws = Draws::new(11, 0, index as u32);
            for time in (0..40).map(|i| draws.unit(i) * clip.duration) {
                let (a, b, between) = clip.frames_at(time);
                let shown = skinning::palette_between(&palettes, a, b, between);
                let exact = skinning::exact_palette(&model, model.clips.get(index), time);
                for socket in &model.skeleton.sockets {
                    let tip = socket.mesh_from_socket.transform_point3(Vec3::ZERO);
                    let place = |palette: &[Affine3A]| palette[socket.slot as usize].transform_point3(tip);
                    let off = place(&shown).distance(place(&exact));
                    assert!(
                        off <= bound * 1.01,
                        "{name} {} {time} s: {} off by {off} m",
                        clip.name,
                        socket.name
                    );
                }
            }
        }
    }
}

#[test]
fn straight_motion_needs_its_corners_only() {
    let keys = Keys::Translation([0.0, 3.0, -1.0, -1.0].map(|x| Vec3::X * x).to_vec());
    let model = model(channel(Interpolation::Linear, &[0.0, 0.7, 0.9, 30.0], keys), 30.0);
    let palettes = within(&model, 1e-3, true);
    assert!((4..=8).contains(&palettes.frame_count), "{}", palettes.frame_count);
    assert!(worst_error(&model, &palettes, 500) < 1.01e-3);
}

#[test]
fn a_short_swing_in_a_long_clip_costs_few_frames() {
    let half = Quat::from_rotation_z(std::f32::consts::PI * 0.999);
    let keys = Keys::Rotation(vec![Quat::IDENTITY, Quat::IDENTITY, half, half]);
    let model = model(channel(Interpolation::Linear, &[0.0, 41.3, 41.4, 60.0], keys), 60.0);
    for (optimized, most) in [(false, 60), (true, 45)] {
        let palettes = within(&model, 1e-3, optimized);
        println!("optimized {optimized}: {} frames", palettes.frame_count);
        assert!(palettes.frame_count <= most, "{}", palettes.frame_count);
        let swing = (0..400).map(|i| error_at(&model, &palettes, 0, 41.25 + i as f32 * 0.0005));
        assert!(swing.fold(0.0, worse) < 1.02e-3);
    }
}

/// A hand makes half a turn in 0.1 s, once a minute.
#[test]
fn a_swing_of_a_hand_once_a_minute_costs_few_frames() {
    let mut model = open_model("woman").expect("embedded").model;
    let hand = model
        .skeleton
        .joints
        .iter()
        .position(|j| j.name == "hand_r")
        .expect("has a hand");
    let rest = model.skeleton.joints[hand].rest.rotation;
    let half = rest * Quat::from_rotation_z(std::f32::consts::PI * 0.999);
    let swing = Channel {
        joint: hand as u32,
        ..channel(
            Interpolation::Linear,
            &[0.0, 41.3, 41.4, 60.0],
            Keys::Rotation(vec![rest, rest, half, half]),
        )
    };
    model.clips = vec![Clip {
        name: "swing".into(),
        duration: 60.0,
        channels: vec![swing].into(),
        ..Clip::default()
    }];
    let bound = height(&model) * 1e-3;
    let palettes = within(&model, bound, true);
    let even = bake::frame_count(&model, &Default::default());
    println!("{} frames, {even} at even steps of 30 Hz", palettes.frame_count);
    assert!(palettes.frame_count <= 24 && even > 1800, "{}", palettes.frame_count);
    assert!(worst_error(&model, &palettes, 200) <= bound * 1.01);
    let swing = (0..400).map(|i| error_at(&model, &palettes, 0, 41.25 + i as f32 * 0.0005));
    assert!(swing.fold(0.0, worse) <= bound * 1.01);
}

#[test]
fn steps_are_exact_to_the_moment() {
    let keys = Keys::Translation([1.0, 5.0, 9.0].map(|x| Vec3::X * x).to_vec());
    let model = model(channel(Interpolation::Step, &[0.0, 0.31, 0.77], keys), 1.0);
    let palettes = within(&model, 1e-3, true);
    let clip = &palettes.clips[0];
    assert_eq!(palettes.frame_count, 6, "{clip:?}");
    let x_at = |time: f32| {
        let (a, b, between) = clip.frames_at(time);
        skinning::palette_between(&palettes, a, b, between)[0].translation.x
    };
    for (time, x) in [
        (0.0, 1.0),
        (0.3099, 1.0),
        (0.3101, 5.0),
        (0.7699, 5.0),
        (0.7701, 9.0),
        (1.0, 9.0),
    ] {
        assert_eq!(x_at(time), x, "{time}");
    }
}

#[test]
fn ends_are_exact_and_single_poses_one_frame() {
    let turns: Vec<Quat> = (0..=8).map(|k| Quat::from_rotation_y(k as f32 * 0.7)).collect();
    let times: Vec<f32> = (0..=8).map(|k| k as f32 * 0.25).collect();
    let moving = model(channel(Interpolation::Linear, &times, Keys::Rotation(turns)), 2.0);
    let palettes = within(&moving, 0.01, true);
    for (frame, time) in [(0, 0.0), (palettes.frame_count - 1, 2.0)] {
        let exact = skinning::exact_palette(&moving, moving.clips.first(), time);
        assert!(palettes.frame(frame)[0].abs_diff_eq(exact[0], 1e-6), "{time} s");
    }
    assert_eq!(palettes.clips[0].times.shares().first(), Some(&0));
    assert_eq!(palettes.clips[0].times.shares().last(), Some(&bake::WHOLE));
    let pose = model(
        channel(Interpolation::Linear, &[0.0], Keys::Translation(vec![Vec3::Y])),
        0.0,
    );
    assert_eq!(within(&pose, 0.01, true).frame_count, 1);
    let mut nothing = pose;
    nothing.clips.clear();
    let rest = FramePlacement::default().bake(&nothing, &|_| ()).expect("bakes");
    assert_eq!((rest.frame_count, rest.clips[0].name.as_str()), (1, "rest"));
}

#[test]
fn the_same_keys_give_the_same_frames() {
    let model = open_model("girl").expect("embedded").model;
    let [a, b] = [(); 2].map(|()| FramePlacement::default().bake(&model, &|_| ()).expect("bakes"));
    assert_eq!(a.clips, b.clips);
    assert!(a.matrices[..] == b.matrices[..]);
}

#[test]
fn clips_without_end_are_refused() {
    let keys = Keys::Translation(vec![Vec3::ZERO, Vec3::X]);
    let endless = model(channel(Interpolation::Linear, &[0.0, 1e20], keys), 1e20);
    let error = FramePlacement::default().bake(&endless, &|_| ()).expect_err("too long");
    assert!(error.to_string().contains("even"), "{error}");
}
