//! Quality of the LODs of files that bring none.

use serde::{Deserialize, Serialize};

/// LODs of raw files. Baked files bring their own, which are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum LodQuality {
    /// Quick ones in `shot` and at first in the window, which replaces them by judged ones; judged ones elsewhere.
    #[default]
    Auto,
    /// Made in a quarter of the usual time, with up to 1.5 times the usual triangles.
    Quick,
    /// The coarsest that cannot be told from full detail; made in seconds and cached.
    Judged,
    /// None: everything is drawn at full detail.
    Full,
}

impl LodQuality {
    /// Name in settings and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Quick => "quick",
            Self::Judged => "judged",
            Self::Full => "full",
        }
    }

    /// Quality of a command whose `Auto` is `usual`.
    #[must_use]
    pub const fn or(self, usual: Self) -> Self {
        match self {
            Self::Auto => usual,
            chosen => chosen,
        }
    }
}
