//! Order of the modules: each may use only modules before it in [`LAYERS`].
//!
//! Checks every `use`, path, macro argument and attribute of `src/`: `source.rs` reads them, `program.rs` resolves
//! them, and `check.rs` has the rules.
//! `planted.rs` tests the rules with planted violations. Tests within `src/` must keep the order, too, but may use any
//! other crate.
//!
//! To add a module: insert it in [`LAYERS`], after everything it uses.

mod check;
mod exceptions;
mod planted;
mod program;
mod source;
mod tokens;

use std::{collections::BTreeSet, sync::LazyLock};

use check::{Rules, Verdict, cycles};
use exceptions::EXCEPTIONS;

/// Modules, lowest first. A module of a folder that is not listed belongs to the folder's; a listed one
/// (`"crowd::layouts"`) is a layer of its own.
const LAYERS: &[&str] = &[
    "model",
    "bake",
    "atlas",
    "file",
    "character",
    "crowd",
    "view",
    "config",
    "report",
    "tracks",
    "gpu",
    "render",
    "scene",
    "measure",
    "console",
    "film",
    "aov",
    "label",
    "dataset",
    "app",
    "bench",
    "cli",
    "main",
];

/// Other crates that only some layers may use. Crates that are not listed are free.
const CRATES: &[(&[&str], &[&str])] = &[
    (
        &["wgpu", "wgpu_profiler"],
        &["gpu", "render", "measure", "film", "aov", "app", "bench", "cli"],
    ),
    (&["winit", "egui", "egui_wgpu", "egui_winit", "egui_plot"], &["app"]),
    (&["clap"], &["app", "bench", "cli", "main"]),
    (&["clap_complete", "clap_mangen"], &["cli"]),
    (&["gltf", "ufbx", "draco_core"], &["file"]),
    // Derives are for data of reports and files; formats only where text is read and written.
    (
        &["serde"],
        &[
            "model", "bake", "atlas", "file", "config", "report", "tracks", "gpu", "scene", "render", "measure",
            "console", "label", "dataset", "bench", "cli",
        ],
    ),
    (
        &["serde_json", "toml"],
        &[
            "atlas", "file", "config", "tracks", "measure", "console", "film", "aov", "label", "dataset", "app",
            "bench", "cli",
        ],
    ),
];

/// Result of checking `src/`, computed once.
fn tree_report() -> &'static Verdict {
    static VERDICT: LazyLock<Verdict> = LazyLock::new(check_tree);
    &VERDICT
}

fn check_tree() -> Verdict {
    let root = super::root();
    let relative = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable source");
        (path.strip_prefix(&root).expect("below the root").to_path_buf(), text)
    };
    let files: Vec<_> = super::files(&root.join("src"), "rs")
        .into_iter()
        .map(relative)
        .collect();
    assert!(files.len() > 100, "{} files", files.len());
    let rules = Rules {
        layers: LAYERS,
        crates: CRATES,
    };
    rules.check(&files).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_module_uses_only_those_below_it() {
    let tree_report = tree_report();
    let short = |v: &check::Violation| format!("{}: {} → {}", v.file.display(), v.from, v.to);
    let excepted = |v: &&check::Violation| EXCEPTIONS.contains(&short(v).as_str());
    let (known, new): (Vec<_>, Vec<_>) = tree_report.violations.iter().partition(excepted);
    let list: Vec<String> = new.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} back edges:\n{}", list.len(), list.join("\n"));
    let known: BTreeSet<String> = known.into_iter().map(short).collect();
    let mended: Vec<_> = EXCEPTIONS.iter().filter(|e| !known.contains(**e)).collect();
    assert!(mended.is_empty(), "no longer exceptions: {mended:#?}");
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let circles = cycles(&tree_report().edges);
    // Without exceptions the order alone forbids cycles; with them, the list explains the cycles.
    assert!(circles.is_empty() || !EXCEPTIONS.is_empty(), "circles: {circles:#?}");
}

#[test]
fn the_documents_state_the_order_of_layers() {
    let path = super::root().join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).expect("ARCHITECTURE.md");
    // The tree has a line for each: `  model/   …` or `  character.rs   …`.
    let words = text
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let names = words.filter_map(|word| word.strip_suffix('/').or_else(|| word.strip_suffix(".rs")));
    let told: Vec<&str> = names.filter(|name| LAYERS.contains(name)).collect();
    let (_, modules) = LAYERS.split_last().expect("modules, and the program");
    assert_eq!(told, modules, "the tree of ARCHITECTURE.md");
}
