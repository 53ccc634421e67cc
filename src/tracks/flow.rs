//! Flow through a line: moments at which people cross it, and persons per second in both directions.

use std::{collections::HashSet, fmt, fmt::Write as _, str::FromStr};

use serde::Serialize;

use super::{AgentKind, Sample, Tracks, ways::is_apart};

/// Line on the ground, from a start to an end (m, axes of the file).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FlowLine {
    /// Start: x, y.
    pub from: [f64; 2],
    /// End: x, y.
    pub to: [f64; 2],
}

/// Parses `X1,Y1,X2,Y2`.
impl FromStr for FlowLine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
        let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
        let line = match numbers.as_deref() {
            Some(&[x1, y1, x2, y2]) => Self {
                from: [x1, y1],
                to: [x2, y2],
            },
            _ => {
                return Err(format!(
                    "{text:?} is no line; give X1,Y1,X2,Y2 in metres, such as 0,1,4,1"
                ));
            }
        };
        if line.from == line.to {
            return Err(format!("{text:?} is a point; give a line between two places"));
        }
        Ok(line)
    }
}

/// Line between two places.
impl From<[[f64; 2]; 2]> for FlowLine {
    fn from(ends: [[f64; 2]; 2]) -> Self {
        let [from, to] = ends;
        Self { from, to }
    }
}

impl FlowLine {
    /// Distance to the left of the line (m), times its length.
    fn side(&self, place: [f64; 2]) -> f64 {
        let [dx, dy] = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        dx * (place[1] - self.from[1]) - dy * (place[0] - self.from[0])
    }

    /// Crossing of a step between two places, as a share of the step. Places on the line count as to its right, so that
    /// somebody who stops there crosses it once.
    fn crossing(&self, from: [f64; 2], to: [f64; 2]) -> Option<(f64, Side)> {
        let (before, after) = (self.side(from), self.side(to));
        let side = match (before > 0.0, after > 0.0) {
            (false, true) => Side::Left,
            (true, false) => Side::Right,
            _ => return None,
        };
        let share = before / (before - after);
        let [dx, dy] = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        let [x, y] = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
        let along = ((x - self.from[0]) * dx + (y - self.from[1]) * dy) / (dx * dx + dy * dy);
        (0.0..=1.0).contains(&along).then_some((share, side))
    }
}

/// Side of a line, as seen from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Left.
    Left,
    /// Right.
    Right,
}

impl Side {
    /// Name: `left` or `right`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Crossing of a line by somebody.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crossing {
    /// Time (s), between the samples before and after.
    pub time_s: f64,
    /// Identity in the file.
    pub id: String,
    /// Side to which the person goes.
    pub to: Side,
    /// Place (m).
    pub x: f64,
    /// Place (m).
    pub y: f64,
}

/// Flow in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DirectedFlow {
    /// Crossings.
    pub crossings: usize,
    /// People who cross, each once.
    pub persons: usize,
    /// Time of the first crossing (s).
    pub first_s: Option<f64>,
    /// Time of the last crossing (s).
    pub last_s: Option<f64>,
    /// Crossings after the first one over the time between the first and the last one; absent below two.
    pub persons_per_s: Option<f64>,
}

/// Flow through a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flow {
    /// The line.
    pub line: FlowLine,
    /// Flow to the left of the line.
    pub to_left: DirectedFlow,
    /// Flow to the right of the line.
    pub to_right: DirectedFlow,
    /// People who cross in either direction, each once.
    pub persons: usize,
    /// All crossings in the order of time.
    #[serde(skip)]
    pub crossings: Vec<Crossing>,
    /// Flows to the left and to the right up to each crossing.
    #[serde(skip)]
    totals: Vec<[DirectedFlow; 2]>,
}

impl Tracks {
    /// Flow of people through a line, by straight steps between samples. Gaps and jumps cross nothing.
    #[must_use]
    pub fn flow(&self, line: FlowLine) -> Flow {
        let pause = self.gap_after();
        let mut crossings = Vec::new();
        for agent in self.agents.iter().filter(|agent| agent.kind == AgentKind::Person) {
            let steps = self.samples_of(agent).windows(2);
            let steps = steps.filter(|pair| !is_apart(agent.kind, &pair[0], &pair[1], pause));
            crossings.extend(steps.filter_map(|pair| self.crossing(line, &pair[0], &pair[1], || agent.id.to_string())));
        }
        crossings.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        let totals = totals(&crossings);
        let [to_left, to_right] = totals.last().copied().unwrap_or_default();
        let persons: HashSet<&String> = crossings.iter().map(|crossing| &crossing.id).collect();
        Flow {
            line,
            to_left,
            to_right,
            persons: persons.len(),
            crossings,
            totals,
        }
    }

    fn crossing(&self, line: FlowLine, a: &Sample, b: &Sample, id: impl Fn() -> String) -> Option<Crossing> {
        let place = |sample: &Sample| {
            [
                f64::from(sample.x) + self.origin[0],
                f64::from(sample.y) + self.origin[1],
            ]
        };
        let (from, to) = (place(a), place(b));
        let (share, side) = line.crossing(from, to)?;
        let [x, y] = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
        Some(Crossing {
            time_s: a.time + (b.time - a.time) * share,
            id: id(),
            to: side,
            x,
            y,
        })
    }
}

impl DirectedFlow {
    fn add(&mut self, time: f64) {
        self.crossings += 1;
        let first = *self.first_s.get_or_insert(time);
        self.last_s = Some(time);
        self.persons_per_s = (time > first).then(|| (self.crossings - 1) as f64 / (time - first));
    }
}

/// Flows to the left and to the right up to each crossing, which ascend in time.
fn totals(crossings: &[Crossing]) -> Vec<[DirectedFlow; 2]> {
    let mut persons = [HashSet::new(), HashSet::new()];
    let running = crossings.iter().scan([DirectedFlow::default(); 2], |flows, crossing| {
        let side = usize::from(crossing.to == Side::Right);
        persons[side].insert(&crossing.id);
        flows[side].add(crossing.time_s);
        flows[side].persons = persons[side].len();
        Some(*flows)
    });
    running.collect()
}

impl Flow {
    /// Flows to the left and to the right of all crossings up to a time (s, as in the file).
    #[must_use]
    pub fn until(&self, time: f64) -> [DirectedFlow; 2] {
        let past = self.crossings.partition_point(|crossing| crossing.time_s <= time);
        past.checked_sub(1)
            .map_or_else(Default::default, |last| self.totals[last])
    }

    /// Table of all crossings: `time_s,id,direction,x,y`.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = "time_s,id,direction,x,y\n".to_owned();
        for Crossing { time_s, id, to, x, y } in &self.crossings {
            // Text never fails to grow.
            let _ = writeln!(text, "{time_s:.4},{},{},{x:.4},{y:.4}", quoted(id), to.name());
        }
        text
    }
}

/// Field of a CSV: quoted where a reader would split it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FlowLine {
            from: [x1, y1],
            to: [x2, y2],
        } = self.line;
        writeln!(
            f,
            "  flow       {} through {x1},{y1} to {x2},{y2}",
            people(self.persons)
        )?;
        for (side, own) in [(Side::Left, &self.to_left), (Side::Right, &self.to_right)] {
            write!(f, "    to the {:<5} {}", side.name(), people(own.persons))?;
            if own.crossings > own.persons {
                write!(f, " in {} crossings", own.crossings)?;
            }
            match (own.first_s, own.last_s, own.persons_per_s) {
                (Some(first), Some(last), Some(rate)) => {
                    writeln!(f, ", {rate:.3} a second between {first:.2} and {last:.2} s")?;
                }
                (Some(first), ..) => writeln!(f, " at {first:.2} s")?,
                _ => writeln!(f)?,
            }
        }
        Ok(())
    }
}

fn people(count: usize) -> String {
    let word = if count == 1 { "person" } else { "persons" };
    format!("{count} {word}")
}
