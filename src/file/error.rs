//! What can be wrong with a character file.

use std::path::PathBuf;

use crate::bake::retarget::RetargetError;

/// A model that could not be loaded: what, where in the file, and how to fix it, in one line.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file could not be read at all.
    #[error("cannot read {}: {reason}", path.display())]
    Io {
        /// The requested file.
        path: PathBuf,
        /// The operating system's reason; part of the message and therefore not a `source`.
        reason: std::io::Error,
    },
    /// Neither a file nor the name of an embedded character.
    #[error("{name}: no such file; the embedded characters are {known}")]
    Unknown {
        /// As given.
        name: String,
        /// All embedded characters.
        known: String,
    },
    /// Not a glTF file, or broken beyond its header.
    #[error("{name}: not a valid glTF 2.0 file: {reason}")]
    Format {
        /// File name.
        name: String,
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
    /// The file parses but its content contradicts itself.
    #[error("{name}: {place}: {problem}")]
    Content {
        /// File name.
        name: String,
        /// Where: `mesh 3 "Arm", primitive 0`.
        place: String,
        /// Problem, and how to fix it.
        problem: String,
    },
}
