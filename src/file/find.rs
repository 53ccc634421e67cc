//! Which files are characters, by their endings and by what is in them.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::file::gltf::{document::split_container, read_regular};

/// What a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// Something to draw.
    pub meshes: bool,
    /// Something to play.
    pub clips: bool,
}

/// Whether a name ends as characters do: `.glb`, `.gltf`.
#[must_use]
pub fn is_character(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    ending == "glb" || ending == "gltf"
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

/// What a `.glb` or `.gltf` holds, by its JSON alone; `None` where it cannot be read.
#[must_use]
pub fn holds(path: &Path) -> Option<Holds> {
    let bytes = read_regular(path).ok()?;
    let (text, _) = split_container(&bytes).ok()?;
    let root: Value = serde_json::from_slice(text).ok()?;
    let has = |list: &str| {
        root.get(list)
            .and_then(Value::as_array)
            .is_some_and(|items| !items.is_empty())
    };
    Some(Holds {
        meshes: has("meshes"),
        clips: has("animations"),
    })
}
