//! The passes that are timed.

use serde::{Deserialize, Serialize};

/// A pass of the frame; ordered by name, as reports list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    /// Compute: what every instance shows this frame.
    Animate,
    /// Props, ground and sky; resolves multisampling.
    Backdrop,
    /// The people.
    Crowd,
    /// Depth from the sun.
    Shadow,
    /// HDR to the display.
    Tonemap,
}

impl Pass {
    /// Every pass.
    pub const ALL: [Self; 5] = [Self::Animate, Self::Backdrop, Self::Crowd, Self::Shadow, Self::Tonemap];

    /// Label of the pass and of its timer, key in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Animate => "animate",
            Self::Backdrop => "backdrop",
            Self::Crowd => "crowd",
            Self::Shadow => "shadow",
            Self::Tonemap => "tonemap",
        }
    }

    /// The pass of a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pass| pass.name() == name)
    }
}

impl std::fmt::Display for Pass {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_and_labels_use_the_same_names_in_their_order() {
        for pass in Pass::ALL {
            assert_eq!(serde_json::to_string(&pass).expect("a word"), format!("\"{pass}\""));
            assert_eq!(Pass::from_name(pass.name()), Some(pass));
        }
        assert!(Pass::ALL.is_sorted_by_key(|pass| pass.name()));
        assert!(Pass::ALL.is_sorted());
    }
}
