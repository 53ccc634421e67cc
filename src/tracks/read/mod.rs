//! Readers, one a format, chosen by content.

mod columns;
mod fields;
mod format;
#[cfg(feature = "tracks-hdf5")]
mod hdf5;
mod input;
#[cfg(feature = "tracks-sqlite")]
mod jupedsim;
mod lines;
pub(super) mod live;
pub(in crate::tracks) mod number;
mod pathfinder_json;
#[cfg(feature = "tracks-sqlite")]
mod sqlite;
mod sumo;
mod table;
mod vadere;

pub use format::{Format, is_trajectories};

use std::{io::Read, path::Path};

use super::{ReadOptions, TrackError, Tracks, assemble::Parts, walls};
use input::{Input, InputFile};

/// Facts of a reader's surroundings.
struct Reading<'a> {
    /// File name in messages.
    name: &'a str,
    options: &'a ReadOptions,
}

pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Tracks, TrackError> {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    let input = Input::file(&name, path)?;
    let mut tracks = read(&name, input, options)?;
    if let Some(given) = &options.walls {
        tracks.walls = Some(walls::open(given)?);
    } else if tracks.walls.is_none()
        && let Some(beside) = walls::beside(path)
    {
        match walls::open(&beside) {
            Ok(found) => tracks.walls = Some(found),
            Err(error) => tracks.notes.push(error.to_string()),
        }
    }
    Ok(tracks)
}

pub(super) fn from_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Tracks, TrackError> {
    read(name, Input::bytes(bytes.to_vec()), options)
}

pub(super) fn from_stream(
    name: &str,
    stream: Box<dyn Read + Send>,
    options: &ReadOptions,
) -> Result<Tracks, TrackError> {
    let mut tracks = read(name, Input::stream(name, stream)?, options)?;
    if let Some(given) = &options.walls {
        tracks.walls = Some(walls::open(given)?);
    }
    Ok(tracks)
}

fn read(name: &str, input: Input, options: &ReadOptions) -> Result<Tracks, TrackError> {
    let reading = Reading { name, options };
    let opened = input.open(name)?;
    let format = format::recognise(opened.head());
    let parts = match opened {
        InputFile::Binary(binary) => read_binary(&reading, format, binary)?,
        InputFile::Text(text) => match format {
            Some(Format::SumoFcd) => sumo::read(&reading, text)?,
            Some(Format::PathfinderJson) => pathfinder_json::read(&reading, text)?,
            Some(Format::Vadere) => vadere::read(&reading, text)?,
            _ => table::read(&reading, text)?,
        },
    };
    parts.assemble(reading.name, options)
}

#[cfg_attr(
    not(all(feature = "tracks-hdf5", feature = "tracks-sqlite")),
    allow(unused_variables)
)]
fn read_binary(reading: &Reading<'_>, format: Option<Format>, binary: input::Binary) -> Result<Parts, TrackError> {
    match format {
        #[cfg(feature = "tracks-sqlite")]
        Some(Format::JuPedSim) => jupedsim::read(reading, binary),
        #[cfg(feature = "tracks-hdf5")]
        Some(Format::DataArchive) => hdf5::read(reading, binary),
        Some(format) => {
            let feature = if format == Format::JuPedSim {
                "tracks-sqlite"
            } else {
                "tracks-hdf5"
            };
            let name = format.name();
            Err(TrackError::file(
                reading.name,
                format!("{name} files need a build with `--features {feature}`"),
            ))
        }
        None => Err(TrackError::file(
            reading.name,
            format!("not a file of trajectories; {}", format::known()),
        )),
    }
}
