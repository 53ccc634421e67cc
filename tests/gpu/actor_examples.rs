//! Examples of actors and of a surface shader run without a window.

#![allow(
    clippy::duplicate_mod,
    reason = "each example is a program of its own with the host as a module"
)]

#[path = "../../examples/actors_compute.rs"]
mod actors_compute;
#[path = "../../examples/actors_game.rs"]
mod actors_game;
#[path = "../../examples/actors_picker.rs"]
mod actors_picker;
#[path = "../../examples/actors_split_screen.rs"]
mod actors_split_screen;
#[path = "../../examples/embed_shading.rs"]
mod embed_shading;

use crate::common;

/// Colours of a saved picture, and its size.
fn colors(path: &std::path::Path) -> (usize, (u32, u32)) {
    let picture = image::open(path).expect("a picture").to_rgb8();
    let mut colors: Vec<_> = picture.pixels().map(|pixel| pixel.0).collect();
    colors.sort_unstable();
    colors.dedup();
    (colors.len(), picture.dimensions())
}

/// Numbers of red and of blue pixels of a saved picture: clothes, since nothing else has such colours.
fn clothes(path: &std::path::Path) -> [usize; 2] {
    let picture = image::open(path).expect("a picture").to_rgb8();
    let count = |is_such: fn([u8; 3]) -> bool| picture.pixels().filter(|pixel| is_such(pixel.0)).count();
    [
        count(|[r, g, b]| r > 90 && g < r / 2 && b < r / 2),
        count(|[r, g, b]| b > 80 && r < b / 2 && g < b / 4 * 3),
    ]
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
    let clothes = clothes(&path);
    assert!(clothes.iter().all(|&pixels| pixels > 10), "{clothes:?}");
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
    let clothes = clothes(&path);
    assert!(clothes.iter().all(|&pixels| pixels > 500), "{clothes:?}");
}

#[test]
fn three_views_of_a_split_screen_send_cameras_alone() {
    if common::gpu::open().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("split.png");
    let [first, later] = actors_split_screen::play(path.to_str().expect("a name")).expect("runs");
    assert!(first > 500 * 176 && later < 3 * 1024, "{first} {later}");
    let (colors, size) = colors(&path);
    assert!(colors > 1000, "{colors} colours");
    // Two players see different things.
    let picture = image::open(&path).expect("a picture").to_rgb8();
    let half = size.0 / 2;
    let same =
        (0..half - 2).filter(|x| picture.get_pixel(*x, size.1 - 40) == picture.get_pixel(x + half + 2, size.1 - 40));
    assert!(same.count() < half as usize / 2);
}

#[test]
fn clicks_find_the_people_under_them() {
    if common::gpu::open().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("picker.png");
    let found = actors_picker::pick_all(path.to_str().expect("a name")).expect("runs");
    let somebody: Vec<_> = found.iter().flatten().collect();
    assert!(somebody.len() == 3 && found[3].is_none(), "{found:?}");
    assert!(somebody[0] != somebody[1] && somebody[1] != somebody[2], "{found:?}");
    // Whoever was found wears red afterwards.
    let picture = image::open(&path).expect("a picture").to_rgb8();
    let is_red = |pixel: &&image::Rgb<u8>| pixel[0] > 90 && pixel[1] < pixel[0] / 4 && pixel[2] < pixel[0] / 4;
    let half = picture.height() / 2 * picture.width();
    let red: Vec<usize> = [0, 1]
        .map(|part| {
            picture
                .pixels()
                .skip(part * half as usize)
                .take(half as usize)
                .filter(is_red)
                .count()
        })
        .into();
    assert!(red[1] > red[0] + 100, "{red:?}");
}

#[test]
fn a_shader_of_the_host_lights_the_people_of_the_lower_picture() {
    if common::gpu::open().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("shading.png");
    let draw = |text: &str| embed_shading::draw(path.to_str().expect("a name"), text);
    draw("fn surface_radiance(point: SurfacePoint) -> vec3<f32> { return vec3<f32>(0.0, 0.0, 1.0); }").expect("runs");
    let picture = image::open(&path).expect("a picture").to_rgb8();
    let half = picture.height() / 2;
    let blue = |part: u32| {
        let pixels = (0..half).flat_map(|y| (0..picture.width()).map(move |x| (x, y)));
        let pixels = pixels.filter(|&(x, y)| picture.get_pixel(x, part * half + y).0 == [0, 0, 255]);
        pixels.count()
    };
    assert!(blue(0) == 0 && blue(1) > 5000, "{} {}", blue(0), blue(1));
    let refused = draw("fn surface_radiance(point: SurfacePoint) -> vec3<f32> {\nloop {}\n}").expect_err("no end");
    assert!(refused.to_string().starts_with("line 2 "), "{refused}");
}
