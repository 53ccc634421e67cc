//! KHR_animation_pointer and Draco, with files that the tests write and with samples.

use serde_json::json;
use throng::{
    bake::skinning,
    file,
    model::{Bounds, Clip, Model},
};

use crate::common::{builder::Builder, samples};

fn bounds(model: &Model, clip: Option<&Clip>, time: f32) -> Bounds {
    let skinned = skinning::skin_exact(model, clip, time);
    Bounds::of(skinned.iter().map(|vertex| vertex.position))
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

#[test]
fn pointers_move_and_hide_nodes() {
    let mut b = Builder::default();
    let positions = b.floats(&TRIANGLE, "VEC3", 3);
    let times = b.floats(&[0.0, 1.0], "SCALAR", 1);
    let moved = b.floats(&[0.0, 0.0, 0.0, 0.0, 0.0, 2.0], "VEC3", 3);
    let visible = b.add(&[1, 0], 5121, "SCALAR", 2);
    let pointer = |sampler: usize, pointer: &str| {
        json!({"sampler": sampler, "target": {"path": "pointer",
            "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
    };
    let root = json!({
        "extensionsUsed": ["KHR_animation_pointer", "KHR_node_visibility"],
        "nodes": [{"mesh": 0}, {"mesh": 0, "translation": [5.0, 0.0, 0.0]}], "scenes": [{"nodes": [0, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": positions}}]}],
        "animations": [{"samplers": [{"input": times, "output": moved},
            {"input": times, "output": visible, "interpolation": "STEP"}],
            "channels": [pointer(0, "/nodes/0/translation"),
                pointer(1, "/nodes/1/extensions/KHR_node_visibility/visible"), pointer(0, "/materials/0/emissiveFactor")]}],
    });
    let model = b.open(root).unwrap_or_else(|error| panic!("{error}"));
    let clip = &model.clips[0];
    let (start, middle, end) = (
        bounds(&model, Some(clip), 0.0),
        bounds(&model, Some(clip), 0.5),
        bounds(&model, Some(clip), 1.0),
    );
    assert!(
        (start.max.x - 6.0).abs() < 1e-5 && (middle.max.x - 6.0).abs() < 1e-5,
        "{start:?} {middle:?}"
    );
    assert!((middle.max.z - 1.0).abs() < 1e-5, "{middle:?}");
    // The hidden triangle has shrunk to the node's parent.
    assert!(end.max.x < 1.01 && (end.max.z - 2.0).abs() < 1e-5, "{end:?}");
    assert!(
        model.notes.iter().any(|note| note.contains("1 animation channel")),
        "{:?}",
        model.notes
    );
}

#[test]
fn samples_of_pointers_move() {
    let Some(folder) = samples() else { return };
    let open = |name: &str| {
        file::open(&folder.join(name))
            .unwrap_or_else(|error| panic!("{error}"))
            .model
    };
    let model = open("pointer/24/24_animation_pointer.gltf");
    let clip = &model.clips[0];
    println!("{:?}", model.all_notes().collect::<Vec<_>>());
    assert!((clip.duration - 10.017).abs() < 0.02, "{}", clip.duration);
    let heights: Vec<f32> = (0..=20)
        .map(|n| bounds(&model, Some(clip), clip.duration * n as f32 / 20.0).size().y)
        .collect();
    println!("{heights:?}");
    let least = heights.iter().copied().fold(f32::INFINITY, f32::min);
    let most = heights.iter().copied().fold(0.0, f32::max);
    println!("{least} to {most}");
    let cube = open("pointer/CubeVisibility.glb");
    let volumes: Vec<f32> = (0..40)
        .map(|n| {
            bounds(&cube, Some(&cube.clips[0]), cube.clips[0].duration * n as f32 / 40.0)
                .size()
                .x
        })
        .collect();
    println!("{volumes:?} {:?}", cube.all_notes().collect::<Vec<_>>());
    assert!(
        volumes.windows(2).any(|pair| pair[0] != pair[1]),
        "it blinks: {volumes:?}"
    );
}
