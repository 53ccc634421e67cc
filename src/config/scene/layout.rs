//! Layouts of people on the ground that a scene can have.

use serde::{Deserialize, Serialize};

use crate::config::{Config, Ground};

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

impl Layout {
    /// Ground that suits the layout.
    #[must_use]
    pub const fn ground(self) -> Ground {
        match self {
            Self::Plaza | Self::Ring | Self::Scatter | Self::Roadside => Ground::Plaza,
            Self::Grid => Ground::Grid,
            Self::Ranks => Ground::Grass,
            Self::Stadium => Ground::Pitch,
        }
    }
}

impl Config {
    /// Changes the layout. Another layout takes its ground along, unless `keeps_ground`. The caption of the scene
    /// is cleared, since it describes the layout before.
    pub fn take_layout(&mut self, layout: Layout, keeps_ground: bool) {
        if layout == self.scene.layout {
            return;
        }
        self.scene.layout = layout;
        self.scene.caption.clear();
        if !keeps_ground {
            self.look.ground = layout.ground();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_layout_takes_its_ground_along_and_drops_the_caption() {
        let mut config = Config::default();
        config.take_layout(Layout::Plaza, false);
        assert_eq!(config, Config::default());
        config.take_layout(Layout::Stadium, false);
        assert_eq!((config.look.ground, config.scene.caption.as_str()), (Ground::Pitch, ""));
        config.take_layout(Layout::Ranks, true);
        assert_eq!(config.look.ground, Ground::Pitch);
    }

    #[test]
    fn presets_have_the_ground_of_their_layout_or_say_another() {
        for (preset, ground) in [
            ("plaza", Ground::Plaza),
            ("stadium", Ground::Pitch),
            ("army", Ground::Grass),
        ] {
            let config = Config::scene(preset).expect(preset);
            assert_eq!(
                (config.look.ground, config.scene.layout.ground()),
                (ground, ground),
                "{preset}"
            );
        }
    }
}
