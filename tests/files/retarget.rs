//! Clips of one file on the body of another give the same motion, whatever joint names, size and axes the library has.

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use throng::{
    bake::{
        pose::Poser,
        retarget::{JointMap, retarget},
        skinning,
    },
    character::animate,
    file::{self, Animations, OpenedFile},
    model::{AnimationLibrary, Clip, Interpolation, Keys, Model},
    scene::embedded::{NAMES, embedded},
};

use crate::common::{self, glb};

/// Number of times of a clip that are compared.
const MOMENTS: u32 = 7;

/// Clips of a model as a library.
fn library_of(model: &Model) -> AnimationLibrary {
    AnimationLibrary {
        name: "library".into(),
        joints: model.skeleton.joints.clone(),
        bones: model.skeleton.bones.clone(),
        expressions: Vec::new(),
        clips: model.clips.clone(),
        notes: Vec::new(),
    }
}

fn embedded_model(name: &str) -> Model {
    file::open_bytes(name, embedded(name).expect("embedded"), None)
        .expect("opens")
        .model
}

fn retargeted(body: &Model, library: &AnimationLibrary) -> Vec<Clip> {
    let done = retarget(&body.name, &body.skeleton, library, &JointMap::default());
    done.unwrap_or_else(|e| panic!("{e}")).clips
}

/// Largest distance of any vertex at any moment between two lists of clips on one body, relative to its height.
fn worst(body: &Model, wanted: &[Clip], got: &[Clip]) -> f32 {
    assert_eq!(wanted.len(), got.len());
    let mut worst = 0.0_f32;
    for (a, b) in wanted.iter().zip(got) {
        assert_eq!(
            (&a.name, a.duration, a.wrap, &a.events),
            (&b.name, b.duration, b.wrap, &b.events)
        );
        for step in 0..=MOMENTS {
            let time = a.duration * step as f32 / MOMENTS as f32;
            let posed = |clip: &Clip| skinning::skin(&body.mesh, &skinning::exact_palette(body, Some(clip), time));
            for (x, y) in posed(a).iter().zip(posed(b)) {
                worst = common::worse::worse(worst, x.position.distance(y.position));
            }
        }
    }
    worst / body.height()
}

/// Splits a file: all but its clips, and only nodes and clips.
fn split(bytes: &[u8]) -> [Vec<u8>; 2] {
    let remove = |json: &mut Value, keys: &[&str]| {
        let object = json.as_object_mut().expect("an object");
        keys.iter().for_each(|key| drop(object.remove(*key)));
    };
    let body = glb::edited(bytes, |json| {
        // LODs and baked frames depend on the clips.
        remove(json, &["animations", "extensions", "extensionsUsed"]);
    });
    let library = glb::edited(bytes, |json| {
        remove(
            json,
            &[
                "meshes",
                "skins",
                "materials",
                "textures",
                "images",
                "extensions",
                "extensionsUsed",
            ],
        );
        for node in json["nodes"].as_array_mut().expect("nodes") {
            remove(node, &["mesh", "skin"]);
        }
    });
    [body, library]
}

/// Body of a file with the clips of its other half, and the original model.
fn reunited(bytes: &[u8]) -> (OpenedFile, Model) {
    let [body, library] = split(bytes);
    let libraries = vec![file::open_library_bytes("library", &library, None).expect("opens")];
    let animations = Animations {
        libraries,
        ..Animations::default()
    };
    let mut opened = file::open_bytes_to_animate("body", &body, None, &animations).expect("opens");
    assert!(opened.model.clips.is_empty());
    animate(&mut opened, &animations).unwrap_or_else(|e| panic!("{e}"));
    (opened, file::open_bytes("whole", bytes, None).expect("opens").model)
}

#[test]
fn a_body_with_its_own_clips_from_another_file_moves_as_before() {
    for name in NAMES {
        let (opened, whole) = reunited(embedded(name).expect("embedded"));
        let off = worst(&whole, &whole.clips, &opened.model.clips);
        println!("{name:<8} {off:e}");
        assert!(off <= 1e-6, "{name}: {off}");
        let keys = |clips: &[Clip]| clips.iter().map(|clip| clip.channels.to_vec()).collect::<Vec<_>>();
        assert_eq!(keys(&whole.clips), keys(&opened.model.clips), "{name}: keys changed");
        let notes = &opened.model.notes;
        assert!(notes.iter().all(|note| !note.contains("no animations")), "{notes:?}");
    }
}

#[test]
fn samples_with_clips_from_another_file_move_as_before() {
    let Some(folder) = common::samples() else { return };
    for file in [
        "Fox/Fox.glb",
        "CesiumMan/CesiumMan.glb",
        "RiggedFigure/RiggedFigure.glb",
        "RobotExpressive/RobotExpressive.glb",
        "Knight/Knight.glb",
        "GreenMan/greenman.glb",
        "TRex/TRex.glb",
        "InterpolationTest/InterpolationTest.glb",
    ] {
        let (opened, whole) = reunited(&std::fs::read(folder.join(file)).expect("readable"));
        let body = &opened.model;
        assert_eq!(body.mesh.vertices.len(), whole.mesh.vertices.len(), "{file}");
        let mut off = 0.0_f32;
        for (a, b) in whole.clips.iter().zip(&body.clips) {
            for step in 0..=MOMENTS {
                let time = a.duration * step as f32 / MOMENTS as f32;
                let posed = |model: &Model, clip| {
                    skinning::skin(&model.mesh, &skinning::exact_palette(model, Some(clip), time))
                };
                for (x, y) in posed(&whole, a).iter().zip(posed(body, b)) {
                    off = common::worse::worse(off, x.position.distance(y.position));
                }
            }
        }
        off /= whole.height();
        println!("{file:<40} {} clips, {off:e}", whole.clips.len());
        assert!(off <= 1e-5, "{file}: {off}");
    }
}

/// Error of the library of an embedded character, after a change, on that character.
fn changed(name: &str, change: impl FnOnce(&mut AnimationLibrary)) -> f32 {
    let whole = embedded_model(name);
    let mut library = library_of(&whole);
    change(&mut library);
    worst(&whole, &whole.clips, &retargeted(&whole, &library))
}

#[test]
fn names_of_other_exporters_are_the_same_names() {
    for rename in [
        |name: &str| format!("mixamorig:{name}"),
        |name: &str| format!("mixamorig2:{}", name.to_uppercase()),
        |name: &str| format!("Armature|{}", name.replace('_', ".")),
        |name: &str| format!("Armature|{}", name.replace('_', " ")),
    ] {
        let off = changed("woman", |library| {
            library
                .joints
                .iter_mut()
                .for_each(|joint| joint.name = rename(&joint.name));
        });
        assert_eq!(off, 0.0, "{}", rename("upper_arm_l"));
    }
}

/// Doubles every translation, keys included.
fn twice_as_large(library: &mut AnimationLibrary) {
    library
        .joints
        .iter_mut()
        .for_each(|joint| joint.rest.translation *= 2.0);
    for clip in &mut library.clips {
        let double = |channel: &throng::model::Channel| {
            let mut channel = channel.clone();
            if let Keys::Translation(values) = &mut channel.keys {
                values.iter_mut().for_each(|value| *value *= 2.0);
            }
            channel
        };
        clip.channels = clip.channels.iter().map(double).collect();
        clip.speed *= 2.0;
    }
}

#[test]
fn a_library_twice_as_large_moves_the_body_as_before() {
    let off = changed("man", twice_as_large);
    assert!(off < 1e-6, "{off}");
    let whole = embedded_model("man");
    let mut library = library_of(&whole);
    twice_as_large(&mut library);
    for (own, got) in whole.clips.iter().zip(retargeted(&whole, &library)) {
        assert!(
            (own.speed - got.speed).abs() < 1e-5,
            "{}: {} {}",
            own.name,
            own.speed,
            got.speed
        );
    }
}

/// Changes the axes of every joint without moving anything: rest and keys are expressed in other bases.
fn with_other_axes(library: &mut AnimationLibrary) {
    let axes: Vec<Quat> = (0..library.joints.len())
        .map(|index| {
            let way = Vec3::new((index as f32).sin(), 1.0, (index as f32 * 1.7).cos()).normalize();
            Quat::from_axis_angle(way, 0.9 + 0.37 * index as f32)
        })
        .collect();
    let parents: Vec<Quat> = { library.joints.iter() }
        .map(|joint| joint.parent.map_or(Quat::IDENTITY, |parent| axes[parent as usize]))
        .collect();
    for (index, joint) in library.joints.iter_mut().enumerate() {
        assert_eq!(joint.rest.scale, Vec3::ONE);
        let above = parents[index].inverse();
        joint.rest.rotation = (above * joint.rest.rotation * axes[index]).normalize();
        joint.rest.translation = above * joint.rest.translation;
    }
    for clip in &mut library.clips {
        let turned = |channel: &throng::model::Channel| {
            let (mut channel, joint) = (channel.clone(), channel.joint as usize);
            let above = parents[joint].inverse();
            match &mut channel.keys {
                Keys::Rotation(values) => values.iter_mut().for_each(|q| *q = above * *q * axes[joint]),
                Keys::Translation(values) => values.iter_mut().for_each(|t| *t = above * *t),
                Keys::Scale(_) => {}
            }
            channel
        };
        clip.channels = clip.channels.iter().map(turned).collect();
    }
}

#[test]
fn axes_of_the_library_do_not_matter() {
    for name in ["woman", "knight"] {
        let off = changed(name, with_other_axes);
        println!("{name} {off:e}");
        assert!(off < 1e-5, "{name}: {off}");
    }
    let off = changed("girl", |library| {
        with_other_axes(library);
        twice_as_large(library);
    });
    assert!(off < 1e-5, "both: {off}");
}

#[test]
fn splines_and_steps_stay_what_they_are() {
    let whole = embedded_model("man");
    let mut library = library_of(&whole);
    for clip in &mut library.clips {
        let spline = |(number, channel): (usize, &throng::model::Channel)| {
            let mut channel = channel.clone();
            if number % 2 == 0 {
                channel.interpolation = Interpolation::Step;
                return channel;
            }
            channel.interpolation = Interpolation::CubicSpline;
            match &mut channel.keys {
                Keys::Rotation(values) => {
                    let tangent = |q: &Quat| Quat::from_xyzw(0.3 * q.y, -0.2 * q.w, 0.4, 0.1 * q.x);
                    *values = values.iter().flat_map(|q| [tangent(q), *q, tangent(q)]).collect();
                }
                Keys::Translation(values) | Keys::Scale(values) => {
                    *values = values.iter().flat_map(|v| [*v * 0.1, *v, *v * -0.1]).collect();
                }
            }
            channel
        };
        clip.channels = clip.channels.iter().enumerate().map(spline).collect();
    }
    let wanted = library.clips.clone();
    with_other_axes(&mut library);
    let off = worst(&whole, &wanted, &retargeted(&whole, &library));
    assert!(off < 1e-5, "{off}");
}

/// `model_from_joint` of all joints at a time of a clip.
fn posed(model: &Model, clip: &Clip, time: f32) -> Vec<glam::Affine3A> {
    Poser::default().pose(&model.skeleton, Some(clip), time).to_vec()
}

#[test]
fn longer_legs_keep_their_angles_and_carry_the_hips_higher() {
    let man = embedded_model("man");
    let joint = |part: &str| {
        let mut joints = man.skeleton.joints.iter();
        joints.position(|joint| joint.name.to_lowercase().contains(part))
    };
    let index = |part: &str| joint(part).unwrap_or_else(|| panic!("no {part} among {:?}", names(&man)));
    let (hips, shin, foot) = (index("hips"), index("shin_l"), index("foot_l"));
    let lengthened = ["shin_l", "shin_r", "foot_l", "foot_r"].map(index);
    let mut tall = man.clone();
    tall.clips.clear();
    let mut added = 0.0;
    for &joint in &lengthened {
        let own = &mut tall.skeleton.joints[joint].rest.translation;
        added += own.length() / 2.0;
        *own *= 2.0;
    }
    tall.skeleton.joints[hips].rest.translation.y += added;
    let clips = retargeted(&tall, &library_of(&man));
    let rest = |model: &Model| posed(model, &Clip::default(), 0.0);
    let lowest = |pose: &[glam::Affine3A]| pose.iter().map(|m| m.translation.y).fold(f32::INFINITY, f32::min);
    let (before, after) = (rest(&man), rest(&tall));
    let height = |pose: &[glam::Affine3A]| pose[hips].translation.y - lowest(pose);
    let ratio = height(&after) / height(&before);
    assert!(ratio > 1.3, "{ratio}");
    let walk = |clips: &[Clip]| clips.iter().find(|clip| clip.name == "walk").expect("a walk").clone();
    let (own, got) = (walk(&man.clips), walk(&clips));
    let mut lifted = 0.0_f32;
    for step in 0..20 {
        let time = own.duration * step as f32 / 20.0;
        let (small, large) = (posed(&man, &own, time), posed(&tall, &got, time));
        for part in [shin, foot] {
            let turn = |pose: &[glam::Affine3A]| pose[part].to_scale_rotation_translation().1;
            assert!(turn(&small).angle_between(turn(&large)) < 2e-3, "{time} s");
        }
        let moved = |pose: &[glam::Affine3A], rest: &[glam::Affine3A]| pose[hips].translation - rest[hips].translation;
        let (a, b) = (moved(&small, &before), moved(&large, &after));
        assert!(
            (b - a * ratio).length() < 1e-4,
            "{time} s: {b} is not {ratio} times {a}"
        );
        lifted = lifted.max(a.length());
        for (joint, (a, b)) in small.iter().zip(&large).enumerate().skip(1) {
            let Some(parent) = man.skeleton.joints[joint]
                .parent
                .map(|p| p as usize)
                .filter(|p| *p != 0)
            else {
                continue;
            };
            let length =
                |pose: &[glam::Affine3A], at: &glam::Affine3A| at.translation.distance(pose[parent].translation);
            let factor = if lengthened.contains(&joint) { 2.0 } else { 1.0 };
            if joint != hips {
                assert!(
                    (length(&large, b) - factor * length(&small, a)).abs() < 1e-4,
                    "bones changed their length"
                );
            }
        }
    }
    assert!(lifted > 0.01, "the walk does not move the hips: {lifted}");
    assert!(
        (got.speed - own.speed * ratio).abs() < 1e-4,
        "{} {}",
        got.speed,
        own.speed
    );
}

fn names(model: &Model) -> Vec<&str> {
    model.skeleton.joints.iter().map(|joint| joint.name.as_str()).collect()
}

#[test]
fn joints_without_a_counterpart_are_listed() {
    let man = embedded_model("man");
    let mut library = library_of(&man);
    let foot = library
        .joints
        .iter()
        .position(|joint| joint.name == "foot_l")
        .expect("a foot");
    library.joints[foot].name = "Bip01 L Foot".into();
    let done = retarget(&man.name, &man.skeleton, &library, &JointMap::default()).expect("the others match");
    let told = done.notes.join("\n");
    assert!(
        told.contains("no joints for \"Bip01 L Foot\"") && told.contains("no joints for \"foot_l\""),
        "{told}"
    );
    let map = JointMap {
        turn: None,
        pairs: [("foot_l".to_owned(), "Bip01 L Foot".to_owned())].into(),
    };
    let done = retarget(&man.name, &man.skeleton, &library, &map).expect("all match");
    assert_eq!(worst(&man, &man.clips, &done.clips), 0.0);
    assert!(done.notes.is_empty(), "{:?}", done.notes);
}

#[test]
fn skeletons_with_nothing_in_common_are_refused_with_names_of_both() {
    let man = embedded_model("man");
    let mut library = library_of(&man);
    for (index, joint) in library.joints.iter_mut().enumerate() {
        joint.name = format!("Bip{index:02}");
    }
    let refused = retarget(&man.name, &man.skeleton, &library, &JointMap::default());
    let told = refused.expect_err("nothing matches").to_string();
    let own = &man.skeleton.joints[man.skeleton.slots[0].joint as usize].name;
    for part in ["0 of ", "Bip0", own.as_str(), "--joint-map", "library", "man"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_baked_body_is_baked_again_with_all_clips() {
    let girl = embedded_model("girl");
    let baked = throng::Character::bake(girl.clone(), &throng::bake::BakeOptions { rate: 10.0 }).expect("bakes");
    let atlas = baked.atlas(throng::atlas::AtlasFormat::F16);
    let bytes = file::baked::to_bytes(&baked.model, &atlas, None).expect("fits");
    let mut opened = file::open_bytes_to_draw("girl.glb", bytes.clone(), None).expect("opens");
    // A baked library states the root motion extracted from its clips.
    let library = file::open_library_bytes("walks", &bytes, None).expect("opens");
    let animations = Animations {
        libraries: vec![library],
        ..Animations::default()
    };
    let own = opened.model.clips.len();
    animate(&mut opened, &animations).expect("matches");
    assert!(opened.atlas.is_none() && opened.model.lods.is_empty());
    let (first, second) = opened.model.clips.split_at(own);
    for (a, b) in first.iter().zip(second) {
        assert_eq!(b.name, format!("walks|{}", a.name));
        assert_eq!((a.speed, a.turn, a.wrap), (b.speed, b.turn, b.wrap));
        assert_eq!(a.channels, b.channels);
    }
    let again = throng::Character::from_opened(opened, &throng::bake::BakeOptions { rate: 10.0 }).expect("bakes");
    assert_eq!(again.palettes.clips.len(), 2 * own);
}

#[test]
fn files_that_are_no_libraries_say_so() {
    let knight = embedded("knight").expect("embedded");
    let [body, _] = split(knight);
    let told = file::open_library_bytes("body.glb", &body, None)
        .expect_err("no clips")
        .to_string();
    assert!(told.contains("body.glb") && told.contains("must have clips"), "{told}");
    let still = glb::edited(knight, |json| {
        for animation in json["animations"].as_array_mut().expect("clips") {
            animation["channels"] = json!([]);
        }
        json.as_object_mut().expect("an object").remove("extensions");
    });
    let told = file::open_library_bytes("still.glb", &still, None)
        .expect_err("no joints")
        .to_string();
    assert!(told.contains("still.glb") && told.contains("no skeleton"), "{told}");
}

#[test]
fn rigid_parts_that_only_the_library_moves_move() {
    let mut b = common::builder::Builder::default();
    let square = b.floats(&common::builder::SQUARE, "VEC3", 3);
    let times = b.floats(&[0.0, 1.0], "SCALAR", 1);
    let turns: Vec<f32> = [0.0, 1.0]
        .iter()
        .flat_map(|angle| Quat::from_rotation_z(*angle).to_array())
        .collect();
    let turns = b.floats(&turns, "VEC4", 4);
    let animations = json!([{
        "name": "swing",
        "samplers": [{"input": times, "output": turns}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]
    }]);
    let whole = b.text(json!({
        "nodes": [{"name": "Door frame", "mesh": 0, "children": [1]},
                  {"name": "Door", "mesh": 0, "translation": [1.0, 0.0, 0.0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": square}}]}],
        "animations": animations,
    }));
    let mut body: Value = serde_json::from_str(&whole).expect("JSON");
    body.as_object_mut().expect("an object").remove("animations");
    let animations = Animations {
        libraries: vec![file::open_library_bytes("moves", whole.as_bytes(), None).expect("opens")],
        ..Animations::default()
    };
    let body = body.to_string();
    let mut opened = file::open_bytes_to_animate("body", body.as_bytes(), None, &animations).expect("opens");
    animate(&mut opened, &animations).expect("matches");
    let whole = file::open_bytes("whole", whole.as_bytes(), None).expect("opens").model;
    assert_eq!(
        opened.model.skeleton.slots.len(),
        2,
        "the door is merged with its frame"
    );
    assert_eq!(worst(&whole, &whole.clips, &opened.model.clips), 0.0);
}
