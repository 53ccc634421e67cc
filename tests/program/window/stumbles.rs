//! What a first hour in the window meets.

use std::{thread::sleep, time::Duration};

use super::{Window, can_test, wait};

/// Hundredths of a second that a process has worked.
#[cfg(target_os = "linux")]
fn worked(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    // Behind the name, which may hold spaces: fields 14 and 15 are user and system time.
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
    window.wait_for_title(" - 6 instances");
    window.xdotool(&["key", "space"]);
    // Greetings and the like go away by themselves.
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
    window.wait_for_title(" - 12 instances");
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_crowd_of_which_a_frame_takes_minutes_asks_first_and_the_window_stays_alive() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "20", "--size", "700x400"]);
    window.wait_for_title(" - 20 instances");
    // What a frame costs is known after some.
    sleep(Duration::from_secs(4));
    window.xdotool(&["key", "--delay", "0", "Prior", "Prior", "Prior", "Prior", "Prior"]);
    sleep(Duration::from_secs(6));
    let title = window.title();
    assert!(!title.contains("1000000"), "nobody agreed, but: {title}");
    window.xdotool(&["key", "Escape"]);
    sleep(Duration::from_secs(1));
    let shown = window.title();
    window.xdotool(&["key", "minus"]);
    wait("half as many people", || (window.title() != shown).then_some(()));
    assert_eq!(window.quit(), Some(0));
}
