//! Root motion: extracting it and adding it again gives the original clip; clips that are no walk are left alone.

use glam::{Affine3A, Mat4, Quat, Vec3};
use throng::{
    atlas::{Atlas, AtlasFormat},
    bake::{self, BakeOptions, extract_root_motion, pose::Poser},
    file,
    model::{Channel, Clip, Interpolation, Joint, Keys, Model, PaletteSlot, Skeleton, Transform, UnitSpace},
};

use crate::common::{self, surfaces, worse::worse};

const DURATION: f32 = 1.5;

/// A root with rotation and scale, as exporters leave it, hips that travel, and a leg that swings.
fn traveller(place: impl Fn(f32) -> (Vec3, Quat), leg_at_end: f32) -> Model {
    let joint = |name: &str, parent, rest| Joint {
        name: name.into(),
        parent,
        rest,
    };
    let axes = Transform {
        rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(0.01),
        ..Transform::IDENTITY
    };
    let times: Vec<f32> = (0..=90).map(|k| DURATION * k as f32 / 90.0).collect();
    // The place is given in model space, but keyed in the space of the rotated root.
    let below = axes.to_affine().inverse();
    let keys: Vec<(Vec3, Quat)> = times.iter().map(|&t| place(t)).collect();
    let local = |q: Quat| axes.rotation.inverse() * q * axes.rotation;
    let channel = |joint, keys| Channel {
        joint,
        interpolation: Interpolation::Linear,
        times: times.clone(),
        keys,
    };
    let swing =
        |t: &f32| Quat::from_rotation_x((t / DURATION * std::f32::consts::TAU).sin() + leg_at_end * t / DURATION);
    let channels = vec![
        channel(
            1,
            Keys::Translation(keys.iter().map(|k| below.transform_point3(k.0)).collect()),
        ),
        channel(1, Keys::Rotation(keys.iter().map(|k| local(k.1)).collect())),
        channel(2, Keys::Rotation(times.iter().map(swing).collect())),
    ];
    Model {
        name: "traveller".into(),
        skeleton: Skeleton {
            joints: vec![
                joint("root", None, axes),
                joint("hips", Some(0), Transform::IDENTITY),
                joint("leg", Some(1), Transform::IDENTITY),
            ],
            slots: [1, 2]
                .map(|joint| PaletteSlot {
                    joint,
                    inverse_bind: Mat4::IDENTITY,
                })
                .to_vec(),
            ..Skeleton::default()
        },
        mesh: surfaces::triangle(0.5, 1.8),
        materials: vec![throng::model::Material::default()],
        clips: vec![Clip {
            name: "go".into(),
            duration: DURATION,
            channels: channels.into(),
            ..Clip::default()
        }],
        ..Model::default()
    }
}

fn pose(model: &Model, time: f32) -> Vec<Affine3A> {
    Poser::default()
        .pose(&model.skeleton, model.clips.first(), time)
        .to_vec()
}

/// Root transform of a clip after `time` (s), integrated in small steps from its speed and turn.
fn along(clip: &Clip, time: f32) -> Affine3A {
    let steps = 20_000;
    let dt = f64::from(time) / f64::from(steps);
    let (mut x, mut z, mut yaw) = (0.0_f64, 0.0, 0.0);
    for _ in 0..steps {
        let middle = yaw + 0.5 * f64::from(clip.turn) * dt;
        x += middle.sin() * f64::from(clip.speed) * dt;
        z += middle.cos() * f64::from(clip.speed) * dt;
        yaw += f64::from(clip.turn) * dt;
    }
    Affine3A::from_rotation_translation(Quat::from_rotation_y(yaw as f32), Vec3::new(x as f32, 0.0, z as f32))
}

/// Largest distance (m) of root transform · new pose from the old pose, over joints.
fn farthest(before: &Model, after: &Model) -> f32 {
    let differ = |k: u32| {
        let time = DURATION * k as f32 / 45.0;
        let way = along(&after.clips[0], time);
        let (old, new) = (pose(before, time), pose(after, time));
        // Points one model metre off each joint reveal rotation errors, too.
        let points = [Vec3::ZERO, Vec3::X * 100.0, Vec3::Z * 100.0];
        let pairs = old.iter().zip(&new).skip(1);
        let off =
            pairs.flat_map(|(a, b)| points.map(|p| a.transform_point3(p).distance((way * *b).transform_point3(p))));
        off.fold(0.0, worse)
    };
    (0..=45).map(differ).fold(0.0, worse)
}

fn bob(t: f32) -> f32 {
    1.0 + 0.05 * (2.0 * t / DURATION * std::f32::consts::TAU).sin()
}

#[test]
fn a_straight_walk_becomes_speed() {
    let before = traveller(|t| (Vec3::new(0.2, bob(t), 1.4 * t - 0.3), Quat::IDENTITY), 0.0);
    let mut after = before.clone();
    let remarks = extract_root_motion(&mut after);
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    let clip = &after.clips[0];
    assert!(
        (clip.speed - 1.4).abs() < 1e-4 && clip.turn == 0.0,
        "{} {}",
        clip.speed,
        clip.turn
    );
    assert!(farthest(&before, &after) < 1e-4, "{}", farthest(&before, &after));
    // A second extraction finds nothing.
    assert!(extract_root_motion(&mut after).is_empty());
}

#[test]
fn a_walk_whose_keys_do_not_span_its_clip_closes_too() {
    let mut before = traveller(|t| (Vec3::new(0.0, 1.0, 1.4 * t), Quat::IDENTITY), 0.0);
    let mut channels = before.clips[0].channels.to_vec();
    let Keys::Translation(places) = &channels[0].keys else {
        unreachable!("hips travel")
    };
    channels[0].keys = Keys::Translation(places[30..=60].to_vec());
    channels[0].times = channels[0].times[30..=60].to_vec();
    before.clips[0].channels = channels.into();
    let mut after = before.clone();
    assert_eq!(extract_root_motion(&mut after).len(), 1);
    assert!(farthest(&before, &after) < 1e-4, "{}", farthest(&before, &after));
}

#[test]
fn a_curve_becomes_speed_and_turn() {
    let omega = 1.1;
    let place = |t: f32| {
        let (sin, cos) = (omega * t).sin_cos();
        // Arc of radius 2 m that starts ahead; the hips sway 0.1 m to the side of it.
        let way = Vec3::new(2.0 * (1.0 - cos), 0.0, 2.0 * sin);
        let turn = Quat::from_rotation_y(omega * t);
        (way + turn * Vec3::new(0.1, bob(t), 0.0), turn)
    };
    let before = traveller(place, 0.0);
    let mut after = before.clone();
    extract_root_motion(&mut after);
    let clip = &after.clips[0];
    assert!(
        (clip.speed - 2.2).abs() < 0.005 && (clip.turn - omega).abs() < 0.002,
        "{} {}",
        clip.speed,
        clip.turn
    );
    assert!(farthest(&before, &after) < 2e-3, "{}", farthest(&before, &after));
    let (first, last) = (pose(&after, 0.0), pose(&after, DURATION));
    let apart = first
        .iter()
        .zip(&last)
        .map(|(a, b)| a.translation.distance(b.translation));
    assert!(apart.fold(0.0, worse) < 1e-4, "the loop does not close");
}

#[test]
fn clips_that_are_no_walk_keep_their_root_motion() {
    let still = |name: &str, before: Model, remarks: usize| {
        let mut after = before.clone();
        assert_eq!(extract_root_motion(&mut after).len(), remarks, "{name}");
        assert_eq!(before.clips[0].channels, after.clips[0].channels, "{name}");
        assert_eq!(after.clips[0].speed, 0.0, "{name}");
    };
    still(
        "in place",
        traveller(|t| (Vec3::new(0.0, bob(t), 0.0), Quat::IDENTITY), 0.0),
        0,
    );
    still(
        "a fall",
        traveller(|t| (Vec3::new(0.0, 1.0 - 0.5 * t, 0.8 * t), Quat::IDENTITY), 1.4),
        0,
    );
    still(
        "sideways",
        traveller(|t| (Vec3::new(1.4 * t, bob(t), 0.0), Quat::IDENTITY), 0.0),
        1,
    );
    let mut once = traveller(|t| (Vec3::new(0.0, bob(t), 1.4 * t), Quat::IDENTITY), 0.0);
    once.clips[0].wrap = throng::model::Wrap::Once;
    still("once", once, 0);
}

#[test]
fn speed_and_turn_are_kept_in_the_baked_file() {
    let mut model = traveller(|t| (Vec3::new(0.0, bob(t), 1.4 * t), Quat::IDENTITY), 0.0);
    extract_root_motion(&mut model);
    model.clips[0].turn = 0.25;
    let palettes = bake::bake(&model, &BakeOptions::default(), &|_| {}).expect("bakes");
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.mesh.bounds()), AtlasFormat::F16);
    let opened = file::open_bytes(
        "back",
        &file::baked::to_bytes(&model, &atlas, None).expect("fits"),
        None,
    )
    .expect("opens");
    let (clip, baked) = (&opened.model.clips[0], &opened.atlas.expect("baked").clips[0]);
    assert_eq!((clip.speed, clip.turn), (model.clips[0].speed, 0.25));
    assert_eq!((baked.speed, baked.turn), (clip.speed, clip.turn));
}

#[test]
fn clips_of_samples_which_go_nowhere_stay_as_they_are() {
    let Some(folder) = common::samples() else { return };
    for file in common::LOADABLE {
        let model = common::load(&folder, file);
        let mut after = model.clone();
        let remarks = extract_root_motion(&mut after);
        assert!(remarks.is_empty(), "{file}: {remarks:?}");
        assert_eq!(model.clips, after.clips, "{file}");
    }
}
