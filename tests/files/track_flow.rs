//! Flow through a line: a file counted by hand, and samples against PedPy's n-t.

use throng::tracks::{FlowLine, ReadOptions, Side, Tracks};

use crate::common;

fn line(text: &str) -> FlowLine {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

/// Five people and the line from (0, 0) to (4, 0); to the left is up the page.
///
/// - `up` crosses at x = 1, half a second after the first sample.
/// - `down` crosses at x = 2 at 1.75 s.
/// - `both` crosses upwards at 1.5 s and downwards at 3.5 s.
/// - `aside` passes beyond the line's end.
/// - `absent` is absent while the line is passed.
const CROSSINGS: &str = "id,t,x,y
up,0,1,-1
up,1,1,1
up,2,1,3
down,1,2,3
down,2,2,-1
both,1,3,-1
both,2,3,1
both,3,3,1
both,4,3,-1
aside,0,5,-1
aside,1,5,1
absent,0,2,-1
absent,9,2,1
absent,10,2,1
";

#[test]
fn crossings_counted_by_hand_are_found_with_time_place_and_direction() {
    let tracks = Tracks::from_bytes("hand", CROSSINGS.as_bytes(), &ReadOptions::default()).expect("reads");
    let flow = tracks.flow(line("0,0,4,0"));
    let found: Vec<_> = flow
        .crossings
        .iter()
        .map(|crossing| {
            (
                crossing.time_s,
                crossing.id.as_str(),
                crossing.to,
                crossing.x,
                crossing.y,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (0.5, "up", Side::Left, 1.0, 0.0),
            (1.5, "both", Side::Left, 3.0, 0.0),
            (1.75, "down", Side::Right, 2.0, 0.0),
            (3.5, "both", Side::Right, 3.0, 0.0),
        ]
    );
    assert_eq!((flow.persons, flow.to_left.persons, flow.to_right.persons), (3, 2, 2));
    // Two in a second; two in 1.75 s: the first of each begins to count.
    assert_eq!(flow.to_left.persons_per_s, Some(1.0));
    assert_eq!(flow.to_right.persons_per_s, Some(1.0 / 1.75));
    assert_eq!(
        flow.csv().lines().nth(2),
        Some("1.5000,both,left,3.0000,0.0000"),
        "{}",
        flow.csv()
    );
    let turned = tracks.flow(line("4,0,0,0"));
    assert_eq!((turned.to_left, turned.to_right), (flow.to_right, flow.to_left));
}

#[test]
fn lines_are_four_numbers_between_two_places() {
    for wrong in ["", "1,2,3", "1,2,3,x", "1,2,1,2", "1,2,3,inf", "1,2,3,4,5"] {
        let problem = wrong.parse::<FlowLine>().expect_err(wrong);
        assert!(problem.contains("give"), "{problem}");
    }
}

/// Numbers of PedPy 1.5's `compute_n_t`, whose frame is the first one after the line.
struct PedPyFlow {
    file: &'static str,
    line: &'static str,
    persons: usize,
    first_frame: f64,
    last_frame: f64,
    frame_sum: f64,
}

#[test]
fn samples_have_the_crossings_of_pedpy() {
    let Some(folder) = common::samples() else { return };
    for wanted in [
        PedPyFlow {
            file: "petrack_bottleneck_040_c_56_h-.txt",
            line: "-0.4,0,0.4,0",
            persons: 75,
            first_frame: 13.0,
            last_frame: 1625.0,
            frame_sum: 58_316.0,
        },
        PedPyFlow {
            file: "jupedsim_v3.sqlite",
            line: "-3,0,-3,10",
            persons: 8,
            first_frame: 32.0,
            last_frame: 271.0,
            frame_sum: 1_078.0,
        },
    ] {
        let PedPyFlow { file, line: own, .. } = wanted;
        let tracks = Tracks::open(&folder.join("trajectories").join(file), &ReadOptions::default()).expect("reads");
        let flow = tracks.flow(line(own));
        assert_eq!(flow.persons, wanted.persons, "{file}");
        let mut first: Vec<(&str, f64)> = Vec::new();
        for crossing in &flow.crossings {
            if first.iter().all(|(id, _)| *id != crossing.id) {
                first.push((&crossing.id, (crossing.time_s * 25.0 - 1e-6).ceil()));
            }
        }
        let frames = || first.iter().map(|(_, frame)| *frame);
        println!("{file}: {flow}");
        assert_eq!(frames().next(), Some(wanted.first_frame), "{file}");
        assert_eq!(frames().next_back(), Some(wanted.last_frame), "{file}");
        assert_eq!(frames().sum::<f64>(), wanted.frame_sum, "{file}");
    }
}
