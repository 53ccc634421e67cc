//! Errors of files of trajectories.

use std::fmt;

/// Place in a text file: line and, where one field is wrong, column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPlace {
    /// Line.
    pub line: u64,
    /// Field of the line, if the problem lies in one.
    pub column: Option<u32>,
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        match self.column {
            Some(column) => write!(f, ", column {column}"),
            None => Ok(()),
        }
    }
}

/// Error of reading trajectories, in one line: problem, place in the file, and how to fix it.
#[derive(Debug, thiserror::Error)]
pub enum TrackError {
    /// A file that cannot be read.
    #[error("cannot read {name}: {reason}")]
    Io {
        /// File name.
        name: String,
        /// Reason from the operating system; part of the message and therefore not a `source`.
        reason: std::io::Error,
    },
    /// A file that is no trajectory, or of a format that this build does not read.
    #[error("{name}: {problem}")]
    File {
        /// File name.
        name: String,
        /// Problem, and how to fix it.
        problem: String,
    },
    /// A wrong line or field of a text.
    #[error("{name}: {place}: {problem}")]
    Text {
        /// File name.
        name: String,
        /// Line and column.
        place: TextPlace,
        /// Problem, and how to fix it.
        problem: String,
    },
}

impl TrackError {
    pub(super) fn io(name: &str, reason: std::io::Error) -> Self {
        Self::Io {
            name: name.to_owned(),
            reason,
        }
    }

    pub(super) fn file(name: &str, problem: impl Into<String>) -> Self {
        Self::File {
            name: name.to_owned(),
            problem: problem.into(),
        }
    }

    pub(super) fn text(name: &str, place: TextPlace, problem: impl Into<String>) -> Self {
        Self::Text {
            name: name.to_owned(),
            place,
            problem: problem.into(),
        }
    }
}
