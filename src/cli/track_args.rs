//! Options for files of trajectories.

use std::path::PathBuf;

use clap::{Args, ValueEnum as _};

use crate::{
    config::{Config, TrajectoryColor, UnitConfig},
    tracks::{FlowLine, LengthUnit, ReadOptions},
};

/// Facts that a file of trajectories may lack.
#[derive(Args, Debug, Clone, Default)]
pub struct TrackArgs {
    /// Unit of places in a file of trajectories; by default the file's own, else m.
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<LengthUnit>,
    /// Meaning of the columns of a text, in their order: id, frame, time, x, y, z, yaw, yaw_deg, value (for
    /// colours), or - for none.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub columns: Vec<String>,
    /// File with walls: WKT, a .floor of crowd:it, a .scenario of Vadere; by default one beside the trajectories.
    #[arg(long, value_name = "FILE")]
    pub walls: Option<PathBuf>,
}

impl TrackArgs {
    /// Options of the reader.
    pub(crate) fn options(&self, fps: Option<f64>) -> ReadOptions {
        ReadOptions {
            fps,
            unit: self.unit,
            columns: self.columns.clone(),
            value: None,
            walls: self.walls.clone(),
        }
    }
}

/// Options for scenes whose people follow a file.
#[derive(Args, Debug, Clone, Default)]
pub struct TrajectoryArgs {
    /// File of trajectories that people follow: JuPedSim, PeTrack, Vadere, SUMO, Viswalk, Pathfinder, crowd:it, HDF5 of
    /// the Pedestrian Dynamics Data Archive, CSV; see `throng info FILE`. `-` reads standard input: the window grows with
    /// its lines, other commands read to its end.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["layout", "count"])]
    pub trajectories: Option<PathBuf>,
    /// Frames per second of the frame numbers in a file of trajectories; by default the file's own.
    #[arg(long, value_parser = parse_track_fps, value_name = "HZ", allow_negative_numbers = true)]
    pub track_fps: Option<f64>,
    /// Facts that the file lacks.
    #[command(flatten)]
    pub facts: TrackArgs,
    /// Seconds over which places of trajectories are smoothed (width at half maximum), 0 to 10, or none [default: 0.5].
    #[arg(long, value_parser = parse_smooth, value_name = "none|SECONDS", allow_negative_numbers = true)]
    pub smooth: Option<f64>,
    /// Colour of clothes on trajectories; those of speed, density and column change over time. A column is named as in
    /// column=NAME.
    #[arg(long, value_parser = parse_color_by, value_name = "none|id|speed|density|destination|column=NAME")]
    pub color_by: Option<ColorBy>,
    /// Values of the first and the last colour; by default the scale fits the file.
    #[arg(long, value_parser = parse_color_range, value_name = "FROM,TO", allow_negative_numbers = true)]
    pub color_range: Option<[f64; 2]>,
    /// Texts over pictures of trajectories [default: clock,legend].
    #[arg(long, value_delimiter = ',', value_name = "none|clock,legend,ids")]
    pub annotate: Option<Vec<Annotation>>,
    /// Seconds of the trails that people leave on the ground, 0 to 600, or none [default: none].
    #[arg(long, value_parser = parse_trails, value_name = "none|SECONDS", allow_negative_numbers = true)]
    pub trails: Option<f64>,
    /// Line whose crossings pictures count: its start and end on the ground (m, axes of the file).
    #[arg(long, value_name = "X1,Y1,X2,Y2", allow_hyphen_values = true)]
    pub flow: Option<FlowLine>,
}

/// Colour of clothes with the name of a column; empty for other colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColorBy {
    /// Colour.
    pub color: TrajectoryColor,
    /// Column.
    pub column: String,
}

/// Text over a picture of trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Annotation {
    /// Nothing.
    None,
    /// Time since the first sample.
    Clock,
    /// Colours of clothes with their meaning.
    Legend,
    /// Identities of the file above heads.
    Ids,
}

impl TrajectoryArgs {
    /// Applies these options to a configuration. `is_own_scene` is true if another option chose the scene.
    pub(super) fn apply(&self, config: &mut Config, is_own_scene: bool) {
        if let Some(file) = &self.trajectories {
            config.follow(file);
            if !is_own_scene {
                config.name_after(file);
            }
        }
        let own = &mut config.scene.trajectories;
        if let Some(fps) = self.track_fps {
            own.fps = fps;
        }
        if let Some(unit) = self.facts.unit {
            own.unit = match unit {
                LengthUnit::M => UnitConfig::M,
                LengthUnit::Cm => UnitConfig::Cm,
                LengthUnit::Mm => UnitConfig::Mm,
                LengthUnit::Ft => UnitConfig::Ft,
            };
        }
        if !self.facts.columns.is_empty() {
            own.columns.clone_from(&self.facts.columns);
        }
        if let Some(walls) = &self.facts.walls {
            own.walls.clone_from(walls);
        }
        if let Some(smooth) = self.smooth {
            own.smooth = smooth;
        }
        if let Some(ColorBy { color, column }) = &self.color_by {
            own.color = *color;
            own.color_column.clone_from(column);
        }
        if let Some(range) = self.color_range {
            [own.color_from, own.color_to] = range;
        }
        if let Some(shown) = &self.annotate {
            own.clock = shown.contains(&Annotation::Clock);
            own.legend = shown.contains(&Annotation::Legend);
            own.ids = shown.contains(&Annotation::Ids);
        }
        if let Some(trails) = self.trails {
            own.trails = trails;
        }
        if let Some(FlowLine { from, to }) = self.flow {
            own.flow = [from, to].concat();
        }
    }
}

/// Parses frames per second of trajectories.
pub(super) fn parse_track_fps(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| *rate > 0.0 && *rate <= 1000.0);
    rate.ok_or_else(|| format!("{text:?} is not a rate; give frames per second, above 0 to 1000"))
}

/// Parses the name of a colour, or `column=NAME`.
fn parse_color_by(text: &str) -> Result<ColorBy, String> {
    let (word, column) = text.split_once('=').unwrap_or((text, ""));
    let color = TrajectoryColor::from_str(word, false).ok();
    let is_whole = column.is_empty() || color == Some(TrajectoryColor::Column);
    let parsed = color.filter(|_| is_whole).map(|color| ColorBy {
        color,
        column: column.to_owned(),
    });
    parsed.ok_or_else(|| {
        format!("{text:?} is none of none, id, speed, density, destination and column=NAME, NAME being a column's name")
    })
}

/// Parses two ascending numbers.
fn parse_color_range(text: &str) -> Result<[f64; 2], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[from, to]) if from < to && from >= -1e9 && to <= 1e9 => Ok([from, to]),
        _ => Err(format!("{text:?} is no range; give two ascending numbers, such as 0,2")),
    }
}

fn parse_smooth(text: &str) -> Result<f64, String> {
    parse_seconds(text, 10.0)
}

fn parse_trails(text: &str) -> Result<f64, String> {
    parse_seconds(text, 600.0)
}

/// Parses `none`, which is 0, or seconds up to `most`.
fn parse_seconds(text: &str, most: f64) -> Result<f64, String> {
    if text == "none" {
        return Ok(0.0);
    }
    let seconds = text.parse().ok().filter(|seconds| (0.0..=most).contains(seconds));
    seconds.ok_or_else(|| format!("{text:?} is neither none nor a number of seconds from 0 to {most}"))
}
