//! Tables of performance, from the reports of `benches/readme.sh` on one graphics card.

use serde_json::Value;

use super::document::{Table, markdown, read, thousands, three_digits};

/// Folder with the reports of one run.
const RESULTS: &str = "benches/results/2026-11-29-nvidia-h200";

/// All tables of performance.
pub fn tables() -> Vec<Table> {
    let (frames, techniques) = (report("scenes"), report("compare"));
    vec![
        Table {
            name: "frames",
            text: whole_frames(&frames),
        },
        Table {
            name: "frames-source",
            text: source("scenes", &frames),
        },
        Table {
            name: "techniques",
            text: technique_rows(&techniques),
        },
        Table {
            name: "techniques-source",
            text: source("compare", &techniques),
        },
        Table {
            name: "figures",
            text: single_figures(),
        },
    ]
}

fn report(name: &str) -> Value {
    let file = if matches!(name, "compare" | "million") {
        "report"
    } else {
        "scenes"
    };
    serde_json::from_str(&read(&format!("{RESULTS}/{name}/{file}.json"))).expect("JSON")
}

fn text(value: &Value, pointer: &str) -> String {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("no text {pointer}")).to_owned()
}

fn number(value: &Value, pointer: &str) -> f64 {
    let number = value.pointer(pointer).and_then(Value::as_f64);
    number.unwrap_or_else(|| panic!("no number {pointer} in {value}"))
}

/// Row of a report whose fields have these values.
fn row<'a>(report: &'a Value, fields: &[(&str, Value)]) -> &'a Value {
    let rows = report["rows"].as_array().expect("rows");
    let found = rows
        .iter()
        .find(|row| fields.iter().all(|(key, value)| &row[key] == value));
    found.unwrap_or_else(|| panic!("no row with {fields:?}"))
}

/// Sentence with card, driver, commit, date and command of a report.
fn source(name: &str, report: &Value) -> String {
    let setup = &report["setup"];
    let of = |pointer| text(setup, pointer);
    format!(
        "{}, {}, {}. Commit {}, {}. `throng {}`, stored in `{RESULTS}/{name}`.\n",
        of("/adapter/name"),
        of("/adapter/driver"),
        of("/os"),
        of("/commit"),
        of("/date"),
        of("/command"),
    )
}

/// Whole frames of four scenes (ms), by the three ways of drawing.
fn whole_frames(report: &Value) -> String {
    let head = [
        "scene, people, view",
        "full detail",
        "LODs, hardware",
        "LODs, software rasterizer",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for scene in ["plaza", "stadium", "army", "million"] {
        let time = |way: &str| {
            let fields = [("scene", scene.into()), ("way", way.into()), ("control", false.into())];
            three_digits(number(row(report, &fields), "/wall_ms/median"))
        };
        let first = row(report, &[("scene", scene.into())]);
        let people = thousands(number(first, "/count") as i64);
        rows.push(vec![
            format!("{scene}, {people}, {}", text(first, "/view")),
            time("full"),
            time("auto"),
            format!("**{}**", time("compute")),
        ]);
    }
    markdown(&rows)
}

/// Techniques, their names in the report, and what a reader should know.
const TECHNIQUES: [(&str, &str); 8] = [
    ("`static`: no skinning, the lower bound", "static"),
    ("**`matrix` f16**, storage", "matrix f16 storage"),
    ("`matrix` f16, texture", "matrix f16 texture"),
    ("`matrix` f32, storage", "matrix f32 storage"),
    ("`matrix` trs16, storage", "matrix trs16 storage"),
    ("`vertex`: baked vertices", "vertex storage"),
    ("`live`: palettes by the CPU", "live"),
    ("`textbook`: packed attributes", "textbook"),
];

fn technique_rows(report: &Value) -> String {
    let head = [
        "technique",
        "10,000: GPU ms",
        "× static",
        "100,000: GPU ms",
        "× static",
        "animation data",
        "CPU ms",
        "upload per frame",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (label, name) in TECHNIQUES {
        let of = |count: u32| {
            let fields = [
                ("name", name.into()),
                ("count", count.into()),
                ("view", "overview".into()),
            ];
            row(report, &fields)
        };
        let (few, many) = (of(10_000), of(100_000));
        let data = match number(many, "/frame_data_bytes") {
            0.0 => bytes(number(many, "/atlas_bytes")),
            every_frame => format!("{}, every frame", bytes(every_frame)),
        };
        rows.push(vec![
            label.to_owned(),
            three_digits(number(few, "/gpu_ms/median")),
            format!("{:.2}", number(few, "/ratio_to_static")),
            three_digits(number(many, "/gpu_ms/median")),
            format!("{:.2}", number(many, "/ratio_to_static")),
            data,
            three_digits(number(many, "/cpu_ms/median")),
            bytes(number(many, "/upload_bytes")),
        ]);
    }
    markdown(&rows)
}

/// Bytes with a binary unit.
fn bytes(value: f64) -> String {
    match value {
        v if v >= 1024.0 * 1024.0 => format!("{} MiB", three_digits(v / (1024.0 * 1024.0))),
        v if v >= 1024.0 => format!("{} KiB", three_digits(v / 1024.0)),
        v => format!("{v} B"),
    }
}

/// Single figures that documents mention.
fn single_figures() -> String {
    let lean = report("scenes-lean");
    let full = report("scenes-full");
    let (picking, fades) = (report("compare"), report("fades"));
    let wall = |report: &Value, scene: &str, count: u32, way: &str| {
        let fields = [
            ("scene", scene.into()),
            ("count", count.into()),
            ("way", way.into()),
            ("control", false.into()),
        ];
        three_digits(number(row(report, &fields), "/wall_ms/median"))
    };
    let crowd = |scene: &str| number(row(&fades, &[("scene", scene.into())]), "/pass_ms/crowd");
    let (steady, fading) = (crowd("benches/steady.toml"), crowd("benches/fading.toml"));
    let mut rows = vec![vec!["what".to_owned(), "ms".to_owned()]];
    let mut add = |what: &str, value: String| rows.push(vec![what.to_owned(), value]);
    for (people, count) in [("a million people", 1_000_000), ("ten million people", 10_000_000)] {
        add(
            &format!("{people}, one sample, no shadows, software rasterizer"),
            wall(&lean, "million", count, "compute"),
        );
    }
    add(
        "100,000 people at full detail, software rasterizer",
        wall(&full, "grid", 100_000, "full-compute"),
    );
    add(
        "the same by the hardware rasterizer",
        wall(&full, "grid", 100_000, "full"),
    );
    add("crowd pass of 100,000 people, nobody fades", three_digits(steady));
    add("the same while a tenth of them cross-fades", three_digits(fading));
    let picks = picking["picking"].as_array().expect("picks");
    let pick = picks.iter().find(|pick| pick["count"] == 100_000).expect("100,000");
    add(
        "picking one of 100,000 people, median",
        three_digits(number(pick, "/ms/median")),
    );
    add("picking, 95th percentile", three_digits(number(pick, "/ms/p95")));
    markdown(&rows)
}
