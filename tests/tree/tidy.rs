//! Structure of the source tree: shaders and passes in pairs, one idea per file.

use super::{files, root};

#[test]
fn every_pass_has_a_file_of_the_same_name_on_both_sides() {
    // Two draws of one render pass have other names.
    let elsewhere = ["ground", "sky"];
    for path in files(&root().join("shaders"), "wgsl") {
        if path.parent().is_some_and(|p| p.ends_with("shared")) {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let render = root().join("src/render");
        let twins = [
            "passes",
            "passes/aov",
            "passes/display",
            "passes/draw_lists",
            "passes/preskin",
            "passes/probe",
            "passes/raster",
            "passes/triangle_cull",
            "resources",
        ]
        .map(|folder| render.join(folder));
        let twin =
            |folder: &std::path::PathBuf| folder.join(format!("{name}.rs")).exists() || folder.join(&name).is_dir();
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

#[test]
fn the_architecture_is_read_in_one_go() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let lines = text.lines().count();
    assert!(lines < 120, "ARCHITECTURE.md has {lines} lines");
}

/// Commands in reports must not name folders of the machine that measured them.
#[test]
fn stored_reports_name_no_folder_of_the_machine_that_measured_them() {
    let mut words = 0;
    for extension in ["json", "md", "csv", "txt"] {
        for path in files(&root().join("benches/results"), extension) {
            let text = std::fs::read_to_string(&path).expect("a readable report");
            for word in text.split([' ', '\n', '"', '`', '(', '=']) {
                let is_absolute = word
                    .strip_prefix('/')
                    .is_some_and(|rest| rest.starts_with(char::is_alphabetic));
                // Folders below `/dev` exist on every machine.
                assert!(
                    !is_absolute || word.starts_with("/dev/"),
                    "{} names {word}",
                    path.display()
                );
                words += 1;
            }
        }
    }
    assert!(words > 1000, "{words} words of reports");
}
