//! Stumbles of a first day: scenes named as files, units, settings without an option, shapes of JSON.

use std::fs;

use super::{json, pictures::can_draw, small_scene, succeed, temporary, text, throng, triangle_gltf, write_json};

#[test]
fn a_scene_file_is_named_with_and_without_its_option() {
    let folder = temporary();
    let folder = folder.path();
    fs::write(folder.join("mine.toml"), "[scene]\nname = \"mine\"\ncount = 12\n").expect("written");
    let twice = throng(folder, &["shot", "mine.toml", "--scene", "army", "-o", "a.png"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("two scenes are named, army and mine.toml"));
    let character = throng(folder, &["shot", "--scene", "Fox.glb", "-o", "a.png"]);
    assert_eq!(character.status.code(), Some(2));
    let told = text(&character.stderr);
    assert!(
        told.contains("is a character") && told.contains("throng view Fox.glb"),
        "{told}"
    );
    let preset = text(&throng(folder, &["marathon"]).stderr);
    assert!(preset.contains("did you mean `--scene marathon`?"), "{preset}");
    if !can_draw(folder) {
        return;
    }
    let drawn = |scene: &[&str]| {
        let more = [
            "-o",
            "a.png",
            "--json",
            "--size",
            "64x36",
            "--adapter",
            super::adapter(),
        ];
        json(folder, &[&["shot"][..], scene, &more].concat())
    };
    let named = drawn(&["mine.toml"]);
    assert_eq!(
        (named["scene"].as_str(), named["instances"].as_u64()),
        (Some("mine"), Some(12))
    );
    let option = drawn(&["--scene", "mine.toml"]);
    assert_eq!(named["triangles"], option["triangles"]);
    assert!(
        named["first_upload_bytes"].as_u64() >= named["upload_bytes"].as_u64(),
        "{named}"
    );
    let light = drawn(&["mine.toml", "--effort", "light"]);
    assert_eq!((&option["effort"], &light["effort"]), (&"full".into(), &"light".into()));
    assert_eq!(
        (light["samples"].as_u64(), light["fxaa"].as_bool()),
        (Some(1), Some(true))
    );
    let told = succeed(
        folder,
        &[&["shot", "-o", "b.png", "--effort", "light"][..], &small_scene()].concat(),
    );
    assert!(told.contains("effort     light"), "{told}");
}

#[test]
fn settings_without_an_option_are_named_with_their_key() {
    let folder = temporary();
    for (option, setting) in [
        ("--spacing", "scene.spacing"),
        ("--clouds", "look.clouds"),
        ("--sun-elevation=3", "look.sun_elevation"),
    ] {
        let refused = throng(folder.path(), &["shot", option, "2"]);
        let told = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            told.contains(&format!("--set {setting}=VALUE")) && !told.contains("--pace"),
            "{told}"
        );
    }
    let unknown = text(&throng(folder.path(), &["shot", "--cont", "2"]).stderr);
    assert!(unknown.contains("--count"), "{unknown}");
}

#[test]
fn both_commands_take_both_units_and_warn_of_none() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    let verify = |limit: &str| {
        throng(
            folder,
            &["verify", "vane.gltf", "--format", "f16", "--max-error", limit],
        )
    };
    let bake = |limit: &str| {
        throng(
            folder,
            &["bake", "vane.gltf", "-o", "a.glb", "--no-levels", "--max-error", limit],
        )
    };
    for limit in ["20mm", "1%"] {
        for output in [verify(limit), bake(limit)] {
            assert_eq!(
                (output.status.code(), text(&output.stderr).as_str()),
                (Some(0), ""),
                "{limit}"
            );
        }
    }
    for (output, unit) in [(verify("1"), "--max-error 1%"), (bake("20"), "--max-error 20mm")] {
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(
            told.contains("has no unit") && told.contains(unit) && told.lines().count() == 1,
            "{told}"
        );
    }
    let missed = verify("0.000001mm");
    assert_eq!(missed.status.code(), Some(3));
    assert!(text(&missed.stderr).contains("mm), more than 0.000001mm"));
}

#[test]
fn info_and_bake_print_one_shape_for_any_number_of_files() {
    let folder = temporary();
    let folder = folder.path();
    for name in ["a.gltf", "b.gltf"] {
        write_json(folder, name, &triangle_gltf());
    }
    let quick = ["--samples", "0"];
    for command in [&["info"][..], &["bake", "--no-levels", "-o", "out/"]] {
        for files in [&["a.gltf"][..], &["a.gltf", "b.gltf"]] {
            let report = json(folder, &[command, files, &quick, &["--json"]].concat());
            assert_eq!(report["schema"], 2);
            let named: Vec<_> = report["files"]
                .as_array()
                .expect("files")
                .iter()
                .map(|file| file["file"].clone())
                .collect();
            assert_eq!(named, files);
            assert_eq!(report["errors"], serde_json::json!([]));
        }
        let broken = throng(
            folder,
            &[command, &["a.gltf", "missing.gltf"], &quick, &["--json"]].concat(),
        );
        let report: serde_json::Value = serde_json::from_slice(&broken.stdout).expect("JSON");
        assert_eq!(broken.status.code(), Some(2));
        assert_eq!(report["files"].as_array().map(Vec::len), Some(1));
        assert_eq!(report["errors"][0]["file"], "missing.gltf");
    }
    let old = json(folder, &["info", "a.gltf", "--samples", "0", "--json=1"]);
    assert!(old["clips"].is_array(), "{old}");
    let wrong = throng(folder, &["info", "a.gltf", "--json=3"]);
    assert_eq!(wrong.status.code(), Some(2));
}
