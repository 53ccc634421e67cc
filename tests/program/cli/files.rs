//! Commands on character files that succeed.

use serde_json::Value;

use super::{json, names, succeed, temporary, text, throng, triangle_gltf, write_json};

use crate::common;

#[test]
fn info_tells_a_raw_file_from_a_baked_one() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    let raw = json(folder, &["info", "vane.gltf", "--json=1"]);
    assert_eq!(
        (raw["triangles"].as_u64(), raw["clips"][0]["name"].as_str()),
        (Some(1), Some("turn"))
    );
    assert!(raw["baked"].is_null());
    succeed(folder, &["bake", "vane.gltf", "-o", "vane.glb", "--rate", "30"]);
    let baked = json(folder, &["info", "vane.glb", "--json=1"]);
    assert_eq!(baked["baked"]["format"], "f16");
    assert_eq!(baked["baked"]["frames"], 31);
    assert_eq!(raw["bounds_max"], baked["bounds_max"]);
    let text = succeed(folder, &["info", "vane.glb"]);
    assert!(text.contains("vane") && text.contains("turn"), "{text}");
}

#[test]
fn bake_reports_sizes_and_errors() {
    let folder = temporary();
    let folder = folder.path();
    let report = json(
        folder,
        &[
            "bake",
            "knight",
            "-o",
            "k.glb",
            "--rate",
            "20",
            "--format",
            "trs16",
            "--vertices",
            "--json=1",
        ],
    );
    let report = &report[0];
    assert_eq!(report["output"], "k.glb");
    assert_eq!(report["format"], "trs16");
    assert_eq!(report["ratio_to_f32"], 3.0);
    let knight = throng::scene::embedded::embedded("knight").expect("embedded");
    assert_eq!(report["input_bytes"], knight.len());
    let size = std::fs::metadata(folder.join("k.glb")).expect("written").len();
    assert_eq!(report["output_bytes"], size);
    assert!(report["vertex_bytes"].as_u64() > Some(0));
    let errors = &report["errors"];
    assert!(
        errors["formats"][0]["total_at_frames"]["worst_percent"].as_f64() < Some(0.1),
        "{errors}"
    );
    assert_eq!(names(folder), ["k.glb"]);
}

/// A vane that turns below a joint with a non-uniform scale, three times as wide as high.
pub fn uneven_gltf() -> serde_json::Value {
    let mut json = triangle_gltf();
    json["nodes"] = serde_json::json!([
        {"name": "vane", "mesh": 0},
        {"name": "post", "scale": [3, 1, 1], "children": [0]}
    ]);
    json["scenes"] = serde_json::json!([{"nodes": [1]}]);
    json
}

#[test]
fn trs16_gives_way_to_f16_where_joints_scale_unevenly() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    write_json(folder, "wide.gltf", &uneven_gltf());
    let bake = |input: &str| {
        throng(
            folder,
            &["bake", input, "-o", "out.glb", "--format", "trs16", "--json=1"],
        )
    };
    let format = |output: &std::process::Output| -> String {
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        report[0]["format"].as_str().expect("a word").to_owned()
    };
    let even = bake("vane.gltf");
    assert_eq!((format(&even).as_str(), text(&even.stderr).as_str()), ("trs16", ""));
    let uneven = bake("wide.gltf");
    let said = text(&uneven.stderr);
    assert_eq!((uneven.status.code(), format(&uneven).as_str()), (Some(0), "f16"));
    assert_eq!(said.lines().count(), 1, "{said}");
    for part in [
        "wide",
        "baked as f16",
        "joint vane",
        "clip turn",
        "non-uniform scale",
        "% of the height",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let report = succeed(folder, &["verify", "wide.gltf", "--format", "f16,trs16"]);
    let warnings: Vec<&str> = report.lines().filter(|l| l.starts_with("warning")).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("joint vane"), "{report}");
    assert!(!succeed(folder, &["verify", "wide.gltf", "--format", "f16"]).contains("warning"));
}

#[test]
fn step_keys_lost_between_frames_are_noted() {
    let folder = temporary();
    let folder = folder.path();
    let mut json = triangle_gltf();
    json["animations"][0]["samplers"][0]["interpolation"] = "STEP".into();
    write_json(folder, "step.gltf", &json);
    let report = succeed(folder, &["verify", "step.gltf", "--rate", "20"]);
    assert!(
        report.contains("clip turn has 1 channels with STEP interpolation") && report.contains("50.0 ms"),
        "{report}"
    );
}

#[test]
fn one_bad_input_does_not_stop_the_others() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    std::fs::write(folder.join("broken.glb"), b"nonsense").expect("written");
    let output = throng(
        folder,
        &[
            "bake",
            "broken.glb",
            "vane.gltf",
            "missing.glb",
            "-o",
            "out",
            "--json=1",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert!(
        stderr.contains("broken.glb") && stderr.contains("missing.glb"),
        "{stderr}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report.as_array().map(Vec::len), Some(1));
    assert_eq!(names(&folder.join("out")), ["vane.glb"]);
}

#[test]
fn inputs_are_never_overwritten() {
    let folder = temporary();
    let folder = folder.path();
    succeed(folder, &["bake", "knight", "-o", "a.glb", "--samples", "0"]);
    let before = std::fs::read(folder.join("a.glb")).expect("read");
    assert_eq!(throng(folder, &["bake", "a.glb", "-o", "."]).status.code(), Some(2));
    assert_eq!(throng(folder, &["export", "a.glb", "-o", "."]).status.code(), Some(2));
    assert!(std::fs::read(folder.join("a.glb")).expect("read") == before);
    assert_eq!(names(folder), ["a.glb"]);
    // Two outputs of one name would overwrite each other.
    std::fs::create_dir(folder.join("b")).expect("made");
    std::fs::copy(folder.join("a.glb"), folder.join("b/a.glb")).expect("copied");
    assert_eq!(
        throng(folder, &["bake", "a.glb", "b/a.glb", "-o", "c"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_name_of_a_file_is_no_folder() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    write_json(folder, "wide.gltf", &uneven_gltf());
    std::fs::create_dir(folder.join("x.glb")).expect("made");
    let before = names(folder);
    for arguments in [
        &["bake", "vane.gltf", "-o", "x.glb"][..],
        &["bake", "vane.gltf", "wide.gltf", "-o", "two.glb"],
        &["bake", "vane.gltf", "vane.gltf", "-o", "dup/"],
    ] {
        let output = throng(folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(names(folder), before, "{arguments:?}");
        assert!(names(&folder.join("x.glb")).is_empty());
    }
}

#[test]
fn limits_choose_rates_and_formats() {
    let folder = temporary();
    let folder = folder.path();
    let within = json(
        folder,
        &["bake", "knight", "-o", "a.glb", "--max-error", "16mm", "--json=1"],
    );
    let plan = &within[0]["plan"];
    assert!(plan["worst_mm"].as_f64() <= Some(16.0), "{plan}");
    assert_eq!(plan["offers"].as_array().map(Vec::len), Some(4));
    let worst = within[0]["errors"]["formats"][0]["encoding_at_frames"]["worst_mm"].as_f64();
    assert!(worst <= Some(16.0), "{worst:?}");
    let bytes = within[0]["atlas_bytes"].as_u64().expect("a number");
    let small = json(
        folder,
        &[
            "bake",
            "knight",
            "-o",
            "b.glb",
            "--max-bytes",
            &(bytes / 2).to_string(),
            "--json=1",
        ],
    );
    assert!(small[0]["atlas_bytes"].as_u64() <= Some(bytes / 2));
    let table = succeed(folder, &["bake", "knight", "-o", "c.glb", "--max-error", "16mm"]);
    assert!(table.contains("chosen") && table.contains("resampling"), "{table}");
    let hopeless = throng(folder, &["bake", "knight", "-o", "d.glb", "--max-error", "0.000001mm"]);
    assert_eq!(hopeless.status.code(), Some(3), "{}", text(&hopeless.stderr));
    assert_eq!(names(folder), ["a.glb", "b.glb", "c.glb"]);
}

#[test]
fn verify_measures_a_file_as_it_is() {
    let folder = temporary();
    let folder = folder.path();
    succeed(
        folder,
        &["bake", "girl", "-o", "girl.glb", "--format", "unorm8", "--samples", "0"],
    );
    let report = json(folder, &["verify", "girl.glb", "--json", "--samples", "200000"]);
    let formats = report["formats"].as_array().expect("a list");
    assert_eq!(formats.len(), 1);
    assert_eq!(formats[0]["format"], "unorm8");
    let percent = formats[0]["total_at_frames"]["worst_percent"]
        .as_f64()
        .expect("a number");
    assert!(
        percent > 0.1,
        "the file's own coarse atlas is measured, not a fresh one: {percent}"
    );
    let strict = throng(
        folder,
        &["verify", "girl.glb", "--max-error", "0.1%", "--samples", "200000"],
    );
    assert_eq!(strict.status.code(), Some(3));
    assert_eq!(text(&strict.stderr).lines().count(), 1);
    let fine = [
        "verify",
        "girl.glb",
        "--format",
        "f16,trs16",
        "--max-error",
        "0.1%",
        "--samples",
        "200000",
    ];
    assert!(succeed(folder, &fine).contains("trs16"));
}

#[test]
fn frames_by_motion_are_set_beside_even_ones() {
    let folder = temporary();
    let folder = folder.path();
    let samples = ["--samples", "100000", "--json"];
    let compare = ["verify", "girl", "--compare-even", "--format", "f16,trs16"];
    let compared = json(folder, &[&compare[..], &samples].concat());
    let ways = compared["ways"].as_array().expect("a list");
    let names: Vec<&str> = ways.iter().filter_map(|way| way["frames_by"].as_str()).collect();
    assert_eq!(names, ["even 30 Hz", "even, as many", "motion"].repeat(2));
    let worst = |way: &Value| way["total"]["worst_percent"].as_f64().expect("a number");
    for ways in ways.chunks(3) {
        assert!(
            worst(&ways[2]) <= 0.1 && worst(&ways[0]) > 0.2 && worst(&ways[1]) > 0.2,
            "{ways:?}"
        );
        assert!(ways[1]["frames"].as_u64() <= ways[2]["frames"].as_u64());
    }
    // The smallest format within the limit: trs16 by motion, in less than 0.65 of the bytes of f16 at even 30 Hz.
    assert_eq!(compared["smallest"], 5);
    assert!(ways[5]["bytes_ratio"].as_f64() < Some(0.65), "{compared}");
    let each = ["verify", "girl", "--format", "f16,trs16", "--max-error", "0.1%"];
    let report = json(folder, &[&each[..], &samples].concat());
    let formats = report["formats"].as_array().expect("a list");
    assert!(
        formats[0]["frames"].as_u64() > formats[1]["frames"].as_u64(),
        "{report}"
    );
    let clips = formats[1]["clips"].as_array().expect("a list");
    let of_clips: u64 = clips.iter().filter_map(|clip| clip["frames"].as_u64()).sum();
    assert_eq!(Some(of_clips), formats[1]["frames"].as_u64());
    let table = succeed(
        folder,
        &[
            "verify",
            "girl",
            "--compare-even",
            "--format",
            "trs16",
            "--samples",
            "1000",
        ],
    );
    assert!(table.contains("smallest") && table.contains("even, as many"), "{table}");
    let coarse = json(
        folder,
        &[&["verify", "girl", "--format", "unorm8"][..], &samples].concat(),
    );
    assert!(coarse["warnings"].to_string().contains("finer format"), "{coarse}");
    assert_eq!(report["warnings"], serde_json::json!([]));
    let described = json(folder, &["info", "girl", "--samples", "300000", "--json=1"]);
    assert!(
        described["drawn"]["total"]["worst_percent"].as_f64() <= Some(0.1),
        "{described}"
    );
    let baked = json(folder, &["bake", "girl", "-o", "girl.glb", "--no-levels", "--json=1"]);
    for [usual, as_many] in [&described["even"], &baked[0]["even"]].map(|even| [&even[0], &even[1]]) {
        assert!(worst(usual) > 0.2 && worst(as_many) > 0.2, "{usual} {as_many}");
        assert_eq!(usual["frames"], baked[0]["even_frames"]);
    }
    let measured = succeed(folder, &["info", "girl.glb", "--samples", "300000"]);
    assert!(measured.contains("even steps 30 Hz: "), "{measured}");
    let text = succeed(folder, &["info", "girl.glb"]);
    assert!(
        text.contains("errors are not measured") && !text.contains("even steps"),
        "{text}"
    );
}

/// Frames placed by another version are measured as they are, and no encoding error is stated for them.
#[test]
fn frames_of_another_version_have_no_encoding_error_of_their_own() {
    let folder = temporary();
    let folder = folder.path();
    succeed(
        folder,
        &["bake", "girl", "-o", "girl.glb", "--no-levels", "--samples", "0"],
    );
    let measured = || json(folder, &["verify", "girl.glb", "--json", "--samples", "100000"]);
    let ours = measured();
    assert!(ours["formats"][0]["encoding_at_frames"]["worst_mm"].as_f64() > Some(0.0));
    assert_eq!(ours["warnings"], serde_json::json!([]));
    let bytes = std::fs::read(folder.join("girl.glb")).expect("read");
    let moved = common::glb::edited(&bytes, |root| {
        let time = &mut root["extensions"]["THRONG_animation_atlas"]["clips"][0]["times"][1];
        *time = (time.as_u64().expect("a time") + 1).into();
    });
    std::fs::write(folder.join("girl.glb"), moved).expect("written");
    let theirs = measured();
    assert_eq!(theirs["formats"][0]["encoding_at_frames"], Value::Null);
    assert!(theirs["warnings"].to_string().contains("another version"), "{theirs}");
    let worst = |report: &Value| report["formats"][0]["total"]["worst_percent"].as_f64();
    assert!(worst(&theirs) <= Some(0.101) && worst(&theirs) > Some(0.0), "{theirs}");
}

#[test]
fn error_against_bytes_is_plotted() {
    let folder = temporary();
    let folder = folder.path();
    write_json(folder, "vane.gltf", &triangle_gltf());
    let plot = [
        "verify",
        "vane.gltf",
        "--plot",
        "vane.svg",
        "--format",
        "f16,trs16",
        "--samples",
        "10000",
    ];
    succeed(folder, &plot);
    let svg = std::fs::read_to_string(folder.join("vane.svg")).expect("written");
    for line in ["f16 even", "f16 by motion", "trs16 even", "trs16 by motion"] {
        assert!(svg.contains(line), "{line}");
    }
    assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() >= 4);
}

#[test]
fn a_raw_walk_is_described_and_measured_as_it_is_baked() {
    let folder = temporary();
    let folder = folder.path();
    let mut walk = triangle_gltf();
    // The last six numbers of the rotations become two translations, 1 m apart on the ground.
    walk["accessors"][2] = serde_json::json!(
        {"bufferView": 2, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3"});
    walk["animations"][0]["channels"][0]["target"]["path"] = "translation".into();
    write_json(folder, "walk.gltf", &walk);
    let baked = json(folder, &["bake", "walk.gltf", "-o", "walk.glb", "--json=1"]);
    let measured = json(folder, &["verify", "walk.gltf", "--format", "f16", "--json"]);
    assert_eq!(measured, baked[0]["errors"]);
    let [raw, baked] = ["walk.gltf", "walk.glb"].map(|file| json(folder, &["info", file, "--json=1"]));
    assert!(raw["clips"][0]["speed"].as_f64() > Some(0.9), "{raw}");
    assert_eq!(raw["clips"][0]["speed"], baked["clips"][0]["speed"]);
    assert!(raw["notes"].to_string().contains("root motion extracted"), "{raw}");
}

/// Table of all samples: contents and results of baking, or the error.
#[test]
fn table_of_all_samples() {
    let Some(samples) = common::samples() else { return };
    let folder = temporary();
    let folder = folder.path();
    println!(
        "{:<44} {:>8} {:>6} {:>6} {:>10} {:>10} {:>8}",
        "file", "vertices", "slots", "clips", "atlas", "file", "bake ms"
    );
    for file in common::LOADABLE {
        let path = samples.join(file);
        let path = path.to_string_lossy();
        let info = json(folder, &["info", &path, "--json=1"]);
        let report = json(
            folder,
            &[
                "bake",
                &path,
                "-o",
                "baked.glb",
                "--samples",
                "0",
                "--no-levels",
                "--json=1",
            ],
        );
        let report = &report[0];
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        println!(
            "{file:<44} {:>8} {:>6} {:>6} {:>10} {:>10} {:>8.1}",
            info["vertices"],
            info["slots"],
            report["clips"],
            report["atlas_bytes"],
            report["output_bytes"],
            number(&report["times"]["bake"])
        );
        assert!(number(&report["times"]["bake"]) < 10_000.0);
    }
    let draco = samples.join("CesiumMan-Draco/CesiumMan.gltf");
    let said = throng(folder, &["info", &draco.to_string_lossy()]);
    println!("{}", text(&said.stderr).trim());
    assert_eq!(said.status.code(), Some(0));
}

/// f16 and trs16 stay under 0.1 % of the height at baked frames.
#[test]
fn table_of_errors() {
    let Some(samples) = common::samples() else { return };
    let folder = temporary();
    println!(
        "{:<20} {:<8} {:>12} {:>12} {:>12} {:>12} {:>10}",
        "character", "format", "frames mm", "frames %", "encoding %", "between %", "normal °"
    );
    for name in [
        "Fox",
        "CesiumMan",
        "RobotExpressive",
        "Knight",
        "TRex",
        "AnimatedMorphCube",
    ] {
        let path = samples.join(format!("{name}/{name}.glb"));
        let arguments = ["verify", &path.to_string_lossy(), "--json", "--samples", "1000000"];
        let report = json(folder.path(), &arguments);
        for format in report["formats"].as_array().expect("a list") {
            let number = |part: &str, field: &str| format[part][field].as_f64().unwrap_or(f64::NAN);
            let percent = number("total_at_frames", "worst_percent");
            println!(
                "{name:<20} {:<8} {:>12.4} {percent:>12.5} {:>12.5} {:>12.5} {:>10.3}",
                format["format"].as_str().unwrap_or_default(),
                number("total_at_frames", "worst_mm"),
                number("encoding_at_frames", "worst_percent"),
                number("total_between_frames", "worst_percent"),
                format["normal_at_frames_degrees"].as_f64().unwrap_or(f64::NAN),
            );
            if ["f16", "trs16"].contains(&format["format"].as_str().unwrap_or_default()) {
                assert!(percent < 0.1, "{name}: {percent} % of the height");
            }
        }
    }
}
