//! Films and sets stopped by a full disk, an encoder that dies, or a signal; and videos by ffmpeg.

use std::{
    path::Path,
    process::{Command, Output},
};

use super::{
    names,
    pictures::{can_draw, folder_to_draw_in},
    site::write_page,
    small_scene, succeed, temporary, text, throng, triangle_gltf, write_json,
};
use crate::common::{Need, files, gpu::adapter, skip};

fn film<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["film"], &small_scene()[..], more].concat()
}

/// Runs throng twice in `folder`, first with `full/` on a disk of `kilobytes`, then with that disk enlarged.
/// Files of the disk are in `first/` and `second/` afterwards. `None` where no disk can be mounted.
fn on_a_full_disk(folder: &Path, kilobytes: u32, arguments: &[&str]) -> Option<(Output, Output)> {
    let script = format!(
        "mount -t tmpfs -o size={kilobytes}k tmpfs full || exit 99
        \"$@\" >one.out 2>one.err; echo $? >one.code
        cp -r full first && mount -o remount,size=64m full || exit 98
        \"$@\" >two.out 2>two.err; echo $? >two.code
        cp -r full second"
    );
    std::fs::create_dir(folder.join("full")).expect("made");
    // With the user's own rights, or those of a user namespace.
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    let mounted = ways.into_iter().any(|way| {
        let mut command = Command::new("unshare");
        command
            .args(way)
            .args(["sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_throng")]);
        let ran = command.args(arguments).current_dir(folder).output();
        ran.is_ok_and(|ran| ran.status.success())
    });
    if !mounted {
        skip(Need::Mount, "no file system can be mounted (unshare --mount)");
        return None;
    }
    let read = |name: &str| std::fs::read(folder.join(name)).expect("written by the script");
    let output = |run: &str| {
        let code: i32 = text(&read(&format!("{run}.code"))).trim().parse().expect("a number");
        #[cfg(unix)]
        let status = std::os::unix::process::ExitStatusExt::from_raw(code << 8);
        #[cfg(not(unix))]
        let status = std::os::windows::process::ExitStatusExt::from_raw(code as u32);
        Output {
            status,
            stdout: read(&format!("{run}.out")),
            stderr: read(&format!("{run}.err")),
        }
    };
    Some((output("one"), output("two")))
}

#[test]
fn a_page_that_does_not_fit_the_disk_leaves_nothing_of_itself() {
    let folder = temporary();
    let folder = folder.path();
    write_page(&folder.join("page"), &[7; 200_000]);
    write_json(folder, "vane.gltf", &triangle_gltf());
    let page = ["export", "--web", "full/site", "--page", "page", "vane.gltf"];
    let Some((stopped, done)) = on_a_full_disk(folder, 100, &page) else {
        return;
    };
    let said = text(&stopped.stderr);
    assert!(
        stopped.status.code() == Some(1) && said.contains("throng_web_bg.wasm"),
        "{said}"
    );
    assert!(names(&folder.join("first/site")).is_empty());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(folder.join("second/site/index.html").exists());
}

#[test]
fn a_full_disk_is_reported_and_the_next_run_goes_on() {
    if !can_draw(temporary().path()) {
        return;
    }
    let film = film(&["--frames", "0..16"]);
    let set = [
        "dataset",
        "--pictures",
        "8",
        "--count",
        "12",
        "--vary",
        "time",
        "--size",
        "64x36",
        "--adapter",
        adapter(),
    ];
    for (what, kilobytes, arguments, name) in [("a film", 48, &film[..], "/%03d.png"), ("a set", 96, &set, "")] {
        let folder = temporary();
        let (whole, full) = (format!("whole{name}"), format!("full{name}"));
        succeed(folder.path(), &[arguments, &["-o", &whole]].concat());
        let full = [arguments, &["-o", &full]].concat();
        let Some((first, second)) = on_a_full_disk(folder.path(), kilobytes, &full) else {
            return;
        };
        let told = text(&first.stderr);
        assert_eq!(first.status.code(), Some(1), "{what}: {told}");
        let last = told.lines().next_back().unwrap_or_default();
        assert!(
            last.contains("No space left") && last.contains("continues"),
            "{what}: {told}"
        );
        let (whole, kept) = (files(&folder.path().join("whole")), files(&folder.path().join("first")));
        assert!(kept.len() < whole.len(), "{what}: the disk was not full");
        let pictures = kept.keys().filter(|name| name.ends_with(".png")).count();
        assert!(pictures > 0, "{what}: no picture was finished, {:?}", kept.keys());
        for (name, bytes) in &kept {
            assert!(whole.get(name) == Some(bytes), "{what}: {name} is not whole");
        }
        assert!(second.status.success(), "{what}: {}", text(&second.stderr));
        assert!(
            files(&folder.path().join("second")) == whole,
            "{what}: the continued run differs from an uninterrupted one"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_that_cannot_be_written_is_reported() {
    let Some(folder) = folder_to_draw_in() else { return };
    for name in ["a.gif", "a.y4m"] {
        std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).expect("linked");
        let ended = throng(folder.path(), &film(&["--frames", "0..40", "-o", name]));
        let told = text(&ended.stderr);
        assert!(
            ended.status.code() == Some(1) && told.contains("No space left"),
            "{name}: {told}"
        );
    }
}

/// A process ended by a signal removes its unfinished files and ends by that signal, as others do.
#[cfg(unix)]
#[test]
fn a_film_ended_by_a_signal_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    if !can_draw(temporary().path()) {
        return;
    }
    for (name, number) in [("TERM", 15), ("INT", 2)] {
        let folder = temporary();
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        // A film of many hours.
        command.args(film(&["--frames", "0..4000000", "-o", "a.gif"]));
        let mut child = command.current_dir(folder.path()).spawn().expect("the program starts");
        let begun = std::time::Instant::now();
        let grown = || {
            let mut files = std::fs::read_dir(folder.path()).expect("a folder").flatten();
            files.any(|file| file.metadata().is_ok_and(|facts| facts.len() > 0))
        };
        while !grown() && begun.elapsed().as_secs() < 100 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let there = names(folder.path());
        assert!(
            matches!(&there[..], [file] if file.starts_with(".throng-")),
            "{there:?}"
        );
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|sent| sent.success()));
        let ended = child.wait().expect("its status");
        assert_eq!(ended.signal(), Some(number), "{ended:?}");
        assert_eq!(names(folder.path()), [""; 0], "SIG{name}");
    }
}

/// True if ffmpeg is installed; else a skip.
fn has_ffmpeg() -> bool {
    let runs = |program: &str| {
        Command::new(program)
            .arg("-version")
            .output()
            .is_ok_and(|ran| ran.status.success())
    };
    let there = runs("ffmpeg") && runs("ffprobe");
    if !there {
        skip(Need::Ffmpeg, "ffmpeg and ffprobe are not installed");
    }
    there
}

/// Description by ffprobe of a video's only stream, all frames decoded.
fn probe_output(folder: &Path, video: &str) -> serde_json::Value {
    let probe = ["-v", "error", "-count_frames", "-show_streams", "-of", "json", video];
    let ran = Command::new("ffprobe")
        .args(probe)
        .current_dir(folder)
        .output()
        .expect("ffprobe runs");
    assert!(ran.status.success(), "{video}: {}", text(&ran.stderr));
    let told: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(told["streams"].as_array().map(Vec::len), Some(1), "{video}");
    told["streams"][0].clone()
}

#[test]
fn videos_are_what_ffprobe_says_and_show_the_frames() {
    let folder = temporary();
    if !can_draw(temporary().path()) || !has_ffmpeg() {
        return;
    }
    // Odd sizes get one more line: 4:2:0 has one colour for two lines.
    let scene = [
        "--count",
        "12",
        "--camera",
        "street",
        "--size",
        "161x91",
        "--adapter",
        adapter(),
    ];
    let film = |more: &[&str]| {
        let arguments = [&["film", "--frames", "24..48", "--fps", "25"], &scene[..], more].concat();
        succeed(folder.path(), &arguments);
    };
    film(&["-o", "a.mp4"]);
    film(&["-o", "frames/%03d.png"]);
    let assembled = [
        "assemble",
        "frames/%03d.png",
        "--frames",
        "24..48",
        "--fps",
        "25",
        "-o",
        "b.mkv",
    ];
    succeed(folder.path(), &assembled);
    for video in ["a.mp4", "b.mkv"] {
        let told = probe_output(folder.path(), video);
        assert_eq!(
            (told["width"].as_u64(), told["height"].as_u64()),
            (Some(162), Some(92)),
            "{video}"
        );
        assert_eq!(told["r_frame_rate"], "25/1", "{video}");
        assert_eq!(told["nb_read_frames"], "24", "{video}");
        assert_eq!(
            (&told["pix_fmt"], &told["color_space"]),
            (&"yuv420p".into(), &"bt709".into()),
            "{video}"
        );
        let pick = [
            "-v",
            "error",
            "-i",
            video,
            "-vf",
            "select=eq(n\\,7)",
            "-frames:v",
            "1",
            "-y",
            "seven.png",
        ];
        let ran = Command::new("ffmpeg")
            .args(pick)
            .current_dir(folder.path())
            .output()
            .expect("ffmpeg runs");
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let open = |name: &str| image::open(folder.path().join(name)).expect("a picture").to_rgb8();
        let (shown, drawn, other) = (open("seven.png"), open("frames/031.png"), open("frames/047.png"));
        let distance = |frame: &image::RgbImage| {
            let pixels = frame.enumerate_pixels();
            let off = |(x, y, p): (u32, u32, &image::Rgb<u8>)| {
                let q = shown.get_pixel(x, y);
                (0..3).map(|c| u64::from(p.0[c].abs_diff(q.0[c]))).sum::<u64>()
            };
            pixels.map(off).sum::<u64>() as f64 / (161.0 * 91.0 * 3.0)
        };
        let (same, different) = (distance(&drawn), distance(&other));
        eprintln!("{video}: {same:.2} steps from its frame, {different:.2} from another");
        assert!(
            same < 5.0 && same < different,
            "{video}: {same:.2} steps from its frame, {different:.2} from another"
        );
    }
}

/// Script in place of ffmpeg, which writes its process number and becomes ffmpeg.
#[cfg(unix)]
fn write_encoder(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let script = folder.join("encoder");
    std::fs::write(&script, "#!/bin/sh\necho $$ >pid\nexec ffmpeg \"$@\"\n").expect("written");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("set");
}

/// Process number of the script, as soon as it runs.
#[cfg(unix)]
fn encoder_pid(folder: &Path) -> String {
    let pid = |_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let text = std::fs::read_to_string(folder.join("pid")).ok()?;
        text.trim().parse::<u32>().ok()
    };
    (0..600).find_map(pid).expect("ffmpeg was started").to_string()
}

#[cfg(unix)]
fn send_signal(signal: &str, pid: &str) -> bool {
    Command::new("kill")
        .args([signal, pid])
        .status()
        .is_ok_and(|sent| sent.success())
}

/// Film of many hours.
#[cfg(unix)]
const LONG_VIDEO: [&str; 6] = ["--frames", "0..4000000", "-o", "a.mp4", "--ffmpeg", "./encoder"];

#[cfg(unix)]
#[test]
fn a_killed_ffmpeg_is_reported_and_leaves_no_file() {
    let folder = temporary();
    if !can_draw(temporary().path()) || !has_ffmpeg() {
        return;
    }
    write_encoder(folder.path());
    let path = folder.path().to_owned();
    let killer = std::thread::spawn(move || {
        let pid = encoder_pid(&path);
        // In the middle of the film.
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert!(send_signal("-9", &pid));
    });
    let ended = throng(folder.path(), &film(&LONG_VIDEO));
    killer.join().expect("it was running");
    let told = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    let last = told.lines().next_back().unwrap_or_default();
    assert!(
        last.contains("ffmpeg ended before the film was complete (signal: 9"),
        "{told}"
    );
    assert_eq!(names(folder.path()), ["encoder", "pid"], "no part of a video is left");
}

/// ffmpeg writes its file at the end of its input; it is ended before the file is removed.
#[cfg(unix)]
#[test]
fn a_video_ended_by_a_signal_leaves_nothing() {
    if !can_draw(temporary().path()) || !has_ffmpeg() {
        return;
    }
    // Before the first picture and after some.
    for milliseconds in [0, 1500] {
        let folder = temporary();
        write_encoder(folder.path());
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(film(&LONG_VIDEO)).current_dir(folder.path());
        let mut child = command.spawn().expect("the program starts");
        let encoder = encoder_pid(folder.path());
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        assert!(send_signal("-TERM", &child.id().to_string()));
        child.wait().expect("its status");
        assert!(!send_signal("-0", &encoder), "ffmpeg goes on after {milliseconds} ms");
        assert_eq!(names(folder.path()), ["encoder", "pid"], "{milliseconds} ms");
    }
}

#[test]
fn a_film_killed_in_the_middle_and_started_again_equals_one_drawn_in_one_go() {
    let Some(folder) = folder_to_draw_in() else { return };
    let film = [
        "film",
        "--count",
        "40",
        "--size",
        "320x180",
        "--adapter",
        adapter(),
        "--frames",
        "0..48",
        "-o",
    ];
    let to = |out: &str| -> Vec<String> { film.iter().chain([&out]).map(ToString::to_string).collect() };
    let whole = to("whole/%02d.png");
    succeed(folder.path(), &whole.iter().map(String::as_str).collect::<Vec<_>>());
    let pictures = |name: &str| {
        let mut all = files(&folder.path().join(name));
        all.retain(|name, _| name.ends_with(".png") && !name.starts_with('.'));
        all
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    let stopped = to("stopped/%02d.png");
    std::fs::create_dir(folder.path().join("stopped")).expect("made");
    command.current_dir(folder.path()).args(&stopped);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().expect("starts");
    let begun = std::time::Instant::now();
    // List only names: a temporary file may vanish between listing and reading.
    let shown = |name: &String| name.ends_with(".png") && !name.starts_with('.');
    let so_far = || {
        names(&folder.path().join("stopped"))
            .iter()
            .filter(|name| shown(name))
            .count()
    };
    while so_far() < 5 && begun.elapsed().as_secs() < 100 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ended");
    let kept = pictures("stopped");
    eprintln!("killed after {} of 48 frames", kept.len());
    assert!((5..48).contains(&kept.len()), "{} frames", kept.len());
    let again: Vec<&str> = stopped.iter().map(String::as_str).chain(["--json"]).collect();
    let told = super::json(folder.path(), &again);
    assert_eq!(
        told["drawn"].as_u64().zip(told["kept"].as_u64()).map(|(a, b)| a + b),
        Some(48)
    );
    assert_eq!(told["kept"].as_u64(), Some(kept.len() as u64));
    assert!(
        pictures("stopped") == pictures("whole"),
        "the continued run differs from an uninterrupted one"
    );
}
