//! Runs `throng bench` on whole scenes: `--scenes` and `--quality`.

use std::{path::PathBuf, process::Output};

use serde_json::Value;

use crate::{
    bench::{bench, no_adapter, read, rows, text},
    common,
};

/// Run of `throng bench`, and the folder of its reports.
struct Run {
    reports: tempfile::TempDir,
    output: Output,
}

impl Run {
    fn file(&self, name: &str) -> PathBuf {
        self.reports.path().join(name)
    }
}

/// Runs it on the adapter of the tests; a skip without one.
fn measured(line: &str) -> Option<Run> {
    let reports = tempfile::tempdir().expect("a temporary folder");
    let adapter = common::gpu::adapter();
    let out = text(reports.path());
    let arguments = line.split(' ').chain(["--adapter", adapter, "--out", &out]);
    let output = bench(&arguments.collect::<Vec<_>>());
    let errors = String::from_utf8_lossy(&output.stderr);
    if no_adapter(&errors) {
        common::skip(common::Need::Adapter, &errors);
        return None;
    }
    Some(Run { reports, output })
}

/// Nobody is there four seconds after the first sample, when frames of other scenes begin.
#[test]
fn people_on_trajectories_are_drawn_when_most_are_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("late.csv");
    let walk = |id: u32, frames: std::ops::Range<u32>| {
        let row = move |frame: u32| format!("{id},{frame},{},{id}\n", f64::from(frame - 2500) * 0.05);
        frames.step_by(10).map(row).collect::<String>()
    };
    let samples = format!(
        "id,frame,x,y\n9,0,0,0\n9,10,0,0\n{}{}",
        walk(1, 2500..2700),
        walk(2, 2550..2700)
    );
    std::fs::write(&file, samples).expect("writes");
    let line = format!(
        "--trajectories {} --set scene.trajectories.fps=25 --draw auto --size 96x54 --shadows off --repeats 2 --seconds 0.1",
        file.display()
    );
    let Some(run) = measured(&line) else { return };
    let errors = String::from_utf8_lossy(&run.output.stderr);
    assert_eq!(run.output.status.code(), Some(0), "{errors}");
    let report = read(&run.file("scenes.json"));
    let [row, again] = &rows(&report)[..] else {
        panic!("two rows: {report:#}")
    };
    assert_eq!(row["scene"], Value::from(text(&file)));
    assert_eq!(
        (&row["count"], &row["visible"], &row["way"]),
        (&3.into(), &2.into(), &"auto".into())
    );
    assert_eq!(again["control"], Value::Bool(true));
}

#[test]
fn people_of_trajectories_are_not_counted_by_an_option() {
    let output = bench(&["--trajectories", "a.csv", "--counts", "5"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("cannot be used with"), "{errors}");
}

/// Whole frames of a scene and of the grid: culling changes no pixel, and LODs draw fewer triangles and nearly the
/// same picture.
/// Without shadows, which for a whole crowd need draw lists.
#[test]
fn scenes_are_drawn_with_every_method() {
    let line = "--scenes plaza@street,grid --counts 60 --draw full,culled,auto --size 96x54 --shadows off --repeats 2 --seconds 0.1";
    let Some(run) = measured(line) else { return };
    let errors = String::from_utf8_lossy(&run.output.stderr);
    assert_eq!(run.output.status.code(), Some(0), "{errors}");
    let report = read(&run.file("scenes.json"));
    let names: Vec<String> = rows(&report)
        .iter()
        .map(|row| format!("{} {} {} {}", row["scene"], row["view"], row["way"], row["control"]).replace('"', ""))
        .collect();
    let ways = ["full false", "culled false", "auto false", "culled true"];
    let expected = ["plaza street", "grid overview"].map(|place| ways.map(|way| format!("{place} {way}")));
    assert_eq!(names, expected.concat());
    for group in rows(&report).chunks(4) {
        let [full, culled, auto, _] = group else {
            panic!("four rows")
        };
        for row in group {
            assert!(row["skipped"].is_null() && row["count"] == 60, "{row}");
            assert!(row["wall_ms"]["median"].as_f64().is_some_and(|ms| ms > 0.0), "{row}");
        }
        assert_eq!(culled["picture"]["max_percent"], 0.0, "culling changes no pixel");
        assert!(
            auto["picture"]["mean_percent"].as_f64().is_some_and(|p| p < 1.0),
            "{auto}"
        );
        let triangles = |row: &Value| row["triangles"].as_u64().expect("a number");
        assert!(
            triangles(auto) < triangles(culled) && triangles(culled) <= triangles(full),
            "{group:?}"
        );
        assert_eq!(full["visible"], 60, "people were culled at full detail");
    }
    let page = std::fs::read_to_string(run.file("scenes.md")).expect("scenes.md");
    assert!(
        page.contains("## plaza, 60 people, view street, 4 samples, shadows off"),
        "{page}"
    );
    let wrong = bench(&["--scenes", "grid@tower", "--out", &text(&run.file("wrong"))]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(2), "{said}");
    assert!(
        said.contains("tower") && said.contains("overview, street, close"),
        "{said}"
    );
}

/// LODs with both techniques that have them draw the same people; `preskinned` reports shared poses.
#[test]
fn poses_that_people_share_are_drawn_with_lods() {
    let line =
        "--scenes plaza@street --counts 50 --draw auto,preskinned --size 96x54 --shadows off --repeats 2 --seconds 0.1";
    let Some(run) = measured(line) else { return };
    let errors = String::from_utf8_lossy(&run.output.stderr);
    assert_eq!(run.output.status.code(), Some(0), "{errors}");
    let report = read(&run.file("scenes.json"));
    let [auto, preskinned, again] = &rows(&report)[..] else {
        panic!("three rows: {report}")
    };
    assert_eq!(
        (&preskinned["way"], &again["way"]),
        (&"preskinned".into(), &"auto".into())
    );
    assert!(
        auto["poses"].is_null() && preskinned["skipped"].is_null(),
        "{preskinned}"
    );
    for told in ["visible", "triangles"] {
        assert_eq!(auto[told], preskinned[told], "people or LODs differ");
    }
    // LODs of splats, which nobody in this picture uses, belong to technique `matrix` alone.
    let [all, own] = [auto, preskinned].map(|row| row["lods"].as_array().expect("lods"));
    assert!(own.len() > 4 && all.starts_with(own), "{all:?} {own:?}");
    let poses = &preskinned["poses"];
    let [asked, skinned] = ["asked", "skinned"].map(|told| poses[told].as_u64().expect("a number"));
    assert!(skinned > 0 && skinned <= asked, "{poses}");
    let found = 1.0 - skinned as f64 / asked as f64;
    assert!(
        poses["hit_rate"]
            .as_f64()
            .is_some_and(|rate| (rate - found).abs() < 1e-9),
        "{poses}"
    );
    let page = std::fs::read_to_string(run.file("scenes.md")).expect("scenes.md");
    assert!(
        page.contains("| preskinned | ") && page.contains("GPU x auto"),
        "{page}"
    );
}

/// Smallest run that has every gate: controls are rejected, culling changes nothing, files exist.
#[test]
fn quality_is_evaluated_where_controls_are_rejected() {
    let line = "--quality --quick --scenes grid@overview --counts 6 --samples 4 --size 96x54";
    let Some(run) = measured(line) else { return };
    let errors = String::from_utf8_lossy(&run.output.stderr);
    let report = read(&run.file("quality.json"));
    let scene = &report["scenes"][0];
    assert_eq!(
        (&scene["scene"], &scene["count"]),
        (&"grid".into(), &6.into()),
        "{errors}"
    );
    controls_are_rejected(scene);
    let failed = gates_are_there(scene);
    // The exit code matches the gates, whatever they find in so small a picture.
    assert_eq!(run.output.status.code(), Some(if failed { 3 } else { 0 }), "{errors}");
    let page = std::fs::read_to_string(run.file("quality.md")).expect("quality.md");
    assert!(
        page.contains("## grid, 6 people, 4 samples, 1 view, 1 moment"),
        "{page}"
    );
    let told = String::from_utf8_lossy(&run.output.stdout);
    assert!(told.contains("popping") && told.contains("auto"), "{told}");
    assert_eq!(told.contains("FAIL"), failed, "{told}");
    for way in scene["ways"].as_array().expect("ways") {
        if let Some(file) = way["worst_spot"]["file"].as_str() {
            let picture = image::open(run.file(file)).expect("a picture");
            assert!(picture.width() > 3 * picture.height() / 2, "three beside each other");
        }
    }
}

/// People are evaluated, and only where every control is rejected.
fn controls_are_rejected(scene: &Value) {
    let bands = scene["bands"].as_array().expect("bands");
    assert_eq!(bands.len(), 8);
    let mut evaluated = 0;
    for band in bands {
        let controls = band["controls"].as_array().expect("controls");
        assert_eq!(controls.len(), 4, "{band}");
        let rejected = |control: &Value| control["rejected_by"].as_array().is_some_and(|gates| !gates.is_empty());
        if band["unjudged"].is_null() {
            evaluated += 1;
            assert!(controls.iter().all(rejected), "{band}");
            let empty = &controls[0];
            assert_eq!(empty["values"]["coverage"], -1.0, "{band}");
        }
    }
    assert!(evaluated >= 1, "{bands:?}");
}

/// Checks that every gate has a value; returns whether one failed.
fn gates_are_there(scene: &Value) -> bool {
    let way = |name: &str| {
        let mut ways = scene["ways"].as_array().expect("ways").iter();
        ways.find(|way| way["way"] == name)
            .unwrap_or_else(|| panic!("no {name}: {scene}"))
    };
    let verdicts = |name: &str| way(name)["verdicts"].as_array().expect("verdicts").clone();
    let gates = ["luminance", "flip", "tiles", "moved", "popping", "coverage"];
    for gate in gates {
        let own = |verdict: &&Value| verdict["gate"] == gate;
        let all = verdicts("auto");
        let verdict = all.iter().find(own).unwrap_or_else(|| panic!("no {gate}: {all:?}"));
        let value = verdict["value"].as_f64().unwrap_or_else(|| panic!("{verdict}"));
        let limit = verdict["limit"].as_f64().expect("a number");
        assert_eq!(verdict["passed"], value.abs() <= limit, "{verdict}");
    }
    assert_eq!(verdicts("culled")[0]["value"], 0.0, "culling changes pixels");
    if way("compute")["unavailable"].is_null() {
        // The reference is drawn by the software rasterizer; the hardware rasterizer's full detail is nearly the same.
        let full = verdicts("full");
        let moved = full.iter().find(|verdict| verdict["gate"] == "moved");
        let moved = moved.and_then(|verdict| verdict["value"].as_f64());
        assert!(moved.is_some_and(|moved| moved < 0.1), "{full:?}");
    }
    let all = scene["ways"].as_array().expect("ways").iter();
    let mut all = all.flat_map(|way| way["verdicts"].as_array().expect("verdicts"));
    all.any(|verdict| verdict["passed"] == false)
}

#[test]
fn wrong_options_of_quality_are_refused() {
    for (line, hint) in [
        ("--moments 3", "--quality"),
        ("--quality --draw auto", "--draw"),
        ("--quality --moments 0", "0"),
        ("--samples 4", "--scenes"),
    ] {
        let output = bench(&line.split(' ').collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(hint), "{line}: {said}");
    }
}

/// Changes are sent, and only they; every kind of work is measured twice.
#[test]
fn actors_send_what_changed() {
    let line = "--actors --counts 300 --size 32x18 --repeats 2 --seconds 0.1";
    let Some(run) = measured(line) else { return };
    let errors = String::from_utf8_lossy(&run.output.stderr);
    assert_eq!(run.output.status.code(), Some(0), "{errors}");
    let report = read(&run.file("actors.json"));
    let rows = rows(&report);
    let names: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {} {}", row["work"], row["changed"], row["control"]).replace('"', ""))
        .collect();
    let works = ["still 0", "changes 30", "lists 30", "spawn 30"];
    let expected = [false, true].map(|control| works.map(|work| format!("{work} {control}")));
    assert_eq!(names, expected.concat());
    let sent = |index: usize| rows[index]["upload_bytes"].as_u64().expect("a number");
    let (moves, plays) = (27 * (4 + 48), 3 * (4 + 96));
    assert!(
        sent(1) - sent(0) >= moves + plays && sent(1) - sent(0) <= moves + plays + 64,
        "{report}"
    );
    // Moves of a list share four words.
    assert_eq!(sent(1) - sent(2), 27 * 16, "{report}");
    assert!(sent(3) - sent(0) >= 30 * (48 + 96 + 32), "{report}");
    let (first, again): (Vec<_>, Vec<_>) = (0..4).map(|index| (sent(index), sent(index + 4))).unzip();
    assert_eq!(first, again, "{report}");
    for row in rows.iter() {
        assert!(
            row["count"] == 300 && row["cpu_ms"]["median"].as_f64().is_some_and(|ms| ms > 0.0),
            "{row}"
        );
    }
    let views = report["views"].as_array().expect("a list");
    let kinds = views
        .iter()
        .map(|views| format!("{} {}", views["pair"], views["culling"]).replace('"', ""));
    let pairs = ["same", "split-screen", "shadow-map"]
        .map(|pair| ["outside", "hidden"].map(|culled| format!("{pair} {culled}")));
    assert_eq!(kinds.collect::<Vec<_>>(), pairs.concat());
    for views in views {
        assert!(
            views["count"] == 300 && views["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0),
            "{views}"
        );
    }
    let page = std::fs::read_to_string(run.file("actors.md")).expect("actors.md");
    assert!(page.contains("| 300 | changes (again) | 30 |"), "{page}");
}
