//! Checks that figures in the README agree with the stored reports.

use serde_json::Value;

use super::root;

const RESULTS: &str = "benches/results/2026-11-26-nvidia-h200";
/// Folder of the report of whole frames, which are measured more often.
const FRAMES: &str = "benches/results/2026-11-27-nvidia-h200-clone";

/// Beginnings of lines of the README's table, and the names of their rows in the report.
const ROWS: [(&str, &str); 9] = [
    ("static", "static"),
    ("matrix f16 (storage)", "matrix f16 storage"),
    ("matrix f16 (texture)", "matrix f16 texture"),
    ("matrix f32 (storage)", "matrix f32 storage"),
    ("matrix trs16 (storage)", "matrix trs16 storage"),
    ("baked vertices", "vertex storage"),
    ("live palettes", "live"),
    ("textbook", "textbook"),
    ("naive", "naive"),
];

/// Sentence with a figure, the figure, and its source: file, JSON pointer, factor.
const SENTENCES: [(&str, &str, &str, &str, f64); 27] = [
    (
        "triangles 11.8 million are left",
        "11.8",
        "scenes/scenes.json",
        "/rows/13/sifted_triangles",
        1e-6,
    ),
    (
        "takes 3.59 to 3.74 ms where",
        "3.59",
        "scenes-million-2/scenes.json",
        "/rows/0/wall_ms/median",
        1.0,
    ),
    (
        "takes 3.59 to 3.74 ms where",
        "3.74",
        "scenes-million-3/scenes.json",
        "/rows/1/wall_ms/median",
        1.0,
    ),
    (
        "army took 23.0 ms by the hardware rasterizer instead",
        "23.0",
        "../2026-11-26-nvidia-h200-another/scenes/scenes.json",
        "/rows/9/wall_ms/median",
        1.0,
    ),
    (
        "the million 117 ms, for",
        "117",
        "../2026-11-26-nvidia-h200-another/scenes/scenes.json",
        "/rows/13/wall_ms/median",
        1.0,
    ),
    (
        "by compute 2.8 ms and 4.0 ms",
        "2.8",
        "../2026-11-26-nvidia-h200-another/scenes/scenes.json",
        "/rows/10/wall_ms/median",
        1.0,
    ),
    (
        "by compute 2.8 ms and 4.0 ms",
        "4.0",
        "../2026-11-26-nvidia-h200-another/scenes/scenes.json",
        "/rows/14/wall_ms/median",
        1.0,
    ),
    (
        "(208.8 ms against",
        "208.8",
        "fades/scenes.json",
        "/rows/2/pass_ms/crowd",
        1.0,
    ),
    (
        "against 203.9 ms;",
        "203.9",
        "fades/scenes.json",
        "/rows/0/pass_ms/crowd",
        1.0,
    ),
    (
        "one of a million people takes 0.8 ms",
        "0.8",
        "million/report.json",
        "/picking/1/ms/median",
        1.0,
    ),
    (
        "(95th percentile 1.9 ms)",
        "1.9",
        "million/report.json",
        "/picking/1/ms/p95",
        1.0,
    ),
    (
        "at one sample takes 1.4 ms",
        "1.4",
        "scenes-lean/scenes.json",
        "/rows/4/wall_ms/median",
        1.0,
    ),
    (
        "ten million 3.5 ms",
        "3.5",
        "scenes-lean/scenes.json",
        "/rows/7/wall_ms/median",
        1.0,
    ),
    (
        "full detail 4.3 ms by compute",
        "4.3",
        "scenes-full/scenes.json",
        "/rows/2/wall_ms/median",
        1.0,
    ),
    (
        "against 215 ms by the hardware rasterizer",
        "215",
        "scenes-full/scenes.json",
        "/rows/0/wall_ms/median",
        1.0,
    ),
    (
        "what stands around (0.8 ms)",
        "0.8",
        "scenes/scenes.json",
        "/rows/0/pass_ms/far",
        1.0,
    ),
    (
        "plaza's people (6.7 ms)",
        "6.7",
        "scenes/scenes.json",
        "/rows/0/pass_ms/crowd",
        1.0,
    ),
    (
        "levels and culling (both 3.8 ms",
        "3.8",
        "scenes/scenes.json",
        "/rows/1/pass_ms/crowd",
        1.0,
    ),
    (
        "whoever is near (0.4 ms)",
        "0.4",
        "scenes/scenes.json",
        "/rows/2/pass_ms/crowd",
        1.0,
    ),
    (
        "takes 1.5 ms (0.73) by the hardware rasterizer",
        "1.5",
        "peers/throng-10000-1/scenes.json",
        "/rows/1/wall_ms/median",
        1.0,
    ),
    (
        "takes 1.5 ms (0.73) by the hardware rasterizer",
        "0.73",
        "peers/throng-10000-1/scenes.json",
        "/rows/1/gpu_ms/median",
        1.0,
    ),
    (
        "and 0.98 ms (0.27) by compute",
        "0.98",
        "peers/throng-10000-1/scenes.json",
        "/rows/2/wall_ms/median",
        1.0,
    ),
    (
        "and 0.98 ms (0.27) by compute",
        "0.27",
        "peers/throng-10000-1/scenes.json",
        "/rows/2/gpu_ms/median",
        1.0,
    ),
    (
        "Bevy 0.19.1 49.4 ms (26.5)",
        "49.4",
        "peers/bevy-10000-1.json",
        "/frame_ms",
        1.0,
    ),
    (
        "Bevy 0.19.1 49.4 ms (26.5)",
        "26.5",
        "peers/bevy-10000-1.json",
        "/gpu_ms",
        1.0,
    ),
    (
        "CPU times reads 0.89 to 1.05",
        "0.89",
        "compare/report.json",
        "/controls/0/cpu_ratio",
        1.0,
    ),
    (
        "CPU times reads 0.89 to 1.05",
        "1.05",
        "compare/report.json",
        "/controls/6/cpu_ratio",
        1.0,
    ),
];

/// Rows of the table of whole frames: their beginnings, and the first of the scene's rows in the report.
const SCENES: [(&str, usize); 4] = [
    ("| plaza, 2,000, overview |", 0),
    ("| stadium, 12,000, stands |", 4),
    ("| army, 10,000, front |", 8),
    ("| million, 1,000,000, sea |", 12),
];

#[test]
fn the_table_of_whole_frames_is_that_of_the_stored_report() {
    let (readme, report) = (readme(), report("scenes/scenes.json"));
    for (begins, first) in SCENES {
        let line = readme.lines().find(|line| line.starts_with(begins));
        let line = line
            .unwrap_or_else(|| panic!("the README has no row {begins}"))
            .replace("**", "");
        let ways = ["full", "auto", "compute"];
        let rows = (first..).map(|number| &report["rows"][number]);
        for ((row, way), cell) in rows.zip(ways).zip(line.split('|').map(str::trim).skip(2)) {
            assert_eq!(row["way"], way, "{begins}");
            assert!(begins.contains(row["scene"].as_str().expect("a name")), "{begins}");
            let value = row["wall_ms"]["median"].as_f64().expect("a figure");
            assert!(is_rounded(cell, value), "{begins} {cell} is not {value}");
        }
    }
}

fn report(file: &str) -> Value {
    let folder = if file.starts_with("scenes") { FRAMES } else { RESULTS };
    let text = std::fs::read_to_string(root().join(folder).join(file)).expect("a stored report");
    serde_json::from_str(&text).expect("JSON")
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("the README")
}

/// True if a figure is the value, rounded to the same number of decimals.
pub(crate) fn is_rounded(shown: &str, value: f64) -> bool {
    let number: f64 = shown.parse().unwrap_or_else(|_| panic!("{shown:?} is no number"));
    let decimals = shown.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    (number - value).abs() <= 0.5 / 10_f64.powi(decimals as i32) + 1e-9
}

/// True if a figure such as `770 KiB` is the value, rounded.
fn are_bytes(shown: &str, bytes: f64) -> bool {
    let (number, unit) = shown.split_once(' ').unwrap_or((shown, "B"));
    let power = ["B", "KiB", "MiB"].iter().position(|known| *known == unit);
    is_rounded(number, bytes / 1024_f64.powi(power.expect("a unit") as i32))
}

#[test]
fn the_table_of_techniques_is_that_of_the_stored_report() {
    let (readme, report) = (readme(), report("compare/report.json"));
    let rows = report["rows"].as_array().expect("rows");
    for (label, name) in ROWS {
        let plain = |line: &str| line.replace("**", "");
        let line = readme.lines().map(plain).find(|l| l.starts_with(&format!("| {label}")));
        let line = line.unwrap_or_else(|| panic!("the README has no row of {label}"));
        let cells: Vec<&str> = line.split('|').map(str::trim).skip(2).collect();
        let value = |count: u32, pointer: &str| {
            let row = rows
                .iter()
                .find(|row| row["name"] == name && row["count"] == count && row["view"] == "overview");
            let value = row.expect("a row").pointer(pointer).and_then(Value::as_f64);
            value.unwrap_or_else(|| panic!("{name}: {pointer}"))
        };
        let times = [
            (10_000, "/gpu_ms/median"),
            (10_000, "/ratio_to_static"),
            (100_000, "/gpu_ms/median"),
        ];
        let times = times.into_iter().chain([(100_000, "/ratio_to_static")]);
        for (cell, (count, pointer)) in cells.iter().zip(times) {
            assert!(
                is_rounded(cell, value(count, pointer)),
                "{label}: {cell} is not {pointer} of {count}"
            );
        }
        let data = match cells[4].split_once(", every frame") {
            Some((bytes, _)) => are_bytes(bytes, value(100_000, "/upload_bytes")),
            None => are_bytes(cells[4], value(100_000, "/atlas_bytes")),
        };
        assert!(data, "{label}: {}", cells[4]);
        assert!(
            is_rounded(cells[5], value(100_000, "/cpu_ms/median")),
            "{label}: {}",
            cells[5]
        );
        assert!(
            are_bytes(cells[6], value(100_000, "/upload_bytes")),
            "{label}: {}",
            cells[6]
        );
    }
}

#[test]
fn figures_in_sentences_are_those_of_the_stored_reports() {
    let readme = readme().split_whitespace().collect::<Vec<_>>().join(" ");
    for (text, shown, file, pointer, factor) in SENTENCES {
        assert!(
            text.contains(shown) && readme.contains(text),
            "{text:?} is not in the README"
        );
        let value = report(file).pointer(pointer).and_then(Value::as_f64).expect("a figure");
        assert!(is_rounded(shown, value * factor), "{text:?}: {file} says {value}");
    }
}

#[test]
fn a_wrong_figure_is_noticed() {
    assert!(is_rounded("1.01", 1.0133) && !is_rounded("1.02", 1.0133));
    assert!(are_bytes("770 KiB", 788_544.0) && !are_bytes("769 KiB", 788_544.0));
    assert!(are_bytes("0", 0.0) && are_bytes("256 B", 256.0) && !are_bytes("255 B", 256.0));
}
