//! Finds character files by extension, and their contents by format.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::file::{
    CharacterPath,
    gltf::read_regular,
    importer::{extensions, extensions_text, importer_of},
};

/// Contents of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileContents {
    /// True if it has meshes.
    pub meshes: bool,
    /// True if it has clips.
    pub clips: bool,
}

/// True if a name has the extension of a character file ([`extensions`]).
#[must_use]
pub fn is_character(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    extensions().any(|own| ending == own)
}

/// Finds the characters in a folder, at any depth, in the order of their paths; links to folders are not followed.
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

/// Files of a folder, by their use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderFiles {
    /// Files with meshes, and those that cannot be read.
    pub characters: Vec<PathBuf>,
    /// Files of clips alone, which the characters play.
    pub libraries: Vec<PathBuf>,
}

impl FolderFiles {
    /// Finds the files of a folder as [`characters_in`] and reads what each contains.
    ///
    /// # Errors
    /// A folder that cannot be read, has no such files, or only files of clips.
    pub fn find(folder: &Path) -> io::Result<Self> {
        let files = characters_in(folder)?;
        if files.is_empty() {
            return Err(io::Error::other(format!("no {} in this folder", extensions_text())));
        }
        if files.len() == 1 {
            return Ok(Self {
                characters: files,
                libraries: Vec::new(),
            });
        }
        let has_clips_alone = |file: &PathBuf| contents_of(file).is_some_and(|held| held.clips && !held.meshes);
        let (libraries, characters): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(has_clips_alone);
        if characters.is_empty() {
            return Err(io::Error::other(format!(
                "the {} files in this folder have clips and no character; play them on one with --animations",
                libraries.len()
            )));
        }
        Ok(Self { characters, libraries })
    }
}

/// Finds out whether a file has meshes and clips, without reading them; `None` if the file cannot be read.
#[must_use]
pub fn contents_of(path: &Path) -> Option<FileContents> {
    let bytes = read_regular(CharacterPath::of(path).file).ok()?;
    importer_of(&bytes).contents(&bytes)
}
