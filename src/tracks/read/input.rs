//! Bytes of a file, of memory or of a stream: unpacked where they are gzip, with a look at their beginning.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read, Seek},
    path::Path,
};

use flate2::bufread::MultiGzDecoder;

use super::{
    TrackError,
    format::{HDF5_MAGIC, SQLITE_MAGIC},
};

/// Bytes at the beginning by which formats and columns are recognised.
const HEAD: usize = 1 << 16;
/// Largest database that is read from a stream, which cannot be sought in (bytes).
const LARGEST_STREAMED: u64 = 1 << 30;

/// Bytes that can be sought in.
pub(super) trait Seekable: Read + Seek + Send {}
impl<T: Read + Seek + Send> Seekable for T {}

/// Bytes to read.
pub(super) enum Input {
    Seekable(Box<dyn Seekable>),
    Stream(Box<dyn Read + Send>),
}

/// A database, and its size (bytes).
#[cfg_attr(not(any(feature = "tracks-hdf5", feature = "tracks-sqlite")), expect(dead_code))]
pub(super) struct Binary {
    head: Vec<u8>,
    pub(super) file: Box<dyn Seekable>,
    pub(super) length: u64,
}

/// A text with its beginning.
pub(super) struct Text {
    /// First bytes, which [`Self::rest`] repeats.
    pub(super) head: Vec<u8>,
    /// All bytes.
    pub(super) rest: Box<dyn BufRead + Send>,
}

/// Bytes by their kind.
pub(super) enum InputFile {
    Binary(Binary),
    Text(Text),
}

impl InputFile {
    pub(super) fn head(&self) -> &[u8] {
        match self {
            Self::Binary(binary) => &binary.head,
            Self::Text(text) => &text.head,
        }
    }
}

impl Input {
    pub(super) fn file(name: &str, path: &Path) -> Result<Self, TrackError> {
        let file = File::open(path).map_err(|reason| TrackError::io(name, reason))?;
        let about = file.metadata().map_err(|reason| TrackError::io(name, reason))?;
        if about.is_dir() {
            return Err(TrackError::file(name, "a folder; name a file of trajectories"));
        }
        // A pipe such as /dev/stdin or <(command) cannot be sought in.
        Ok(if about.is_file() {
            Self::Seekable(Box::new(file))
        } else {
            Self::Stream(Box::new(file))
        })
    }

    pub(super) fn bytes(bytes: Vec<u8>) -> Self {
        Self::Seekable(Box::new(Cursor::new(bytes)))
    }

    /// A stream; databases are read into memory, since their pages refer to each other.
    pub(super) fn stream(name: &str, mut stream: Box<dyn Read + Send>) -> Result<Self, TrackError> {
        let failed = |reason| TrackError::io(name, reason);
        let mut first = Vec::new();
        stream.by_ref().take(16).read_to_end(&mut first).map_err(failed)?;
        let is_database = first.starts_with(SQLITE_MAGIC) || first.starts_with(HDF5_MAGIC);
        let all = Cursor::new(first).chain(stream);
        if !is_database {
            return Ok(Self::Stream(Box::new(all)));
        }
        let mut bytes = Vec::new();
        all.take(LARGEST_STREAMED + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > LARGEST_STREAMED {
            return Err(TrackError::file(
                name,
                "a database of more than 1 GiB; name its file instead of a stream",
            ));
        }
        Ok(Self::bytes(bytes))
    }

    /// Looks at the beginning.
    pub(super) fn open(self, name: &str) -> Result<InputFile, TrackError> {
        let failed = |reason| TrackError::io(name, reason);
        let stream: Box<dyn Read + Send> = match self {
            Self::Stream(stream) => stream,
            Self::Seekable(mut file) => {
                let head = beginning(&mut file).map_err(failed)?;
                let length = file.seek(io::SeekFrom::End(0)).map_err(failed)?;
                file.rewind().map_err(failed)?;
                if head.starts_with(SQLITE_MAGIC) || head.starts_with(HDF5_MAGIC) {
                    return Ok(InputFile::Binary(Binary { head, file, length }));
                }
                Box::new(file)
            }
        };
        let mut reader = BufReader::with_capacity(HEAD, stream);
        let is_packed = reader.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
        let mut text: Box<dyn Read + Send> = if is_packed {
            Box::new(MultiGzDecoder::new(reader))
        } else {
            Box::new(reader)
        };
        let head = beginning(&mut text).map_err(failed)?;
        if head.is_empty() {
            return Err(TrackError::file(name, "empty"));
        }
        if head.contains(&0) {
            let binary = Binary {
                head: Vec::new(),
                file: Box::new(Cursor::new(Vec::new())),
                length: 0,
            };
            return Ok(InputFile::Binary(binary));
        }
        let rest = BufReader::with_capacity(HEAD, Cursor::new(head.clone()).chain(text));
        Ok(InputFile::Text(Text {
            head,
            rest: Box::new(rest),
        }))
    }
}

/// First bytes. A live stream that pauses is not waited for beyond its first lines.
fn beginning(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let mut length = 0;
    while length < HEAD {
        match reader.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(length);
    Ok(head)
}
