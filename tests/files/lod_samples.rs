//! LODs of real characters with animated faces.

use std::path::Path;

use serde_json::Value;
use throng::{
    Character,
    atlas::FramePlacement,
    bake::{self, lods, skinning},
    file,
    model::{Lod, Model},
};

use crate::common;

/// Byte range of an accessor in a binary file.
fn accessor_range(json: &Value, binary: usize, accessor: usize) -> std::ops::Range<usize> {
    let accessor = &json["accessors"][accessor];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().expect("a view") as usize];
    let number = |of: &Value, key: &str| of[key].as_u64().unwrap_or(0) as usize;
    let first = binary + number(view, "byteOffset") + number(accessor, "byteOffset");
    first..first + 4 * number(accessor, "count")
}

/// RobotExpressive with clips that run through its three expressions, whose weights its own clips hold at 0.
fn robot(folder: &Path) -> Model {
    let mut file = std::fs::read(folder.join("RobotExpressive/RobotExpressive.glb")).expect("read");
    let length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
    let json: Value = serde_json::from_slice(&file[20..20 + length]).expect("JSON");
    let mut changed = 0;
    for animation in json["animations"].as_array().expect("animations") {
        for channel in animation["channels"].as_array().expect("channels") {
            if channel["target"]["path"] != "weights" {
                continue;
            }
            let sampler = &animation["samplers"][channel["sampler"].as_u64().expect("a sampler") as usize];
            let output = sampler["output"].as_u64().expect("an accessor") as usize;
            let weights = file[accessor_range(&json, 28 + length, output)].as_chunks_mut::<4>().0;
            for (at, weight) in weights.iter_mut().enumerate() {
                let (key, target) = (at / 3, at % 3);
                let phase = 0.4 * key as f32 + 2.0 * target as f32;
                *weight = phase.sin().max(0.0).to_le_bytes();
                changed += 1;
            }
        }
    }
    assert!(changed > 500, "{changed} weights");
    let model = file::open_bytes("robot", &file, None).expect("opens").model;
    assert_eq!(model.morphs.len(), 3, "some targets do not change");
    model
}

/// Mean distance (m) of vertices that targets move at a frame from the nearest vertex of a LOD.
fn mean_gap(character: &Character, lod: &Lod, frame: usize) -> f32 {
    let palettes = &character.palettes;
    let full = skinning::skin_frame(&character.model, palettes, frame);
    let moved = skinning::morphed_lod(lod, palettes.frame_morphs(frame));
    let lod = skinning::skin_vertices(&moved, palettes.frame(frame));
    let mut face: Vec<u32> = character
        .model
        .morphs
        .iter()
        .flat_map(|m| &m.deltas)
        .map(|d| d.vertex)
        .collect();
    face.sort_unstable();
    face.dedup();
    assert!(face.len() > 100);
    let nearest = |&vertex: &u32| {
        let at = full[vertex as usize].position;
        lod.iter()
            .map(|v| v.position.distance(at))
            .fold(f32::INFINITY, f32::min)
    };
    face.iter().map(nearest).sum::<f32>() / face.len() as f32
}

#[test]
fn lods_of_the_robot_follow_its_expressions() {
    let Some(folder) = common::samples() else { return };
    let character = Character::bake(robot(&folder), FramePlacement::default()).expect("bakes");
    assert!(character.lacks_lods());
    let made = bake::make_lods(&character.model, &|_| ()).expect("can be made");
    let mut faces = 0;
    let frames = character.palettes.frame_count;
    let weights = |frame: usize| character.palettes.frame_morphs(frame).iter().sum::<f32>();
    let laughing = (0..frames)
        .max_by(|&a, &b| weights(a).total_cmp(&weights(b)))
        .expect("frames");
    println!("{} triangles at full detail", character.model.mesh.triangle_count());
    for lod in &made {
        let still = Lod {
            morphs: vec![Vec::new(); 3],
            ..lod.clone()
        };
        let [with, without] = [lod, &still].map(|lod| 1000.0 * mean_gap(&character, lod, laughing));
        let deltas = lod.morphs.iter().map(Vec::len).sum::<usize>();
        println!(
            "{} triangles: up to {:.0} rows, worst vertex {:.1} mm, {} vertices, {deltas} deltas, \
             face {with:.1} mm off, {without:.1} without deltas",
            lod.triangles(),
            lod.max_sample_rows,
            lod.worst_mm,
            lod.mesh.vertices.len()
        );
        assert!(lod.morphs.len() == 3 && deltas > 0);
        assert!(lod.worst_mm > 0.0 && lod.worst_mm.is_finite());
        // Coarser LODs have few vertices near the face.
        if lod.max_sample_rows > 10.0 {
            assert!(with < 0.5 * without, "{with} mm, {without} mm without deltas");
            faces += 1;
        }
    }
    assert!(faces >= 3, "{faces} LODs with a face");
}

#[test]
fn what_is_too_small_for_lods_has_none() {
    let Some(folder) = common::samples() else { return };
    let cube = common::load(&folder, "AnimatedMorphCube/AnimatedMorphCube.glb");
    assert!(!cube.morphs.is_empty() && !lods::are_worth_making(&cube));
    assert_eq!(bake::make_lods(&cube, &|_| ()).expect("nothing to make"), []);
    let character = Character::bake(cube, FramePlacement::default()).expect("bakes");
    assert!(!character.lacks_lods() && character.lods().is_empty());
}
