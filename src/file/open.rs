//! Opens a character from a file or from memory, raw or baked.

use std::{path::Path, sync::Arc};

use crate::{
    atlas::{Atlas, baked_vertex::VertexAtlas},
    file::{
        Animations, CharacterPath, ModelError, gltf,
        importer::{Source, Use, importer_of},
    },
    model::Model,
};

/// Content of a character file, raw or baked.
#[derive(Debug)]
pub struct OpenedFile {
    /// Skeleton, mesh, materials and clips.
    pub model: Model,
    /// Atlas, if the file is baked.
    pub atlas: Option<Atlas>,
    /// Baked vertices, if the file has them.
    pub vertices: Option<VertexAtlas>,
}

/// Opens a `.glb` or `.gltf`, raw or baked, and reads all of it.
///
/// # Errors
/// As [`gltf::load_bytes`]; also if the extension contradicts itself or is too new.
pub fn open(path: &Path) -> Result<OpenedFile, ModelError> {
    read_file(path, |name, bytes, base| open_bytes(name, &bytes, base))
}

/// Opens a character as [`open`]; of a baked file it reads only the parts that drawing needs, as
/// [`gltf::load_to_draw`].
/// This takes a few milliseconds, however many clips the file has.
///
/// # Errors
/// As [`open`].
pub fn open_to_draw(path: &Path) -> Result<OpenedFile, ModelError> {
    read_file(path, open_bytes_to_draw)
}

/// Opens a character as [`open`] that is to play other clips as well: rigid parts stay separate wherever these clips
/// move them.
///
/// # Errors
/// As [`open`].
pub fn open_to_animate(path: &Path, animations: &Animations) -> Result<OpenedFile, ModelError> {
    read_file(path, |name, bytes, base| {
        open_bytes_to_animate(name, &bytes, base, animations)
    })
}

/// Reads a character's file.
fn read_file(
    path: &Path,
    open: impl FnOnce(&str, Vec<u8>, Option<&Path>) -> Result<OpenedFile, ModelError>,
) -> Result<OpenedFile, ModelError> {
    read_named(path, open, |opened| &mut opened.model.name)
}

/// Reads a file and names the result.
pub(super) fn read_named<T>(
    path: &Path,
    open: impl FnOnce(&str, Vec<u8>, Option<&Path>) -> Result<T, ModelError>,
    name_of: fn(&mut T) -> &mut String,
) -> Result<T, ModelError> {
    let character = CharacterPath::of(path);
    let CharacterPath { file: path, variant } = character;
    let mut bytes = gltf::read_regular(path).map_err(|reason| ModelError::Io {
        path: path.into(),
        reason,
    })?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let base = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if let Some(variant) = variant {
        bytes = gltf::variants::applied(&name, &bytes, variant)?;
    }
    let mut opened = open(&name, bytes, Some(base))?;
    let own = name_of(&mut opened);
    let is_titled = *own != name;
    if let Some(shown) = shown_name(path, is_titled) {
        *own = shown;
    }
    *own = character.named(own);
    Ok(opened)
}

/// Name shown for a file: the stem of its own name. Where that says nothing, as `scene.gltf` of Sketchfab, it is the
/// title in the file, which is `None`, else the name of the folder.
fn shown_name(path: &Path, is_titled: bool) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy();
    if !gltf::is_generic(&stem) {
        return Some(stem.into_owned());
    }
    if is_titled {
        return None;
    }
    let folder = path
        .canonicalize()
        .ok()?
        .parent()?
        .file_name()?
        .to_string_lossy()
        .into_owned();
    Some(folder)
}

/// Opens a character in memory; `base` is the folder for external files, if any are allowed.
///
/// # Errors
/// As [`open`].
pub fn open_bytes(name: &str, bytes: &[u8], base: Option<&Path>) -> Result<OpenedFile, ModelError> {
    importer_of(bytes).load(&Source { name, bytes, base }, Use::Whole)
}

/// Opens a character in memory as [`open_to_animate`].
///
/// # Errors
/// As [`open`].
pub fn open_bytes_to_animate(
    name: &str,
    bytes: &[u8],
    base: Option<&Path>,
    animations: &Animations,
) -> Result<OpenedFile, ModelError> {
    importer_of(bytes).load(&Source { name, bytes, base }, Use::Animate(animations))
}

/// Opens a character in memory as [`open_to_draw`].
///
/// # Errors
/// As [`open`].
pub fn open_bytes_to_draw(name: &str, bytes: Vec<u8>, base: Option<&Path>) -> Result<OpenedFile, ModelError> {
    let kept = Arc::new(bytes);
    let source = Source {
        name,
        bytes: &kept,
        base,
    };
    importer_of(&kept).load(&source, Use::Draw(&kept))
}
