//! Posing and baking against values computed by hand.

use glam::{Affine3A, Quat, Vec3};
use throng::{
    bake::{self, BakeError, BakeOptions, pose, skinning},
    model::{Interpolation, Keys, Model, Morph, MorphChannel, MorphDelta, Transform, Vertex, Wrap},
};

use crate::common::{
    self,
    surfaces::{channel, one_joint},
};

const EPSILON: f32 = 1e-5;

fn at(model: &Model, time: f32) -> Transform {
    let mut out = [Transform::IDENTITY];
    pose::sample(&model.skeleton, &model.clips[0], time, &mut out);
    out[0]
}

fn xs(values: &[f32]) -> Keys {
    Keys::Translation(values.iter().map(|&x| Vec3::X * x).collect())
}

#[test]
fn step_holds_the_previous_key() {
    let m = one_joint(
        vec![channel(Interpolation::Step, &[0.0, 1.0, 2.0], xs(&[1.0, 5.0, 9.0]))],
        2.0,
    );
    for (t, x) in [
        (-1.0, 1.0),
        (0.0, 1.0),
        (0.999, 1.0),
        (1.0, 5.0),
        (1.5, 5.0),
        (2.0, 9.0),
        (7.0, 9.0),
    ] {
        assert_eq!(at(&m, t).translation.x, x, "at {t}");
    }
}

#[test]
fn steps_lie_on_the_frames_of_their_keys() {
    // i / 24 s is not exact in 32 bits: where it is rounded down, the frame must still have the key's value.
    let times: Vec<f32> = (0..=31).map(|i| i as f32 / 24.0).collect();
    let values: Vec<f32> = (0..=31).map(|i| (i % 2) as f32).collect();
    let m = one_joint(vec![channel(Interpolation::Step, &times, xs(&values))], times[31]);
    let p = bake::bake(&m, &BakeOptions { rate: 24.0 }, &|_| ()).expect("bakes");
    let baked: Vec<f32> = (0..p.frame_count).map(|f| p.frame(f)[0].translation.x).collect();
    assert_eq!(baked, values);
}

#[test]
fn linear_goes_straight() {
    let m = one_joint(
        vec![channel(Interpolation::Linear, &[0.5, 1.0, 2.0], xs(&[1.0, 5.0, 9.0]))],
        2.0,
    );
    for (t, x) in [(0.0, 1.0), (0.5, 1.0), (0.75, 3.0), (1.0, 5.0), (1.25, 6.0), (3.0, 9.0)] {
        assert!((at(&m, t).translation.x - x).abs() < EPSILON, "at {t}");
    }
}

#[test]
fn cubic_spline_follows_appendix_c() {
    // v0 = 1, out-tangent 2, v1 = 4, in-tangent -1, interval 2 s.
    // At the middle, s = 1/2: p = (v0 + v1)/2 + td/8 * (b0 - a1) = 2.5 + 2/8 * 3 = 3.25.
    let keys = xs(&[0.0, 1.0, 2.0, -1.0, 4.0, 0.0]);
    let m = one_joint(vec![channel(Interpolation::CubicSpline, &[0.0, 2.0], keys)], 2.0);
    assert!((at(&m, 0.0).translation.x - 1.0).abs() < EPSILON);
    assert!((at(&m, 1.0).translation.x - 3.25).abs() < EPSILON);
    // s = 1/4: h = (0.84375, 0.28125, 0.15625, -0.09375) with the tangents scaled by td.
    let expected = 0.84375 + 2.0 * 0.140625 * 2.0 + 4.0 * 0.15625 + 2.0 * 0.046875;
    assert!((at(&m, 0.5).translation.x - expected).abs() < EPSILON);
    assert!((at(&m, 2.0).translation.x - 4.0).abs() < EPSILON);
}

#[test]
fn rotations_take_the_shorter_arc() {
    let (a, b) = (Quat::from_rotation_z(0.2), Quat::from_rotation_z(1.0));
    let m = one_joint(
        vec![channel(Interpolation::Linear, &[0.0, 1.0], Keys::Rotation(vec![a, -b]))],
        1.0,
    );
    let found = at(&m, 0.5).rotation;
    assert!(found.angle_between(Quat::from_rotation_z(0.6)) < 1e-3, "{found}");
}

#[test]
fn cubic_rotations_are_normalised() {
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let (a, b) = (Quat::IDENTITY, Quat::from_rotation_y(2.0));
    let keys = Keys::Rotation(vec![zero, a, zero, zero, b, zero]);
    let m = one_joint(vec![channel(Interpolation::CubicSpline, &[0.0, 1.0], keys)], 1.0);
    let found = at(&m, 0.5).rotation;
    assert!(found.is_normalized() && found.angle_between(Quat::from_rotation_y(1.0)) < 1e-3);
}

#[test]
fn scale_through_zero_and_negative() {
    let keys = Keys::Scale(vec![Vec3::ONE, Vec3::new(-1.0, 1.0, 1.0)]);
    let m = one_joint(vec![channel(Interpolation::Linear, &[0.0, 1.0], keys)], 1.0);
    let skinned = skinning::skin_exact(&m, Some(&m.clips[0]), 0.5);
    assert!(skinned.iter().all(|v| v.position.is_finite() && v.normal.is_finite()));
    assert!(skinned.iter().all(|v| v.position.x.abs() < EPSILON));
}

#[test]
fn frames_cut_the_clip_evenly_and_hold_both_ends() {
    let m = one_joint(
        vec![channel(Interpolation::Linear, &[0.0, 1.01], xs(&[0.0, 1.01]))],
        1.01,
    );
    let p = bake::bake(&m, &BakeOptions { rate: 30.0 }, &|_| ()).expect("bakes");
    let clip = &p.clips[0];
    assert_eq!((clip.frame_count, p.frame_count, p.slot_count), (31, 31, 1));
    assert!((clip.rate - 30.0 / 1.01).abs() < 1e-3);
    let x = |frame: usize| p.frame(frame)[0].translation.x;
    assert!((x(0) - 0.0).abs() < EPSILON && (x(30) - 1.01).abs() < EPSILON);
    for t in [0.0, 0.1, 0.5, 0.77, 1.0, 1.01] {
        let (a, b, f) = clip.frames_at(t);
        let blended = skinning::palette_between(&p, a, b, f)[0].translation.x;
        assert!((blended - t).abs() < 1e-5, "at {t}: {blended}");
    }
    assert!((clip.bounds.max.x - 2.01).abs() < EPSILON && clip.bounds.min.x.abs() < EPSILON);
}

#[test]
fn no_frame_pair_crosses_the_loop_seam() {
    // A saw tooth: any blend across the seam would be far from both sides.
    let m = one_joint(
        vec![channel(Interpolation::Linear, &[0.0, 1.0], xs(&[0.0, 100.0]))],
        1.0,
    );
    let p = bake::bake(&m, &BakeOptions { rate: 24.0 }, &|_| ()).expect("bakes");
    let clip = &p.clips[0];
    for i in 0..4000 {
        let seconds = i as f32 * 0.00137;
        let local = Wrap::Loop.local_time(seconds, clip.duration);
        let (a, b, f) = clip.frames_at(local);
        assert!(a <= b && b < p.frame_count);
        let x = skinning::palette_between(&p, a, b, f)[0].translation.x;
        assert!((x - local * 100.0).abs() < 1e-2, "at {seconds}: {x}");
    }
}

#[test]
fn wrap_modes() {
    let cases = [
        (Wrap::Loop, 2.5, 0.5),
        (Wrap::Loop, -0.25, 0.75),
        (Wrap::Once, 2.5, 1.0),
    ];
    let more = [
        (Wrap::PingPong, 1.25, 0.75),
        (Wrap::PingPong, 2.25, 0.25),
        (Wrap::Clamp, -3.0, 0.0),
    ];
    for (wrap, seconds, expected) in cases.into_iter().chain(more) {
        assert!(
            (wrap.local_time(seconds, 1.0) - expected).abs() < EPSILON,
            "{wrap:?} {seconds}"
        );
    }
    assert_eq!(Wrap::Loop.local_time(3.0, 0.0), 0.0);
}

#[test]
fn a_zero_length_clip_is_one_frame() {
    let m = one_joint(vec![channel(Interpolation::Linear, &[0.0], xs(&[3.0]))], 0.0);
    let p = bake::bake(&m, &BakeOptions::default(), &|_| ()).expect("bakes");
    assert_eq!((p.frame_count, p.clips[0].rate), (1, 0.0));
    assert_eq!(p.clips[0].frames_at(12.0), (0, 0, 0.0));
    assert_eq!(p.frame(0)[0].translation.x, 3.0);
}

#[test]
fn no_clips_bake_the_rest_pose() {
    let mut m = one_joint(Vec::new(), 0.0);
    m.clips.clear();
    let p = bake::bake(&m, &BakeOptions::default(), &|_| ()).expect("bakes");
    assert_eq!((p.clips[0].name.as_str(), p.frame_count), ("rest", 1));
    assert_eq!(p.frame(0)[0], Affine3A::IDENTITY);
}

#[test]
fn too_many_frames_say_what_fits() {
    let m = one_joint(
        vec![channel(Interpolation::Linear, &[0.0, 4000.0], xs(&[0.0, 1.0]))],
        4000.0,
    );
    let error = bake::bake(&m, &BakeOptions { rate: 30.0 }, &|_| ()).expect_err("too many");
    let BakeError::TooManyFrames { fits, .. } = error else {
        panic!("{error}")
    };
    let fits = fits.expect("no rate fits");
    assert!((fits - 16.3).abs() < 0.11, "{fits}");
    bake::bake(&m, &BakeOptions { rate: fits }, &|_| ()).expect("the rate named fits");
}

#[test]
fn clips_without_end_are_refused_whatever_their_length() {
    let mut m = one_joint(
        vec![channel(Interpolation::Linear, &[0.0, 1e20], xs(&[0.0, 1.0]))],
        1e20,
    );
    m.clips.push(m.clips[0].clone());
    assert_eq!(bake::frame_count(&m, &BakeOptions::default()), u64::MAX);
    let error = bake::bake(&m, &BakeOptions::default(), &|_| ()).expect_err("too many");
    assert!(
        error.to_string().ends_with("shorten or omit clips"),
        "no rate helps: {error}"
    );
}

#[test]
fn boxes_hold_what_splines_of_morph_weights_swing_to() {
    // The weight rises to 4/27 of its tangent at a third, where a frame is.
    let mut m = one_joint(Vec::new(), 1.0);
    let delta = MorphDelta {
        vertex: 1,
        position: Vec3::X,
        ..MorphDelta::default()
    };
    m.morphs = vec![Morph {
        deltas: vec![delta],
        ..Morph::default()
    }];
    m.clips[0].morphs = vec![MorphChannel {
        morph: 0,
        interpolation: Interpolation::CubicSpline,
        times: vec![0.0, 1.0],
        values: vec![0.0, 0.0, 27.0, 0.0, 0.0, 0.0],
    }];
    let p = bake::bake(&m, &BakeOptions { rate: 3.0 }, &|_| ()).expect("bakes");
    let shown = skinning::skin_frame(&m, &p, 1)[1].position.x;
    assert!((shown - 5.0).abs() < EPSILON, "{shown}");
    assert!(p.clips[0].bounds.max.x >= shown, "{:?}", p.clips[0].bounds);
}

#[test]
fn normals_follow_the_cofactor_matrix() {
    // A 45 degree slope squashed to a tenth along x: the normal turns towards x.
    let vertex = Vertex {
        normal: Vec3::new(1.0, 1.0, 0.0).normalize(),
        weights: throng::model::padded([1.0], 0.0),
        ..Vertex::default()
    };
    let squash = Affine3A::from_scale(Vec3::new(0.1, 1.0, 1.0));
    let normal = skinning::skin_vertex(&vertex, &[squash]).normal;
    assert!(
        (normal - Vec3::new(10.0, 1.0, 0.0).normalize()).length() < 1e-5,
        "{normal}"
    );
}

#[test]
fn baked_frames_equal_exact_sampling() {
    let Some(folder) = common::samples() else {
        return;
    };
    for file in common::LOADABLE {
        let model = common::load(&folder, file);
        let p = bake::bake(&model, &BakeOptions::default(), &|_| ()).expect("bakes");
        for (index, clip) in p.clips.iter().enumerate().take(4) {
            let middle = clip.frame_count / 2;
            let time = if clip.rate > 0.0 {
                middle as f32 / clip.rate
            } else {
                0.0
            };
            let exact = skinning::skin_exact(&model, model.clips.get(index), time);
            let baked = skinning::skin_frame(&model, &p, (clip.first_frame + middle) as usize);
            let height = model.mesh.bounds().size().max_element();
            for (a, b) in exact.iter().zip(&baked) {
                assert!(a.position.distance(b.position) < height * 1e-5, "{file} {}", clip.name);
                let slack = height * 1e-4;
                assert!(
                    b.position.cmpge(clip.bounds.min - slack).all(),
                    "{file} {} bounds",
                    clip.name
                );
                assert!(
                    b.position.cmple(clip.bounds.max + slack).all(),
                    "{file} {} bounds",
                    clip.name
                );
            }
        }
    }
}

#[test]
fn the_rate_snaps_to_the_keys() {
    let keyed = |rate: f32| {
        let times: Vec<f32> = (0..=36).map(|i| i as f32 / rate).collect();
        let keys: Vec<f32> = (0..=36).map(|i| (i % 5) as f32).collect();
        let duration = 36.0 / rate;
        one_joint(vec![channel(Interpolation::Linear, &times, xs(&keys))], duration)
    };
    for (keys, asked, baked) in [
        (24.0, 30.0, 24.0),
        (24.0, 45.0, 48.0),
        (30.0, 60.0, 60.0),
        (60.0, 30.0, 30.0),
    ] {
        let m = keyed(keys);
        assert_eq!(m.clips[0].key_rate(), Some(keys));
        let options = BakeOptions { rate: asked };
        let p = bake::bake(&m, &options, &|_| ()).expect("bakes");
        assert!(
            (p.clips[0].rate - baked).abs() < 1e-3,
            "{keys} {asked}: {}",
            p.clips[0].rate
        );
        assert_eq!(bake::frame_count(&m, &options), p.frame_count as u64);
    }
}
