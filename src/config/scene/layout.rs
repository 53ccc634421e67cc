//! The arrangements on the ground that a scene can ask for.

use serde::{Deserialize, Serialize};

/// Arrangement on the ground. Positions never come closer than 0.6 of the spacing.
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
    /// An irregular but evenly filled disc, random headings.
    Scatter,
    /// Along both sides of the scene's first path, facing it; houses behind.
    Roadside,
}
