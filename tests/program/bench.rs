//! Runs `throng bench`: its files, the presence of its figures, its exit codes. Nothing here depends on the speed of
//! the machine.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use throng::atlas::AtlasFormat;

use crate::common;

pub(crate) fn bench(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_throng");
    Command::new(program)
        .arg("bench")
        .args(arguments)
        .output()
        .expect("the program starts")
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("a temporary folder in UTF-8").to_owned()
}

pub(crate) fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Report of the smallest run that has everything in it; a reported skip without an adapter.
fn measured(folder: &Path) -> Option<PathBuf> {
    let out = folder.join("report");
    let adapter = common::gpu::adapter();
    let output = bench(&[
        "--quick",
        "--counts",
        "4,12",
        "--cameras",
        "overview",
        "--size",
        "64x36",
        "--repeats",
        "3",
        "--seconds",
        "0.1",
        "--adapter",
        adapter,
        "--label",
        "a | <test>",
        "--contribute",
        "a rig",
        "--date",
        "a day",
        "--out",
        &text(&out),
    ]);
    let errors = String::from_utf8_lossy(&output.stderr);
    if no_adapter(&errors) {
        common::skip(common::Need::Adapter, &errors);
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{errors}");
    one_block_to_paste(
        &String::from_utf8_lossy(&output.stdout),
        &read(&out.join("report.json")),
    );
    Some(out)
}

/// Ctrl-C during the measurement: the results so far are written, and the exit code says so.
#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_what_it_has() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let adapter = common::gpu::adapter();
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    // A run that would take an hour.
    command.args([
        "bench",
        "--quick",
        "--counts",
        "4",
        "--cameras",
        "overview",
        "--size",
        "64x36",
    ]);
    command.args([
        "--repeats",
        "10000",
        "--seconds",
        "3600",
        "--adapter",
        adapter,
        "--out",
        &text(&out),
    ]);
    command
        .env("THRONG_LOG", "throng=info")
        .stdout(std::process::Stdio::null());
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut told = BufReader::new(child.stderr.take().expect("piped"))
        .lines()
        .map_while(Result::ok);
    let mut before = String::new();
    let timing = told.by_ref().any(|line| {
        before += &format!("{line}\n");
        line.contains("overview: timing")
    });
    let interrupted = timing.then(|| Command::new("kill").args(["-INT", &child.id().to_string()]).status());
    let after: Vec<String> = told.collect();
    let ended = child.wait().expect("its status");
    if no_adapter(&before) {
        return common::skip(common::Need::Adapter, &before);
    }
    assert!(
        interrupted.is_some_and(|kill| kill.is_ok_and(|s| s.success())),
        "{before}"
    );
    assert_eq!(ended.code(), Some(1), "{after:?}");
    assert!(
        after.iter().any(|line| line.contains("stopping after this frame")),
        "{after:?}"
    );
    let report = read(&out.join("report.json"));
    assert_eq!(report["stopped"], "stopped by Ctrl-C");
    assert!(!rows(&report).is_empty());
}

pub(crate) fn no_adapter(errors: &str) -> bool {
    errors.contains("no adapter matches") || errors.contains("no graphics adapter")
}

/// Output of `--contribute` has everything that a reader of an issue needs, and nothing else.
fn one_block_to_paste(block: &str, report: &Value) {
    let setup = &report["setup"];
    assert_eq!(setup["contributed_by"], "a rig");
    for told in [
        &setup["adapter"]["name"],
        &setup["adapter"]["driver"],
        &setup["os"],
        &setup["throng"],
    ] {
        let told = told.as_str().expect("text");
        assert!(!told.is_empty() && block.contains(told), "{told:?} is missing: {block}");
    }
    for needed in [
        "### throng bench: ",
        "contributed by | a rig",
        "### 4 instances, overview",
        "### 12 instances, overview",
        "| matrix f16 texture | ",
        "## Memory",
        "## A/A",
    ] {
        assert!(block.contains(needed), "{needed:?} is missing: {block}");
    }
    assert!(
        !block.contains("](") && !block.contains("wrote "),
        "no links, no paths: {block}"
    );
}

pub(crate) fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().expect("rows")
}

#[test]
fn a_quick_run_leaves_a_whole_report() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(out) = measured(folder.path()) else { return };
    let report = read(&out.join("report.json"));
    every_technique_has_figures(&report);
    the_control_is_there(&report);
    assert_eq!(report["setup"]["label"], "a | <test>");
    let command = report["setup"]["command"].as_str().expect("text");
    assert!(
        command.contains("--label 'a | <test>' --contribute 'a rig' --date 'a day'"),
        "{command}"
    );
    assert_eq!(report["setup"]["date"], "a day");
    assert!(report["setup"]["commit"].as_str().is_some_and(|c| !c.is_empty()));
    tables_and_plots(&out, rows(&report).len());
    inputs_stay(&out);
    the_summary_ends_with_the_techniques(folder.path(), &out);
    a_reader_may_go_away(folder.path(), &out);
    exit_codes_follow_the_baseline(folder.path(), &out, report);
}

/// A report is never overwritten by one that is made from it or compared with it.
fn inputs_stay(out: &Path) {
    let file = out.join("report.json");
    let before = std::fs::read(&file).expect("the report");
    for arguments in [&["--from"][..], &["--quick", "--baseline"]] {
        let output = bench(&[arguments, &[&text(&file), "--out", &text(out)]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("would be overwritten"), "{said}");
        assert_eq!(std::fs::read(&file).expect("the report"), before);
    }
}

/// The summary ends with the techniques, not with targets, which mean little after a few frames on a software
/// rasteriser.
fn the_summary_ends_with_the_techniques(folder: &Path, out: &Path) {
    let report = text(&out.join("report.json"));
    let output = bench(&["--from", &report, "--out", &text(&folder.join("summary"))]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!said.contains("MISSED"), "{said}");
    let rows = ["x static", "matrix f16 texture", "live ", "every frame", "textbook "];
    assert!(rows.iter().all(|row| said.contains(row)), "{said}");
}

fn a_reader_may_go_away(folder: &Path, out: &Path) {
    let (report, again) = (text(&out.join("report.json")), text(&folder.join("piped")));
    for more in [&[][..], &["--json"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command
            .args(["bench", "--from", &report, "--out", &again])
            .args(more)
            .stdout(writer);
        assert_eq!(
            command.status().expect("the program starts").code(),
            Some(0),
            "{more:?}"
        );
    }
}

fn every_technique_has_figures(report: &Value) {
    for technique in ["static", "matrix", "vertex", "live", "textbook", "preskinned"] {
        let of = |row: &&Value| row["entry"]["technique"] == technique;
        let mut found = rows(report).iter().filter(of).peekable();
        assert!(found.peek().is_some(), "{technique} is missing");
        for row in found {
            let name = &row["name"];
            assert!(row["skipped"].is_null(), "{name}: {}", row["skipped"]);
            for (quantity, value) in [
                ("wall_ms", &row["wall_ms"]["median"]),
                ("cpu_ms", &row["cpu_ms"]["p95"]),
            ] {
                assert!(value.as_f64().is_some_and(|v| v > 0.0), "{name}: {quantity} {value}");
            }
            assert!(row["triangles"].as_u64().is_some_and(|n| n > 0), "{name}");
            let (kept, sent) = (&row["atlas_bytes"], row["frame_data_bytes"].as_u64());
            assert_eq!(
                sent.is_some_and(|n| n > 0),
                technique == "live",
                "{name}: {sent:?} beside {kept}"
            );
            assert!(row["gpu_bytes"].as_u64().is_some_and(|n| n > 0), "{name}");
            if technique == "textbook" {
                let rounding = row["error"]["encoding_mm"].as_f64();
                assert!(
                    rounding.is_some_and(|mm| mm > 0.0 && mm < 0.1),
                    "read back: {rounding:?}"
                );
            }
            let shared = row["poses"]["asked"].as_u64().zip(row["poses"]["skinned"].as_u64());
            assert_eq!(shared.is_some(), technique == "preskinned", "{name}: {}", row["poses"]);
            assert!(
                shared.is_none_or(|(asked, skinned)| skinned > 0 && skinned <= asked),
                "{name}"
            );
            if technique != "static" {
                let millimetres = row["error"]["worst_mm"].as_f64();
                assert!(
                    millimetres.is_some_and(|mm| mm.is_finite() && mm >= 0.0),
                    "{name}: {millimetres:?}"
                );
                let picture = row["picture"]["mean_percent"].as_f64();
                assert!(picture.is_some_and(|p| p < 3.0), "{name}: {picture:?}");
            }
        }
    }
    for format in AtlasFormat::ALL.map(AtlasFormat::name) {
        let of = |row: &&Value| row["entry"]["technique"] == "matrix" && row["entry"]["format"] == format;
        assert!(rows(report).iter().any(|r| of(&r)), "{format} is missing");
    }
}

fn the_control_is_there(report: &Value) {
    let controls = report["controls"].as_array().expect("controls");
    assert_eq!(controls.len(), 2, "one per group");
    for control in controls {
        let ratio = control["ratio"].as_f64().expect("a ratio");
        let quiet = (0.95..=1.05).contains(&ratio);
        assert_eq!(control["noisy"].as_bool(), Some(!quiet), "{control}");
        assert!(control["cpu_ratio"].as_f64().is_some_and(|r| r > 0.0), "{control}");
    }
}

fn tables_and_plots(out: &Path, rows: usize) {
    let csv = std::fs::read_to_string(out.join("report.csv")).expect("report.csv");
    assert_eq!(csv.lines().count(), rows + 1, "a line per row, and the header");
    let page = std::fs::read_to_string(out.join("report.md")).expect("report.md");
    let compared = [
        "## Frames by motion",
        "| even 30 Hz |",
        "| even, as many |",
        "| motion |",
    ];
    for needed in ["matrix / static", "## A/A", "software rasterizer", "% height"]
        .iter()
        .chain(&compared)
    {
        let software_only = *needed == "software rasterizer" && !page.contains("(cpu,") && !page.contains(", cpu,");
        assert!(page.contains(*needed) || software_only, "report.md lacks {needed:?}");
    }
    assert!(page.contains("| label | a \\| &lt;test> |"), "{page}");
    assert!(page.contains("--label 'a \\| <test>'"), "{page}");
    for plot in ["time.svg", "bytes.svg", "error.svg"] {
        let svg = std::fs::read_to_string(out.join(plot)).unwrap_or_else(|e| panic!("{plot}: {e}"));
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{plot}");
        assert!(svg.contains("matrix f16"), "{plot} lacks technique matrix");
    }
    let hidden = std::fs::read_dir(out).expect("the folder").flatten();
    assert!(
        hidden
            .into_iter()
            .all(|f| !f.file_name().to_string_lossy().starts_with('.')),
        "temporary files are left"
    );
}

/// Compares the finished report with itself and with one of a machine twice as fast.
fn exit_codes_follow_the_baseline(folder: &Path, out: &Path, mut report: Value) {
    let same = text(&out.join("report.json"));
    let again = folder.join("again");
    let compared = |baseline: &str| bench(&["--from", &same, "--baseline", baseline, "--out", &text(&again)]);

    let output = compared(&same);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("no change beyond the noise"), "{said}");
    assert_eq!(
        read(&again.join("report.json")),
        report,
        "a report read and written again is the same"
    );

    let (empty, nothing) = (folder.join("empty.json"), folder.join("nothing"));
    let mut without = report.clone();
    without["rows"] = Value::Array(Vec::new());
    std::fs::write(&empty, without.to_string()).expect("a temporary file");
    let output = bench(&["--from", &text(&empty), "--out", &text(&nothing)]);
    assert_eq!(output.status.code(), Some(1));
    let written = std::fs::read_dir(nothing).expect("the folder");
    assert_eq!(written.count(), 0, "no empty tables and plots");

    worse_in_one_quantity(folder, &compared, &report);
    for row in report["rows"].as_array_mut().expect("rows") {
        for time in ["gpu_ms", "wall_ms"] {
            let median = row[time]["median"].as_f64();
            if let Some(median) = median {
                row[time]["median"] = (median / 2.0).into();
            }
        }
    }
    let faster = folder.join("faster.json");
    std::fs::write(&faster, report.to_string()).expect("a temporary file");
    let output = compared(&text(&faster));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("REGRESSION"), "{said}");
}

/// Baselines that were better in one quantity each.
fn worse_in_one_quantity(folder: &Path, compared: &dyn Fn(&str) -> Output, report: &Value) {
    let path = folder.join("better.json");
    let told = |change: &dyn Fn(&mut Value)| {
        let mut better = report.clone();
        change(&mut better);
        std::fs::write(&path, better.to_string()).expect("a temporary file");
        let output = compared(&text(&path));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        said
    };
    for (key, name) in [("upload_bytes", "upload"), ("gpu_bytes", "GPU memory")] {
        let said = told(&|better| {
            let bytes = better["rows"][0][key].as_u64().expect("bytes");
            better["rows"][0][key] = (bytes / 2).into();
        });
        assert!(
            said.contains(&format!("REGRESSION static 4 overview: {name}")),
            "{said}"
        );
    }
    let said = told(&|better| {
        let milliseconds = better["rows"][0]["cpu_ms"]["median"].as_f64().expect("a time");
        better["rows"][0]["cpu_ms"]["median"] = (milliseconds / 100.0).into();
    });
    assert!(said.contains("static 4 overview: CPU time"), "{said}");
    let said = told(&|better| {
        let mut extra = better["rows"][1].clone();
        extra["name"] = "matrix of old".into();
        better["rows"].as_array_mut().expect("rows").push(extra);
    });
    assert!(said.contains("matrix of old 4 overview"), "{said}");
}

#[test]
fn wrong_arguments_cost_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = text(&folder.path().join("missing.json"));
    for arguments in [
        &["--baseline", &missing][..],
        &["--counts", "0"],
        &["--formats", "f64"],
        &["--max-regression", "-5%"],
        &["--characters", "nobody-of-that-name.glb", "--quick"],
    ] {
        let out = text(&folder.path().join("out"));
        let output = bench(&[arguments, &["--out", &out]].concat());
        assert!(
            matches!(output.status.code(), Some(1 | 2)),
            "{arguments:?}: {:?}",
            output.status
        );
        assert!(!output.stderr.is_empty(), "{arguments:?} says nothing");
    }
}

/// Reports of earlier versions, stored beside the figures in benches/README.md.
#[test]
fn stored_reports_still_open() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/results");
    let folders = |of: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(of).expect("stored results");
        entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_dir())
            .collect()
    };
    let runs = folders(&results).into_iter().flat_map(|machine| folders(&machine));
    let reports: Vec<PathBuf> = runs.map(|run| run.join("report.json")).collect();
    let reports: Vec<&PathBuf> = reports.iter().filter(|report| report.exists()).collect();
    assert!(!reports.is_empty(), "no report in {}", results.display());
    let folder = tempfile::tempdir().expect("a folder");
    for report in reports {
        let out = folder.path().join("again");
        let stored = text(report);
        let output = bench(&["--from", &stored, "--baseline", &stored, "--out", &text(&out)]);
        let errors = String::from_utf8_lossy(&output.stderr);
        // A stored report may have missed its targets, but it must be readable.
        assert!(
            output.status.code().is_some_and(|code| code == 0 || code == 3),
            "{}: {errors}",
            report.display()
        );
        assert!(errors.contains("no change beyond the noise"), "{stored}: {errors}");
        let rows = |report: &Path| read(report)["rows"].as_array().map_or(0, Vec::len);
        assert_eq!(rows(&out.join("report.json")), rows(report), "{}", report.display());
        assert!(rows(report) > 0, "{}", report.display());
    }
}
