//! FBX of other programs: bounds against those that Blender's importer and ufbx give.

use serde_json::Value;
use throng::{
    bake::skinning,
    file,
    model::{Bounds, Clip, Model},
};

use crate::common::samples;

/// Largest difference at rest, relative to the height; the reference has four decimals.
const REST: f32 = 1e-3;
/// Largest difference in a clip, relative to the height.
const POSED: f32 = 5e-3;
/// Samples that Blender poses otherwise, for reasons that can be seen in the file.
const OTHERWISE: [(&str, &str); 2] = [
    (
        "motionbuilder_sausage_rrss_7700_binary.fbx",
        "InheritType is RrSs, which Blender treats as RSrs",
    ),
    (
        "max_transformed_skin_7500_binary.fbx",
        "its curves are cubic, Blender interpolates their few keys linearly",
    ),
];

fn bounds(model: &Model, clip: Option<&Clip>, time: f32) -> Bounds {
    let skinned = skinning::skin_exact(model, clip, time);
    Bounds::of(skinned.iter().map(|vertex| vertex.position))
}

fn list(value: &Value) -> [f32; 3] {
    [0, 1, 2].map(|k| value[k].as_f64().expect("a number") as f32)
}

/// Largest difference of two bounds (m).
fn difference(own: Bounds, reference: &Value) -> f32 {
    let sides = [(own.min, list(&reference["min"])), (own.max, list(&reference["max"]))];
    let each = sides.iter().flat_map(|(a, b)| [0, 1, 2].map(|k| (a[k] - b[k]).abs()));
    each.fold(0.0, f32::max)
}

/// Bounds that ufbx itself gives at a time of a stack (m).
fn evaluated(scene: &ufbx::Scene, stack: &ufbx::AnimStack, time: f64) -> Bounds {
    let options = ufbx::EvaluateOpts {
        evaluate_skinning: true,
        ..Default::default()
    };
    let posed = ufbx::evaluate_scene(scene, &stack.anim, time, options).unwrap_or_else(|e| panic!("{}", e.description));
    let mut points = Vec::new();
    for node in posed.nodes.iter() {
        let Some(mesh) = &node.mesh else { continue };
        for place in mesh.skinned_position.values.iter() {
            let world = ufbx::transform_position(&node.geometry_to_world, *place);
            let place = if mesh.skinned_is_local { world } else { *place };
            points.push(glam::DVec3::new(place.x, place.y, place.z).as_vec3());
        }
    }
    Bounds::of(points)
}

/// Number of moments of each clip that are compared.
const MOMENTS: usize = 7;

#[test]
fn clips_pose_as_ufbx_evaluates_them() {
    let Some(folder) = samples() else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder.join("fbx"))
        .expect("a folder")
        .flatten()
        .map(|e| e.path())
        .collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "fbx"))
    {
        let model = file::open(file).unwrap_or_else(|error| panic!("{error}")).model;
        let bytes = std::fs::read(file).expect("readable");
        let options = ufbx::LoadOpts {
            target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
            target_unit_meters: 1.0,
            ..Default::default()
        };
        let scene = ufbx::load_memory(&bytes, options).unwrap_or_else(|e| panic!("{}", e.description));
        let height = bounds(&model, None, 0.0).size().y;
        for clip in &model.clips {
            let named = |stack: &&ufbx::Ref<ufbx::AnimStack>| stack.element.name.ends_with(&clip.name);
            let stack = scene
                .anim_stacks
                .iter()
                .find(named)
                .or(scene.anim_stacks.iter().next())
                .expect("a stack");
            let keys = scene.anim_curves.iter().filter(|curve| !curve.keyframes.is_empty());
            let first = keys
                .map(|curve| curve.min_time)
                .fold(f64::INFINITY, f64::min)
                .max(stack.time_begin);
            for moment in 0..MOMENTS {
                let time = clip.duration * moment as f32 / (MOMENTS - 1) as f32;
                let reference = evaluated(&scene, stack, first + f64::from(time));
                let own = bounds(&model, Some(clip), time);
                let found = own.min.distance(reference.min).max(own.max.distance(reference.max)) / height;
                if found > POSED {
                    let name = file.file_name().unwrap_or_default().to_string_lossy();
                    wrong.push(format!("{name}, {} at {time:.3} s: {:.3} %", clip.name, 100.0 * found));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn samples_have_the_bounds_that_other_readers_give() {
    let Some(folder) = samples() else { return };
    let folder = folder.join("fbx");
    let text = std::fs::read_to_string(folder.join("blender_reference.jsonl")).expect("readable");
    let (mut files, mut moments) = (0, 0);
    let mut wrong = Vec::new();
    for line in text.lines() {
        let reference: Value = serde_json::from_str(line).expect("JSON");
        let name = reference["file"].as_str().expect("a name");
        let opened = file::open(&folder.join(name));
        let model = opened.unwrap_or_else(|error| panic!("{error}")).model;
        files += 1;
        let rest = &reference["ufbx_rest"];
        let height = list(&rest["max"])[1] - list(&rest["min"])[1];
        let mut check = |what: String, found: f32, limit: f32| {
            println!("{name}, {what}: {:.3} % of {height} m", 100.0 * found);
            let is_known = what != "rest" && OTHERWISE.iter().any(|(file, _)| *file == name);
            if found > limit && !is_known {
                wrong.push(format!("{name}, {what}: {:.3} %", 100.0 * found));
            }
        };
        check(
            "rest".into(),
            difference(bounds(&model, None, 0.0), rest) / height,
            REST,
        );
        let fps = reference["fps"].as_f64().unwrap_or(24.0);
        for clip in reference["clips"].as_array().into_iter().flatten() {
            let action = clip[0].as_str().expect("a name");
            let named = |own: &&Clip| action.ends_with(&own.name);
            // A clip of a name that nobody gave has that of its file.
            let own = model.clips.iter().find(named).or(model.clips.first()).expect("a clip");
            for frame in clip[1].as_array().expect("frames") {
                let time = (frame[0].as_f64().expect("a frame") - 1.0) / fps;
                let found = difference(bounds(&model, Some(own), time as f32), &frame[1]) / height;
                check(format!("{action} at {time:.3} s of {}", own.duration), found, POSED);
                moments += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((files, moments > 50), (13, true));
}

/// Number of damaged copies of each binary sample.
const COPIES: usize = 60;

#[test]
fn damaged_binary_files_are_errors() {
    let Some(folder) = samples() else { return };
    for name in [
        "blender_293_half_skinned_7400_binary.fbx",
        "maya_instanced_skin_7700_binary.fbx",
        "max7_skin_5000_binary.fbx",
    ] {
        let whole = std::fs::read(folder.join("fbx").join(name)).expect("readable");
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..COPIES {
            let mut bytes = whole.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            bytes.truncate(whole.len() - random(2) * random(whole.len()));
            if let Err(error) = file::open_bytes("damaged.fbx", &bytes, None) {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
}
