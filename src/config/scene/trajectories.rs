//! `[scene.trajectories]`: a file of trajectories that people follow.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::validate::ValidationError;

/// A file of trajectories, with the facts that it lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrajectoryConfig {
    /// Path of the file; `-`: standard input; empty: people follow the layout.
    pub file: PathBuf,
    /// Frames per second of the file's frame numbers, 0..=1000; 0: as the file says.
    pub fps: f64,
    /// Unit of places; none: as the file says, else metres.
    pub unit: UnitConfig,
    /// Meaning of the columns of a text, in their order; empty: by their names.
    pub columns: Vec<String>,
    /// Path of a file with walls; empty: those of the file or of one beside it.
    pub walls: PathBuf,
    /// Height of walls (m), 0..=20; 0 draws none.
    pub wall_height: f64,
    /// Width of the filter for places (s), 0..=10; 0 keeps every sample. Files of footsteps are filtered over 2.6 times as
    /// long.
    pub smooth: f64,
    /// Colour of clothes.
    pub color: TrajectoryColor,
    /// Name of the column whose values colour clothes; empty: the one that `columns` calls `value`.
    pub color_column: String,
    /// Value of the first colour, ±1e9; equal to `color_to`: the scale fits the file.
    pub color_from: f64,
    /// Value of the last colour, ±1e9.
    pub color_to: f64,
    /// True if pictures show the time since the first sample.
    pub clock: bool,
    /// True if pictures explain the colours of clothes.
    pub legend: bool,
    /// True if pictures show the file's identities above heads.
    pub ids: bool,
    /// Length of trails on the ground (s), 0..=600; 0 draws none.
    pub trails: f64,
    /// Line whose crossings pictures count: x and y of its start, then of its end (m, axes of the file); empty: none.
    pub flow: Vec<f64>,
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

impl Default for TrajectoryConfig {
    fn default() -> Self {
        Self {
            file: PathBuf::new(),
            fps: 0.0,
            unit: UnitConfig::Auto,
            columns: Vec::new(),
            walls: PathBuf::new(),
            wall_height: 1.0,
            smooth: 0.5,
            color: TrajectoryColor::None,
            color_column: String::new(),
            color_from: 0.0,
            color_to: 0.0,
            clock: true,
            legend: true,
            ids: false,
            trails: 0.0,
            flow: Vec::new(),
        }
    }
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
