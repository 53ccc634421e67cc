//! Integration with shells, pipes and `man`: completions, manual pages, several files, a picture on standard output.

use std::fs;

use super::{json, names, pictures::can_draw, small_scene, succeed, temporary, text, throng, triangle_gltf};

const COMMANDS: [&str; 13] = [
    "view",
    "shot",
    "film",
    "dataset",
    "assemble",
    "adapters",
    "bench",
    "bake",
    "info",
    "verify",
    "export",
    "completions",
    "man",
];

#[test]
fn every_command_shows_examples() {
    let folder = temporary();
    for command in COMMANDS {
        let help = succeed(folder.path(), &[command, "--help"]);
        let example = format!("throng {command}");
        let examples = help.split("Examples:").nth(1).unwrap_or_default();
        assert!(examples.contains(&example), "{command}: {help}");
    }
}

#[test]
fn completions_know_every_command_and_option() {
    let folder = temporary();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = succeed(folder.path(), &["completions", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
        assert!(script.contains("compare-even"), "{shell}");
    }
    let unknown = throng(folder.path(), &["completions", "tcsh"]);
    assert_eq!(unknown.status.code(), Some(2));
    // Bash parses the script.
    let script = folder.path().join("throng.bash");
    fs::write(&script, succeed(folder.path(), &["completions", "bash"])).expect("written");
    if let Ok(read) = std::process::Command::new("bash").arg("-n").arg(&script).output() {
        assert!(read.status.success(), "{}", text(&read.stderr));
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let folder = temporary();
    let printed = succeed(folder.path(), &["man"]);
    assert!(
        printed.contains(".TH throng 1") && printed.contains("Exit codes"),
        "{printed}"
    );
    succeed(folder.path(), &["man", "-o", "man1"]);
    let mut wanted: Vec<String> = COMMANDS.map(|command| format!("throng-{command}.1")).into();
    wanted.push("throng.1".to_owned());
    wanted.sort();
    assert_eq!(names(&folder.path().join("man1")), wanted);
    let page = fs::read_to_string(folder.path().join("man1/throng-bake.1")).expect("a page");
    assert!(
        page.contains("max\\-error") && page.contains(".TH throng-bake 1"),
        "{page}"
    );
}

/// Folder with two characters, one of them in a subfolder, and a broken file.
fn characters() -> tempfile::TempDir {
    let folder = temporary();
    let deeper = folder.path().join("all/deeper");
    fs::create_dir_all(&deeper).expect("a folder");
    let vane = serde_json::to_vec(&triangle_gltf()).expect("JSON");
    for file in ["all/a.gltf", "all/deeper/b.GLTF"] {
        fs::write(folder.path().join(file), &vane).expect("written");
    }
    fs::write(folder.path().join("all/readme.txt"), "no character").expect("written");
    folder
}

#[test]
fn folders_of_characters_are_described_one_after_another() {
    let folder = characters();
    let both = json(folder.path(), &["info", "all", "--json=1"]);
    let files: Vec<_> = both
        .as_array()
        .expect("an array")
        .iter()
        .map(|one| one["file"].clone())
        .collect();
    assert_eq!(files, ["all/a.gltf", "all/deeper/b.GLTF"]);
    // The output for a single file keeps its form, and that for several files has the same content.
    let mut one = json(folder.path(), &["info", "all/a.gltf", "--json=1"]);
    let of_several = both[0].as_object().expect("an object").clone();
    let one = one.as_object_mut().expect("an object");
    assert!(
        one.iter().all(|(key, value)| of_several.get(key) == Some(value)),
        "{one:?}"
    );
    let measured = json(folder.path(), &["verify", "all", "--json", "--format", "f16"]);
    assert_eq!(measured.as_array().map(Vec::len), Some(2));
    assert!(measured[1]["formats"][0]["bytes"].is_u64(), "{measured}");
    // A limit that one of them misses.
    let strict = throng(
        folder.path(),
        &["verify", "all", "--format", "unorm8", "--max-error", "0.000001%"],
    );
    assert_eq!(strict.status.code(), Some(3));
}

#[test]
fn a_broken_file_among_several_costs_a_line() {
    let folder = characters();
    fs::write(folder.path().join("all/broken.glb"), "glTF, almost").expect("written");
    let output = throng(folder.path(), &["info", "all", "--json=1"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(errors.lines().count() == 1 && errors.contains("broken.glb"), "{errors}");
    let answers: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answers.as_array().map(Vec::len), Some(2));
    fs::create_dir(folder.path().join("none")).expect("a folder");
    for (arguments, reason) in [
        (vec!["info", "none"], "no .fbx, .glb, .gltf, .vrm or .vrma"),
        (
            vec!["verify", "all", "--plot", "plot.svg"],
            "--plot shows one character",
        ),
        (vec!["info"], "required"),
    ] {
        let refused = throng(folder.path(), &arguments);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(reason) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn a_picture_goes_to_standard_output() {
    let folder = temporary();
    if !can_draw(folder.path()) {
        return;
    }
    let before = names(folder.path());
    let piped = throng(folder.path(), &[&["shot", "-o", "-"][..], &small_scene()].concat());
    assert_eq!(piped.status.code(), Some(0), "{}", text(&piped.stderr));
    assert_eq!(names(folder.path()), before, "no file named -");
    succeed(folder.path(), &[&["shot", "-o", "a.png"][..], &small_scene()].concat());
    assert!(piped.stdout == fs::read(folder.path().join("a.png")).expect("the picture"));
    assert!(text(&piped.stderr).contains("12"), "statistics beside it");
    for more in [&["--json"][..], &["--frames", "2"], &["--passes", "depth"]] {
        let refused = throng(folder.path(), &[&["shot", "-o", "-"], more, &small_scene()].concat());
        assert_eq!(refused.status.code(), Some(2), "{more:?}: {}", text(&refused.stderr));
    }
}
