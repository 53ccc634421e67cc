//! Facts about trajectories, for people and as JSON.

use std::fmt;

use serde::Serialize;

use super::{FactSource, Format, LengthUnit, Tracks, assemble::median_step, notes::plural};

/// Shortest pause between samples that is a gap, over the usual step.
const GAP_STEPS: f64 = 3.0;
/// Shortest gap (s).
const SHORTEST_GAP: f64 = 0.6;

/// Span of a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range(pub f64, pub f64);

/// Pause in which somebody has no samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Identity in the file.
    pub id: String,
    /// Last sample before (s).
    pub from_s: f64,
    /// First sample after (s).
    pub to_s: f64,
}

/// Extent of all places (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Extent {
    /// To the right.
    pub x: Range,
    /// Up the page.
    pub y: Range,
    /// Height of floors; absent if the file has none.
    pub z: Option<Range>,
}

/// Facts about walls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WallFacts {
    /// Outlines and lines.
    pub lines: usize,
    /// Length of all (m).
    pub length_m: f64,
    /// Area on which people walk (m²), if stated.
    pub walkable_area_m2: Option<f64>,
}

/// Time (s) before and after a sample over which its speed is measured.
const SPEED_REACH: f64 = 0.2;
/// Most gaps that are listed; all are counted.
const LISTED_GAPS: usize = 100;

/// Facts about a file of trajectories.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Format.
    pub format: Format,
    /// Number of agents.
    pub agents: usize,
    /// Number of agents that are vehicles.
    pub vehicles: usize,
    /// Number of samples.
    pub samples: usize,
    /// Samples per second; absent if the file counts frames and nobody stated their rate.
    pub fps: Option<f64>,
    /// Origin of the rate.
    pub fps_source: FactSource,
    /// First frame.
    pub first_frame: i64,
    /// Last frame.
    pub last_frame: i64,
    /// Time between the first and the last sample (s); absent without a rate.
    pub duration_s: Option<f64>,
    /// Extent of all places (m).
    pub extent_m: Extent,
    /// Heights of heads (m), if the file has them.
    pub head_height_m: Option<Range>,
    /// Unit of the file.
    pub unit: LengthUnit,
    /// Origin of the unit.
    pub unit_source: FactSource,
    /// Mean speed (m/s), each over 0.4 s; absent without a rate.
    pub mean_speed_m_s: Option<f64>,
    /// Most agents at one moment.
    pub most_at_once: usize,
    /// Walls, if there are some.
    pub walls: Option<WallFacts>,
    /// Number of gaps.
    pub gap_count: usize,
    /// First gaps.
    pub gaps: Vec<Gap>,
    /// Problems that were repaired, and facts that are missing.
    pub notes: Vec<String>,
}

impl Tracks {
    /// Facts about these trajectories.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let rate = self.fps.unwrap_or(1.0);
        let frame = |time: f64| {
            if self.has_seconds() {
                (time * rate).round() as i64
            } else {
                time.round() as i64
            }
        };
        let times = span(self.samples.iter().map(|sample| sample.time));
        let axis = |of: fn(&super::Sample) -> f32, origin: f64| {
            let Range(low, high) = span(self.samples.iter().map(|sample| f64::from(of(sample))));
            Range(low + origin, high + origin)
        };
        let heights = Some(axis(|sample| sample.z, 0.0)).filter(|Range(low, high)| low <= high);
        let (gap_count, gaps) = self.gaps();
        let mut notes = self.notes.clone();
        if !self.has_seconds() {
            notes.push(format!(
                "the rate of frames is not stated: give --fps{}",
                self.likely_rate()
            ));
        }
        Summary {
            format: self.format,
            agents: self.agents.len(),
            vehicles: self
                .agents
                .iter()
                .filter(|agent| agent.kind.vehicle().is_some())
                .count(),
            samples: self.samples.len(),
            fps: self.fps,
            fps_source: self.fps_source,
            first_frame: frame(times.0),
            last_frame: frame(times.1),
            duration_s: self.has_seconds().then_some(times.1 - times.0),
            extent_m: Extent {
                x: axis(|sample| sample.x, self.origin[0]),
                y: axis(|sample| sample.y, self.origin[1]),
                z: heights.filter(|_| !self.z_is_head),
            },
            head_height_m: heights.filter(|_| self.z_is_head),
            unit: self.unit,
            unit_source: self.unit_source,
            mean_speed_m_s: self.mean_speed().filter(|_| self.has_seconds()),
            most_at_once: self.most_at_once(),
            walls: self.walls.as_ref().map(|walls| WallFacts {
                lines: walls.outlines().count(),
                length_m: walls.length(),
                walkable_area_m2: walls.walkable_area(),
            }),
            gap_count,
            gaps,
            notes,
        }
    }

    /// Pause (s) from which on somebody is absent between two samples.
    #[must_use]
    pub fn gap_after(&self) -> f64 {
        let step = median_step(&self.samples, &self.agents).unwrap_or_default();
        (GAP_STEPS * step).max(if self.has_seconds() { SHORTEST_GAP } else { 0.0 })
    }

    fn gaps(&self) -> (usize, Vec<Gap>) {
        let least = self.gap_after();
        let all = self.agents.iter().flat_map(|agent| {
            let pairs = self.samples_of(agent).windows(2);
            let gaps = pairs.filter(move |pair| pair[1].time - pair[0].time > least + 1e-9);
            gaps.map(move |pair| (agent, pair[0].time, pair[1].time))
        });
        let (mut count, mut listed) = (0, Vec::new());
        for (agent, from_s, to_s) in all {
            count += 1;
            if listed.len() < LISTED_GAPS {
                listed.push(Gap {
                    id: agent.id.to_string(),
                    from_s,
                    to_s,
                });
            }
        }
        (count, listed)
    }

    /// Mean speed at all samples, each over the samples 0.2 s before and after it, as PedPy computes it with borders
    /// single-sided; gaps are left out.
    fn mean_speed(&self) -> Option<f64> {
        let pause = self.gap_after();
        let reach = (self.fps.unwrap_or(1.0) * SPEED_REACH).round().max(1.0) as usize;
        let (mut sum, mut count) = (0.0, 0_u64);
        for agent in &self.agents {
            let runs = self.samples_of(agent).chunk_by(|a, b| b.time - a.time <= pause + 1e-9);
            for run in runs {
                for at in 0..run.len() {
                    let before = &run[if at >= reach { at - reach } else { at }];
                    let after = run.get(at + reach).unwrap_or(&run[at]);
                    let seconds = after.time - before.time;
                    if seconds > 0.0 {
                        sum += f64::from(after.x - before.x).hypot(f64::from(after.y - before.y)) / seconds;
                        count += 1;
                    }
                }
            }
        }
        (count > 0).then(|| sum / count as f64)
    }

    fn most_at_once(&self) -> usize {
        let ends = self.agents.iter().filter_map(|agent| {
            let own = self.samples_of(agent);
            Some([(own.first()?.time, 0), (own.last()?.time, 1)])
        });
        // Arrivals come before departures of the same moment: both are then present.
        let mut ends: Vec<(f64, u8)> = ends.flatten().collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut now, mut most) = (0_usize, 0);
        for (_, is_end) in ends {
            now = if is_end == 1 { now.saturating_sub(1) } else { now + 1 };
            most = most.max(now);
        }
        most
    }

    /// Rate that walking speeds suggest: "; people walk at a usual speed at 25".
    fn likely_rate(&self) -> String {
        let Some(per_frame) = self.mean_speed().filter(|speed| *speed > 0.0) else {
            return String::new();
        };
        let rates = [1.0, 2.5, 5.0, 8.0, 10.0, 12.5, 15.0, 16.0, 25.0, 30.0, 50.0, 60.0];
        let fits = rates
            .into_iter()
            .filter(|rate| (0.2..2.2).contains(&(rate * per_frame)));
        let fits: Vec<String> = fits.map(|rate| rate.to_string()).collect();
        match fits.len() {
            0 => String::new(),
            _ => format!(" (people would walk at 0.2 to 2.2 m/s at {})", fits.join(", ")),
        }
    }
}

/// Span of finite numbers; inverted without any.
fn span(numbers: impl Iterator<Item = f64>) -> Range {
    let finite = numbers.filter(|number| number.is_finite());
    finite.fold(Range(f64::INFINITY, f64::NEG_INFINITY), |Range(low, high), number| {
        Range(low.min(number), high.max(number))
    })
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} to {:.2} m", self.0, self.1)
    }
}

/// Words for the origin of a fact.
fn origin(source: FactSource) -> &'static str {
    match source {
        FactSource::File => "",
        FactSource::Option => " (as told)",
        FactSource::Assumed => " (assumed)",
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  format     {}", self.format.name())?;
        write!(f, "  agents     {}, at most {} at once", self.agents, self.most_at_once)?;
        match self.vehicles {
            0 => writeln!(f)?,
            vehicles => writeln!(f, "; {}", plural(vehicles, "vehicle"))?,
        }
        write!(f, "  samples    {}", self.samples)?;
        match self.fps {
            Some(fps) => {
                // Of a table of times the rate is a fact that follows, not a guess.
                let origin = if self.fps_source == FactSource::Assumed {
                    ""
                } else {
                    origin(self.fps_source)
                };
                writeln!(
                    f,
                    ", {fps} a second{origin}, frames {} to {}",
                    self.first_frame, self.last_frame
                )?;
            }
            None => writeln!(f, ", frames {} to {}, rate unknown", self.first_frame, self.last_frame)?,
        }
        if let Some(duration) = self.duration_s {
            writeln!(f, "  duration   {duration:.2} s")?;
        }
        writeln!(f, "  extent     x {}, y {}", self.extent_m.x, self.extent_m.y)?;
        if let Some(z) = self.extent_m.z {
            writeln!(f, "  floors     {z}")?;
        }
        if let Some(heads) = self.head_height_m {
            writeln!(f, "  heads      {heads} above the ground")?;
        }
        writeln!(f, "  unit       {}{}", self.unit.name(), origin(self.unit_source))?;
        if let Some(speed) = self.mean_speed_m_s {
            writeln!(f, "  speed      {speed:.2} m/s on average")?;
        }
        match &self.walls {
            Some(walls) => {
                write!(
                    f,
                    "  walls      {}, {:.1} m",
                    plural(walls.lines, "line"),
                    walls.length_m
                )?;
                match walls.walkable_area_m2 {
                    Some(area) => writeln!(f, "; walkable {area:.1} m²")?,
                    None => writeln!(f)?,
                }
            }
            None => writeln!(f, "  walls      none")?,
        }
        if self.gap_count > 0 {
            let Gap { id, from_s, to_s } = &self.gaps[0];
            let first = format!("first agent {id} from {from_s:.2} to {to_s:.2}");
            writeln!(f, "  gaps       {}, {first}", self.gap_count)?;
        }
        for note in &self.notes {
            writeln!(f, "  note       {note}")?;
        }
        Ok(())
    }
}
