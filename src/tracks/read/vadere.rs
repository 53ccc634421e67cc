//! Vadere's `.traj`: a row a footstep, from a place and time to another. As PedPy does, the way from the start of each
//! step to that of the next is sampled evenly, at 24 Hz unless told.

use std::collections::BTreeMap;

use crate::tracks::{
    Format, Sample, SampleExtra, TextPlace, TrackError,
    assemble::{Clocking, Facts, Parts},
    ids::IdTable,
    notes::{Problem, Problems},
    samples::{SampleRow, SampleTable},
};

use super::{
    Reading,
    columns::{Columns, Role},
    fields::Separator,
    input::Text,
    number, table,
};

/// Samples per second, as PedPy's reader of Vadere's files takes by default.
const RATE: f64 = 24.0;
/// Most samples of one footstep: nobody stands on one foot for longer than a day.
const LONGEST_STEP: f64 = 86_400.0;

/// Beginning of a footstep.
#[derive(Clone, Copy)]
struct Footstep {
    time: f64,
    place: [f64; 2],
    value: f64,
}

/// Columns of footsteps.
struct StepColumns {
    id: usize,
    start: usize,
    x: usize,
    y: usize,
    target: Option<usize>,
}

impl StepColumns {
    /// Columns by their names, which may end in the number of a processor: `startX-PID1`.
    fn of_header(header: &str) -> Option<Self> {
        let names: Vec<&str> = header
            .split_whitespace()
            .map(|name| name.split_once("-PID").map_or(name, |(name, _)| name))
            .collect();
        let at = |name: &str| names.iter().position(|own| *own == name);
        Some(Self {
            id: at("pedestrianId")?,
            start: at("simTime").or_else(|| at("startTime"))?,
            x: at("startX")?,
            y: at("startY")?,
            target: at("targetId"),
        })
    }
}

pub(super) fn read(reading: &Reading<'_>, text: Text) -> Result<Parts, TrackError> {
    let head = String::from_utf8_lossy(&text.head);
    let mut lines = head.lines();
    let header = lines.find(|line| !line.starts_with('#')).unwrap_or_default();
    let Some(columns) = StepColumns::of_header(header) else {
        return older(
            reading,
            header,
            Text {
                head: text.head.clone(),
                rest: text.rest,
            },
        );
    };
    let rate = reading.options.fps.unwrap_or(RATE);
    let mut ids = IdTable::default();
    let mut steps: BTreeMap<u32, Vec<Footstep>> = BTreeMap::new();
    let mut problems = Problems::default();
    let mut rest = text.rest;
    let (mut line, mut bytes) = (0, Vec::new());
    loop {
        bytes.clear();
        let count = std::io::BufRead::read_until(&mut rest, b'\n', &mut bytes);
        if count.map_err(|reason| TrackError::io(reading.name, reason))? == 0 {
            break;
        }
        line += 1;
        let row: Vec<&[u8]> = Separator::Space.fields(&bytes).collect();
        if row.is_empty() || row[0].starts_with(b"#") || row[0] == b"pedestrianId" {
            continue;
        }
        let number = |at: usize| -> Result<f64, TrackError> {
            let place = TextPlace {
                line,
                column: Some(at as u32 + 1),
            };
            let field = row
                .get(at)
                .ok_or_else(|| TrackError::text(reading.name, place, "the line ends too early"))?;
            let wrong = || format!("{:?} is not a number", String::from_utf8_lossy(field));
            number::parse(field).ok_or_else(|| TrackError::text(reading.name, place, wrong()))
        };
        let step = (|| {
            Ok(Footstep {
                time: number(columns.start)?,
                place: [number(columns.x)?, number(columns.y)?],
                value: columns.target.map_or(Ok(f64::NAN), number)?,
            })
        })();
        let step: Footstep = match step {
            Ok(step) => step,
            // A simulation that was stopped leaves half a line.
            Err(_) if !bytes.ends_with(b"\n") => {
                problems.add(Problem::CutOff, TextPlace { line, column: None });
                break;
            }
            Err(error) => return Err(error),
        };
        if !(step.time.is_finite() && step.place.iter().all(|at| at.is_finite())) {
            problems.add(Problem::NotFinite, TextPlace { line, column: None });
            continue;
        }
        let id = crate::tracks::Id::of_field(row.get(columns.id).copied().unwrap_or_default());
        steps.entry(ids.number(id)).or_default().push(step);
    }
    let mut samples = SampleTable::default();
    for (agent, own) in &mut steps {
        own.sort_by(|a, b| a.time.total_cmp(&b.time));
        sample(*agent, own, rate, &mut samples);
    }
    let facts = Facts::metric(Format::Vadere, Clocking::Frames { fps: Some(rate) });
    Ok(Parts {
        samples,
        ids: ids.ids,
        origin: [0.0; 2],
        problems,
        facts,
    })
}

/// Samples an agent's way at each frame between its first and last step.
fn sample(agent: u32, steps: &[Footstep], rate: f64, samples: &mut SampleTable) {
    for pair in steps.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let seconds = b.time - a.time;
        if !(seconds > 0.0 && seconds < LONGEST_STEP) {
            continue;
        }
        let mut frame = (a.time * rate).ceil();
        // The last step's end belongs to it, that of others to the next one.
        let is_last = pair.as_ptr_range().end == steps.as_ptr_range().end;
        while frame < b.time * rate || (is_last && frame <= b.time * rate) {
            let share = (frame / rate - a.time) / seconds;
            let at = |axis: usize| (a.place[axis] + (b.place[axis] - a.place[axis]) * share) as f32;
            samples.push(SampleRow {
                sample: Sample {
                    time: frame,
                    agent,
                    x: at(0),
                    y: at(1),
                    z: f32::NAN,
                },
                extra: SampleExtra {
                    yaw: f32::NAN,
                    value: a.value as f32,
                },
            });
            frame += 1.0;
        }
    }
}

/// Tables before Vadere 1.0: `timeStep pedestrianId x y targetId`.
fn older(reading: &Reading<'_>, header: &str, text: Text) -> Result<Parts, TrackError> {
    let names = header
        .split_whitespace()
        .map(|name| name.split_once("-PID").map_or(name, |(name, _)| name));
    let columns = Columns::of_names(names);
    if columns.missing().is_some() && columns.at(Role::X).is_none() {
        let place = TextPlace { line: 2, column: None };
        let problem = "neither footsteps (pedestrianId simTime endTime startX startY …) nor places (timeStep \
                       pedestrianId x y)";
        return Err(TrackError::text(reading.name, place, problem));
    }
    let mut parts = table::read(reading, text)?;
    parts.facts.format = Format::Vadere;
    parts.facts.unit = parts.facts.unit.or(Some(crate::tracks::LengthUnit::M));
    Ok(parts)
}
