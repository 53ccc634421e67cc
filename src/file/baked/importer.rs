//! Importer of baked characters.

use crate::{
    file::{
        FileContents, Importer, ModelError, OpenedFile, Source, Use,
        baked::{BAKED_EXTENSION, with_atlas},
        gltf::{self, document::split_container},
    },
    model::AnimationLibrary,
};

/// Reader of baked characters: glTF with the extension `THRONG_animation_atlas`.
#[derive(Clone, Copy, Debug)]
pub struct BakedImporter;

impl Importer for BakedImporter {
    fn name(&self) -> &'static str {
        "baked character"
    }

    fn extensions(&self) -> &'static [&'static str] {
        gltf::EXTENSIONS
    }

    /// Searches the JSON for the extension's name; a raw file that merely mentions it is still read correctly.
    fn sniff(&self, bytes: &[u8]) -> bool {
        let text = split_container(bytes)
            .ok()
            .map(|(text, _)| String::from_utf8_lossy(text));
        text.is_some_and(|text| text.contains(BAKED_EXTENSION))
    }

    fn contents(&self, bytes: &[u8]) -> Option<FileContents> {
        gltf::contents(bytes)
    }

    fn load(&self, source: &Source<'_>, wanted: Use<'_>) -> Result<OpenedFile, ModelError> {
        let Source { name, bytes, base } = *source;
        let (model, extension) = match wanted {
            Use::Whole => gltf::load_baked(name, bytes, base)?,
            Use::Draw(kept) => gltf::load_to_draw(name, kept, base)?,
            Use::Animate(animations) => gltf::load_to_animate(name, bytes, base, animations)?,
        };
        with_atlas(model, extension.as_ref())
    }

    fn load_library(&self, source: &Source<'_>) -> Result<AnimationLibrary, ModelError> {
        gltf::load_library(source.name, source.bytes, source.base)
    }
}
