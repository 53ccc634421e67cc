//! `throng film`: single frames, films that continue after a stop, parts that make a whole.

use std::{collections::BTreeMap, path::Path};

use super::{json, names, pictures::folder_to_draw_in, small_scene, succeed, temporary, text, throng};
use crate::common::gpu::adapter;

fn film<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["film"], &small_scene()[..], more].concat()
}

/// Bytes of the PNG files in a folder, by name.
fn frames(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let pictures = names(folder).into_iter().filter(|name| name.ends_with(".png"));
    pictures
        .map(|name| (name.clone(), std::fs::read(folder.join(&name)).expect("a frame")))
        .collect()
}

fn pixels(bytes: &[u8]) -> image::RgbaImage {
    image::load_from_memory(bytes).expect("a picture").to_rgba8()
}

#[test]
fn stopped_sharded_and_whole_films_are_the_same_bytes() {
    let Some(folder) = folder_to_draw_in() else { return };
    let at = |name: &str| folder.path().join(name);
    let draw = |more: &[&str]| json(folder.path(), &film(&[&["--json", "--frames", "3..12"], more].concat()));
    let whole = draw(&["-o", "whole/%04d.png"]);
    assert_eq!((whole["drawn"].as_u64(), whole["kept"].as_u64()), (Some(9), Some(0)));
    let expected = frames(&at("whole"));
    let wanted: Vec<String> = (3..12).map(|frame| format!("{frame:04}.png")).collect();
    assert_eq!(expected.keys().cloned().collect::<Vec<_>>(), wanted);
    assert_ne!(expected["0003.png"], expected["0011.png"], "people move");

    for part in ["2/3", "1/3", "3/3"] {
        assert_eq!(draw(&["-o", "parts/%04d.png", "--shard", part])["drawn"], 3, "{part}");
    }
    assert!(
        frames(&at("parts")) == expected,
        "three parts differ from the whole film"
    );

    // State after a loss of power.
    draw(&["-o", "stopped/%04d.png"]);
    std::fs::remove_file(at("stopped/0004.png")).expect("there");
    std::fs::write(at("stopped/0007.png"), &expected["0007.png"][..500]).expect("cut off");
    let again = draw(&["-o", "stopped/%04d.png"]);
    assert_eq!((again["drawn"].as_u64(), again["kept"].as_u64()), (Some(2), Some(7)));
    assert!(
        frames(&at("stopped")) == expected,
        "the continued run differs from an uninterrupted one"
    );
    assert!(names(&at("stopped")).contains(&"film.throng.json".to_owned()));

    // A frame equals a shot at its time.
    let moment = (5.0 / 24.0_f64).to_string();
    let shot = [&["shot"], &small_scene()[..], &["--time", &moment, "-o", "one.png"]].concat();
    succeed(folder.path(), &shot);
    assert!(pixels(&expected["0005.png"]) == pixels(&std::fs::read(at("one.png")).expect("there")));
}

#[test]
fn motion_blur_is_the_mean_of_moments_drawn_alone() {
    let Some(folder) = folder_to_draw_in() else { return };
    let linear = |byte: u8| match f64::from(byte) / 255.0 {
        v if v <= 0.04045 => v / 12.92,
        v => ((v + 0.055) / 1.055).powf(2.4),
    };
    // Frame 2 at 1 fps is exposed for the whole second; its four moments are frames of a film at 4 fps.
    let blur = [
        "--shutter",
        "360",
        "--subframes",
        "4",
        "--camera",
        "close",
        "--frames",
        "2..3",
        "--fps",
        "1",
    ];
    succeed(folder.path(), &film(&[&blur[..], &["-o", "blur/%d.png"]].concat()));
    let sharp = [
        "--camera",
        "close",
        "--frames",
        "8..12",
        "--fps",
        "4",
        "-o",
        "sharp/%d.png",
    ];
    succeed(folder.path(), &film(&sharp));
    let blurred = pixels(&frames(&folder.path().join("blur"))["2.png"]);
    let sharp: Vec<image::RgbaImage> = frames(&folder.path().join("sharp"))
        .values()
        .map(|b| pixels(b))
        .collect();
    let mut moved = 0;
    for (index, &byte) in blurred.as_raw().iter().enumerate() {
        let moments: Vec<u8> = sharp.iter().map(|picture| picture.as_raw()[index]).collect();
        moved += usize::from(moments.iter().any(|&moment| moment != moments[0]));
        let mean = moments.iter().map(|&moment| linear(moment)).sum::<f64>() / 4.0;
        // Half a byte to either side, in linear light.
        let (low, high) = (linear(byte.saturating_sub(1)), linear(byte.saturating_add(1)));
        assert!((low..=high).contains(&mean), "byte {index}: {byte} of {moments:?}");
    }
    assert!(moved > 100, "only {moved} values change within the shutter's time");
}

#[test]
fn streams_have_every_frame() {
    let Some(folder) = folder_to_draw_in() else { return };
    succeed(folder.path(), &film(&["--frames", "0..3", "-o", "a.y4m"]));
    let header = b"YUV4MPEG2 W64 H36 F24:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n";
    let video = std::fs::read(folder.path().join("a.y4m")).expect("there");
    assert!(video.starts_with(header));
    assert_eq!(video.len(), header.len() + 3 * (b"FRAME\n".len() + 3 * 64 * 36));
    let piped = throng(folder.path(), &film(&["--frames", "0..3", "-o", "-"]));
    assert!(
        piped.status.success() && piped.stdout == video,
        "{}",
        text(&piped.stderr)
    );
    succeed(
        folder.path(),
        &film(&["--frames", "0..3", "--fps", "10", "-o", "a.gif"]),
    );
    let file = std::fs::File::open(folder.path().join("a.gif")).expect("there");
    let gif = image::codecs::gif::GifDecoder::new(std::io::BufReader::new(file)).expect("a GIF");
    let shown = image::AnimationDecoder::into_frames(gif)
        .collect_frames()
        .expect("frames");
    assert_eq!(shown.len(), 3);
    assert_eq!(shown[0].delay().numer_denom_ms(), (100, 1));
    assert_eq!(names(folder.path()), ["a.gif", "a.y4m"], "nothing else is left");
}

#[cfg(unix)]
#[test]
fn an_encoder_that_dies_is_reported_and_leaves_no_file() {
    use std::os::unix::fs::PermissionsExt;
    let Some(folder) = folder_to_draw_in() else { return };
    let script = folder.path().join("encoder");
    std::fs::write(
        &script,
        "#!/bin/sh\nhead -c 5000 >/dev/null\necho 'no space for the moov atom' >&2\nexit 1\n",
    )
    .expect("written");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("set");
    let ended = throng(
        folder.path(),
        &film(&["--frames", "0..400", "-o", "a.mp4", "--ffmpeg", "./encoder"]),
    );
    let told = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(told.contains("no space for the moov atom"), "{told}");
    let missing = throng(
        folder.path(),
        &film(&["--frames", "0..2", "-o", "a.mp4", "--ffmpeg", "./no-such"]),
    );
    assert!(
        text(&missing.stderr).contains("apt install ffmpeg"),
        "{}",
        text(&missing.stderr)
    );
    assert_eq!(names(folder.path()), ["encoder"], "no part of a video is left");
}

#[test]
fn contradicting_options_print_one_line_and_exit_2() {
    let folder = temporary();
    let path = folder.path();
    std::fs::create_dir(path.join("d")).expect("made");
    std::fs::write(path.join("d/001.png"), b"holiday").expect("written");
    for (arguments, why) in [
        (&["--frames", "5..5", "-o", "a.gif"][..], "no frames"),
        (&["--frames", "9..3", "-o", "a.gif"], "no frames"),
        (&["--frames", "0..3", "-o", "a.png"], "%05d"),
        (&["--frames", "0..3", "-o", "a.avi"], ".mp4"),
        (&["--frames", "0..3", "-o", "x%q.png"], "frames/%05d.png"),
        (&["--frames", "0..3", "--shard", "4/3", "-o", "%d.png"], "from 1 to N"),
        (&["--frames", "0..3", "--shard", "1/3", "-o", "a.gif"], "frame files"),
        (&["--frames", "0..3", "--fps", "0", "-o", "a.gif"], "frame rate"),
        (&["--frames", "0..3", "--shutter", "361", "-o", "a.gif"], "0 to 360"),
        (
            &["--frames", "0..3", "-o", "d/%03d.png"],
            "is not known to be of this film",
        ),
    ] {
        let ended = throng(path, &film(arguments));
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(why) && told.lines().count() == 1, "{arguments:?}: {told}");
    }
    assert_eq!(names(path), ["d"]);
    assert_eq!(names(&path.join("d")), ["001.png"]);
}

#[test]
fn a_camera_that_moves_is_where_its_keys_say() {
    let Some(folder) = folder_to_draw_in() else { return };
    let scene = "[scene]\ncount = 12\n[camera]\nstart = \"path\"\n[camera.views.second]\neye = [0.0, 3.0, 9.0]\ntarget = [0.0, \
                 1.0, 0.0]\n[[camera.path]]\ntime = 1.0\neye = [9.0, 3.0, 0.0]\ntarget = [0.0, 1.0, 0.0]\n[[camera.path]]\ntime = \
                 2.0\neye = [0.0, 3.0, 9.0]\ntarget = [0.0, 1.0, 0.0]\n";
    std::fs::write(folder.path().join("s.toml"), scene).expect("written");
    let common = ["--scene", "s.toml", "--size", "64x36", "--adapter", adapter()];
    let film = [
        &["film"],
        &common[..],
        &["--frames", "1..4", "--fps", "1", "-o", "%d.png"],
    ]
    .concat();
    succeed(folder.path(), &film);
    let shot = [
        &["shot"],
        &common[..],
        &["--camera", "second", "--time", "2", "-o", "second.png"],
    ]
    .concat();
    succeed(folder.path(), &shot);
    let at = |name: &str| pixels(&std::fs::read(folder.path().join(name)).expect("there"));
    assert!(at("2.png") == at("second.png"), "at the second key");
    assert!(at("1.png") != at("2.png") && at("3.png") != at("1.png"));
    // Errors of paths name the key.
    let late = scene.replace("time = 2.0", "time = 0.5");
    std::fs::write(folder.path().join("late.toml"), late).expect("written");
    let ended = throng(folder.path(), &["shot", "--scene", "late.toml", "-o", "x.png"]);
    let told = text(&ended.stderr);
    assert!(
        ended.status.code() == Some(2) && told.contains("later than 1 s"),
        "{told}"
    );
}
