//! Layouts of people on the ground that a scene can have.

use serde::{Deserialize, Serialize};

/// Layout of people on the ground. No two people come closer than 0.6 of the spacing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// A square with circles of talkers, a fountain, a street musician and passers-by.
    #[default]
    Plaza,
    /// Square grid growing from the origin, all facing +Z.
    Grid,
    /// Concentric rings facing the centre.
    Ring,
    /// Blocks of soldiers with aisles between, all facing +Z.
    Ranks,
    /// Stands around a pitch.
    Stadium,
    /// Disc that is filled irregularly but evenly (blue noise), with random headings.
    Scatter,
    /// People along both sides of the scene's first path, facing it, with houses behind them.
    Roadside,
}
