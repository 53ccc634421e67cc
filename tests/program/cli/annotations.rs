//! Texts over pictures of trajectories: where they are wanted, and nowhere else.

use std::{fs, path::Path};

use super::{succeed, temporary};
use crate::common::gpu::adapter;

/// Draws one person who walks, at a time (s), and returns the pixels (RGBA8).
fn shot(folder: &Path, name: &str, time: &str, more: &[&str]) -> image::RgbaImage {
    let arguments = [
        &["shot", "--trajectories", "walk.csv", "-o", name, "--time", time][..],
        &["--size", "320x180", "--adapter", adapter(), "--effort", "light"],
        more,
    ];
    succeed(folder, &arguments.concat());
    image::open(folder.join(name)).expect("a picture").to_rgba8()
}

/// Least box around the pixels in which two pictures differ: left, top, right, bottom.
fn difference(a: &image::RgbaImage, b: &image::RgbaImage) -> Option<[u32; 4]> {
    let differs = a.enumerate_pixels().filter(|&(x, y, pixel)| pixel != b.get_pixel(x, y));
    differs.fold(None, |bounds, (x, y, _)| {
        let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
        Some([left.min(x), top.min(y), right.max(x), bottom.max(y)])
    })
}

#[test]
fn a_clock_is_burnt_into_pictures_of_trajectories_unless_they_are_labelled() {
    let folder = temporary();
    let folder = folder.path();
    if !super::pictures::can_draw(folder) {
        return;
    }
    let rows: String = (0..=10).map(|at| format!("7,{at},{at},0\n")).collect();
    fs::write(folder.join("walk.csv"), format!("id,t,x,y\n{rows}")).expect("written");
    let plain = shot(folder, "plain.png", "5", &["--annotate", "none"]);
    let clock = shot(folder, "clock.png", "5", &[]);
    let [left, top, right, bottom] = difference(&plain, &clock).expect("a clock");
    assert!(
        left > 200 && right < 320 && top < 16 && bottom < 45,
        "{left} {top} {right} {bottom}"
    );
    assert_eq!(difference(&clock, &shot(folder, "again.png", "5", &[])), None);
    // A legend explains colours, below the clock.
    let colored = |annotate: &str, name: &str| {
        let options = ["--annotate", annotate, "--color-by", "speed"];
        shot(folder, name, "5", &options)
    };
    let legend = difference(&colored("none", "bare.png"), &colored("legend", "legend.png")).expect("a legend");
    assert!(legend[0] > 160 && legend[3] < 90, "{legend:?}");
    // Pictures with labels hold people alone.
    let labelled = shot(folder, "labelled.png", "5", &["--labels"]);
    assert_eq!(difference(&plain, &labelled), None);
}

#[test]
fn the_clock_of_a_blurred_frame_is_sharp() {
    let folder = temporary();
    let folder = folder.path();
    if !super::pictures::can_draw(folder) {
        return;
    }
    let rows: String = (0..=10)
        .map(|at| format!("7,{at},0,{}\n", f64::from(at) * 0.3))
        .collect();
    fs::write(folder.join("walk.csv"), format!("id,t,x,y\n{rows}")).expect("written");
    // The shutter is open for a second, in which tenths of the clock change.
    let film = |name: &str, subframes: &str| {
        let arguments = [
            &["film", "--trajectories", "walk.csv", "-o", name, "--frames", "5..6"][..],
            &["--fps", "1", "--shutter", "360", "--subframes", subframes],
            &[
                "--size",
                "320x180",
                "--adapter",
                adapter(),
                "--effort",
                "light",
                "--lods",
                "quick",
            ],
        ];
        succeed(folder, &arguments.concat());
        let picture = image::open(folder.join(name.replace("%d", "5"))).expect("a picture");
        picture.to_rgba8()
    };
    let (sharp, blurred) = (film("sharp-%d.png", "1"), film("blurred-%d.png", "4"));
    assert!(difference(&sharp, &blurred).is_some(), "the person is blurred");
    // The corner with the clock: nobody walks there.
    for (x, y, pixel) in sharp.enumerate_pixels().filter(|(x, y, _)| *x > 230 && *y < 45) {
        let other = blurred.get_pixel(x, y);
        let apart = (0..3).map(|channel| pixel[channel].abs_diff(other[channel])).max();
        assert!(apart <= Some(2), "{x} {y}: {pixel:?} {other:?}");
    }
}
