//! Importer of glTF files.

use serde_json::Value;

use crate::{
    file::{
        FileContents, Importer, ModelError, OpenedFile, Source, Use,
        gltf::{document::split_container, load_bytes, load_library, load_to_animate},
    },
    model::AnimationLibrary,
};

/// File extensions of glTF.
pub(crate) const EXTENSIONS: &[&str] = &["glb", "gltf", "vrm", "vrma"];

/// Reader of glTF 2.0 files of other programs.
#[derive(Clone, Copy, Debug)]
pub struct GltfImporter;

impl Importer for GltfImporter {
    fn name(&self) -> &'static str {
        "glTF"
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn sniff(&self, bytes: &[u8]) -> bool {
        split_container(bytes).is_ok()
    }

    fn contents(&self, bytes: &[u8]) -> Option<FileContents> {
        contents(bytes)
    }

    fn load(&self, source: &Source<'_>, wanted: Use<'_>) -> Result<OpenedFile, ModelError> {
        let Source { name, bytes, base } = *source;
        let model = match wanted {
            Use::Whole | Use::Draw(_) => load_bytes(name, bytes, base)?,
            Use::Animate(animations) => load_to_animate(name, bytes, base, animations)?.0,
        };
        Ok(OpenedFile {
            model,
            atlas: None,
            vertices: None,
        })
    }

    fn load_library(&self, source: &Source<'_>) -> Result<AnimationLibrary, ModelError> {
        load_library(source.name, source.bytes, source.base)
    }
}

/// Finds out whether the JSON lists meshes and clips; `None` if it is damaged.
pub(crate) fn contents(bytes: &[u8]) -> Option<FileContents> {
    let (text, _) = split_container(bytes).ok()?;
    let root: Value = serde_json::from_slice(text).ok()?;
    let has = |list: &str| {
        root.get(list)
            .and_then(Value::as_array)
            .is_some_and(|items| !items.is_empty())
    };
    Some(FileContents {
        meshes: has("meshes"),
        clips: has("animations"),
    })
}
