//! VRM: facing, human bones, toon colours, expressions; clips of skeletons of other names and directions.

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use throng::{
    bake::{
        retarget::{JointMap, RetargetError, retarget},
        skinning,
    },
    file,
    model::{AnimationLibrary, Bounds, Channel, Clip, HumanBone, Interpolation, Joint, Keys, Model, Transform},
};

use crate::common::{builder::Builder, samples};

/// Joints of a person who faces +Z: name in VRM, parent, place (m).
const PERSON: [(&str, Option<usize>, [f32; 3]); 14] = [
    ("hips", None, [0.0, 1.0, 0.0]),
    ("spine", Some(0), [0.0, 1.2, 0.0]),
    ("head", Some(1), [0.0, 1.6, 0.0]),
    ("leftUpperArm", Some(1), [0.2, 1.45, 0.0]),
    ("leftLowerArm", Some(3), [0.5, 1.45, 0.0]),
    ("rightUpperArm", Some(1), [-0.2, 1.45, 0.0]),
    ("rightLowerArm", Some(5), [-0.5, 1.45, 0.0]),
    ("leftUpperLeg", Some(0), [0.1, 0.95, 0.0]),
    ("leftLowerLeg", Some(7), [0.1, 0.5, 0.0]),
    ("leftFoot", Some(8), [0.1, 0.1, 0.0]),
    ("leftToes", Some(9), [0.1, 0.0, 0.15]),
    ("rightUpperLeg", Some(0), [-0.1, 0.95, 0.0]),
    ("rightLowerLeg", Some(11), [-0.1, 0.5, 0.0]),
    ("rightFoot", Some(12), [-0.1, 0.1, 0.0]),
];

/// Mixamo's name of a bone.
fn mixamo(bone: &str) -> String {
    let plain = bone
        .replace("UpperArm", "Arm")
        .replace("LowerArm", "ForeArm")
        .replace("UpperLeg", "UpLeg")
        .replace("LowerLeg", "Leg")
        .replace("Toes", "ToeBase");
    let mut letters = plain.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("mixamorig:{}", first.chain(letters).collect::<String>())
}

/// Offset of a joint from its parent, in a person turned about +Y.
fn offset(index: usize, turn: Quat) -> Vec3 {
    let place = |at: usize| turn * Vec3::from(PERSON[at].2);
    PERSON[index]
        .1
        .map_or(place(index), |parent| place(index) - place(parent))
}

/// Library of Mixamo's naming whose person faces another way and raises the left knee.
fn knee(turn: Quat, names: impl Fn(&str) -> String) -> AnimationLibrary {
    let joint = |(index, (bone, parent, _)): (usize, &(&str, Option<usize>, [f32; 3]))| Joint {
        name: names(bone),
        parent: parent.map(|parent| parent as u32),
        rest: Transform {
            translation: offset(index, turn),
            ..Transform::IDENTITY
        },
    };
    let bend = turn * Quat::from_rotation_x(-1.5) * turn.inverse();
    AnimationLibrary {
        name: "knee".into(),
        joints: PERSON.iter().enumerate().map(joint).collect(),
        clips: vec![Clip {
            name: "raise".into(),
            duration: 1.0,
            channels: vec![Channel {
                joint: 7,
                interpolation: Interpolation::Linear,
                times: vec![0.0, 1.0],
                keys: Keys::Rotation(vec![Quat::IDENTITY, bend]),
            }]
            .into(),
            ..Clip::default()
        }],
        ..AnimationLibrary::default()
    }
}

/// A person as VRM of a version, with a small triangle on every joint and names that say nothing.
fn person(version: u32) -> Model {
    let mut b = Builder::default();
    // VRM 0.x faces -Z.
    let turn = Quat::from_rotation_y(if version == 0 { std::f32::consts::PI } else { 0.0 });
    let small = [0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01, 0.0];
    let positions = b.floats(&small, "VEC3", 3);
    let mut nodes: Vec<Value> = Vec::new();
    for (index, (_, _, _)) in PERSON.iter().enumerate() {
        let children: Vec<usize> = (0..PERSON.len())
            .filter(|&child| PERSON[child].1 == Some(index))
            .collect();
        let mut node =
            json!({"name": format!("J_{index:02}"), "translation": offset(index, turn).to_array(), "mesh": 0});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
    }
    let bones = PERSON.iter().enumerate();
    let humanoid = if version == 0 {
        let list: Vec<Value> = bones
            .map(|(node, (bone, ..))| json!({"bone": bone, "node": node}))
            .collect();
        json!({"VRM": {"humanoid": {"humanBones": list}}})
    } else {
        let map: serde_json::Map<String, Value> = bones
            .map(|(node, (bone, ..))| ((*bone).to_owned(), json!({"node": node})))
            .collect();
        json!({"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": map}}})
    };
    let root = json!({
        "nodes": nodes, "scenes": [{"nodes": [0]}], "scene": 0, "extensions": humanoid,
        "skins": [{"joints": (0..PERSON.len()).collect::<Vec<usize>>()}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}}]}],
    });
    b.open(root).unwrap_or_else(|error| panic!("{error}"))
}

fn bounds(model: &Model, clip: Option<&Clip>, time: f32) -> Bounds {
    let skinned = skinning::skin_exact(model, clip, time);
    Bounds::of(skinned.iter().map(|vertex| vertex.position))
}

#[test]
fn vrm_0_is_turned_to_the_front_and_vrm_1_is_not() {
    let toes = Vec3::new(0.1, 0.0, 0.15);
    for version in [0, 1] {
        let model = person(version);
        let skinned = skinning::skin_exact(&model, None, 0.0);
        let near = |at: Vec3| skinned.iter().any(|vertex| vertex.position.distance(at) < 1e-3);
        assert!(near(toes), "VRM {version}: the toes are in front");
        assert!(near(Vec3::new(0.5, 1.45, 0.0)), "VRM {version}: its left is at +X");
        assert_eq!(model.skeleton.bones.len(), PERSON.len());
    }
}

#[test]
fn clips_of_mixamo_move_the_bones_that_the_file_names() {
    for version in [0, 1] {
        for turn in [0.0, 0.5, 1.0, -0.5] {
            let model = person(version);
            let library = knee(Quat::from_rotation_y(turn * std::f32::consts::PI), mixamo);
            let done = retarget(&model.name, &model.skeleton, &library, &JointMap::default()).expect("bones match");
            let end = bounds(&model, Some(&done.clips[0]), 1.0);
            assert!(
                end.max.z > 0.7,
                "VRM {version}, turned by {turn}: the knee rises in front: {end:?}"
            );
            assert!(end.min.z > -0.1, "VRM {version}, turned by {turn}: {end:?}");
        }
    }
}

#[test]
fn a_skeleton_that_leaves_doubt_asks_how_far_to_turn() {
    let model = person(1);
    // Toes forward, sides exchanged.
    let exchanged = |bone: &str| {
        let other = if bone.starts_with("left") {
            bone.replace("left", "right")
        } else {
            bone.replace("right", "left")
        };
        mixamo(&other)
    };
    let library = knee(Quat::IDENTITY, exchanged);
    let refused = retarget(&model.name, &model.skeleton, &library, &JointMap::default());
    let Err(RetargetError::Facing { degrees, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(degrees.abs(), 180);
    let map = JointMap {
        turn: Some(0.0),
        ..JointMap::default()
    };
    retarget(&model.name, &model.skeleton, &library, &map).expect("turned as stated");
}

#[test]
fn bones_survive_baking() {
    let model = person(0);
    let baked = throng::Character::bake(model.clone(), &throng::bake::BakeOptions::default()).expect("bakes");
    let atlas = baked.atlas(throng::atlas::AtlasFormat::F16);
    let bytes = file::baked::to_bytes(&baked.model, &atlas, None).expect("fits");
    let opened = file::open_bytes("person.glb", &bytes, None).expect("opens").model;
    let names = |model: &Model| -> Vec<(String, HumanBone)> {
        let bones = model.skeleton.bones.iter();
        bones
            .map(|(joint, bone)| (model.skeleton.joints[*joint as usize].name.clone(), *bone))
            .collect()
    };
    assert_eq!(names(&opened), names(&model));
}

#[test]
fn toon_materials_show_lit_and_shade_colours() {
    let mut b = Builder::default();
    let positions = b.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], "VEC3", 3);
    let toon = json!({"VRMC_materials_mtoon": {"shadeColorFactor": [0.25, 0.1, 0.0]}, "KHR_materials_unlit": {}});
    let root = json!({
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
        "materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.5, 0.0, 1.0]}, "extensions": toon}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}, "material": 0}]}],
    });
    let material = b.open(root).expect("opens").materials[0].clone();
    assert!(
        material
            .base_color
            .truncate()
            .abs_diff_eq(Vec3::new(0.75, 0.4, 0.0), 1e-5),
        "{material:?}"
    );
    assert!(
        material.emissive.abs_diff_eq(Vec3::new(0.25, 0.1, 0.0), 1e-5),
        "{material:?}"
    );
    assert!(!material.unlit, "{material:?}");
}

#[test]
fn samples_stand_and_move_as_mixamo_says() {
    let Some(folder) = samples() else { return };
    for (name, bones) in [("Godette_vrm0.vrm", 15), ("catbot.vrm", 15)] {
        let model = file::open(&folder.join("vrm").join(name))
            .unwrap_or_else(|error| panic!("{error}"))
            .model;
        println!(
            "{name}: {} bones, {:?}",
            model.skeleton.bones.len(),
            model.all_notes().collect::<Vec<_>>()
        );
        assert!(
            model.skeleton.bones.len() >= bones,
            "{name}: {:?}",
            model.skeleton.bones
        );
        let library = knee(Quat::IDENTITY, mixamo);
        let done = retarget(&model.name, &model.skeleton, &library, &JointMap::default());
        let done = done.unwrap_or_else(|error| panic!("{error}"));
        let (rest, end) = (bounds(&model, None, 0.0), bounds(&model, Some(&done.clips[0]), 1.0));
        println!("{name}: rest {rest:?}, knee raised {end:?}; {:?}", done.notes);
        let height = rest.size().y;
        assert!(
            end.max.z - rest.max.z > 0.03 * height,
            "{name}: the knee rises in front"
        );
        let vrma = file::open_library(&folder.join("vrm/test.vrma")).expect("opens");
        let done = retarget(&model.name, &model.skeleton, &vrma, &JointMap::default()).expect("bones match");
        assert!(!done.clips[0].channels.is_empty());
    }
}
