//! The shape of the source tree: layers without back edges, passes in pairs, files of one idea.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` with the extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)
        .expect("a folder of the source tree")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Code without comment lines.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("readable source");
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Layers, lowest first, and what each must never mention.
const LAYERS: [(&str, &[&str]); 4] = [
    (
        "model",
        &[
            "crate::bake",
            "crate::atlas",
            "crate::crowd",
            "crate::render",
            "crate::gpu",
            "crate::app",
        ],
    ),
    (
        "bake",
        &[
            "crate::atlas",
            "crate::crowd",
            "crate::render",
            "crate::gpu",
            "crate::app",
        ],
    ),
    ("atlas", &["crate::crowd", "crate::render", "crate::gpu", "crate::app"]),
    ("crowd", &["crate::atlas", "crate::render", "crate::gpu", "crate::app"]),
];

#[test]
fn lower_layers_know_nothing_of_higher_ones_nor_of_wgpu() {
    for (layer, forbidden) in LAYERS {
        for path in files(&root().join("src").join(layer), "rs") {
            let code = code(&path);
            for word in forbidden.iter().chain(&["wgpu", "winit", "egui"]) {
                assert!(!code.contains(word), "{} mentions {word}", path.display());
            }
        }
    }
}

#[test]
fn only_the_gltf_modules_read_gltf() {
    for path in files(&root().join("src"), "rs") {
        let may = path.starts_with(root().join("src/file"));
        let names = [
            "gltf::import",
            "gltf_json",
            "gltf::json",
            "gltf::Gltf",
            "gltf::Document",
            "gltf::buffer",
        ];
        let reads = names.iter().any(|n| code(&path).contains(n));
        assert!(may || !reads, "{} reads glTF", path.display());
    }
}

#[test]
fn every_pass_has_a_file_of_the_same_name_on_both_sides() {
    // Two draws of one render pass, and the textbook baseline's buffers, live under other names.
    let elsewhere = ["ground", "sky"];
    for path in files(&root().join("shaders"), "wgsl") {
        if path.parent().is_some_and(|p| p.ends_with("shared")) {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let render = root().join("src/render");
        let twins = ["passes", "resources"].map(|folder| render.join(folder));
        let twin = |folder: &PathBuf| folder.join(format!("{name}.rs")).exists() || folder.join(&name).is_dir();
        assert!(
            twins.iter().any(twin) || elsewhere.contains(&name.as_str()),
            "shaders/{name}.wgsl has no src/render/passes/{name}.rs"
        );
    }
}

#[test]
fn files_hold_one_idea() {
    let mut lengths = Vec::new();
    for (folder, extension) in [("src", "rs"), ("shaders", "wgsl"), ("tests", "rs"), ("examples", "rs")] {
        for path in files(&root().join(folder), extension) {
            let text = std::fs::read_to_string(&path).expect("readable source");
            let lines = text.lines().count();
            assert!(
                lines <= 500,
                "{} has {lines} lines: split where a second idea begins",
                path.display()
            );
            lengths.push(lines);
        }
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= 220, "median file: {median} lines");
}
