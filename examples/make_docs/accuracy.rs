//! Tables of accuracy and of levels of detail, from the reports of `benches/accuracy.sh`.

use serde_json::Value;

use super::document::{Table, markdown, read, root, thousands};

const RESULTS: &str = "benches/results/2026-11-22-accuracy";
const OURS: [&str; 5] = ["woman", "man", "girl", "elder", "knight"];

/// All tables of accuracy and LODs.
pub fn tables() -> Vec<Table> {
    vec![
        Table {
            name: "baking-error",
            text: baking_error(),
        },
        Table {
            name: "frame-placement",
            text: frame_placement(),
        },
        Table {
            name: "gpu-error",
            text: gpu_error(),
        },
        Table {
            name: "lods",
            text: lods(),
        },
    ]
}

fn report(file: &str) -> Value {
    serde_json::from_str(&read(&format!("{RESULTS}/{file}.json"))).expect("JSON")
}

fn number(value: &Value, pointer: &str) -> f64 {
    let number = value.pointer(pointer).and_then(Value::as_f64);
    number.unwrap_or_else(|| panic!("no number {pointer} in {value}"))
}

/// Measurements of frames placed one way in one format.
fn way<'a>(report: &'a Value, frames_by: &str, format: &str) -> &'a Value {
    let ways = report["ways"].as_array().expect("ways");
    let mut ways = ways.iter();
    let found = ways.find(|way| way["frames_by"] == frames_by && way["format"] == format);
    found.unwrap_or_else(|| panic!("no {frames_by} in {format}"))
}

/// Errors of baking (% of the height, mm) by character and format.
fn baking_error() -> String {
    let head = [
        "character, format",
        "total, % of height",
        "worst, mm",
        "99 of 100, mm",
        "encoding alone, %",
        "bytes",
        "even 30 Hz in `f16`: total, %",
        "bytes",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for format in ["f16", "trs16"] {
        let total = |name: &str| {
            let report = report(&format!("frames/{name}"));
            number(way(&report, "motion", format), "/total/worst_percent")
        };
        let worst = OURS
            .into_iter()
            .max_by(|a, b| total(a).total_cmp(&total(b)))
            .expect("five");
        let measured = [
            ("woman".to_owned(), "frames/woman".to_owned()),
            (format!("worst of our five ({worst})"), format!("frames/{worst}")),
            ("Fox (79 units tall)".to_owned(), "others/Fox".to_owned()),
            ("CesiumMan".to_owned(), "others/CesiumMan".to_owned()),
            ("Knight (76 clips)".to_owned(), "others/Knight".to_owned()),
        ];
        for (label, file) in measured {
            let report = report(&file);
            let (motion, even) = (way(&report, "motion", format), way(&report, "even 30 Hz", "f16"));
            rows.push(vec![
                format!("{label}, `{format}`"),
                format!("{:.3}", number(motion, "/total/worst_percent")),
                format!("{:.2}", number(motion, "/total/worst_mm")),
                format!("{:.2}", number(motion, "/total/p99_mm")),
                format!("{:.3}", number(motion, "/encoding_percent")),
                thousands(number(motion, "/bytes") as i64),
                format!("{:.2}", number(even, "/total/worst_percent")),
                thousands(number(even, "/bytes") as i64),
            ]);
        }
    }
    markdown(&rows)
}

/// Names of the stored comparisons in a folder, in alphabetical order.
fn names(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(RESULTS).join(folder)).expect("a folder of reports");
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

/// Frames placed evenly and by the motion: number, bytes, errors, by character.
fn frame_placement() -> String {
    let head = [
        "character",
        "f16, even 30 Hz: frames, bytes, worst",
        "f16 by motion: frames, bytes (ratio)",
        "worst, p99 mm",
        "total, encoding",
        "trs16 by motion: frames, bytes (ratio)",
        "worst, p99 mm",
        "total, encoding",
        "trs16, as many even frames",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for folder in ["frames", "others"] {
        for name in names(folder) {
            let report = report(&format!("{folder}/{name}"));
            let count = |way: &Value, pointer: &str| thousands(number(way, pointer) as i64);
            let percent = |way: &Value| format!("{:.2} %", number(way, "/total/worst_percent"));
            let even = way(&report, "even 30 Hz", "f16");
            let mut cells = vec![format!(
                "{}, {}, {}",
                count(even, "/frames"),
                count(even, "/bytes"),
                percent(even)
            )];
            for format in ["f16", "trs16"] {
                let motion = way(&report, "motion", format);
                let of = |pointer| number(motion, pointer);
                let size = (count(motion, "/frames"), count(motion, "/bytes"));
                cells.push(format!("{}, {} ({:.2})", size.0, size.1, of("/bytes_ratio")));
                cells.push(format!("{:.2}, {:.2}", of("/total/worst_mm"), of("/total/p99_mm")));
                cells.push(format!(
                    "{:.3}, {:.3} %",
                    of("/total/worst_percent"),
                    of("/encoding_percent")
                ));
            }
            cells.push(percent(way(&report, "even, as many", "trs16")));
            cells.insert(0, name);
            rows.push(cells);
        }
    }
    markdown(&rows)
}

/// Worst vertex of the GPU (% of the height) against the CPU reference at the same baked frames.
fn gpu_error() -> String {
    let report = report("gpu");
    let measured = report["rows"].as_array().expect("rows");
    let variants = ["f32 storage", "f16 storage", "trs16 storage", "vertex texture"];
    let head = ["character", "f32", "f16", "trs16", "baked vertices"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for name in ["Fox", "CesiumMan", "RobotExpressive", "Knight", "TRex"] {
        let mut cells = vec![name.to_owned()];
        for variant in variants {
            let mut rows = measured.iter();
            let row = rows.find(|row| row["character"] == format!("{name}/{name}.glb") && row["variant"] == variant);
            cells.push(format!("{:.4}", number(row.expect("a row"), "/percent")));
        }
        rows.push(cells);
    }
    markdown(&rows)
}

/// LODs of our characters: triangles, largest height (sample rows), worst posed vertex (mm).
fn lods() -> String {
    let head = [
        "character, triangles",
        "LODs: triangles (largest height in sample rows, worst posed vertex)",
        "splats (largest height)",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for name in OURS {
        let report = report(&format!("levels/{name}"));
        let (mut meshes, mut splats) = (Vec::new(), Vec::new());
        for lod in report["levels"].as_array().expect("levels") {
            let (triangles, height) = (number(lod, "/triangles"), number(lod, "/max_rows"));
            if lod["kind"] == "triangles" {
                let worst = number(lod, "/worst_mm");
                meshes.push(format!("{} ({height:.0}, {worst:.0} mm)", thousands(triangles as i64)));
            } else {
                splats.push(format!("{triangles} ({height:.0})"));
            }
        }
        let full = thousands(number(&report, "/triangles") as i64);
        rows.push(vec![format!("{name}, {full}"), meshes.join(", "), splats.join(", ")]);
    }
    markdown(&rows)
}
