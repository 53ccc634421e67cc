//! Errors of character files.

use std::path::PathBuf;

use crate::bake::retarget::RetargetError;

/// Error of loading a model, in one line: problem, place in the file, and how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file that cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Reason from the operating system; part of the message and therefore not a `source`.
        reason: std::io::Error,
    },
    /// A name that is neither a file nor an embedded character.
    #[error("{name}: no such file; the embedded characters are {known}")]
    Unknown {
        /// Name as given.
        name: String,
        /// Names of all embedded characters.
        known: String,
    },
    /// A file that is not glTF, or damaged beyond its header.
    #[error("{name}: not a valid glTF 2.0 file: {reason}")]
    Format {
        /// File name.
        name: String,
        /// Problem, and how to fix it.
        reason: String,
    },
    /// A file of another format that is damaged beyond its header.
    #[error("{name}: cannot be read as {format}: {reason}")]
    Damaged {
        /// File name.
        name: String,
        /// Name of the format.
        format: &'static str,
        /// Problem, and how to fix it.
        reason: String,
    },
    /// A required feature that is not supported.
    #[error("{name}: requires {feature}, which throng does not support; {hint}")]
    Unsupported {
        /// File name.
        name: String,
        /// Extension or feature as glTF names it.
        feature: String,
        /// A command or setting that produces a usable file.
        hint: String,
    },
    /// Clips of another file do not fit a character.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// A file that parses, but whose content contradicts itself.
    #[error("{name}: {place}: {problem}")]
    Content {
        /// File name.
        name: String,
        /// Place in the file, such as `mesh 3 "Arm", primitive 0`.
        place: String,
        /// Problem, and how to fix it.
        problem: String,
    },
}
