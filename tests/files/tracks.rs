//! Trajectories: real files against what PedPy reads from them, each format from a few lines, and wrong input.

use std::{fmt::Write, io::Write as _};

use proptest::prelude::*;
use throng::tracks::{Format, LengthUnit, ReadOptions, Summary, TrackError, Tracks};

use crate::common;

/// Options of a file that does not state them itself.
fn options_of(name: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    if name.starts_with("uo-050") {
        (options.fps, options.unit) = (Some(25.0), Some(LengthUnit::Cm));
    }
    options
}

fn near(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a}, not {b}");
}

/// Number of agents with a sample at a frame.
fn present_at(tracks: &Tracks, frame: i64) -> usize {
    let fps = tracks.fps.expect("a rate");
    let is_then = |agent: &&throng::tracks::Agent| {
        tracks
            .samples_of(agent)
            .iter()
            .any(|sample| (sample.time * fps).round() as i64 == frame)
    };
    tracks.agents.iter().filter(is_then).count()
}

#[test]
fn samples_are_read_as_pedpy_reads_them() {
    let Some(folder) = common::samples() else { return };
    let folder = folder.join("trajectories");
    let text = std::fs::read_to_string(folder.join("pedpy_reference.json")).expect("the reference");
    let reference: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    assert!(reference.len() >= 8);
    for (name, wanted) in &reference {
        let tracks = Tracks::open(&folder.join(name), &options_of(name)).unwrap_or_else(|e| panic!("{e}"));
        let found = tracks.summary();
        let number = |key: &str| wanted[key].as_f64().unwrap_or_else(|| panic!("{name}: {key}"));
        let counts = [
            ("agents", found.agents as f64),
            ("samples", found.samples as f64),
            ("first_frame", found.first_frame as f64),
            ("last_frame", found.last_frame as f64),
            ("fps", found.fps.expect("a rate")),
        ];
        for (key, value) in counts {
            near(value, number(key), 1e-6, &format!("{name}: {key}"));
        }
        for (key, range) in [("x_m", found.extent_m.x), ("y_m", found.extent_m.y)] {
            near(
                range.0,
                wanted[key][0].as_f64().expect("low"),
                6e-4,
                &format!("{name}: {key}"),
            );
            near(
                range.1,
                wanted[key][1].as_f64().expect("high"),
                6e-4,
                &format!("{name}: {key}"),
            );
        }
        let speed = number("mean_speed_m_s");
        near(
            found.mean_speed_m_s.expect("a rate"),
            speed,
            0.01 * speed,
            &format!("{name}: speed"),
        );
        for (frame, people) in wanted["present_at_frames"].as_object().expect("frames") {
            let frame = frame.parse().expect("a frame");
            assert_eq!(
                present_at(&tracks, frame) as u64,
                people.as_u64().expect("a count"),
                "{name}: {frame}"
            );
        }
        let one = &wanted["one"];
        let id = one["id"].as_i64().expect("an id");
        let agent = tracks
            .agents
            .iter()
            .find(|agent| agent.id == throng::tracks::Id::Number(id))
            .expect("the agent");
        let frame = one["frame"].as_i64().expect("a frame");
        let fps = tracks.fps.expect("a rate");
        let sample = tracks
            .samples_of(agent)
            .iter()
            .find(|s| (s.time * fps).round() as i64 == frame);
        let sample = sample.unwrap_or_else(|| panic!("{name}: frame {frame}"));
        near(f64::from(sample.x), one["x"].as_f64().expect("x"), 6e-5, name);
        near(f64::from(sample.y), one["y"].as_f64().expect("y"), 6e-4, name);
        if let Some(area) = wanted.get("walkable_area_m2").and_then(serde_json::Value::as_f64)
            && tracks.walls.as_ref().is_some_and(|walls| !walls.walkable.is_empty())
        {
            let walls = found.walls.expect("walls");
            near(
                walls.walkable_area_m2.expect("an area"),
                area,
                0.06,
                &format!("{name}: area"),
            );
        }
    }
}

#[test]
fn tables_of_recordings_are_read_by_their_columns() {
    let Some(folder) = common::samples() else { return };
    let options = ReadOptions {
        fps: Some(25.0),
        ..ReadOptions::default()
    };
    let tracks = Tracks::open(&folder.join("trajectories/n34_cam2.csv"), &options).expect("columns by name");
    assert_eq!(tracks.format, Format::Table);
    assert_eq!((tracks.agents.len(), tracks.samples.len()), (71, 1101));
}

fn read(name: &str, text: &str) -> Result<Summary, TrackError> {
    Tracks::from_bytes(name, text.as_bytes(), &ReadOptions::default()).map(|tracks| tracks.summary())
}

fn facts(text: &str) -> (Format, usize, usize, Option<f64>) {
    let found = read("a", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (found.format, found.agents, found.samples, found.fps)
}

/// A packed text.
fn packed(text: &str) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).expect("memory");
    writer.finish().expect("memory")
}

#[test]
fn each_format_is_recognised_by_its_content() {
    let petrack = "# PeTrack\n# framerate: 16 fps\n# id frame x/cm y/cm z/cm\n1 0 100 200 170\n1 1 105 200 170\n";
    assert_eq!(facts(petrack), (Format::PeTrack, 1, 2, Some(16.0)));
    let older =
        "#framerate: 25.00\n#ID FR X Y Z A B ANGLE COLOR\n1 0 1.0 2.0 1.7 0.2 0.2 0 255\n1 1 1.05 2 1.7 .2 .2 0 255\n";
    assert_eq!(facts(older), (Format::PeTrack, 1, 2, Some(25.0)));
    let viswalk =
        "* comment\n$VISION\n$PEDESTRIAN:NO;SIMSEC;COORDCENTX;COORDCENTY\n1;0.0;1.0;2.0\n1;0.2;1.2;2.0\n2;0.2;5;5\n";
    assert_eq!(facts(viswalk), (Format::Viswalk, 2, 3, Some(5.0)));
    let sumo = "<?xml version=\"1.0\"?>\n<fcd-export>\n<timestep time=\"0.00\">\n<person id=\"p0\" x=\"1\" y=\"2\" \
                angle=\"90\" speed=\"1.0\"/>\n<vehicle id=\"v\" x=\"1\" y=\"2\" angle=\"0\" speed=\"9\"/></timestep>\n\
                <timestep time=\"1.00\"><person id=\"p0\" x=\"2\" y=\"2\" angle=\"90\" speed=\"1.0\"/></timestep></fcd-export>";
    assert_eq!(facts(sumo), (Format::SumoFcd, 2, 3, Some(1.0)));
    let vadere = "timeStep pedestrianId x-PID1 y-PID1 targetId-PID2\n1 1 1.0 2.0 3\n2 1 1.4 2.0 3\n";
    assert_eq!(facts(vadere).1, 1);
    let steps = "#IDXCOL=2,DATACOL=6,SEP=' '\npedestrianId simTime endTime-PID1 startX-PID1 startY-PID1 endX-PID1 \
                 endY-PID1 targetId-PID2\n1 0.0 0.5 0 0 0.6 0 1\n1 0.5 1.0 0.6 0 1.2 0 1\n";
    assert_eq!(facts(steps), (Format::Vadere, 1, 13, Some(24.0)));
    let json = r#"{"0": {"0.0": {"name": "a", "position": {"x": 1, "y": 2, "z": 0}}, "0.5": {"position": {"x": 1.5, "y": 2}}}}"#;
    assert_eq!(facts(json), (Format::PathfinderJson, 1, 2, Some(2.0)));
    let obsmat = "7.8e+02 1.0e+00 8.45 0 3.58 1.67 0 0.31\n7.86e+02 1.0e+00 9.1 0 3.7 1.6 0 0.3\n";
    assert_eq!(facts(obsmat), (Format::EthObsmat, 1, 2, None));
    // Frame before id: two people far apart, side by side.
    let trajnet = "0 1 0.0 0.0\n0 2 9.0 0.0\n10 1 0.5 0.0\n10 2 9.5 0\n20 1 1 0\n20 2 10 0\n";
    assert_eq!(facts(trajnet).0, Format::TrajNet);
    let crowdit = "time,pedID,posX,posY\n0.00,0,40.64,35.44\n0.50,0,41.0,35.44\n";
    assert_eq!(facts(crowdit), (Format::CrowdIt, 1, 2, Some(2.0)));
    let tsv = "Y [m]\tPed ID\tX [m]\tTime\n0\tanna\t1\t0\n0\tanna\t1.5\t0.5\n0\tben\t7\t0.5\n";
    assert_eq!(facts(tsv), (Format::Table, 2, 3, Some(2.0)));
    for text in [petrack, crowdit, sumo] {
        let tracks = Tracks::from_bytes("a.gz", &packed(text), &ReadOptions::default()).expect("packed");
        assert_eq!(tracks.format, facts(text).0);
    }
}

#[test]
fn units_and_headings_are_converted() {
    let tracks = |text: &str| Tracks::from_bytes("a", text.as_bytes(), &ReadOptions::default()).expect("reads");
    let cm = tracks("# framerate: 16 fps\n# id frame x/cm y/cm z/cm\n1 0 100 200 170\n1 1 105 200 170\n");
    assert!((cm.samples[1].x - 1.05).abs() < 1e-6 && (cm.samples[0].z - 1.7).abs() < 1e-6 && cm.z_is_head);
    assert!((cm.samples[1].time - 1.0 / 16.0).abs() < 1e-12);
    // SUMO counts clockwise from north: 90 is east.
    let sumo = tracks(
        "<fcd-export><timestep time=\"0\"><person id=\"p\" x=\"1\" y=\"2\" angle=\"90\"/></timestep></fcd-export>",
    );
    assert!(sumo.extras[0].yaw.abs() < 1e-6);
    // Map coordinates keep their millimetres.
    let map = tracks("t,id,x,y\n0,1,3500000.125,5600000.25\n1,1,3500001.375,5600000.25\n");
    let x = |at: usize| f64::from(map.samples[at].x) + map.origin[0];
    assert_eq!((x(0), x(1)), (3_500_000.125, 3_500_001.375));
}

/// Message of a wrong text.
fn message(text: &str) -> String {
    read("a.csv", text).expect_err(text).to_string()
}

#[test]
fn wrong_input_is_told_with_line_and_column() {
    assert_eq!(
        message("id,frame,x,y\n1,0,1,2\n1,1,oops,2\n1,2,3,4\n"),
        "a.csv: line 3, column 3: \"oops\" is not a number"
    );
    let short = message("id,frame,x,y\n1,0,1,2\n1,1\n1,2,3,4\n");
    assert!(
        short.starts_with("a.csv: line 3, column 3: the line ends after 2 columns"),
        "{short}"
    );
    let missing = message("id,frame,x,speed\n1,0,1,2\n");
    assert!(
        missing.contains("no column for y") && missing.contains("--columns"),
        "{missing}"
    );
    assert!(message("").contains("empty") && message("id,frame,x,y\n").contains("no samples"));
    let hall = message("# framerate: 25 fps\n1 0 100 200\n1 1 105 200\n1 2 110 200\n");
    assert!(hall.contains("--unit cm") && hall.contains("125 m/s"), "{hall}");
    assert!(message("<a><b/></a>").contains("throng reads") || !message("<a><b/></a>").is_empty());
    assert!(message("\0\u{1}\u{2}").contains("not a file of trajectories"));
}

#[test]
fn what_can_be_shown_is_shown_and_the_rest_is_told() {
    let found = read(
        "a.csv",
        "id,t,x,y\n1,0,0,0\n1,2,NaN,0\n2,1,5,5\n1,1,1,0\n1,1,1,0\n1,1,9,9\n1,2,2,0\n1,3,3,0\n1,9,4,0\n3,1,7,",
    )
    .expect("reads");
    assert_eq!((found.agents, found.samples, found.gap_count), (2, 6, 1));
    let notes = found.notes.join("\n");
    for part in ["line 3: no finite number", "2 samples repeat", "1 with another place"] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    assert_eq!((found.gaps[0].from_s, found.gaps[0].to_s), (3.0, 9.0));
    assert_eq!((found.first_frame, found.last_frame), (0, 9));
}

#[test]
fn hostile_texts_end_soon() {
    let entities = format!(
        "<!DOCTYPE a [<!ENTITY a \"{}\">]><fcd-export><timestep time=\"0\"><person id=\"&a;&a;\" x=\"1\" y=\"2\"/></timestep></fcd-export>",
        "x".repeat(1000)
    );
    let bomb = read("a.xml", &entities).expect("entities stay as they are");
    assert_eq!(bomb.agents, 1);
    let long = format!("<fcd-export a=\"{}", "x".repeat(3 << 20));
    assert!(message(&long).contains("1 MiB"));
    let line = "1".repeat(70 << 20);
    assert!(message(&format!("id,frame,x,y\n{line}")).contains("1 MiB"));
}

#[test]
fn databases_with_other_tables_say_which_one_is_missing() {
    let Some(folder) = common::samples() else { return };
    let mut bytes = std::fs::read(folder.join("trajectories/jupedsim_v3.sqlite")).expect("a sample");
    let name = b"trajectory_data";
    let places: Vec<usize> = (0..bytes.len() - name.len())
        .filter(|at| bytes[*at..].starts_with(name))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + name.len()].copy_from_slice(b"trajectories_of");
    }
    let error = Tracks::from_bytes("other.sqlite", &bytes, &ReadOptions::default()).expect_err("another table");
    let error = error.to_string();
    assert!(
        error.starts_with("other.sqlite: ") && error.contains("trajectory_data"),
        "{error}"
    );
}

#[test]
fn one_sample_swapped_columns_and_ids_that_come_back_are_read() {
    let found = read("a", "id,t,x,y\n7,3,1,2\n").expect("one sample");
    assert_eq!((found.agents, found.samples, found.duration_s), (1, 1, Some(0.0)));
    // Columns are found by name: a text in the place of a number has its line and column.
    assert_eq!(
        message("x,y,id,t\n1,2,7,0\nanna,2,7,1\n1,2,7,2\n"),
        "a.csv: line 3, column 1: \"anna\" is not a number"
    );
    // Two people with one id in turn are one agent with a gap; one who jumps 100 m is kept.
    let back = read(
        "a",
        "id,t,x,y\n1,0,0,0\n1,1,1,0\n2,1,9,9\n1,60,50,0\n1,61,51,0\n1,62,151,0\n1,63,152,0\n",
    )
    .expect("reads");
    assert_eq!((back.agents, back.samples, back.gap_count), (2, 7, 1));
    assert_eq!((back.gaps[0].from_s, back.gaps[0].to_s), (1.0, 60.0));
}

#[test]
fn columns_can_be_told() {
    let options = ReadOptions {
        columns: ["-", "y", "x", "frame", "id"].map(str::to_owned).to_vec(),
        fps: Some(10.0),
        ..ReadOptions::default()
    };
    let tracks = Tracks::from_bytes("a", b"q;2;1;0;7\nq;2;1.1;1;7\n", &options).expect("told");
    assert_eq!(
        (
            tracks.samples[0].x,
            tracks.samples[0].y,
            tracks.agents[0].id.to_string()
        ),
        (1.0, 2.0, "7".into())
    );
}

/// A valid text of each kind, for mutation.
const SEEDS: [&str; 6] = [
    "# framerate: 16 fps\n# id frame x/cm y/cm z/cm\n1 0 100 200 170\n1 1 105 200 170\n",
    "id,t,x,y\n1,0,0,0\n1,1,1,0\n2,1,5,5\n",
    "<fcd-export><timestep time=\"0\"><person id=\"p\" x=\"1\" y=\"2\" angle=\"90\"/></timestep></fcd-export>",
    "{\"0\": {\"0.0\": {\"position\": {\"x\": 1, \"y\": 2}}}}",
    "pedestrianId simTime endTime startX startY\n1 0.0 0.5 0 0\n1 0.5 1.0 0.6 0\n",
    "$PEDESTRIAN:NO;SIMSEC;COORDCENTX;COORDCENTY\n1;0.0;1.0;2.0\n",
];

proptest! {
    #[test]
    fn mutated_texts_never_panic(seed in 0..SEEDS.len(), edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(tracks) = Tracks::from_bytes("a", &bytes, &ReadOptions::default()) {
            let mut text = String::new();
            write!(text, "{}", tracks.summary()).expect("memory");
        }
    }
}

/// Every cut and many single wrong bytes of a database.
#[test]
fn damaged_databases_are_refused() {
    let Some(folder) = common::samples() else { return };
    for name in ["jupedsim_v3.sqlite", "ped_data_archive_single_file.h5"] {
        let bytes = std::fs::read(folder.join("trajectories").join(name)).expect("a sample");
        for part in 1..12 {
            let cut = &bytes[..bytes.len() * part / 12];
            let error = Tracks::from_bytes(name, cut, &ReadOptions::default())
                .expect_err("cut off")
                .to_string();
            assert!(error.starts_with(name), "{error}");
        }
        for at in (0..bytes.len()).step_by(bytes.len() / 40).chain(16..120) {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0xa5;
            let _ = Tracks::from_bytes(name, &wrong, &ReadOptions::default());
        }
    }
}
