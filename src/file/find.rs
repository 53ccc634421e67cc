//! Which files are characters, by their endings and by what is in them.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::file::{
    gltf::read_regular,
    importer::{extensions, importer_of},
};

/// Contents of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileContents {
    /// Something to draw.
    pub meshes: bool,
    /// Something to play.
    pub clips: bool,
}

/// True if a name ends as those of character files do ([`extensions`]).
#[must_use]
pub fn is_character(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    extensions().any(|own| ending == own)
}

/// The characters in a folder, at any depth, in the order of their paths; links to folders are not followed.
///
/// # Errors
/// A folder that cannot be read.
pub fn characters_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: io::Result<Vec<_>> = std::fs::read_dir(folder)?.collect();
    let mut paths: Vec<PathBuf> = entries?.iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            files.extend(characters_in(&path)?);
        } else if path.is_file() && is_character(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Meshes and clips in a file, found without reading them; `None` if it cannot be read.
#[must_use]
pub fn contents_of(path: &Path) -> Option<FileContents> {
    let bytes = read_regular(path).ok()?;
    importer_of(&bytes).contents(&bytes)
}
