//! Facts that a file of trajectories may lack, and that a user then states.

use std::path::PathBuf;

use crate::config::{TrajectoryConfig, UnitConfig};

/// Unit of places in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Metres.
    #[default]
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Feet.
    Ft,
}

impl LengthUnit {
    /// Metres in one of this unit.
    #[must_use]
    pub const fn metres(self) -> f64 {
        match self {
            Self::M => 1.0,
            Self::Cm => 0.01,
            Self::Mm => 0.001,
            Self::Ft => 0.3048,
        }
    }

    /// Symbol.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::M => "m",
            Self::Cm => "cm",
            Self::Mm => "mm",
            Self::Ft => "ft",
        }
    }

    /// Unit with a symbol, in any case.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [Self::M, Self::Cm, Self::Mm, Self::Ft];
        all.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(name))
    }
}

/// Facts about a file that its user states. They outrank those of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Frames per second of the file's frame numbers.
    pub fps: Option<f64>,
    /// Unit of places.
    pub unit: Option<LengthUnit>,
    /// Meaning of the columns of a text, in their order: `id`, `frame`, `time`, `x`, `y`, `z`, `yaw`, `value`, `-`
    /// for none.
    pub columns: Vec<String>,
    /// Column whose values travel with the samples, for colours.
    pub value: Option<String>,
    /// File with walls: WKT, `.floor`, `.scenario`.
    pub walls: Option<PathBuf>,
}

impl From<&TrajectoryConfig> for ReadOptions {
    fn from(config: &TrajectoryConfig) -> Self {
        let unit = match config.unit {
            UnitConfig::Auto => None,
            UnitConfig::M => Some(LengthUnit::M),
            UnitConfig::Cm => Some(LengthUnit::Cm),
            UnitConfig::Mm => Some(LengthUnit::Mm),
            UnitConfig::Ft => Some(LengthUnit::Ft),
        };
        Self {
            fps: (config.fps > 0.0).then_some(config.fps),
            unit,
            columns: config.columns.clone(),
            value: config.value_column().map(str::to_owned),
            walls: Some(config.walls.clone()).filter(|walls| !walls.as_os_str().is_empty()),
        }
    }
}
