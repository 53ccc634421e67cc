//! The program as a process: exit codes, one line per error, files written whole or not at all.

mod animations;
mod annotations;
mod day;
mod documents;
mod errors;
mod export;
mod failing;
mod files;
mod film;
mod labels;
mod limits;
mod old_names;
mod outputs;
mod parts;
mod pictures;
mod raw_lods;
mod settings;
mod shell;
mod site;
mod sources;
mod starts;
mod stops;
#[cfg(feature = "tracks")]
mod tracks;
mod validation;

use std::{
    path::Path,
    process::{Command, Output},
};

use crate::common::gpu::adapter;

/// Options of a picture of twelve people, which draws at once.
fn small_scene() -> [&'static str; 8] {
    [
        "--scene",
        "plaza",
        "--count",
        "12",
        "--size",
        "64x36",
        "--adapter",
        adapter(),
    ]
}

/// Runs the program in an empty folder. It stores nothing between runs.
fn throng(folder: &Path, arguments: &[&str]) -> Output {
    throng_keeping(folder, arguments, "")
}

/// Runs the program with a folder for its cache.
fn throng_keeping(folder: &Path, arguments: &[&str], cache: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.current_dir(folder).args(arguments).env_remove("THRONG_LOG");
    command.env("THRONG_CACHE", cache);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program, which must succeed without messages; returns its output.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = throng(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs the program as [`succeed`] and parses JSON from standard output.
fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = succeed(folder, arguments);
    serde_json::from_str(&output).unwrap_or_else(|e| panic!("{arguments:?}: {e}\n{output}"))
}

/// Names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn temporary() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Character written by hand: one triangle that turns about the y axis for 1 s.
fn triangle_gltf() -> serde_json::Value {
    use base64::Engine as _;
    let floats: [f32; 19] = [
        // positions
        -0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 2.0, 0.0, // times
        0.0, 1.0, // rotations
        0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8,
    ];
    let mut bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    bytes.extend([0_u16, 1, 2].iter().flat_map(|i| i.to_le_bytes()));
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let view =
        |offset: usize, length: usize| serde_json::json!({"buffer": 0, "byteOffset": offset, "byteLength": length});
    serde_json::json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "vane", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 3}]}],
        "buffers": [{"byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{data}")}],
        "bufferViews": [view(0, 36), view(36, 8), view(44, 32), view(76, 6)],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-0.5, 0, 0], "max": [0.5, 2, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5123, "count": 3, "type": "SCALAR"}
        ],
        "animations": [{
            "name": "turn",
            "samplers": [{"input": 1, "output": 2}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]
        }]
    })
}

/// Writes JSON to a file of a folder.
fn write_json(folder: &Path, name: &str, json: &serde_json::Value) {
    std::fs::write(folder.join(name), json.to_string()).expect("written");
}
