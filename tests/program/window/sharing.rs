//! Saving and sharing from the window: scenes, command lines, pictures, films, its own size.

use std::{
    path::{Path, PathBuf},
    process::Command,
    thread::sleep,
    time::Duration,
};

use super::{Window, can_test, throng, wait};
use crate::common::gpu::adapter;

/// Opens a window in a folder of its own.
fn opened(folder: &Path, arguments: &[&str]) -> Window {
    let mut command = throng();
    command
        .args(["--size", "640x400", "--adapter", adapter()])
        .args(arguments);
    // No video encoder is found there, and the home folder is empty.
    command
        .env("PATH", folder)
        .env("XDG_CONFIG_HOME", folder.join("config"));
    Window::start(command.current_dir(folder))
}

/// Pauses time and moves the camera away from all named views.
fn composed(window: &Window) {
    window.xdotool(&["key", "space"]);
    window.drag([480, 200], [70, 9]);
    window.xdotool(&["click", "4"]);
    window.still();
}

/// Text after a word in the last line of the log that contains it.
fn told(window: &Window, word: &str) -> String {
    let line = wait(&format!("{word:?} in the log"), || {
        let log = window.log();
        log.lines()
            .rev()
            .find_map(|line| Some(line.split_once(word)?.1.to_owned()))
    });
    line.trim().to_owned()
}

/// Runs a command line in a folder, with another word for the program's.
fn run(folder: &Path, line: &str) {
    let program = Path::new(env!("CARGO_BIN_EXE_throng"));
    let line = line.replacen("throng", &program.to_string_lossy(), 1);
    let done = Command::new("/bin/sh")
        .args(["-c", &line])
        .env("THRONG_CACHE", "")
        .current_dir(folder)
        .output()
        .expect("a shell");
    assert!(
        done.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn bytes(file: PathBuf) -> Vec<u8> {
    std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn the_command_and_the_saved_scene_draw_the_picture_to_the_byte() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    // A scene's file says nothing of the machine, and thus not which rasterizer is faster there.
    let window = opened(path, &["--count", "12", "--raster", "hardware"]);
    window.wait_for_title(" - 12 people");
    composed(&window);
    // Another crowd, with one person as a hero.
    window.xdotool(&["key", "r"]);
    window.still();
    window.xdotool(&[
        "mousemove",
        "--window",
        &window.id,
        "490",
        "210",
        "sleep",
        "0.3",
        "click",
        "1",
        "sleep",
        "0.5",
    ]);
    window.xdotool(&["key", "g", "period", "period", "period", "period", "period", "period"]);
    window.still();
    window.xdotool(&["key", "F12"]);
    let picture = PathBuf::from(told(&window, "wrote "));
    assert_eq!(picture, path.join("plaza.png").canonicalize().expect("written"));
    window.xdotool(&["key", "ctrl+shift+c"]);
    let command = told(&window, "command: ");
    window.xdotool(&["key", "ctrl+s"]);
    assert!(told(&window, "saved ").ends_with("plaza.toml"));
    // A second picture gets a new name.
    window.xdotool(&["key", "F12"]);
    window.wait_for_log("plaza-2.png", 1);
    assert_eq!(window.quit(), Some(0));

    let shown = bytes(picture);
    assert!(shown == bytes(path.join("plaza-2.png")), "time was not paused");
    println!("{command}");
    run(path, &command);
    assert!(bytes(path.join("throng.png")) == shown, "{command}");
    run(
        path,
        "throng shot --scene plaza.toml --size 640x400 --adapter cpu -o file.png",
    );
    assert!(bytes(path.join("file.png")) == shown, "the scene's file");
}

/// The command names the rasterizer, so its picture uses it: CPU adapters are not timed, and `auto` is the hardware
/// rasterizer there.
#[test]
fn the_command_draws_with_the_rasteriser_that_was_chosen() {
    if !can_test() {
        return;
    }
    for asked in ["auto", "compute"] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        let quick = ["--smoothing", "none", "--set", "look.shadows=false"];
        let window = opened(path, &[&["--count", "4", "--raster", asked][..], &quick[..]].concat());
        window.wait_for_title(" - 4 people");
        composed(&window);
        let compute = asked == "compute";
        window.xdotool(&["key", "F12"]);
        window.wait_for_log("plaza.png", 1);
        window.xdotool(&["key", "ctrl+shift+c"]);
        let command = told(&window, "command: ");
        assert_eq!(command.contains(" --raster compute "), compute, "{asked}: {command}");
        window.xdotool(&["key", "ctrl+s"]);
        window.wait_for_log("plaza.toml", 1);
        assert_eq!(window.quit(), Some(0));
        run(path, &command);
        let (shown, drawn) = (bytes(path.join("plaza.png")), bytes(path.join("throng.png")));
        assert!(shown == drawn, "{asked}: {command}");
        // The file has the setting.
        let saved = throng::config::Config::load(&path.join("plaza.toml")).expect("a scene");
        assert_eq!(saved.render.raster.name(), asked);
    }
}

#[test]
fn a_scene_is_saved_again_to_its_file_and_nobody_elses_is_replaced() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mine = folder.path().join("mine.toml");
    let words = "# my own words\n[scene]\nname = \"mine\"\ncount = 3\n";
    std::fs::write(&mine, words).expect("written");
    let window = opened(folder.path(), &["--scene", "mine.toml"]);
    window.wait_for_title(" - 3 people");
    window.xdotool(&["key", "space", "ctrl+s"]);
    window.wait_for_log("mine-2.toml", 1);
    window.xdotool(&["key", "plus"]);
    window.wait_for_title(" - 6 people");
    window.xdotool(&["key", "ctrl+s"]);
    window.wait_for_log("mine-2.toml", 2);
    // Undone, and saved once more.
    window.xdotool(&["key", "ctrl+z"]);
    window.wait_for_title(" - 3 people");
    window.xdotool(&["key", "ctrl+y"]);
    window.wait_for_title(" - 6 people");
    assert_eq!(window.quit(), Some(0));
    assert_eq!(std::fs::read_to_string(&mine).expect("read"), words);
    let saved = throng::config::Config::load(&folder.path().join("mine-2.toml")).expect("a scene");
    assert_eq!(saved.scene.count, 6);
    let again = opened(folder.path(), &["--scene", "mine-2.toml"]);
    again.wait_for_title("mine - 6 people");
    assert_eq!(again.quit(), Some(0));
}

#[test]
fn a_film_from_the_window_is_that_of_the_command() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let window = opened(path, &["--count", "6", "--raster", "hardware"]);
    window.wait_for_title(" - 6 people");
    composed(&window);
    // Back to time 0.
    for _ in 0..20 {
        window.xdotool(&[
            "key", "--delay", "0", "comma", "comma", "comma", "comma", "comma", "comma", "comma", "comma",
        ]);
    }
    window.still();
    window.xdotool(&["key", "ctrl+shift+c"]);
    let command = told(&window, "command: ");
    assert!(command.contains("--time 0 "), "{command}");
    window.xdotool(&["key", "F10"]);
    sleep(Duration::from_secs(3));
    window.xdotool(&["key", "F10"]);
    let frames = told(&window, "plaza.gif: ");
    let frames: u32 = frames.split(' ').next().and_then(|n| n.parse().ok()).expect("frames");
    assert!(frames > 1, "{frames} frames in three seconds");
    // A cancelled film leaves no file.
    window.xdotool(&["key", "F10", "sleep", "1", "key", "Escape"]);
    window.wait_for_log("film cancelled", 1);
    // A film that is being made when the window closes is completed.
    window.xdotool(&["key", "F10"]);
    sleep(Duration::from_secs(2));
    assert_eq!(window.quit(), Some(0));
    let mut films: Vec<_> = std::fs::read_dir(path)
        .expect("a folder")
        .flatten()
        .map(|e| e.file_name())
        .collect();
    films.retain(|name| name.to_string_lossy().ends_with(".gif"));
    assert_eq!(films.len(), 2, "{films:?}");

    let film = command.replacen(" shot ", " film ", 1);
    run(path, &format!("{film} --frames 0..{frames} -o again.gif"));
    assert!(bytes(path.join("again.gif")) == bytes(path.join("plaza.gif")), "{film}");
}

#[test]
fn window_size_is_remembered_unless_switched_off() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let memory = folder.path().join("config");
    let open = |arguments: &[&str]| {
        let mut command = throng();
        command.args(["--count", "3", "--adapter", adapter()]).args(arguments);
        let window = Window::remembering(command.env("XDG_CONFIG_HOME", &memory));
        window.wait_for_title(" - 3 people");
        window
    };
    let forgetful = open(&["--no-persist", "--size", "500x400"]);
    assert_eq!(forgetful.quit(), Some(0));
    assert!(!memory.exists(), "--no-persist writes nothing");

    let first = open(&["--size", "500x400"]);
    first.xdotool(&["windowsize", "--sync", &first.id, "640", "420"]);
    sleep(Duration::from_secs(2));
    first.xdotool(&["key", "Tab", "sleep", "1"]);
    assert_eq!(first.quit(), Some(0));
    let text = std::fs::read_to_string(memory.join("throng/window.toml")).expect("kept");
    assert!(text.contains("shown = false"), "{text}");

    let second = open(&[]);
    assert_eq!(second.screenshot().dimensions(), (640, 420));
    assert_eq!(second.quit(), Some(0));
    let asked = open(&["--size", "520x410"]);
    assert_eq!(asked.screenshot().dimensions(), (520, 410));
    assert_eq!(asked.quit(), Some(0));
}
