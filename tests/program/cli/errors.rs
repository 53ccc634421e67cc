//! Errors of input and usage: one line, exit code 2 (or 1), no file left behind.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{names, succeed, temporary, text, throng, triangle_gltf, write_json};

/// Checks that the run fails with the code, prints one line that contains `says`, and leaves no new file.
pub(super) fn fails(folder: &Path, arguments: &[&str], code: i32, says: &str) {
    let before = names(folder);
    let output = throng(folder, arguments);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{arguments:?}: one line, got:\n{stderr}");
    assert!(stderr.starts_with("throng: "), "{arguments:?}: {stderr}");
    assert!(
        stderr.to_lowercase().contains(&says.to_lowercase()),
        "{arguments:?}: {stderr:?} does not say {says:?}"
    );
    assert!(
        !stderr.contains("panicked") && !stderr.contains("RUST_BACKTRACE"),
        "{stderr}"
    );
    assert_eq!(names(folder), before, "{arguments:?}");
}

/// Checks that a command line of words without spaces fails with the code of bad input.
pub(super) fn line_fails(folder: &Path, line: &str, says: &str) {
    fails(folder, &line.split(' ').collect::<Vec<_>>(), 2, says);
}

/// Checks that every command that reads a character refuses the file.
fn refused_everywhere(folder: &Path, file: &str, says: &str) {
    fails(folder, &["info", file], 2, says);
    fails(folder, &["verify", file], 2, says);
    refused_as_one(folder, file, says);
}

/// Checks that every command that reads no folders refuses the file.
fn refused_as_one(folder: &Path, file: &str, says: &str) {
    fails(folder, &["bake", file, "-o", "out.glb"], 2, says);
    fails(folder, &["export", file, "-o", "out"], 2, says);
    fails(folder, &["shot", file, "-o", "out.png"], 2, says);
}

/// Writes the hand-made character with a change.
fn broken(folder: &Path, name: &str, change: impl Fn(&mut Value)) {
    let mut gltf = triangle_gltf();
    change(&mut gltf);
    write_json(folder, name, &gltf);
}

#[test]
fn files_that_are_no_characters() {
    let folder = temporary();
    let folder = folder.path();
    let knight = throng::scene::embedded::embedded("knight").expect("embedded");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("written");
    write("empty.glb", b"");
    write("truncated.glb", &knight[..knight.len() / 2]);
    write("header.glb", &knight[..12]);
    write("photo.glb", b"\x89PNG\r\n\x1a\n and so on");
    write("text.gltf", b"hello");
    write("list.gltf", b"[1, 2, 3]");
    let mut newer = knight.to_vec();
    newer[4] = 9;
    write("newer.glb", &newer);
    refused_everywhere(folder, "missing.glb", "missing.glb");
    std::fs::create_dir(folder.join("nobody")).expect("a folder");
    let empty = "no .fbx, .glb, .gltf, .vrm or .vrma in this folder";
    refused_as_one(folder, "nobody", empty);
    for command in ["info", "verify"] {
        fails(folder, &[command, "nobody"], 2, empty);
    }
    for file in [
        "empty.glb",
        "truncated.glb",
        "header.glb",
        "photo.glb",
        "text.gltf",
        "list.gltf",
        "newer.glb",
    ] {
        refused_everywhere(folder, file, file);
    }
}

#[test]
fn characters_that_contradict_themselves() {
    let folder = temporary();
    let folder = folder.path();
    broken(folder, "version.gltf", |g| g["asset"]["version"] = json!("3.0"));
    broken(folder, "meshless.gltf", |g| {
        g["nodes"] = json!([{"name": "vane"}]);
        g["meshes"] = json!([]);
    });
    broken(folder, "index.gltf", |g| g["accessors"][3]["bufferView"] = json!(9));
    broken(folder, "accessor.gltf", |g| {
        g["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(77)
    });
    broken(folder, "short.gltf", |g| {
        g["accessors"][0]["count"] = json!(3_000_000_000_u32)
    });
    broken(folder, "vertex.gltf", |g| g["accessors"][0]["count"] = json!(2));
    broken(folder, "nan.gltf", |g| {
        // The view of the positions now starts at bytes that are NaN.
        g["buffers"] = json!([{"byteLength": 36, "uri": "data:application/octet-stream;base64,////////////////////////////////////////////////"}]);
        g["bufferViews"] = json!([{"buffer": 0, "byteLength": 36}]);
        g["accessors"] = json!([g["accessors"][0]]);
        g["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
        g["animations"] = json!([]);
    });
    broken(folder, "outside.gltf", |g| {
        g["buffers"][0]["uri"] = json!("../../etc/passwd")
    });
    broken(folder, "required.gltf", |g| {
        g["extensionsRequired"] = json!(["ACME_secret"])
    });
    let files = [
        "version", "meshless", "index", "accessor", "short", "vertex", "nan", "outside", "required",
    ];
    for name in files {
        refused_everywhere(folder, &format!("{name}.gltf"), name);
    }
    fails(folder, &["info", "required.gltf"], 2, "ACME_secret");
}

#[test]
fn draco_opens() {
    let Some(samples) = crate::common::samples() else {
        return;
    };
    let file = samples.join("CesiumMan-Draco/CesiumMan.gltf");
    let folder = temporary();
    let said = throng(folder.path(), &["info", &file.to_string_lossy()]);
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn values_out_of_range() {
    let folder = temporary();
    let folder = folder.path();
    let shot = |rest: &[&str], says: &str| fails(folder, &[&["shot", "-o", "a.png"], rest].concat(), 2, says);
    shot(&["--count", "0"], "--count");
    shot(&["--count", "10000001"], "--count");
    shot(&["--count", "many"], "--count");
    shot(&["--size", "0x0"], "--size");
    shot(&["--size", "99999x99999"], "--size");
    shot(&["--size", "640"], "--size");
    shot(&["--time", "-1"], "--time");
    shot(&["--time", "nan"], "--time");
    for seconds in ["nan", "-1", "61", "inf"] {
        shot(&["--frame-interval", seconds], "from 0 to 60");
    }
    shot(&["--technique", "magic"], "--technique");
    shot(&["--format", "f64"], "--format");
    shot(&["--scene", "nowhere"], "nowhere");
    shot(&["--camera", "nowhere", "--count", "1", "--size", "16x16"], "nowhere");
    shot(&["--adapter", "no such adapter"], "no such adapter");
    if super::pictures::can_draw(temporary().path()) {
        let lone = ["--scene", "army", "--count", "1", "--size", "16x16"];
        shot(
            &[&lone[..], &["--clips", "walk,nope"]].concat(),
            "clip \"nope\"; available: ",
        );
    }
    shot(&["--nonsense"], "--nonsense");
    fails(folder, &["frobnicate"], 2, "frobnicate");
    fails(folder, &["bake", "knight"], 2, "--output");
    fails(folder, &["bake", "knight", "-o", "a.glb", "--rate", "0"], 2, "--rate");
    fails(
        folder,
        &["bake", "knight", "-o", "a.glb", "--rate", "30", "--max-error", "1"],
        2,
        "--max-error",
    );
    fails(
        folder,
        &["bake", "knight", "-o", "a.glb", "--max-error", "-1"],
        2,
        "--max-error",
    );
    fails(
        folder,
        &["bake", "knight", "-o", "a.glb", "--max-bytes", "0"],
        2,
        "--max-bytes",
    );
    fails(
        folder,
        &["bake", "knight", "-o", "a.glb", "--clips", "no such clip"],
        2,
        "no such clip",
    );
    fails(folder, &["verify", "knight", "--max-error", "0"], 2, "--max-error");
}

#[test]
fn invalid_numbers_say_which_are_valid() {
    let folder = temporary();
    let folder = folder.path();
    let whole = "is not an integer from";
    for (option, value) in [
        ("--count", "-5"),
        ("--count", "abc"),
        ("--seed", "-1"),
        ("--seed", "9223372036854775808"),
        ("--frames", "-1"),
    ] {
        fails(folder, &["shot", option, value], 2, &format!("{value:?} {whole}"));
    }
    fails(folder, &["verify", "knight", "--samples", "-1"], 2, whole);
    fails(folder, &["verify", "knight", "--rate", "-1"], 2, "not a rate");
    fails(
        folder,
        &["bake", "knight", "-o", "a.glb", "--max-bytes", "1e5"],
        2,
        whole,
    );
    fails(folder, &["bench", "--seed", "-1"], 2, whole);
    let output = throng(folder, &["info", "-5"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("unexpected argument '-5'") && !said.contains("tip"),
        "{said}"
    );
}

#[test]
fn misspelt_words_are_not_taken_for_files() {
    let folder = temporary();
    let folder = folder.path();
    fails(folder, &["shoot"], 2, "did you mean `shot`?");
    fails(folder, &["info", "womn"], 2, "woman, man, girl, elder, knight");
    fails(
        folder,
        &["shot", "--camera", "nope", "--count", "1"],
        2,
        "the scene has",
    );
    for near in [&["--camera", "tpo"], &["--scene", "plazza"]] {
        let said = text(&throng(folder, &[&["shot"], &near[..]].concat()).stderr);
        assert!(said.trim_end().ends_with('?') && !said.contains("?;"), "{said}");
    }
}

#[test]
fn reasons_are_printed_once() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::write(folder.join("latin.toml"), b"name = \"\xe9\"\n").expect("written");
    for arguments in [
        &["info", "missing.glb"][..],
        &["shot", "missing.glb"],
        &["shot", "--scene", "missing.toml"],
        &["shot", "--scene", "latin.toml"],
    ] {
        let said = text(&throng(folder, arguments).stderr);
        let reasons = said.matches("No such file").count() + said.matches("valid UTF-8").count();
        assert_eq!(reasons, 1, "{said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_display_that_is_not_there() {
    let folder = temporary();
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    // A picture too large for any adapter: messages before that matter.
    command.args([
        "view",
        "--count",
        "1",
        "--size",
        "16384x16384",
        "--adapter",
        "no such adapter",
    ]);
    command
        .current_dir(folder.path())
        .env("DISPLAY", ":7777")
        .env_remove("WAYLAND_DISPLAY");
    let said = text(&command.output().expect("the program starts").stdout);
    assert!(said.contains("cannot connect to the display :7777"), "{said}");
    assert!(!said.contains(".rs"), "{said}");
}

#[test]
fn the_help_has_verbose_among_the_options() {
    let folder = temporary();
    for command in ["view", "shot", "bench", "bake", "info", "verify", "export"] {
        let help = text(&throng(folder.path(), &[command, "--help"]).stdout);
        assert_eq!(help.matches("\nOptions:").count(), 1, "{command}");
        let before = help.split("--verbose").next().expect("some text");
        let heading = before
            .lines()
            .rev()
            .find(|line| line.ends_with(':') && !line.starts_with(' '));
        assert_eq!(heading, Some("Options:"), "{command}");
    }
}

#[test]
fn pictures_of_other_kinds() {
    let folder = temporary();
    let shot = |arguments: &[&str], says: &str| fails(folder.path(), &[&["shot"], arguments].concat(), 2, says);
    shot(&["-o", "a.jpg"], "only .png and .gif");
    shot(&["-o", "a"], "only .png and .gif");
    shot(&["-o", "a.gif"], "a .gif requires --frames");
    shot(&["-o", "a.png", "--frames", "3"], "--frames writes a .gif");
    shot(&["-o", "a.png", "--fps", "3"], "--frames");
}

#[test]
fn pictures_never_replace_what_they_are_drawn_from() {
    let folder = temporary();
    let folder = folder.path();
    // Named like pictures, so that only being inputs forbids them.
    write_json(folder, "vane.png", &triangle_gltf());
    std::fs::write(folder.join("my.toml"), "[scene]\ncount = 1\n").expect("written");
    let before = std::fs::read(folder.join("vane.png")).expect("read");
    line_fails(folder, "shot vane.png -o ./vane.png", "it is an input");
    line_fails(folder, "shot vane.png -o a.png --stats vane.png", "it is an input");
    line_fails(folder, "shot --scene my.toml -o my.toml", "it is an input");
    line_fails(folder, "shot -o same.png --stats ./same.png", "both the picture");
    assert!(std::fs::read(folder.join("vane.png")).expect("read") == before);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    fails(
        folder,
        &["shot", "-o", "no/such/a.png", "--count", "1"],
        1,
        "no/such/a.png",
    );
    fails(
        folder,
        &["bake", "vane.gltf", "-o", "no/such/a.glb"],
        1,
        "no/such/a.glb",
    );
    fails(folder, &["bake", "vane.gltf", "-o", "vane.gltf"], 2, ".glb");
    succeed(folder, &["bake", "vane.gltf", "-o", "vane.glb"]);
    fails(folder, &["bake", "vane.glb", "-o", "vane.glb"], 2, "input");
    fails(folder, &["bake", "vane.gltf", "-o", "vane.gltf/"], 1, "vane.gltf");
    fails(folder, &["export", "vane.gltf", "-o", "vane.gltf"], 1, "vane.gltf");
}

/// Runs the program with another standard output; returns the exit code and the messages.
fn with_output(folder: &Path, arguments: &[&str], output: Stdio) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.current_dir(folder).args(arguments).stdout(output);
    let done = command.stderr(Stdio::piped()).output().expect("the program starts");
    (done.status.code(), text(&done.stderr))
}

/// Pipe without a reader.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn outputs_that_nobody_reads() {
    let folder = temporary();
    let folder = folder.path();
    let mut runs = vec![vec!["info", "knight"]];
    if super::pictures::can_draw(folder) {
        let shot = ["shot", "knight", "--size", "16x16"];
        runs.extend([shot.to_vec(), [&shot[..], &["--json"]].concat()]);
    }
    for arguments in runs {
        let (code, said) = with_output(folder, &arguments, closed_pipe());
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        if cfg!(target_os = "linux") {
            let full = std::fs::File::options().write(true).open("/dev/full").expect("opens");
            let (code, said) = with_output(folder, &arguments, full.into());
            assert_eq!(code, Some(1), "{arguments:?}: {said}");
            assert!(said.contains("No space left"), "{said}");
        }
    }
}

#[test]
fn scenes_with_unknown_keys() {
    let folder = temporary();
    let folder = folder.path();
    std::fs::write(folder.join("odd.toml"), "[scene]\ncount = 5\ncolour = 3\n").expect("written");
    std::fs::write(folder.join("bad.toml"), "[scene\n").expect("written");
    fails(folder, &["shot", "--scene", "odd.toml", "-o", "a.png"], 2, "colour");
    fails(folder, &["shot", "--scene", "bad.toml", "-o", "a.png"], 2, "bad.toml");
    fails(
        folder,
        &["shot", "--scene", "missing.toml", "-o", "a.png"],
        2,
        "missing.toml",
    );
}
