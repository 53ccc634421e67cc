//! Trajectories on the command line: flow through a line, and standard input.

use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::{json, names, succeed, temporary, text, throng};
use crate::common::gpu::adapter;

/// Two people who pass the line from (0, 0) to (4, 0) upwards, a second apart, and one who passes it downwards.
const TABLE: &str = "id,t,x,y\na,0,1,-1\na,1,1,1\n\"b,c\",1,2,-1\n\"b,c\",2,2,1\nd,0,3,1\nd,1,3,-1\n";

#[test]
fn flow_is_printed_and_written_row_by_row() {
    let folder = temporary();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), TABLE).expect("written");
    let printed = succeed(at, &["info", "a.csv", "--flow", "0,0,4,0", "--csv", "out.csv"]);
    assert!(
        printed.contains("3 persons") && printed.contains("2 persons, 1.000 a second"),
        "{printed}"
    );
    let rows = std::fs::read_to_string(at.join("out.csv")).expect("written");
    let wanted = "time_s,id,direction,x,y\n0.5000,a,left,1.0000,0.0000\n0.5000,d,right,3.0000,0.0000\n1.5000,\"b,c\",left,2.0000,0.0000\n";
    assert_eq!(rows, wanted);
    let told = json(at, &["info", "a.csv", "--flow", "0,0,4,0", "--json"]);
    let flow = &told["files"][0]["flow"];
    assert_eq!(flow["to_left"]["persons_per_s"], 1.0, "{told}");
    assert_eq!(
        (flow["persons"].as_u64(), flow["to_right"]["crossings"].as_u64()),
        (Some(3), Some(1))
    );
}

#[test]
fn wrong_lines_of_flow_are_usage_errors() {
    let folder = temporary();
    std::fs::write(folder.path().join("a.csv"), TABLE).expect("written");
    for arguments in [
        &["info", "a.csv", "--flow", "0,0,4"][..],
        &["info", "a.csv", "--csv", "out.csv"],
        &["info", "knight", "--flow", "0,0,4,0"],
        &["info", "a.csv", "a.csv", "--flow", "0,0,4,0", "--csv", "out.csv"],
    ] {
        let output = throng(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    }
    assert_eq!(names(folder.path()), ["a.csv"]);
}

/// Runs the program with a text as standard input.
fn fed(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.current_dir(folder).args(arguments).env_remove("THRONG_LOG");
    command
        .env("THRONG_CACHE", "")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    let mut program = command.spawn().expect("the program starts");
    let mut pipe = program.stdin.take().expect("a pipe");
    // A program that fails early closes the pipe.
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    program.wait_with_output().expect("the program ends")
}

#[test]
fn sets_of_trajectories_have_people_of_the_file_in_every_picture() {
    let folder = temporary();
    let at = folder.path();
    // Long before and after anybody walks, pictures would be empty.
    let mut rows = "id,t,x,y\n".to_owned();
    for second in 0..6 {
        rows += &format!("7,{second},{second},0\n31,{second},-{second},2\n");
    }
    std::fs::write(at.join("a.csv"), rows).expect("written");
    let set = [
        "dataset",
        "--trajectories",
        "a.csv",
        "--pictures",
        "3",
        "--size",
        "96x54",
        "--adapter",
        adapter(),
    ];
    succeed(at, &[&set[..], &["--seed", "4", "-o", "set"]].concat());
    for split in ["train", "val"] {
        let annotations = std::fs::read_to_string(at.join(format!("set/annotations/{split}.json")));
        let labels: serde_json::Value = serde_json::from_str(&annotations.expect("labels")).expect("JSON");
        let people = labels["annotations"].as_array().expect("a list");
        for picture in labels["images"].as_array().expect("a list") {
            let own = people.iter().filter(|person| person["image_id"] == picture["id"]);
            let ids: Vec<u64> = own.map(|person| person["track_id"].as_u64().expect("an id")).collect();
            assert!(!ids.is_empty() && ids.iter().all(|id| [7, 31].contains(id)), "{ids:?}");
        }
    }
    for wrong in ["count", "camera,layout"] {
        let output = throng(at, &[&set[..], &["--vary", wrong, "-o", "other"]].concat());
        let why = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && why.contains("leave count and layout out"),
            "{why}"
        );
    }
}

#[test]
fn pictures_of_standard_input_equal_those_of_its_file() {
    let folder = temporary();
    let at = folder.path();
    std::fs::write(at.join("a.csv"), TABLE).expect("written");
    let shot = |input: &str, output: &str| {
        let options = ["--time", "0.5", "--size", "64x36", "--adapter", adapter(), "-o", output];
        let output = fed(at, &[&["shot", "--trajectories", input][..], &options].concat(), TABLE);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    shot("-", "stream.png");
    shot("a.csv", "file.png");
    let read = |name: &str| std::fs::read(at.join(name)).expect("a picture");
    assert!(read("stream.png") == read("file.png"));
    let film = [
        "film",
        "--trajectories",
        "-",
        "--frames",
        "0..2",
        "--size",
        "64x36",
        "--adapter",
        adapter(),
        "-o",
        "%d.png",
    ];
    let output = fed(at, &film, TABLE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(at.join("1.png").is_file());
    let wrong = fed(at, &["info", "-"], "id,t,x,y\n1,0,0,0\n1,1,oops,0\n1,2,2,0\n");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("line 3, column 3"),
        "{}",
        text(&wrong.stderr)
    );
}
