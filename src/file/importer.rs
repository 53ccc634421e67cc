//! Formats of character files: one list of importers, used for opening, folders, dialogs, dropped files and messages.
//!
//! To add a format: implement [`Importer`] in a module of its own and name it in [`IMPORTERS`].

use std::{path::Path, sync::Arc};

#[cfg(feature = "fbx")]
use crate::file::fbx::FbxImporter;
use crate::{
    file::{Animations, FileContents, ModelError, OpenedFile, baked::BakedImporter, gltf::GltfImporter},
    model::AnimationLibrary,
};

/// Bytes of a file with its name and folder.
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
    /// Read and check everything.
    Whole,
    /// Read only the parts that drawing needs. An importer may keep the given bytes and read keys of clips and pixels
    /// of images on first use.
    Draw(&'a Arc<Vec<u8>>),
    /// Add clips of these libraries: nodes that they move become joints.
    Animate(&'a Animations),
}

/// Reader of one format of character files.
pub trait Importer: Sync {
    /// Name of the format, such as "glTF".
    fn name(&self) -> &'static str;

    /// File extensions, in lowercase, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// True if the bytes are of this format. Must be cheap: it is called for every file with all of its bytes.
    fn sniff(&self, bytes: &[u8]) -> bool;

    /// Finds out whether the file has meshes and clips, without reading them; `None` if it is damaged.
    fn contents(&self, bytes: &[u8]) -> Option<FileContents>;

    /// Reads a character.
    ///
    /// # Errors
    /// One line with the problem, its place, and how to fix it.
    fn load(&self, source: &Source<'_>, wanted: Use<'_>) -> Result<OpenedFile, ModelError>;

    /// Reads clips and the joints that they move, but no meshes.
    ///
    /// # Errors
    /// As [`Self::load`]; also for files without clips, and those whose clips move no joints.
    fn load_library(&self, source: &Source<'_>) -> Result<AnimationLibrary, ModelError>;
}

/// All formats, the most specific first: the first one that recognises a file reads it.
pub const IMPORTERS: &[&dyn Importer] = &[
    #[cfg(feature = "fbx")]
    &FbxImporter,
    &BakedImporter,
    &GltfImporter,
];

/// Chooses the importer of a file by its content. If none recognises it, glTF's reports the problem.
pub fn importer_of(bytes: &[u8]) -> &'static dyn Importer {
    let found = IMPORTERS.iter().find(|importer| importer.sniff(bytes));
    *found.unwrap_or(&(&GltfImporter as &dyn Importer))
}

/// File extensions of character files, each once, in lowercase, without the dot.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    let all = || IMPORTERS.iter().flat_map(|importer| importer.extensions());
    all()
        .enumerate()
        .filter(move |(at, own)| !all().take(*at).any(|before| before == *own))
        .map(|(_, own)| *own)
}

/// File extensions of character files as text: ".glb or .gltf".
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
        let expected = [
            #[cfg(feature = "fbx")]
            "fbx",
            "glb",
            "gltf",
            "vrm",
            "vrma",
        ];
        assert_eq!(all, expected);
        assert!(extensions_text().ends_with(".glb, .gltf, .vrm or .vrma"));
    }

    #[test]
    fn files_are_recognised_by_their_content() {
        assert_eq!(importer_of(b"{}").name(), "glTF");
        assert_eq!(importer_of(b"what is this").name(), "glTF");
        let glb = |json: &str| {
            let length = json.len() as u32;
            let words = [2, 20 + length, length].map(u32::to_le_bytes);
            [&b"glTF"[..], &words.concat()[..], b"JSON", json.as_bytes()].concat()
        };
        assert_eq!(importer_of(&glb("{}")).name(), "glTF");
        let baked = glb(r#"{"extensionsUsed":["THRONG_animation_atlas"]}"#);
        assert_eq!(importer_of(&baked).name(), "baked character");
    }
}
