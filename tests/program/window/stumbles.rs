//! Situations of a user's first hour in the window.

use std::{thread::sleep, time::Duration};

use super::{Window, can_test, wait};
use crate::common::gpu::adapter;

/// CPU time of a process (hundredths of a second).
#[cfg(target_os = "linux")]
fn worked(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    // After the name, which may contain spaces: fields 14 and 15 are user and system time.
    let after = stat.rsplit(") ").next().expect("fields");
    let fields: Vec<&str> = after.split(' ').collect();
    [11, 12]
        .map(|i: usize| fields[i].parse::<u64>().expect("ticks"))
        .iter()
        .sum()
}

#[test]
#[cfg(target_os = "linux")]
fn a_paused_window_rests_until_something_happens() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "6", "--size", "700x400"]);
    window.wait_for_title(" - 6 people");
    window.xdotool(&["key", "space"]);
    // Wait until start messages disappear.
    sleep(Duration::from_secs(8));
    let still = window.still();
    let before = worked(window.child.id());
    sleep(Duration::from_secs(4));
    let ticks = worked(window.child.id()) - before;
    assert!(ticks < 40, "{ticks} % of a core over four seconds, while nothing moves");
    window.xdotool(&[
        "mousemove",
        "--window",
        &window.id,
        "500",
        "200",
        "click",
        "4",
        "click",
        "4",
    ]);
    wait("a nearer picture", || {
        (super::changed(&still, &window.screenshot()) > 0.05).then_some(())
    });
    window.xdotool(&["key", "plus"]);
    window.wait_for_title(" - 12 people");
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_crowd_of_which_a_frame_takes_minutes_asks_first_and_the_window_stays_alive() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "20", "--size", "700x400"]);
    window.wait_for_title(" - 20 people");
    // The cost of a frame is known after some frames.
    sleep(Duration::from_secs(4));
    window.xdotool(&["key", "--delay", "0", "Prior", "Prior", "Prior", "Prior", "Prior"]);
    sleep(Duration::from_secs(6));
    let title = window.title();
    assert!(!title.contains("1000000"), "started without consent: {title}");
    window.xdotool(&["key", "Escape"]);
    sleep(Duration::from_secs(1));
    let shown = window.title();
    window.xdotool(&["key", "minus"]);
    wait("half as many people", || (window.title() != shown).then_some(()));
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_camera_path_recorded_with_keys_is_played_back_by_a_film() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = super::throng();
    command.args(["--count", "6", "--size", "800x500", "--adapter", adapter()]);
    let window = Window::start(command.current_dir(folder.path()));
    window.wait_for_title(" - 6 people");
    window.xdotool(&["key", "space"]);
    let first = window.still();
    window.xdotool(&["key", "p"]);
    // A second key elsewhere, 1 s later.
    window.drag([600, 300], [150, 20]);
    (0..30).for_each(|_| window.xdotool(&["key", "period"]));
    assert!(
        super::changed(&first, &window.still()) > 0.1,
        "the camera has not moved"
    );
    window.xdotool(&["key", "p", "sleep", "1", "key", "ctrl+shift+p"]);
    let scene = folder.path().join("plaza-path.toml");
    wait("the scene's file", || scene.exists().then_some(()));
    assert_eq!(window.quit(), Some(0));

    let saved = throng::config::Config::load(&scene).expect("a scene");
    let path = &saved.camera.path;
    assert_eq!((path.len(), saved.scene.count), (2, 6));
    let seconds = path[1].time - path[0].time;
    assert!((seconds - 1.0).abs() < 1e-3, "{seconds} s from key to key");
    let mut film = super::throng();
    let time = path[0].time.to_string();
    film.args([
        "film",
        "--scene",
        "plaza-path.toml",
        "--time",
        &time,
        "--frames",
        "0..2",
        "--fps",
        "1",
    ]);
    film.args(["--size", "64x36", "--adapter", adapter(), "-o", "%d.png"]);
    let done = film.current_dir(folder.path()).output().expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let frame = |name: &str| image::open(folder.path().join(name)).expect("a frame").to_rgba8();
    let (one, two) = (frame("0.png"), frame("1.png"));
    let moved = one.pixels().zip(two.pixels()).filter(|(a, b)| a != b).count();
    assert!(
        moved > 64 * 36 / 10,
        "the camera moved from key to key, but only {moved} pixels differ"
    );
}

#[test]
fn a_scene_is_saved_under_a_name_typed_in_the_window() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = super::throng();
    command.args(["--count", "3", "--size", "800x500", "--adapter", adapter()]);
    // Neither a portal nor zenity: the system has no file dialog.
    command
        .env("PATH", "")
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    let window = Window::start(command.current_dir(folder.path()));
    window.wait_for_title(" - 3 people");
    window.xdotool(&["key", "space"]);
    // The question appears where the start's notices were.
    sleep(Duration::from_secs(8));
    let before = window.still();
    window.xdotool(&["key", "ctrl+shift+s"]);
    wait("the question for a name", || {
        (super::changed_on_top(&before, &window.screenshot()) > 0.1).then_some(())
    });
    window.xdotool(&["key", "ctrl+a", "sleep", "1", "type", "--delay", "200", "market"]);
    window.xdotool(&["sleep", "1", "key", "Return"]);
    let file = folder.path().join("market.toml");
    wait("the file under the typed name", || file.exists().then_some(()));
    assert_eq!(throng::config::Config::load(&file).expect("a scene").scene.count, 3);
    assert_eq!(window.quit(), Some(0));
}
