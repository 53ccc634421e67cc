//! `[scene.trajectories]`: a file of trajectories that people follow.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::{Kind, keys::words, section::section, validate::ValidationError};

section! {
    /// `[scene.trajectories]`: a file of trajectories, with the facts that it lacks.
    ["scene.trajectories"] TrajectoryConfig

    /// Path of the file: JuPedSim, PeTrack, Vadere, SUMO, Viswalk, Pathfinder, crowd:it, HDF5 of the Pedestrian Dynamics
    /// Data Archive, CSV; "-": standard input; empty: none.
    file: PathBuf = PathBuf::new(), Kind::Text, "";

    /// Rate of the file's frame numbers. 0: as the file says.
    fps: f64 = 0.0, Kind::Number(0.0, 1000.0), "frames per second";

    /// Unit of places: "auto" (as the file says, else metres), "m", "cm", "mm" or "ft".
    unit: UnitConfig = UnitConfig::Auto, Kind::OneOf(words::<UnitConfig>), "";

    /// Meaning of the columns of a text, such as ["id", "frame", "x", "y"]; empty: by their names.
    columns: Vec<String> = Vec::new(), Kind::Texts, "";

    /// Path of a file with walls (WKT, .floor, .scenario); empty: those of the file, or of one of the same name beside it.
    walls: PathBuf = PathBuf::new(), Kind::Text, "";

    /// Height of walls. 0 draws none.
    wall_height: f64 = 1.0, Kind::Number(0.0, 20.0), "metres";

    /// Time over which places are smoothed (width at half maximum). 0 keeps every sample. Files of footsteps
    /// (Vadere, crowd:it) are smoothed over 2.6 times as long.
    smooth: f64 = 0.5, Kind::Number(0.0, 10.0), "seconds";

    /// Colour of clothes by "none", "id", "destination", or at each moment by "speed", "density" or "column".
    color: TrajectoryColor = TrajectoryColor::None, Kind::OneOf(words::<TrajectoryColor>), "";

    /// Name of the column whose values colour clothes; empty: the one that `columns` calls "value".
    color_column: String = String::new(), Kind::Text, "";

    /// Value of the first colour. The scale fits the file unless it is below `color_to`.
    color_from: f64 = 0.0, Kind::Number(-1e9, 1e9), "";

    /// Value of the last colour.
    color_to: f64 = 0.0, Kind::Number(-1e9, 1e9), "";

    /// Whether pictures show the time since the first sample.
    clock: bool = true, Kind::Bool, "";

    /// Whether pictures explain the colours of clothes.
    legend: bool = true, Kind::Bool, "";

    /// Whether pictures show the file's ids above heads.
    ids: bool = false, Kind::Bool, "";

    /// Length of the trails on the ground. 0 draws none.
    trails: f64 = 0.0, Kind::Number(0.0, 600.0), "seconds";

    /// Line whose crossings pictures count, such as [0.0, 1.0, 4.0, 1.0]: x and y of its start, then of its end, as
    /// in the file. Empty: none.
    flow: Vec<f64> = Vec::new(), Kind::Numbers(-1e8, 1e8), "metres";
}

/// Unit of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitConfig {
    /// As the file says, else metres.
    #[default]
    Auto,
    /// Metres.
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Feet.
    Ft,
}

/// Fact that colours the clothes of people on trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum TrajectoryColor {
    /// Clothes of any colour.
    #[default]
    None,
    /// A colour for each identity.
    Id,
    /// Speed at the moment, from blue (slow) to red (fast).
    Speed,
    /// Density around somebody at the moment, from blue (sparse) to red (dense).
    Density,
    /// Value of a column at the moment, from blue (low) to red (high).
    Column,
    /// Place where somebody's way ends, in eight directions.
    Destination,
}

impl TrajectoryConfig {
    /// True if people follow a file.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.file.as_os_str().is_empty()
    }

    /// Values of the first and the last colour; `None` if the scale fits the file.
    #[must_use]
    pub fn color_range(&self) -> Option<[f64; 2]> {
        (self.color_from < self.color_to).then_some([self.color_from, self.color_to])
    }

    /// Column whose values colour clothes.
    #[must_use]
    pub fn value_column(&self) -> Option<&str> {
        let is_named = self.color == TrajectoryColor::Column && !self.color_column.is_empty();
        is_named.then_some(self.color_column.as_str())
    }

    /// Start and end of the line whose crossings pictures count.
    #[must_use]
    pub fn flow_ends(&self) -> Option<[[f64; 2]; 2]> {
        let &[x1, y1, x2, y2] = self.flow.as_slice() else {
            return None;
        };
        Some([[x1, y1], [x2, y2]])
    }

    /// Problem of the settings against each other: a line that is none.
    pub(crate) fn validation_error(&self) -> Option<ValidationError> {
        let is_line = self.flow_ends().is_some_and(|[from, to]| from != to);
        let value = format!("{:?}", self.flow);
        let expected = "no number, or x and y of the start and of another end";
        (!self.flow.is_empty() && !is_line).then(|| ValidationError::new("scene.trajectories.flow", value, expected))
    }

    /// Leaves pictures without texts and lines over people.
    pub fn hide_annotations(&mut self) {
        (self.clock, self.legend, self.ids, self.trails) = (false, false, false, 0.0);
        self.flow.clear();
    }

    /// True if people follow standard input, which `-` names.
    #[must_use]
    pub fn is_standard_input(&self) -> bool {
        self.file.as_os_str() == "-"
    }
}
