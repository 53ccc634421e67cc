//! Checks that the tables of accuracy in the README and in benches/README.md agree with the stored reports of
//! benches/accuracy.sh.

use std::path::PathBuf;

use serde_json::Value;

use super::{figures::is_rounded, root};

const RESULTS: &str = "benches/results/2026-11-22-accuracy";
const OURS: [&str; 5] = ["woman", "man", "girl", "elder", "knight"];

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn report(file: &str) -> Value {
    serde_json::from_str(&text(&format!("{RESULTS}/{file}"))).expect("JSON")
}

/// Cells of all table rows of a text that begin with `begin`, without emphasis and backticks.
fn rows(text: &str, begin: &str) -> Vec<Vec<String>> {
    let plain = text.replace(['`', '*'], "");
    let rows = plain.lines().filter(|line| line.starts_with(&format!("| {begin}")));
    rows.map(|line| {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    })
    .collect()
}

/// Measurements of frames placed one way in one format.
fn way<'a>(report: &'a Value, frames_by: &str, format: &str) -> &'a Value {
    let ways = report["ways"].as_array().expect("ways");
    let way = ways
        .iter()
        .find(|way| way["frames_by"] == frames_by && way["format"] == format);
    way.unwrap_or_else(|| panic!("no {frames_by} in {format}"))
}

fn number(value: &Value, pointer: &str) -> f64 {
    let number = value.pointer(pointer).and_then(Value::as_f64);
    number.unwrap_or_else(|| panic!("no number {pointer} in {value}"))
}

/// Checks that figures of a text, in their order, are the values, rounded as the figures are.
fn assert_figures(text: &str, values: &[f64], of: &str) {
    let parts = text
        .split([',', ' ', '(', ')', '%', '°'])
        .filter(|part| !part.is_empty());
    let shown: Vec<&str> = parts.filter(|part| part.parse::<f64>().is_ok()).collect();
    assert_eq!(shown.len(), values.len(), "{of}: {text:?}");
    for (shown, &value) in shown.iter().zip(values) {
        assert!(is_rounded(shown, value), "{of}: {text:?}, where the report has {value}");
    }
}

/// Removes the commas of thousands.
fn joined(text: &str) -> String {
    let mut joined = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(',') {
        joined.push_str(before);
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if !(digit(before.chars().last()) && digit(after.chars().next())) {
            joined.push(',');
        }
        rest = after;
    }
    joined + rest
}

#[test]
fn the_readmes_table_of_accuracy_is_that_of_the_stored_reports() {
    let readme = text("README.md");
    for format in ["f16", "trs16"] {
        let worst_of_ours = OURS.map(|name| {
            let total = number(
                way(&report(&format!("frames/{name}.json")), "motion", format),
                "/total/worst_percent",
            );
            (name, total)
        });
        let worst = worst_of_ours
            .into_iter()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .expect("five")
            .0;
        let labels = [
            (format!("woman, {format}"), "frames/woman".to_owned()),
            (
                format!("worst of the five ({worst}), {format}"),
                format!("frames/{worst}"),
            ),
            (format!("Fox (79 units tall), {format}"), "others/Fox".to_owned()),
            (format!("CesiumMan, {format}"), "others/CesiumMan".to_owned()),
            (format!("Knight (76 clips), {format}"), "others/Knight".to_owned()),
        ];
        for (label, file) in labels {
            let rows = rows(&readme, &format!("{label} |"));
            let [row] = &rows[..] else {
                panic!("the README has {} rows of {label}", rows.len());
            };
            let report = report(&format!("{file}.json"));
            let (motion, even) = (way(&report, "motion", format), way(&report, "even 30 Hz", "f16"));
            let values = [
                number(motion, "/total/worst_percent"),
                number(motion, "/total/worst_mm"),
                number(motion, "/total/p99_mm"),
                number(motion, "/encoding_percent"),
                number(motion, "/bytes"),
                number(even, "/total/worst_percent"),
                number(even, "/bytes"),
            ];
            assert_figures(&joined(&row[1..].join(" ")), &values, &label);
        }
    }
}

#[test]
fn the_table_of_frames_is_that_of_the_stored_reports() {
    let benches = text("benches/README.md");
    let stored: Vec<(&str, String)> = ["frames", "others"]
        .into_iter()
        .flat_map(|folder| names(folder).into_iter().map(move |name| (folder, name)))
        .collect();
    assert!(stored.len() >= 17, "{stored:?}");
    for (folder, label) in stored {
        let rows = rows(&benches, &format!("{label} | "));
        let frames = rows.iter().find(|row| row.len() == 9);
        let row = frames.unwrap_or_else(|| panic!("benches/README.md has no row of {label}"));
        let report = report(&format!("{folder}/{label}.json"));
        let even = way(&report, "even 30 Hz", "f16");
        let mut values = vec![
            number(even, "/frames"),
            number(even, "/bytes"),
            number(even, "/total/worst_percent"),
        ];
        for format in ["f16", "trs16"] {
            let motion = way(&report, "motion", format);
            let of = [
                "/frames",
                "/bytes",
                "/bytes_ratio",
                "/total/worst_mm",
                "/total/p99_mm",
                "/total/worst_percent",
            ];
            values.extend(of.map(|pointer| number(motion, pointer)));
            values.push(number(motion, "/encoding_percent"));
        }
        let as_many = way(&report, "even, as many", "trs16");
        values.push(number(as_many, "/total/worst_percent"));
        assert_figures(&joined(&row[1..].join(" ")), &values, &label);
    }
}

/// Names of the stored comparisons in a folder.
fn names(folder: &str) -> Vec<String> {
    let files = super::files(&root().join(RESULTS).join(folder), "json");
    let name = |file: &PathBuf| file.file_stem().expect("a name").to_string_lossy().into_owned();
    files.iter().map(name).collect()
}

#[test]
fn the_readmes_table_of_gpu_and_cpu_is_that_of_the_stored_report() {
    let (readme, report) = (text("README.md"), report("gpu.json"));
    let measured = report["rows"].as_array().expect("rows");
    let variants = ["f32 storage", "f16 storage", "trs16 storage", "vertex texture"];
    for (label, file) in [
        ("Fox", "Fox/Fox.glb"),
        ("CesiumMan", "CesiumMan/CesiumMan.glb"),
        ("RobotExpressive", "RobotExpressive/RobotExpressive.glb"),
        ("Knight (76 clips)", "Knight/Knight.glb"),
        ("TRex", "TRex/TRex.glb"),
    ] {
        let rows = rows(&readme, &format!("{label} |"));
        let [row] = &rows[..] else {
            panic!("the README has {} rows of {label}", rows.len());
        };
        let values = variants.map(|variant| {
            let row = measured
                .iter()
                .find(|row| row["character"] == file && row["variant"] == variant);
            number(row.expect("a row"), "/percent")
        });
        assert_figures(&row[1..].join(" "), &values, label);
    }
}

#[test]
fn the_readmes_table_of_lods_is_that_of_the_stored_reports() {
    let readme = text("README.md");
    for name in OURS {
        let rows = rows(&readme, &format!("{name}, "));
        let row = rows.iter().find(|row| row.len() == 3).expect("a row of levels");
        let report = report(&format!("levels/{name}.json"));
        let mut values = vec![number(&report, "/triangles")];
        for lod in report["levels"].as_array().expect("levels") {
            let splats = lod["kind"] == "discs";
            let shown = if splats { 2 } else { 3 };
            let figures = ["/triangles", "/max_rows", "/worst_mm"].map(|pointer| number(lod, pointer));
            values.extend(&figures[..shown]);
        }
        assert_figures(&joined(&row.join(" ").replace(" mm", "")), &values, name);
    }
}

#[test]
fn a_wrong_cell_is_noticed() {
    assert_eq!(
        joined("woman, 3,400, 1,234,567 (64, 20"),
        "woman, 3400, 1234567 (64, 20"
    );
    assert_figures("64, 20 (0.61)", &[64.0, 19.6, 0.6137], "right");
    let wrong = std::panic::catch_unwind(|| assert_figures("64, 21", &[64.0, 19.6], "wrong"));
    assert!(wrong.is_err());
}
