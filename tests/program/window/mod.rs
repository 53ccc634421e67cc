//! The window, driven as by a user: needs an X display, xdotool and ImageMagick.
//! Runs where DISPLAY is set; THRONG_WINDOW_TEST=1 makes it an error if anything is missing.

mod sharing;
mod stumbles;
#[cfg(target_os = "linux")]
mod system;
mod viewer;

use std::{
    ops::Range,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

use image::RgbaImage;

use crate::common;

/// Lock for the keyboard focus: one window at a time.
static FOCUS: Mutex<()> = Mutex::new(());

const PATIENCE: Duration = Duration::from_secs(120);
/// Width of the panel with a margin (px): its numbers change all the time.
const PANEL: u32 = 364;
/// Height of the labels over compared pictures and of a notice, with a margin (px): they come and go.
const LABELS: u32 = 90;

struct Window {
    child: Child,
    id: String,
    folder: tempfile::TempDir,
    _focus: MutexGuard<'static, ()>,
}

impl Drop for Window {
    fn drop(&mut self) {
        // The process has already ended if the test passed.
        let _ = self.child.kill();
        if std::thread::panicking() {
            eprintln!("log of the program:\n{}", self.log());
        }
    }
}

fn throng() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    // No cache between windows.
    command.env("THRONG_CACHE", "");
    command
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let done = Command::new(program)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    done.status.success().then_some(text)
}

fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "waited {} s for {what}", PATIENCE.as_secs());
        sleep(Duration::from_millis(200));
    }
}

impl Window {
    fn open(arguments: &[&str]) -> Self {
        Self::start(throng().args(arguments))
    }

    /// Starts a window that neither reads nor writes the home folder of the tester.
    fn start(command: &mut Command) -> Self {
        Self::remembering(command.arg("--no-persist"))
    }

    fn remembering(command: &mut Command) -> Self {
        let focus = FOCUS.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder for screenshots");
        let log = std::fs::File::create(folder.path().join("log")).expect("a log");
        // A test of its own covers the choice of the faster rasterizer; elsewhere pictures must not change.
        if !command.get_args().any(|argument| argument == "--raster") {
            command.args(["--raster", "hardware"]);
        }
        command.env("THRONG_LOG", "throng=info").stderr(log);
        let mut child = command.spawn().expect("the program starts");
        let pid = child.id().to_string();
        let id = wait("the window", || {
            let ended = child.try_wait().expect("its status");
            assert!(
                ended.is_none(),
                "the program ended before it showed a window: {ended:?}"
            );
            let found = output("xdotool", &["search", "--all", "--pid", &pid, "--name", "^throng - "])?;
            found.lines().next_back().map(str::to_owned)
        });
        let window = Self {
            child,
            id,
            folder,
            _focus: focus,
        };
        window.xdotool(&["windowfocus", "--sync", &window.id]);
        window
    }

    /// Log of the program so far.
    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).expect("the log")
    }

    fn wait_for_log(&self, text: &str, times: usize) {
        wait(&format!("{text:?} in the log, {times} times"), || {
            (self.log().matches(text).count() >= times).then_some(())
        });
    }

    fn title(&self) -> String {
        output("xdotool", &["getwindowname", &self.id]).unwrap_or_default()
    }

    fn wait_for_title(&self, end: &str) {
        wait(&format!("a title that ends in {end:?}, not {:?}", self.title()), || {
            self.title().ends_with(end).then_some(())
        });
    }

    fn xdotool(&self, arguments: &[&str]) {
        assert!(output("xdotool", arguments).is_some(), "xdotool {arguments:?}");
    }

    fn screenshot(&self) -> RgbaImage {
        let file = self.folder.path().join("window.png");
        let name = file.to_string_lossy();
        assert!(
            output("import", &["-window", &self.id, &name]).is_some(),
            "import takes a screenshot"
        );
        image::open(&file).expect("import wrote a picture").to_rgba8()
    }

    /// Picture beside the panel once it no longer changes (time must be paused).
    fn still(&self) -> RgbaImage {
        let mut before = self.screenshot();
        let mut looks = 0;
        wait("the picture to stand still", || {
            sleep(Duration::from_millis(1500));
            let now = self.screenshot();
            // On a busy machine a frame takes longer than the time between two screenshots.
            let same = is_drawn(&now) && changed(&before, &now) == 0.0;
            looks = if same { looks + 1 } else { 0 };
            before = now;
            (looks == 2).then(|| before.clone())
        })
    }

    /// Drags with the left button from a place by an offset (px), and waits until the camera rests.
    fn drag(&self, from: [u32; 2], by: [u32; 2]) {
        let [x, y] = from.map(|pixels| pixels.to_string());
        self.xdotool(&["mousemove", "--window", &self.id, &x, &y]);
        let [x, y] = by.map(|pixels| pixels.to_string());
        let drag = [
            "mousedown",
            "1",
            "mousemove_relative",
            "--sync",
            &x,
            &y,
            "sleep",
            "1",
            "mouseup",
            "1",
        ];
        self.xdotool(&drag);
    }

    fn quit(mut self) -> Option<i32> {
        self.xdotool(&["key", "ctrl+shift+q"]);
        wait("the program to end", || self.child.try_wait().expect("its status")).code()
    }
}

/// True if there is a scene beside the panel.
fn is_drawn(picture: &RgbaImage) -> bool {
    let beside = picture.enumerate_pixels().filter(|p| p.0 >= PANEL && p.1 >= LABELS);
    beside.map(|p| p.2.0).collect::<std::collections::HashSet<_>>().len() > 300
}

/// Share of the pixels beside the panel and below the labels and notices that differ.
fn changed(a: &RgbaImage, b: &RgbaImage) -> f64 {
    differing(a, b, LABELS..a.height())
}

/// Share of the pixels beside the panel where labels, notices and questions appear that differ.
fn changed_on_top(a: &RgbaImage, b: &RgbaImage) -> f64 {
    differing(a, b, 0..LABELS)
}

/// Share of the pixels beside the panel in some rows that differ.
fn differing(a: &RgbaImage, b: &RgbaImage, rows: Range<u32>) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let beside = |p: &(u32, u32, &image::Rgba<u8>)| p.0 >= PANEL && rows.contains(&p.1);
    let pixels = a
        .enumerate_pixels()
        .filter(beside)
        .zip(b.enumerate_pixels().filter(beside));
    let (all, different) = pixels.fold((0u32, 0u32), |(all, n), (p, q)| (all + 1, n + u32::from(p.2 != q.2)));
    f64::from(different) / f64::from(all.max(1))
}

/// True if the window can be tested; else a skip.
fn can_test() -> bool {
    let display = std::env::var_os("DISPLAY").is_some_and(|v| !v.is_empty());
    let tools = ["xdotool", "import"].iter().all(|t| output(t, &["-version"]).is_some());
    let lack = match (display, tools) {
        (true, true) => return true,
        (true, false) => "xdotool or import (ImageMagick) is missing",
        (false, _) => "DISPLAY is not set",
    };
    common::skip(common::Need::Window, lack);
    false
}

#[test]
fn keys_and_mouse_change_the_picture() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "12", "--size", "900x600"]);
    window.wait_for_title(" - 12 people");
    window.xdotool(&["key", "space"]);
    let first = window.still();
    let colours: std::collections::HashSet<_> = first.pixels().map(|p| p.0).collect();
    assert!(colours.len() > 500, "a picture, not {} colours", colours.len());

    // Orbit mode: from here on the camera stays, whatever the crowd does.
    window.drag([600, 300], [120, 20]);
    let turned = window.still();
    let share = changed(&first, &turned);
    assert!(share > 0.1, "dragging changed {share:.4} of the picture");

    window.xdotool(&["key", "plus"]);
    window.wait_for_title(" - 24 people");
    let twice = window.still();
    let share = changed(&turned, &twice);
    assert!(share > 0.002, "twelve more people changed {share:.4} of the picture");

    window.xdotool(&["key", "minus"]);
    window.wait_for_title(" - 12 people");
    let share = changed(&turned, &window.still());
    assert!(
        share < 0.002,
        "the same people again, but {share:.4} of the picture differs"
    );

    assert_eq!(window.quit(), Some(0));
}

#[test]
fn the_compare_view_opens_and_shows_differences() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "6", "--size", "800x500"]);
    window.wait_for_title(" - 6 people");
    window.xdotool(&["key", "space"]);
    let plain = window.still();
    window.xdotool(&["key", "x"]);
    wait("the divider", || {
        (changed(&plain, &window.screenshot()) > 0.002).then_some(())
    });
    let split = window.still();
    let share = changed(&plain, &split);
    assert!(share < 0.5, "the same crowd, but {share:.4} of the picture differs");
    window.xdotool(&["key", "m"]);
    wait("the map of differences", || {
        (changed(&split, &window.screenshot()) > 0.5).then_some(())
    });
    window.xdotool(&["key", "x"]);
    wait("the picture of before", || {
        (changed(&plain, &window.screenshot()) < 0.002).then_some(())
    });
    assert_eq!(window.quit(), Some(0));
}

/// Debug builds read shaders from a folder; one that does not compile keeps the picture.
#[test]
#[cfg(debug_assertions)]
fn a_changed_shader_is_shown_without_a_restart() {
    if !can_test() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (path, source) in throng::gpu::shader::SOURCES {
        let file = folder.path().join(path).with_extension("wgsl");
        std::fs::create_dir_all(file.parent().expect("below the folder")).expect("made");
        std::fs::write(file, source).expect("written");
    }
    let window = Window::start(
        throng()
            .args(["--count", "6", "--size", "800x500"])
            .env("THRONG_SHADERS", folder.path()),
    );
    window.wait_for_title(" - 6 people");
    window.xdotool(&["key", "space"]);
    let before = window.still();
    // Shaders of the ground in the graphics pipeline, and in compute.
    let files = ["ground.wgsl", "background_compute.wgsl"].map(|name| folder.path().join(name));
    let sources = files
        .each_ref()
        .map(|file| std::fs::read_to_string(file).expect("written before"));
    let write = |color: &str| {
        for (file, source) in files.iter().zip(&sources) {
            assert!(source.contains("aerial(color, world)"), "{}", file.display());
            std::fs::write(file, source.replace("aerial(color, world)", color)).expect("written");
        }
    };
    write("vec3<f32>(4.0, 0.0, 0.0)");
    wait("red ground", || {
        (changed(&before, &window.screenshot()) > 0.2).then_some(())
    });
    // Wait until messages are gone and the window rests: the error has to wake it.
    sleep(Duration::from_secs(8));
    let changed_ground = window.still();
    write("vec3<u32>(4.0, 0.0, 0.0)");
    // The message covers a part of the picture; the ground beside it stays red.
    wait("the message", || {
        (changed(&changed_ground, &window.screenshot()) > 0.01).then_some(())
    });
    let share = changed(&before, &window.still());
    assert!(
        share > 0.15,
        "only {share:.4} of the picture is still as it was drawn last"
    );
    write("aerial(color, world)");
    wait("the ground of before", || {
        (changed(&changed_ground, &window.screenshot()) > 0.2).then_some(())
    });
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_lost_device_is_survived() {
    survives("ctrl+shift+l", "the GPU device was lost and has been recreated");
}

#[test]
fn a_lost_surface_is_survived() {
    survives("ctrl+shift+k", "the window's surface was lost and has been recreated");
}

/// A key loses the device or the surface: it is opened again in the same window, and the program continues.
fn survives(key: &str, told: &str) {
    if !can_test() {
        return;
    }
    let mut command = throng();
    // Without it, the keys do nothing or something else.
    command.env("THRONG_DEVELOPER_KEYS", "1");
    let window = Window::start(command.args(["--count", "6", "--size", "800x500"]));
    window.wait_for_title(" - 6 people");
    window.wait_for_log("using adapter", 1);
    window.xdotool(&["key", key]);
    // Opened again: the key lost the device, and the program noticed.
    window.wait_for_log("using adapter", 2);
    window.wait_for_log(told, 1);
    window.xdotool(&["windowsize", &window.id, "700", "450"]);
    window.xdotool(&["key", "plus"]);
    window.wait_for_title(" - 12 people");
    assert_eq!(window.screenshot().dimensions(), (700, 450));
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_click_selects_the_person_under_the_pointer() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "1", "--size", "900x600"]);
    window.wait_for_title(" - 1 person");
    window.xdotool(&["key", "space"]);
    let plain = window.still();
    let click =
        |x: &str, y: &str| window.xdotool(&["mousemove", "--window", &window.id, x, y, "sleep", "0.3", "click", "1"]);
    // The camera frames the only person, in the middle of the area beside the panel.
    click("620", "300");
    window.wait_for_log("selected person 0 of", 1);
    // A ring at the person's feet and a name above the head.
    let marked = window.still();
    let share = changed(&plain, &marked);
    assert!((0.0005..0.2).contains(&share), "{share:.5} of the picture changed");
    let before = window.log().matches("selected nobody").count();
    click("880", "80");
    window.wait_for_log("selected nobody", before + 1);
    let share = changed(&plain, &window.still());
    assert!(
        share < 0.0005,
        "nobody is selected, but {share:.5} of the picture differs"
    );
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_hidden_and_a_tiny_window_are_survived() {
    if !can_test() {
        return;
    }
    let window = Window::open(&["--count", "6", "--size", "800x500"]);
    window.wait_for_title(" - 6 people");
    // Minimise as a window manager does.
    window.xdotool(&["windowunmap", "--sync", &window.id]);
    sleep(Duration::from_secs(2));
    window.xdotool(&["windowmap", "--sync", &window.id]);
    window.xdotool(&["windowsize", &window.id, "1", "1"]);
    sleep(Duration::from_secs(2));
    window.xdotool(&["windowsize", &window.id, "700", "450"]);
    window.xdotool(&["windowfocus", "--sync", &window.id]);
    // The program accepts keys once it knows of its focus.
    wait("a larger crowd", || {
        window.xdotool(&["key", "plus"]);
        sleep(Duration::from_secs(3));
        (!window.title().ends_with(" - 6 people")).then_some(())
    });
    window.xdotool(&["key", "space"]);
    let picture = window.still();
    assert_eq!(picture.dimensions(), (700, 450));
    let colours: std::collections::HashSet<_> = picture.pixels().map(|p| p.0).collect();
    assert!(colours.len() > 500, "a picture, not {} colours", colours.len());
    assert_eq!(window.quit(), Some(0));
}

#[test]
fn a_missing_character_ends_the_program_with_one_line() {
    if !can_test() {
        return;
    }
    let done = throng()
        .arg("no-such-character.glb")
        .output()
        .expect("the program runs");
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(
        told.lines()
            .any(|l| l.starts_with("throng: ") && l.contains("no-such-character.glb")),
        "{told}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_display_one_picture_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = throng()
        .args(["--count", "5", "--size", "320x200"])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let (said, told) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    if told.contains("no graphics adapter") {
        return common::skip(common::Need::Adapter, &told);
    }
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(said.starts_with("no display"), "{said}");
    assert!(said.contains("5 instances"), "{said}");
    let picture = image::open(Path::new(folder.path()).join("throng.png")).expect("a picture");
    assert_eq!((picture.width(), picture.height()), (320, 200));
}
