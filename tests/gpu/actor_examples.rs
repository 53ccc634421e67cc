//! Examples of actors run without a window.

#![allow(
    clippy::duplicate_mod,
    reason = "each example is a program of its own with the host as a module"
)]

#[path = "../../examples/actors_compute.rs"]
mod actors_compute;
#[path = "../../examples/actors_game.rs"]
mod actors_game;

use crate::common;

/// Colours of a saved picture, and its size.
fn colors(path: &std::path::Path) -> (usize, (u32, u32)) {
    let picture = image::open(path).expect("a picture").to_rgb8();
    let mut colors: Vec<_> = picture.pixels().map(|pixel| pixel.0).collect();
    colors.sort_unstable();
    colors.dedup();
    (colors.len(), picture.dimensions())
}

#[test]
fn people_of_the_game_come_fall_and_vanish() {
    if common::gpu::open().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.png");
    let [came, there] = actors_game::play(path.to_str().expect("a name")).expect("runs");
    assert!(
        came > 40 && there > 5 && there < came - 5,
        "{came} came, {there} are there"
    );
    let (colors, size) = colors(&path);
    assert!(colors > 100, "{colors} colours");
    assert_eq!(size.1 % 3, 0);
}

#[test]
fn fifty_thousand_people_move_without_an_upload() {
    if common::gpu::open().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("compute.png");
    let [first, still, moving] = actors_compute::simulate(path.to_str().expect("a name")).expect("runs");
    assert!(first > 50_000 * 144 && moving == still, "{first} {still} {moving}");
    assert!(colors(&path).0 > 1000);
}
