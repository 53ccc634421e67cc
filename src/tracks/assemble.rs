//! From the rows of a file to trajectories: sorted, in metres and seconds, checked.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    Agent, AgentKind, FactSource, Format, Id, LengthUnit, ReadOptions, Sample, TrackError, Tracks, VehicleClass,
    notes::{Problems, plural},
    samples::SampleTable,
    walls::Walls,
};

/// Places beyond this (m) are map coordinates, which lose precision as `f32`.
const FAR: f64 = 4096.0;
/// Speed that no crowd reaches (m/s): a median above it means another unit.
const NO_CROWD: f64 = 12.0;
/// Heights of heads (m).
const HEADS: Range<f32> = 1.0..2.3;

/// Origin for coordinates around a number: zero near the map's own, else a round number near it.
pub(super) fn origin_near(number: f64) -> f64 {
    if number.abs() < FAR {
        0.0
    } else {
        (number / 1000.0).round() * 1000.0
    }
}

/// Clock of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clocking {
    /// Times are seconds.
    Seconds,
    /// Times are numbers of frames, at a rate that the file may state.
    Frames { fps: Option<f64> },
}

/// Facts that a reader finds beside samples.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) format: Format,
    pub(super) clocking: Clocking,
    pub(super) unit: Option<LengthUnit>,
    pub(super) walls: Option<Walls>,
    /// Agents that are vehicles, by number.
    pub(super) vehicles: Vec<(u32, VehicleClass)>,
    pub(super) notes: Vec<String>,
}

impl Facts {
    pub(super) fn new(format: Format, clocking: Clocking) -> Self {
        Self {
            format,
            clocking,
            unit: None,
            walls: None,
            vehicles: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Facts of a format that is always in metres.
    pub(super) fn metric(format: Format, clocking: Clocking) -> Self {
        Self {
            unit: Some(LengthUnit::M),
            ..Self::new(format, clocking)
        }
    }
}

/// Samples of a reader in any order, in the file's units.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) samples: SampleTable,
    pub(super) ids: Vec<Id>,
    pub(super) origin: [f64; 2],
    pub(super) problems: Problems,
    pub(super) facts: Facts,
}

impl Parts {
    /// Makes trajectories.
    ///
    /// # Errors
    /// No samples; places in another unit than stated; a rate that is none.
    pub(super) fn assemble(mut self, name: &str, options: &ReadOptions) -> Result<Tracks, TrackError> {
        if self.samples.is_empty() {
            let mut problems = self.problems.notes();
            problems.insert(0, "no samples".to_owned());
            return Err(TrackError::file(name, problems.join("; ")));
        }
        let mut notes = self.problems.notes();
        notes.append(&mut self.facts.notes);
        self.samples.sort();
        notes.extend(self.drop_doubles());
        let agents = self.agents();
        let (unit, unit_source) = match (options.unit, self.facts.unit) {
            (Some(unit), _) => (unit, FactSource::Option),
            (None, Some(unit)) => (unit, FactSource::File),
            (None, None) => (LengthUnit::M, FactSource::Assumed),
        };
        let (fps, fps_source) = self.rate(name, options, &agents)?;
        self.scale(unit, fps);
        let z_is_head = self.has_heads();
        let tracks = Tracks {
            format: self.facts.format,
            agents,
            samples: self.samples.rows,
            extras: self.samples.extras,
            origin: self.origin.map(|at| at * unit.metres()),
            fps,
            fps_source,
            unit,
            unit_source,
            z_is_head,
            walls: self.facts.walls,
            notes,
        };
        tracks.refuse_nonsense(name)?;
        Ok(tracks)
    }

    /// Keeps one sample of an agent and time.
    fn drop_doubles(&mut self) -> Option<String> {
        let (mut doubles, mut conflicts, mut first) = (0_usize, 0_usize, None);
        self.samples.drop_doubles(|kept, dropped| {
            doubles += 1;
            if (dropped.x, dropped.y) != (kept.x, kept.y) {
                conflicts += 1;
                first.get_or_insert((kept.agent, kept.time));
            }
        });
        if doubles == 0 {
            return None;
        }
        let mut text = format!(
            "{} repeat an agent and time and were left out",
            plural(doubles, "sample")
        );
        if let Some((agent, time)) = first {
            let id = &self.ids[agent as usize];
            text += &format!("; {conflicts} with another place, first agent {id} at {time}");
        }
        Some(text)
    }

    fn agents(&self) -> Vec<Agent> {
        let mut agents: Vec<Agent> = Vec::with_capacity(self.ids.len());
        let mut start = 0;
        for (number, id) in (0_u32..).zip(&self.ids) {
            let end = start + self.samples.rows[start..].partition_point(|sample| sample.agent <= number);
            agents.push(Agent {
                id: id.clone(),
                kind: AgentKind::Person,
                samples: start..end,
            });
            start = end;
        }
        for (vehicle, class) in &self.facts.vehicles {
            agents[*vehicle as usize].kind = AgentKind::Vehicle(*class);
        }
        agents
    }

    /// Frames per second: stated for frames; of times, the inverse of the median step.
    fn rate(
        &self,
        name: &str,
        options: &ReadOptions,
        agents: &[Agent],
    ) -> Result<(Option<f64>, FactSource), TrackError> {
        if let Some(fps) = options.fps.filter(|fps| !(*fps > 0.0 && *fps <= 1e6)) {
            return Err(TrackError::file(
                name,
                format!("{fps} frames per second is no rate; give --fps 25"),
            ));
        }
        match self.facts.clocking {
            Clocking::Frames { fps } => Ok(match (options.fps, fps) {
                (Some(fps), _) => (Some(fps), FactSource::Option),
                (None, Some(fps)) => (Some(fps), FactSource::File),
                (None, None) => (None, FactSource::Assumed),
            }),
            Clocking::Seconds => {
                let step = median_step(&self.samples.rows, agents).filter(|step| *step > 0.0);
                // Nobody has a second sample: each is shown for a second.
                let assumed = step.map_or(1.0, |step| tidy_rate(1.0 / step));
                let fps = Some(options.fps.unwrap_or(assumed));
                Ok((
                    fps,
                    if options.fps.is_some() {
                        FactSource::Option
                    } else {
                        FactSource::Assumed
                    },
                ))
            }
        }
    }

    /// Converts places to metres and times to seconds.
    fn scale(&mut self, unit: LengthUnit, fps: Option<f64>) {
        let factor = unit.metres();
        let seconds = match (self.facts.clocking, fps) {
            (Clocking::Frames { .. }, Some(fps)) => Some(fps),
            _ => None,
        };
        if factor == 1.0 && seconds.is_none() {
            return;
        }
        self.samples
            .rows
            .par_iter_mut()
            .with_min_len(1 << 14)
            .for_each(|sample| {
                let scaled = |length: f32| (f64::from(length) * factor) as f32;
                (sample.x, sample.y, sample.z) = (scaled(sample.x), scaled(sample.y), scaled(sample.z));
                if let Some(fps) = seconds {
                    sample.time /= fps;
                }
            });
    }

    /// True if z is the height of heads: recordings state it, and it is that of people everywhere.
    fn has_heads(&self) -> bool {
        let is_recording = matches!(self.facts.format, Format::PeTrack | Format::DataArchive | Format::Table);
        let mut heights = self.samples.rows.iter().map(|sample| sample.z);
        is_recording && heights.all(|z| HEADS.contains(&z))
    }
}

/// Median time between samples of one agent, of at most 100,000 pairs.
pub(super) fn median_step(samples: &[Sample], agents: &[Agent]) -> Option<f64> {
    let every = (agents.len() / 1000).max(1);
    let some = agents
        .iter()
        .step_by(every)
        .flat_map(|agent| samples[agent.samples.clone()].windows(2).take(100));
    let mut steps: Vec<f64> = some.map(|pair| pair[1].time - pair[0].time).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len().saturating_sub(1) / 2).copied()
}

/// Rate without the rounding of decimal times: 24.999 is 25.
fn tidy_rate(rate: f64) -> f64 {
    let round = (rate * 100.0).round() / 100.0;
    if (round - rate).abs() < 1e-3 * rate && round > 0.0 {
        round
    } else {
        rate
    }
}

impl Tracks {
    /// Refuses places that are in another unit than stated or assumed.
    fn refuse_nonsense(&self, name: &str) -> Result<(), TrackError> {
        let Some(speed) = self.median_speed() else {
            return Ok(());
        };
        let stated = match self.unit_source {
            FactSource::File => "the file says",
            FactSource::Option => "--unit says",
            FactSource::Assumed => "no unit is stated, and without one throng assumes",
        };
        if speed <= NO_CROWD {
            return Ok(());
        }
        let unit = self.unit.name();
        let other = match (speed / 100.0 < NO_CROWD, self.unit) {
            (true, LengthUnit::M) => "; are places in centimetres? give --unit cm",
            (false, LengthUnit::M) => "; are places in millimetres? give --unit mm",
            _ => "; give the right --unit or --fps",
        };
        Err(TrackError::file(
            name,
            format!("people would move at {speed:.0} m/s ({stated} {unit}){other}"),
        ))
    }

    /// Median speed of people who move (m/s), of a part of the samples; `None` without a rate.
    fn median_speed(&self) -> Option<f64> {
        // Frames of an unknown rate: no crowd is filmed at less than one frame in two seconds.
        let seconds = if self.has_seconds() { 1.0 } else { 1.0 / 30.0 };
        let every = (self.agents.len() / 1000).max(1);
        let people = self.agents.iter().filter(|agent| agent.kind == AgentKind::Person);
        let pairs = people
            .step_by(every)
            .flat_map(|agent| self.samples_of(agent).windows(2).take(200));
        let speeds = pairs.map(|pair| {
            let way = f64::from(pair[1].x - pair[0].x).hypot(f64::from(pair[1].y - pair[0].y));
            way / ((pair[1].time - pair[0].time) * seconds)
        });
        let mut speeds: Vec<f64> = speeds.filter(|speed| *speed > 1e-6).collect();
        speeds.sort_by(f64::total_cmp);
        speeds.get(speeds.len() / 2).copied()
    }

    /// True if times are seconds; false if the file counts frames whose rate nobody stated.
    #[must_use]
    pub fn has_seconds(&self) -> bool {
        self.fps.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timed_file_with_one_sample_each_needs_no_rate() {
        let read =
            |text: &str| Tracks::from_bytes("rows.csv", text.as_bytes(), &ReadOptions::default()).expect("reads");
        let timed = read("id,t,x,y\n1,0,0,0\n2,3,1,0\n");
        assert!(timed.has_seconds());
        assert_eq!((timed.fps, timed.fps_source), (Some(1.0), FactSource::Assumed));
        let counted = read("id,frame,x,y\n1,0,0,0\n2,3,1,0\n");
        assert!(!counted.has_seconds(), "frames need a rate");
    }
}
