//! JSON of commands that report on character files.

use serde::Serialize;

use crate::cli::parse_whole;

/// Shape of the JSON that `info` and `bake` print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonShape {
    /// The shape of version 1, which differs between the commands: `info` prints an object for a single file and a list
    /// for several, `bake` a list.
    First,
    /// One object with the files, for any number of them: `FileReports`.
    #[default]
    Second,
}

/// Reports on character files, in the shape of version 2.
#[derive(Debug, Serialize)]
pub(crate) struct FileReports<T> {
    /// Version of this shape: 2.
    schema: u32,
    /// Reports of the files that were read, in the order of the command line.
    files: Vec<FileReport<T>>,
    /// Files that failed.
    errors: Vec<FileError>,
}

/// Report on one file.
#[derive(Debug, Serialize)]
pub(crate) struct FileReport<T> {
    /// File as named, or as found in a named folder.
    pub(crate) file: String,
    /// Its report.
    #[serde(flatten)]
    pub(crate) report: T,
}

/// Failure of one file.
#[derive(Debug, Serialize)]
pub(crate) struct FileError {
    /// File as named, or as found in a named folder.
    pub(crate) file: String,
    /// Reason.
    pub(crate) error: String,
}

impl<T> FileReports<T> {
    /// Reports and failures, in their order.
    pub(crate) const fn new(files: Vec<FileReport<T>>, errors: Vec<FileError>) -> Self {
        Self {
            schema: 2,
            files,
            errors,
        }
    }
}

/// Parses the version of `--json=1`.
///
/// # Errors
/// A message with the versions that there are.
pub(crate) fn parse_json_shape(text: &str) -> Result<JsonShape, String> {
    match parse_whole::<u32>(text, 1, 2) {
        Ok(1) => Ok(JsonShape::First),
        Ok(_) => Ok(JsonShape::Second),
        Err(_) => Err(format!(
            "{text:?} is no shape of the JSON; write --json, or --json=1 for that of version 1"
        )),
    }
}
