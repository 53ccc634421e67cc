//! Formats of character files: what reads each, and one list of them for opening, folders, dialogs, drops and messages.
//!
//! To add a format: implement [`Importer`] in a module of its own and name it in [`IMPORTERS`].

use std::{path::Path, sync::Arc};

use crate::{
    file::{Animations, FileContents, ModelError, OpenedFile, baked::BakedImporter, gltf::GltfImporter},
    model::AnimationLibrary,
};

/// Bytes of a file, its name, and the folder beside it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// File name in messages.
    pub name: &'a str,
    /// The whole file.
    pub bytes: &'a [u8],
    /// Folder from which external buffers and images are read; `None` forbids them.
    pub base: Option<&'a Path>,
}

/// Use of a character, which decides how much of its file is read.
#[derive(Clone, Copy, Debug)]
pub enum Use<'a> {
    /// Everything is read and checked.
    Whole,
    /// Only what drawing needs. The file is given again to be kept: an importer may read keys of clips and pixels of
    /// images on first use.
    Draw(&'a Arc<Vec<u8>>),
    /// Clips of these libraries are added: nodes that they move become joints.
    Animate(&'a Animations),
}

/// Reader of one format of character files.
pub trait Importer: Sync {
    /// Name of the format, such as "glTF".
    fn name(&self) -> &'static str;

    /// Endings of its files, in lowercase, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// True if the bytes are of this format. Must be cheap: called for every file, with all of its bytes.
    fn sniff(&self, bytes: &[u8]) -> bool;

    /// Meshes and clips that the file holds, found without reading them; `None` if it is damaged.
    fn contents(&self, bytes: &[u8]) -> Option<FileContents>;

    /// Reads a character.
    ///
    /// # Errors
    /// One line that says what is wrong, where, and how to fix it.
    fn load(&self, source: &Source<'_>, wanted: Use<'_>) -> Result<OpenedFile, ModelError>;

    /// Reads clips and the joints that they move, no meshes.
    ///
    /// # Errors
    /// As [`Self::load`]; also for files without clips, and those whose clips move no joints.
    fn load_library(&self, source: &Source<'_>) -> Result<AnimationLibrary, ModelError>;
}

/// All formats, the most specific first: the first that recognises a file reads it.
pub const IMPORTERS: &[&dyn Importer] = &[&BakedImporter, &GltfImporter];

/// The importer of a file by its content; glTF, which says what is wrong, if none recognises it.
pub fn importer_of(bytes: &[u8]) -> &'static dyn Importer {
    let found = IMPORTERS.iter().find(|importer| importer.sniff(bytes));
    *found.unwrap_or(&(&GltfImporter as &dyn Importer))
}

/// Endings of character files, each once, in lowercase, without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    let all = || IMPORTERS.iter().flat_map(|importer| importer.extensions());
    all()
        .enumerate()
        .filter(move |(at, own)| !all().take(*at).any(|before| before == *own))
        .map(|(_, own)| *own)
}

/// Endings of character files in a sentence: ".glb or .gltf".
#[must_use]
pub fn extensions_text() -> String {
    let dotted: Vec<String> = extensions().map(|own| format!(".{own}")).collect();
    match dotted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => dotted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ending_is_listed_once() {
        let all: Vec<_> = extensions().collect();
        assert_eq!(all, ["glb", "gltf"]);
        assert_eq!(extensions_text(), ".glb or .gltf");
    }

    #[test]
    fn files_are_recognised_by_their_content() {
        assert_eq!(importer_of(b"{}").name(), "glTF");
        assert_eq!(importer_of(b"what is this").name(), "glTF");
        let glb = |json: &str| [b"glTF\x02\0\0\0\0\0\0\0\0\0\0\0JSON", json.as_bytes()].concat();
        assert_eq!(importer_of(&glb("{}")).name(), "glTF");
        let baked = glb(r#"{"extensionsUsed":["THRONG_animation_atlas"]}"#);
        assert_eq!(importer_of(&baked).name(), "baked character");
    }
}
