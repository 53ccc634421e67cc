//! Groups: the part that a person plays in a layout decides clips, phase and colours.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Part that a person plays; its number is that of [`Instance::group`](crate::crowd::Instance).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum Group {
    /// No particular part: everyone in grids, rings and scattered crowds.
    #[default]
    Crowd = 0,
    /// Plaza: circles of two to six people in conversation.
    Talkers = 1,
    /// Plaza: people on their own or waiting for someone.
    Standers = 2,
    /// Plaza: people around the fountain, looking at it.
    Watchers = 3,
    /// Plaza: people in the half-ring in front of the street musician.
    Audience = 4,
    /// Plaza: people between audience and musician.
    Dancers = 5,
    /// Plaza: one person with an instrument.
    Musician = 6,
    /// Plaza: people on the avenues and promenades, facing along them.
    Walkers = 7,
    /// Stadium: the home side on the pitch, lined up.
    Players = 8,
    /// Stadium: people in the stands of the home side.
    Home = 9,
    /// Stadium: people in the stands of the visitors.
    Away = 10,
    /// Ranks: in front of each block.
    Officers = 11,
    /// Ranks: in the blocks.
    Soldiers = 12,
    /// Roadside: people who watch.
    Spectators = 13,
    /// Stadium: the visiting side on the pitch, lined up.
    Visitors = 14,
    /// Stadium: between both sides.
    Referees = 15,
    /// Plaza: people on the benches.
    Sitters = 16,
}

/// Phase in which the clips of a group's members start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Independently of each other.
    Random,
    /// All at the same time and at one speed: marching in step.
    Together,
    /// One after another along the layout, at one speed: a Mexican wave.
    Wave,
}

impl Group {
    /// Every group; `ALL[g as usize] == g`.
    pub const ALL: [Self; 17] = [
        Self::Crowd,
        Self::Talkers,
        Self::Standers,
        Self::Watchers,
        Self::Audience,
        Self::Dancers,
        Self::Musician,
        Self::Walkers,
        Self::Players,
        Self::Home,
        Self::Away,
        Self::Officers,
        Self::Soldiers,
        Self::Spectators,
        Self::Visitors,
        Self::Referees,
        Self::Sitters,
    ];

    /// Number of groups.
    pub const COUNT: usize = Self::ALL.len();

    /// Name as in `[scene.groups.NAME]`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crowd => "crowd",
            Self::Talkers => "talkers",
            Self::Standers => "standers",
            Self::Watchers => "watchers",
            Self::Audience => "audience",
            Self::Dancers => "dancers",
            Self::Musician => "musician",
            Self::Walkers => "walkers",
            Self::Players => "players",
            Self::Home => "home",
            Self::Away => "away",
            Self::Officers => "officers",
            Self::Soldiers => "soldiers",
            Self::Spectators => "spectators",
            Self::Visitors => "visitors",
            Self::Referees => "referees",
            Self::Sitters => "sitters",
        }
    }

    /// Group by name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Default clip weights, for scenes that give none; a character that has none of these plays every clip equally.
    #[must_use]
    pub const fn clips(self) -> &'static [(&'static str, f32)] {
        match self {
            // Clips that people can play on the spot without a chair.
            Self::Crowd => &[
                ("idle", 3.0),
                ("listen", 1.0),
                ("talk", 1.0),
                ("wave", 1.0),
                ("cheer", 1.0),
                ("clap", 1.0),
                ("dance", 1.0),
            ],
            Self::Talkers => &[("talk", 4.0), ("listen", 5.0), ("idle", 1.0), ("clap", 0.1)],
            Self::Standers => &[("idle", 6.0), ("listen", 2.0), ("wave", 0.7)],
            Self::Watchers => &[("idle", 5.0), ("listen", 2.0), ("wave", 0.5), ("cheer", 0.2)],
            Self::Audience => &[("clap", 3.0), ("listen", 4.0), ("cheer", 1.0), ("idle", 1.0)],
            Self::Dancers => &[("dance", 1.0)],
            Self::Musician => &[("play", 1.0)],
            Self::Walkers => &[("walk", 1.0)],
            Self::Players | Self::Visitors => &[("idle", 3.0), ("wave", 1.0)],
            Self::Referees => &[("idle", 1.0)],
            Self::Sitters => &[("sit", 1.0)],
            Self::Home => &[("cheer", 4.0), ("clap", 4.0), ("wave", 1.0), ("idle", 2.0)],
            Self::Away => &[("idle", 4.0), ("clap", 3.0), ("cheer", 1.0)],
            Self::Officers => &[("idle", 1.0)],
            Self::Soldiers => &[("idle", 1.0)],
            Self::Spectators => &[("clap", 4.0), ("cheer", 3.0), ("wave", 1.0), ("idle", 1.0)],
        }
    }

    /// Default phase, for scenes that give none.
    #[must_use]
    pub const fn phase(self) -> Phase {
        match self {
            Self::Soldiers | Self::Officers => Phase::Together,
            _ => Phase::Random,
        }
    }

    /// True if people of the group vary in scale; false where all seats have one height.
    #[must_use]
    pub const fn varies_in_scale(self) -> bool {
        !matches!(self, Self::Sitters)
    }

    /// [`Self::clips`] as a map.
    #[must_use]
    pub fn clip_weights(self) -> BTreeMap<String, f32> {
        let pairs = self.clips().iter();
        pairs.map(|&(name, weight)| (name.to_owned(), weight)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_order_agree() {
        for (number, group) in Group::ALL.into_iter().enumerate() {
            assert_eq!(group as usize, number);
            assert_eq!(Group::from_name(group.name()), Some(group));
        }
        assert_eq!(Group::from_name("nobody"), None);
    }
}
