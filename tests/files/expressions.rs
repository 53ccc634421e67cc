//! Facial expressions of VRM, moved by clips of VRMA files.

use std::path::Path;

use glam::Vec3;
use serde_json::{Value, json};
use throng::{
    bake::{retarget::JointMap, skinning},
    file::{self, Animations},
    model::{Clip, Interpolation, Model},
    scene::open_animated,
};

use crate::common::{builder::Builder, samples};

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// What the two morph targets add to each corner (m): the first raises, the second brings forward.
const RAISED: f32 = 0.4;
const FORWARD: f32 = 0.2;

/// A face below hips, with two morph targets and the extension of a version of VRM.
fn face(version: u32) -> String {
    let mut b = Builder::default();
    let positions = b.floats(&TRIANGLE, "VEC3", 3);
    let mut target = |delta: Vec3| {
        let all = [delta; 3].map(|delta| delta.to_array()).concat();
        json!({"POSITION": b.floats(&all, "VEC3", 3)})
    };
    let targets = [target(Vec3::Y * RAISED), target(Vec3::Z * FORWARD)];
    let extensions = match version {
        0 => json!({"VRM": {
            "humanoid": {"humanBones": [{"bone": "hips", "node": 0}]},
            "blendShapeMaster": {"blendShapeGroups": [
                {"name": "Joy", "presetName": "joy", "binds": [
                    {"mesh": 0, "index": 0, "weight": 50}, {"mesh": 0, "index": 1, "weight": 100}]},
                {"name": "Wink", "presetName": "unknown", "binds": [{"mesh": 0, "index": 1, "weight": 100}]}]}}}),
        _ => json!({"VRMC_vrm": {
            "specVersion": "1.0", "humanoid": {"humanBones": {"hips": {"node": 0}}},
            "expressions": {
                "preset": {"happy": {"morphTargetBinds": [
                    {"node": 1, "index": 0, "weight": 0.5}, {"node": 1, "index": 1, "weight": 1.0}]}},
                "custom": {"Wink": {"isBinary": true, "morphTargetBinds": [{"node": 1, "index": 1, "weight": 1.0}]}}}}}),
    };
    b.text(json!({
        "scene": 0, "scenes": [{"nodes": [0]}], "extensions": extensions,
        "nodes": [{"name": "hips", "children": [1]}, {"name": "face", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}, "targets": targets}]}]
    }))
}

/// Clips that turn the hips and move expressions: name, key times and weights of each.
fn animation(expressions: &[(&str, &[f32], &[f32])]) -> String {
    let mut b = Builder::default();
    let ends = b.floats(&[0.0, 2.0], "SCALAR", 1);
    let still = b.floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], "VEC4", 4);
    let mut samplers = vec![json!({"input": ends, "output": still})];
    let mut channels = vec![json!({"sampler": 0, "target": {"node": 0, "path": "rotation"}})];
    let (mut preset, mut nodes) = (json!({}), vec![json!({"name": "hips"})]);
    for (name, times, weights) in expressions {
        let places: Vec<f32> = weights.iter().flat_map(|weight| [*weight, 0.0, 0.0]).collect();
        samplers.push(json!({"input": b.floats(times, "SCALAR", 1), "output": b.floats(&places, "VEC3", 3)}));
        channels.push(json!({"sampler": nodes.len(), "target": {"node": nodes.len(), "path": "translation"}}));
        preset[*name] = json!({"node": nodes.len()});
        nodes.push(json!({"name": name}));
    }
    b.text(json!({
        "scene": 0, "scenes": [{"nodes": (0..nodes.len()).collect::<Vec<_>>()}], "nodes": nodes,
        "animations": [{"name": "smile", "samplers": samplers, "channels": channels}],
        "extensions": {"VRMC_vrm_animation": {
            "specVersion": "1.0", "humanoid": {"humanBones": {"hips": {"node": 0}}},
            "expressions": {"preset": preset}}}
    }))
}

/// A character that plays a VRMA file.
fn animated(character: &Path, library: &Path) -> Model {
    let library = file::open_library(library).unwrap_or_else(|e| panic!("{e}"));
    let animations = Animations::new(vec![library], JointMap::default(), Path::new("")).expect("no map");
    open_animated(character, &animations)
        .unwrap_or_else(|e| panic!("{e}"))
        .model
}

fn corner(model: &Model, clip: &Clip, time: f32) -> Vec3 {
    skinning::skin_exact(model, Some(clip), time)[0].position
}

#[test]
fn a_clip_moves_the_targets_of_its_expressions() {
    let folder = tempfile::tempdir().expect("a folder");
    let (vrm, vrma) = (folder.path().join("face.vrm"), folder.path().join("smile.vrma"));
    std::fs::write(&vrma, animation(&[("happy", &[0.0, 2.0], &[0.0, 1.0])])).expect("written");
    for version in [0, 1] {
        std::fs::write(&vrm, face(version)).expect("written");
        let model = animated(&vrm, &vrma);
        let names: Vec<&str> = model.expressions.iter().map(|own| &own.name[..]).collect();
        assert_eq!(names, ["happy", "Wink"], "version {version}");
        let clip = &model.clips[0];
        let rest = corner(&model, clip, 0.0);
        for (time, share) in [(1.0, 0.5), (2.0, 1.0)] {
            let forward = FORWARD * if version == 0 { -1.0 } else { 1.0 };
            let expected = Vec3::new(0.0, 0.5 * RAISED, forward) * share;
            let moved = corner(&model, clip, time) - rest;
            assert!(
                moved.distance(expected) < 1e-5,
                "version {version}, {time} s: {moved} of {expected}"
            );
        }
        // Without such clips nothing is stored for them.
        let alone = file::open(&vrm).expect("opens").model;
        assert!(alone.morphs.is_empty() && alone.expressions.len() == 2);
    }
}

#[test]
fn binary_expressions_are_there_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let (vrm, vrma) = (folder.path().join("face.vrm"), folder.path().join("wink.vrma"));
    std::fs::write(&vrm, face(1)).expect("written");
    std::fs::write(&vrma, animation(&[("wink", &[0.0, 1.0, 2.0], &[0.2, 0.8, 0.4])])).expect("written");
    let model = animated(&vrm, &vrma);
    let [weights] = &model.clips[0].morphs[..] else {
        panic!("{:?}", model.clips[0].morphs)
    };
    assert_eq!(
        (weights.interpolation, &weights.values[..]),
        (Interpolation::Step, &[0.0, 1.0, 0.0][..])
    );
}

#[test]
fn an_expression_that_nobody_has_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (vrm, vrma) = (folder.path().join("face.vrm"), folder.path().join("cry.vrma"));
    std::fs::write(&vrm, face(1)).expect("written");
    std::fs::write(&vrma, animation(&[("sad", &[0.0, 2.0], &[0.0, 1.0])])).expect("written");
    let model = animated(&vrm, &vrma);
    assert!(model.clips[0].morphs.is_empty() && model.morphs.is_empty());
    assert!(model.notes.iter().any(|note| note.contains("sad")), "{:?}", model.notes);
}

/// Numbers of meshes, nodes and targets that do not exist, and lists of the wrong type.
#[test]
fn damaged_expressions_move_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (vrm, vrma) = (folder.path().join("face.vrm"), folder.path().join("smile.vrma"));
    std::fs::write(&vrma, animation(&[("happy", &[0.0, 2.0], &[0.0, 1.0])])).expect("written");
    let whole: Value = serde_json::from_str(&face(1)).expect("JSON");
    for binds in [
        json!(3),
        json!([{"node": 99, "index": 0, "weight": 1.0}]),
        json!([{"node": 1, "index": 99, "weight": 1.0}]),
        json!([{"node": 1, "index": -1, "weight": 1.0}]),
        json!([{"index": 0, "weight": 1.0}]),
    ] {
        let mut damaged = whole.clone();
        damaged["extensions"]["VRMC_vrm"]["expressions"]["preset"]["happy"]["morphTargetBinds"] = binds.clone();
        std::fs::write(&vrm, damaged.to_string()).expect("written");
        let model = animated(&vrm, &vrma);
        assert!(model.clips[0].morphs.is_empty(), "{binds}: {:?}", model.clips[0].morphs);
    }
}

#[test]
fn samples_smile() {
    let Some(folder) = samples() else { return };
    for (name, targets) in [("Godette_vrm0.vrm", 2), ("catbot.vrm", 2)] {
        let model = animated(&folder.join("vrm").join(name), &folder.join("vrm/test.vrma"));
        let clip = &model.clips[0];
        println!(
            "{name}: {} morph targets, {} channels",
            model.morphs.len(),
            clip.morphs.len()
        );
        let moves = |weights: &[f32]| weights.windows(2).any(|pair| pair[0] != pair[1]);
        let moving = clip.morphs.iter().filter(|channel| moves(&channel.values)).count();
        assert!(moving >= targets, "{name}: {moving}");
        assert!(model.morphs.iter().all(|morph| !morph.deltas.is_empty()), "{name}");
    }
}
