//! Starting the program: options before the command, quiet libraries, pictures with default names.

use std::process::Command;

use super::{names, succeed, temporary, text, throng};
use crate::common;

#[test]
fn options_may_stand_before_the_command() {
    let folder = temporary();
    let folder = folder.path();
    let plain = succeed(folder, &["info", "knight"]);
    assert_eq!(text(&throng(folder, &["-v", "info", "knight"]).stdout), plain);
    let json = succeed(folder, &["--json=1", "info", "knight"]);
    assert_eq!(json, succeed(folder, &["info", "knight", "--json=1"]));
    // An option that the command lacks is refused in either place.
    let refused = throng(folder, &["--count", "3", "info", "knight"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
    assert!(text(&refused.stderr).contains("--count"), "{}", text(&refused.stderr));
    // Refused for its adapter, so the command was understood.
    let shot = throng(folder, &["--adapter", "none of these", "shot", "knight", "-o", "a.png"]);
    assert_eq!(shot.status.code(), Some(2), "{}", text(&shot.stderr));
    assert!(!text(&shot.stderr).contains("no such"), "{}", text(&shot.stderr));
    assert!(!text(&shot.stdout).contains("no display"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_headless_run_is_quiet_and_never_overwrites_a_picture_that_nobody_named() {
    let folder = temporary();
    let folder = folder.path();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command
            .current_dir(folder)
            .args(arguments)
            .args(["--count", "1", "--size", "64x64"]);
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "THRONG_LOG"] {
            command.env_remove(name);
        }
        command.output().expect("the program starts")
    };
    std::fs::write(folder.join("throng.png"), b"mine").expect("written");
    let first = run(&[]);
    if text(&first.stderr).contains("no graphics adapter") {
        return common::skip(common::Need::Adapter, &text(&first.stderr));
    }
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert_eq!(text(&first.stderr), "", "messages besides the result");
    assert!(
        text(&first.stdout).contains("wrote      throng-2.png"),
        "{}",
        text(&first.stdout)
    );
    // A display without a server counts as no display.
    let deaf = Command::new(env!("CARGO_BIN_EXE_throng"))
        .current_dir(folder)
        .args(["--count", "1", "--size", "64x64"])
        .env("DISPLAY", ":4711")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("THRONG_LOG")
        .output()
        .expect("the program starts");
    assert_eq!((deaf.status.code(), text(&deaf.stderr)), (Some(0), String::new()));
    let verbose = run(&["-v"]);
    let told = text(&verbose.stderr);
    assert!(told.contains("using adapter") && !told.contains('\u{1b}'), "{told:?}");
    assert_eq!(
        names(folder),
        ["throng-2.png", "throng-3.png", "throng-4.png", "throng.png"]
    );
    assert_eq!(std::fs::read(folder.join("throng.png")).expect("there"), b"mine");
}

#[cfg(unix)]
#[test]
fn a_pipe_named_as_a_character_does_not_hang() {
    let folder = temporary();
    let folder = folder.path();
    let made = Command::new("mkfifo").arg(folder.join("pipe.glb")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    for arguments in [
        ["info", "pipe.glb"],
        ["shot", "pipe.glb"],
        ["info", "/dev/zero"],
        ["verify", "pipe.glb"],
    ] {
        let refused = throng(folder, &arguments);
        let told = text(&refused.stderr);
        assert_eq!(
            (refused.status.code(), told.lines().count()),
            (Some(2), 1),
            "{arguments:?}: {told}"
        );
        assert!(told.contains("not a regular file"), "{told}");
    }
}

/// A sparse file takes no room on the disk, but any amount of memory.
#[cfg(target_os = "linux")]
#[test]
fn a_character_larger_than_any_glb_is_not_read() {
    let folder = temporary();
    let folder = folder.path();
    let file = std::fs::File::create(folder.join("holes.glb")).expect("made");
    file.set_len(64 << 30).expect("a file system with sparse files");
    for command in ["info", "verify"] {
        let refused = throng(folder, &[command, "holes.glb"]);
        let told = text(&refused.stderr);
        assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains("larger than 4 GiB"), "{told}");
    }
}

#[test]
fn info_shows_how_far_a_character_is_raised_to_the_ground() {
    let folder = temporary();
    let folder = folder.path();
    let mut buried = super::triangle_gltf();
    // The origin is at the middle of the character.
    buried["nodes"][0]["translation"] = serde_json::json!([0.0, -1.0, 0.0]);
    super::write_json(folder, "buried.gltf", &buried);
    let told = succeed(folder, &["info", "buried.gltf"]);
    assert!(told.contains("raised by 1.000 (50 % of its height)"), "{told}");
    let json = super::json(folder, &["info", "buried.gltf", "--json=1"]);
    let notes = json["notes"].as_array().expect("notes");
    assert!(
        notes
            .iter()
            .any(|note| note.as_str().is_some_and(|note| note.contains("--ground origin"))),
        "{notes:?}"
    );
    assert!(!succeed(folder, &["info", "knight"]).contains("raised by"));
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_files_like_others() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let folder = temporary();
    let folder = folder.path();
    let name = OsStr::from_bytes(b"v\xe4ne.gltf");
    std::fs::write(folder.join(name), super::triangle_gltf().to_string()).expect("written");
    let run = |command: &str, more: &[&str]| {
        let mut throng = Command::new(env!("CARGO_BIN_EXE_throng"));
        throng.current_dir(folder).arg(command).arg(name).args(more);
        throng
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("THRONG_LOG");
        let output = throng.output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
    };
    run("info", &[]);
    run("bake", &["-o", "baked/", "--samples", "0"]);
    run("verify", &["--samples", "1000"]);
    run("export", &["-o", "out/"]);
    assert!(folder.join("baked").join(OsStr::from_bytes(b"v\xe4ne.glb")).exists());
    if super::pictures::can_draw(folder) {
        run("shot", &["-o", "vane.png", "--size", "32x32"]);
    }
}

/// Render targets of 16 GiB with a limit of 6 GiB.
#[cfg(target_os = "linux")]
#[test]
fn a_picture_that_does_not_fit_is_one_line() {
    let folder = temporary();
    let folder = folder.path();
    // Only a CPU adapter is limited by the process: a card has memory of its own.
    if !super::pictures::can_draw_with(temporary().path(), "cpu") {
        return;
    }
    let program = env!("CARGO_BIN_EXE_throng");
    for command in ["shot knight -o large.png", "film knight --frames 0..2 -o large.gif"] {
        let line = format!("ulimit -v 6000000; exec '{program}' {command} --size 16384x16384 --adapter cpu");
        let mut shell = Command::new("sh");
        shell
            .current_dir(folder)
            .args(["-c", &line])
            .env_remove("DISPLAY")
            .env_remove("THRONG_LOG");
        let output = shell.output().expect("a shell");
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(
            told.contains("16384 x 16384 pixels") && told.contains("--size"),
            "{told}"
        );
        assert!(names(folder).is_empty(), "{:?}", names(folder));
    }
}
