//! `throng shot`: every sample is visible in its picture, and pictures are reproducible.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{files::uneven_gltf, json, succeed, temporary, text, throng, triangle_gltf, write_json};

use crate::common::{self, gpu::adapter};

const SIZE: &str = "160x120";

/// True if this machine can draw; else a skip.
pub fn can_draw(folder: &Path) -> bool {
    can_draw_with(folder, adapter())
}

/// True if an adapter can draw; else a skip.
pub fn can_draw_with(folder: &Path, adapter: &str) -> bool {
    let output = throng(
        folder,
        &[
            "shot",
            "knight",
            "-o",
            "probe.png",
            "--size",
            "16x16",
            "--adapter",
            adapter,
        ],
    );
    let told = text(&output.stderr);
    // Any other failure fails the test.
    if told.contains("no graphics adapter") || told.contains("no adapter matches") {
        common::skip(common::Need::Adapter, &told);
        return false;
    }
    assert!(output.status.success(), "{told}");
    true
}

/// Empty folder on a machine that can draw; else a skip.
pub fn folder_to_draw_in() -> Option<tempfile::TempDir> {
    can_draw(temporary().path()).then(temporary)
}

/// Draws one character; returns the file written.
fn shot(folder: &Path, model: &str, name: &str, more: &[&str]) -> PathBuf {
    let adapter = adapter();
    let mut arguments = vec!["shot", model, "-o", name, "--size", SIZE, "--adapter", adapter];
    arguments.extend(more);
    succeed(folder, &arguments);
    folder.join(name)
}

fn pixels(path: &Path) -> image::RgbaImage {
    image::open(path).expect("a picture").into_rgba8()
}

/// Share of pixels that differ visibly.
fn difference(a: &Path, b: &Path) -> f64 {
    let (a, b) = (pixels(a), pixels(b));
    let differ = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 6);
    a.pixels().zip(b.pixels()).filter(differ).count() as f64 / f64::from(a.width() * a.height())
}

/// Bounds of a lone character over its clip, which the camera frames.
fn reach(model: &str) -> throng::model::Bounds {
    let mut config = throng::config::Config::default();
    config.scene.count = 1;
    config.scene.characters = vec![model.into()];
    let scene = throng::scene::Scene::load(&config, &mut Default::default()).expect("loads");
    scene.crowd.extent.reach
}

/// Writes a narrow triangle as large as the bounds of a character: the camera stands in the same place, and almost
/// nothing is drawn.
fn write_sliver(folder: &Path, reach: throng::model::Bounds) {
    use base64::Engine as _;
    let (min, max) = (reach.min.to_array(), reach.max.to_array());
    let middle = [0, 1, 2].map(|a| (min[a] + max[a]) * 0.5 + (max[1] - min[1]) * if a == 1 { 1e-4 } else { 0.0 });
    let bytes: Vec<u8> = [min, max, middle]
        .iter()
        .flatten()
        .flat_map(|f| f.to_le_bytes())
        .collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let gltf = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"byteLength": 36, "uri": format!("data:application/octet-stream;base64,{data}")}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": min, "max": max}]
    });
    write_json(folder, "sliver.gltf", &gltf);
}

#[test]
fn every_sample_is_in_its_picture() {
    let Some(samples) = common::samples() else { return };
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    for file in common::LOADABLE {
        let path = samples.join(file);
        let path = path.to_string_lossy();
        write_sliver(folder, reach(&path));
        let empty = shot(folder, "sliver.gltf", "empty.png", &[]);
        let picture = shot(folder, &path, "raw.png", &["--stats", "stats.json"]);
        let covered = difference(&picture, &empty);
        println!("{file:<44} covers {:>5.1} %", covered * 100.0);
        assert!((0.01..0.9).contains(&covered), "{file}: {covered} of the picture");
        let stats = std::fs::read_to_string(folder.join("stats.json")).expect("written");
        let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
        assert_eq!(stats["draw_calls"]["crowd"], 1, "{file}");
        // The baked character gives the same picture.
        succeed(
            folder,
            &["bake", &path, "-o", "baked.glb", "--samples", "0", "--no-levels"],
        );
        let baked = shot(folder, "baked.glb", "baked.png", &[]);
        let (raw, baked) = (pixels(&picture), pixels(&baked));
        let worst = raw
            .as_raw()
            .iter()
            .zip(baked.as_raw())
            .map(|(a, b)| a.abs_diff(*b))
            .max();
        assert!(worst <= Some(1), "{file}: raw and baked pictures differ by {worst:?}");
    }
}

#[test]
fn pictures_repeat_and_move() {
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    let take = |name: &str, time: &str| {
        let adapter = adapter();
        // Nobody has attachments there, so the crowd pass draws people alone.
        let arguments = [
            "shot",
            "--scene",
            "stress",
            "--count",
            "40",
            "-o",
            name,
            "--size",
            SIZE,
            "--time",
            time,
            "--adapter",
            adapter,
            "--json",
        ];
        json(folder, &arguments)
    };
    let stats = take("a.png", "4");
    take("b.png", "4");
    take("c.png", "4.5");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("written");
    assert!(
        read("a.png") == read("b.png"),
        "the same moment twice gives the same bytes"
    );
    assert!(
        read("a.png") != read("c.png"),
        "half a second later something has moved"
    );
    let characters = stats["characters"].as_array().map(Vec::len);
    assert_eq!(stats["draw_calls"]["crowd"].as_u64(), characters.map(|n| n as u64));
}

/// Statistics warn of formats as `bake` and `verify` do; other formats and techniques have no warning.
#[test]
fn unfit_formats_are_named_in_the_statistics() {
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    write_json(folder, "wide.gltf", &uneven_gltf());
    let format_warnings = |model: &str, more: &[&str]| -> Vec<String> {
        shot(
            folder,
            model,
            "picture.png",
            &[more, &["--stats", "stats.json"]].concat(),
        );
        let stats = std::fs::read_to_string(folder.join("stats.json")).expect("written");
        let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
        let notes = stats["notes"].as_array().expect("a list").iter();
        let notes = notes.filter_map(|n| n.as_str().filter(|n| n.contains("trs16")));
        notes.map(str::to_owned).collect()
    };
    let told = format_warnings("wide.gltf", &["--format", "trs16"]);
    assert_eq!(told.len(), 1, "{told:?}");
    for part in [
        "wide: trs16 has an error of",
        "joint vane",
        "non-uniform scale",
        "use f16",
    ] {
        assert!(told[0].contains(part), "{part}: {told:?}");
    }
    let none: [String; 0] = [];
    assert_eq!(format_warnings("wide.gltf", &["--format", "f16"]), none);
    assert_eq!(
        format_warnings("wide.gltf", &["--format", "trs16", "--technique", "vertex"]),
        none
    );
    assert_eq!(format_warnings("vane.gltf", &["--format", "trs16"]), none);
}

#[test]
fn morph_targets_move() {
    let Some(samples) = common::samples() else { return };
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    let cube = samples.join("AnimatedMorphCube/AnimatedMorphCube.glb");
    let cube = cube.to_string_lossy();
    let rest = shot(folder, &cube, "rest.png", &["--time", "0"]);
    let moved = shot(folder, &cube, "moved.png", &["--time", "1.2"]);
    let share = difference(&rest, &moved);
    assert!(share > 0.02, "{share} of the picture changed");
    // The technique of the rest pose has no morph targets, and says so.
    let told = |technique: &str| {
        let arguments = [
            "shot",
            &cube,
            "--technique",
            technique,
            "--size",
            "64x64",
            "-o",
            "x.png",
            "--stats",
            "x.json",
        ];
        succeed(folder, &arguments);
        std::fs::read_to_string(folder.join("x.json")).expect("written")
    };
    assert!(told("static").contains("ignores morph targets"));
    assert!(!told("live").contains("ignores morph targets"));
}

#[test]
fn gl_draws_the_same_picture() {
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    let scene = [
        "shot", "--scene", "army", "--count", "60", "--size", SIZE, "--time", "3",
    ];
    let other = adapter();
    succeed(folder, &[&scene[..], &["-o", "other.png", "--adapter", other]].concat());
    let drawn = throng(
        folder,
        &[&scene[..], &["-o", "gl.png", "--adapter", "gl", "--stats", "gl.json"]].concat(),
    );
    let told = text(&drawn.stderr);
    // Any other failure fails the test.
    if told.contains("no adapter matches") || told.contains("no compute shaders in") {
        return common::skip(common::Need::Gl, &told);
    }
    assert!(drawn.status.success(), "{told}");
    let stats = std::fs::read_to_string(folder.join("gl.json")).expect("written");
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["adapter"]["backend"], "gl");
    let share = difference(&folder.join("other.png"), &folder.join("gl.png"));
    println!("{:.2} % of the pixels differ", share * 100.0);
    assert!(share < 0.02, "{share} of the picture differs");
}

#[test]
fn the_sky_has_no_steps() {
    let Some(folder) = folder_to_draw_in() else { return };
    let folder = folder.path();
    // Clouds have edges of their own, and so have people who reach into the top of the picture.
    let clear = include_str!("../../../config/plaza.toml").to_owned() + "\n[look]\nclouds = 0.0\n";
    std::fs::write(folder.join("clear.toml"), clear).expect("written");
    succeed(
        folder,
        &[
            "shot",
            "--scene",
            "clear.toml",
            "--count",
            "1",
            "--set",
            "scene.characters=['elder']",
            "--size",
            "640x360",
            "-o",
            "sky.png",
            "--adapter",
            adapter(),
        ],
    );
    let picture = image::open(folder.join("sky.png")).expect("a picture").to_rgb8();
    // The top of the picture is sky, whose blue hardly changes between pixels.
    let rows = 0..40;
    let alike = |(x, y): (u32, u32)| picture.get_pixel(x, y) == picture.get_pixel(x + 1, y);
    let pairs: Vec<(u32, u32)> = rows.flat_map(|y| (0..600).map(move |x| (x, y))).collect();
    let share = pairs.iter().filter(|pair| alike(**pair)).count() as f64 / pairs.len() as f64;
    assert!(share < 0.8, "{share:.3} of the neighbours are the same: steps");
    let far = |(x, y): (u32, u32)| {
        let [a, b] = [picture.get_pixel(x, y).0, picture.get_pixel(x + 1, y).0];
        (0..3).map(|c| a[c].abs_diff(b[c])).max()
    };
    assert!(
        pairs.iter().all(|pair| far(*pair) <= Some(2)),
        "dithering is half a step"
    );
}

#[test]
fn statistics_name_the_rasterizer_and_why_the_requested_one_is_not_used() {
    let Some(folder) = folder_to_draw_in() else { return };
    let adapter = adapter();
    let stats = |more: &[&str]| {
        let shot = [
            "shot",
            "knight",
            "-o",
            "a.png",
            "--json",
            "--size",
            "64x36",
            "--adapter",
            adapter,
        ];
        json(folder.path(), &[&shot[..], more].concat())
    };
    let unsupported_requests = "drawn by the hardware rasterizer instead of in compute";
    let told = |stats: &serde_json::Value| stats["notes"].to_string().contains(unsupported_requests);
    for more in [&[][..], &["--raster", "auto"]] {
        let stats = stats(more);
        assert_eq!(stats["raster"], "hardware", "{more:?}");
        assert!(stats.get("sw_raster_max_rows").is_none() && !told(&stats), "{more:?}");
    }
    let compute = stats(&["--raster", "compute"]);
    // An adapter without support says so.
    let supported = compute["raster"] == "compute";
    assert_eq!(
        (compute["sw_raster_max_rows"] == 1024, told(&compute)),
        (supported, !supported),
        "{compute}"
    );
    let unable = stats(&["--raster", "compute", "--technique", "vertex"]);
    assert_eq!((&unable["raster"], told(&unable)), (&json!("hardware"), true));
}
