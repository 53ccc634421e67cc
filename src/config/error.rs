//! Errors of settings files.

use std::path::PathBuf;

use crate::file::UnknownVariant;

/// Error of settings, in one line: place, key, problem, and what would be valid.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// Name or path as given.
        path: PathBuf,
        /// Reason from the system; part of the message and therefore not a `source`.
        reason: std::io::Error,
    },
    /// A name that is neither a preset nor the path of a .toml file.
    #[error("no scene named \"{name}\"; use one of {known}, or the path of a .toml file{hint}")]
    UnknownScene {
        /// Name or path as given.
        name: String,
        /// "; did you mean ...?" or empty.
        hint: String,
        /// Names of all presets.
        known: String,
    },
    /// A character in place of a scene.
    #[error(
        "{name} is a character, no scene: name it without --scene, as in `throng view {name}`, or add a scene: `--scene plaza {name}`"
    )]
    CharacterAsScene {
        /// Path as given.
        name: String,
    },
    /// A material variant that no character has.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownVariant),
    /// More than one scene.
    #[error("two scenes are named, {first} and {second}; name one")]
    TwoScenes {
        /// One of them.
        first: String,
        /// Another one.
        second: String,
    },
    /// Text that is not TOML, or not of the right structure.
    #[error("{place}: {message}")]
    Syntax {
        /// File and line.
        place: Place,
        /// Problem.
        message: String,
    },
    /// A key that does not exist.
    #[error("{place}: unknown key `{key}`{hint}")]
    UnknownKey {
        /// File and line.
        place: Place,
        /// Dotted path.
        key: String,
        /// "; did you mean ...?", or what is known there.
        hint: String,
    },
    /// Both the old and the new name of one setting.
    #[error("{place}: `{old}` and `{new}` are one setting; remove `{old}`")]
    BothNames {
        /// File and line.
        place: Place,
        /// Old dotted path.
        old: String,
        /// New dotted path.
        new: String,
    },
    /// A value of the wrong type.
    #[error("{place}: `{key}` is {found}; expected {expected}")]
    WrongType {
        /// File and line.
        place: Place,
        /// Dotted path.
        key: String,
        /// Type found.
        found: String,
        /// Type and range.
        expected: String,
    },
    /// A value of the right type that is not allowed.
    #[error("{place}: `{key}` is {value}; expected {expected}")]
    OutOfRange {
        /// File and line.
        place: Place,
        /// Dotted path.
        key: String,
        /// As written.
        value: String,
        /// Range or allowed values, and the nearest of them.
        expected: String,
    },
}

impl ConfigError {
    /// Wrong key, empty if there is none, and the problem, without the place.
    #[cfg(feature = "app")]
    pub(crate) fn key_and_reason(&self) -> (&str, String) {
        match self {
            Self::Read { .. }
            | Self::UnknownScene { .. }
            | Self::CharacterAsScene { .. }
            | Self::TwoScenes { .. }
            | Self::UnknownVariant(_) => ("", self.to_string()),
            Self::Syntax { message, .. } => ("", message.clone()),
            Self::UnknownKey { key, hint, .. } => (key, format!("unknown key{hint}")),
            Self::BothNames { old, new, .. } => (old, format!("the same setting as {new}")),
            Self::WrongType {
                key, found, expected, ..
            } => (key, format!("{found}; expected {expected}")),
            Self::OutOfRange {
                key, value, expected, ..
            } => (key, format!("{value}; expected {expected}")),
        }
    }

    /// Error without a file.
    pub(crate) fn of_no_file(mut self) -> Self {
        match &mut self {
            Self::Read { .. }
            | Self::UnknownScene { .. }
            | Self::CharacterAsScene { .. }
            | Self::TwoScenes { .. }
            | Self::UnknownVariant(_) => {}
            Self::Syntax { place, .. }
            | Self::UnknownKey { place, .. }
            | Self::BothNames { place, .. }
            | Self::WrongType { place, .. }
            | Self::OutOfRange { place, .. } => place.line = 0,
        }
        self
    }
}

/// Place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File or preset, as given.
    pub file: String,
    /// Line, counted from 1; 0 for settings that are not from a file.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}
