//! What a scene or a frame could not do as asked, or assumed: values to match, sentences to show.

use std::fmt;

use serde::{Serialize, Serializer};

/// One thing that a user should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Names of the settings that no character has.
    MissingName {
        /// `clip`, `socket` or `joint`.
        what: &'static str,
        /// Each with the key where it stands.
        names: String,
        /// Available names.
        available: String,
    },
    /// More people requested than there are.
    TooFewPeople {
        /// Where they are requested.
        key: &'static str,
        /// How many.
        wanted: u64,
        /// How many there are.
        available: u64,
    },
    /// A character of another size than people, scaled in a crowd.
    Scaled {
        /// Name of the character.
        character: String,
        /// Its own height, metres.
        height: f32,
        /// Factor in the crowd.
        factor: f32,
    },
    /// A character wider than tall, for which everyone stands farther apart than asked for.
    Spread {
        /// Name of the character.
        character: String,
        /// Spacing in use, metres.
        spacing: f32,
    },
    /// A request that changes nothing.
    NoEffect {
        /// Where it stands.
        key: String,
        /// Sentence about what was not found, and what to do.
        why: String,
    },
    /// Nobody is in the picture.
    EmptyPicture {
        /// Reason, and what to change.
        why: String,
    },
    /// Note of import or bake.
    Import {
        /// Name of the character.
        character: String,
        /// A sentence.
        note: String,
    },
    /// A character that the atlas format does not hold well.
    Unfit {
        /// Name of the character.
        character: String,
        /// How far it is off, where, and what to use instead.
        why: String,
    },
    /// Software rasterization was asked for and is not possible.
    RasterRefused {
        /// Reason.
        why: String,
    },
    /// The window chose what rasterises.
    RasterChosen {
        /// Choice, and the reason.
        why: String,
    },
    /// Everyone is drawn at full detail, seen or not: the technique has no LODs.
    FullDetail {
        /// Name of the technique.
        technique: &'static str,
    },
    /// A character with morph targets that the technique leaves out.
    MorphsIgnored {
        /// Name of the character.
        character: String,
        /// Name of the technique.
        technique: &'static str,
    },
    /// Heroes that the technique cannot pose live.
    HeroesBaked {
        /// How many.
        count: usize,
        /// Techniques that can.
        techniques: Vec<&'static str>,
    },
    /// Samples per pixel that the adapter cannot draw.
    Samples {
        /// Requested.
        wanted: u32,
        /// Drawn with.
        used: u32,
    },
    /// Figures are those of a window.
    FromWindow {
        /// Median interval between frames, milliseconds.
        interval_ms: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingName { what, names, available } => {
                write!(out, "no character has the {what} {names}; available: {available}")
            }
            Self::TooFewPeople { key, wanted, available } => {
                write!(
                    out,
                    "{key} requests {wanted} people, but only {available} are available"
                )
            }
            Self::Scaled {
                character,
                height,
                factor,
            } => {
                write!(
                    out,
                    "{character}: {height:.2} m tall; scaled by {factor:.3} in the crowd"
                )
            }
            Self::Spread { character, spacing } => {
                write!(out, "{character}: wider than tall; people stand {spacing:.1} m apart")
            }
            Self::NoEffect { key, why } => write!(out, "{key} has no effect: {why}"),
            Self::EmptyPicture { why } => write!(out, "nobody is in the picture: {why}"),
            Self::Import { character, note } => write!(out, "{character}: {note}"),
            Self::Unfit { character, why } => write!(out, "{character}: {why}"),
            Self::RasterRefused { why } => {
                write!(out, "drawn by the hardware rasterizer instead of in compute: {why}")
            }
            Self::RasterChosen { why } => write!(out, "rasterizer {why}"),
            Self::FullDetail { technique } => {
                write!(out, "technique {technique} draws everyone at full detail, seen or not")
            }
            Self::MorphsIgnored { character, technique } => {
                write!(out, "{character}: technique {technique} ignores morph targets")
            }
            Self::HeroesBaked { count, techniques } => {
                let techniques = techniques.join(" or ");
                write!(
                    out,
                    "{count} hero(es) play their baked clips: live poses require technique {techniques}"
                )
            }
            Self::Samples { wanted, used } => {
                write!(out, "{wanted} samples per pixel are not supported; using {used}")
            }
            Self::FromWindow { interval_ms } => write!(out, "from a window at {interval_ms:.2} ms per frame"),
        }
    }
}

/// As its sentence.
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
