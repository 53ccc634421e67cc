//! Renderer options from settings: a picture's options, and the source (texture or storage buffer) that can hold the
//! animation data.

use std::sync::Arc;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    config::{RenderConfig, Technique},
    gpu::{Gpu, PICTURE_FORMAT},
    render::{DrawMethod, DrawPath, RenderOptions, resources::AtlasSource},
};

impl RenderOptions {
    /// Options for pictures of [`PICTURE_FORMAT`] from settings. Without a `source`, the one that fits the characters
    /// is taken.
    #[must_use]
    pub fn of_pictures(
        gpu: &Gpu,
        config: &RenderConfig,
        characters: &[Arc<Character>],
        (source, path): (Option<AtlasSource>, DrawPath),
    ) -> Self {
        let (technique, format) = (config.technique, config.format);
        Self {
            target: PICTURE_FORMAT,
            samples: config.effective_samples(),
            method: DrawMethod {
                technique,
                format,
                source: source.unwrap_or_else(|| source_within_limits(gpu, characters, technique, format)),
            },
            path,
            raster: config.raster,
            fxaa: config.effective_fxaa(),
            effort: config.effort.in_pictures(),
        }
    }

    /// True if LODs are drawn, so that they are worth waiting for.
    #[must_use]
    pub fn draws_lods(&self, config: &RenderConfig) -> bool {
        let technique = self.method.technique.facts();
        config.detail > 0.0 && technique.lods && self.path == DrawPath::Selected
    }
}

/// Storage, unless a character's animation data exceeds what a storage buffer may hold. It depends on scene and adapter
/// alone, for pictures that must be reproducible.
#[must_use]
pub fn source_within_limits(
    gpu: &Gpu,
    characters: &[Arc<Character>],
    technique: Technique,
    format: AtlasFormat,
) -> AtlasSource {
    let limit = gpu
        .limits
        .max_storage_buffer_binding_size
        .min(gpu.limits.max_buffer_size);
    let fits = |c: &Arc<Character>| (technique.facts().bytes)(c, format) <= limit;
    if characters.iter().all(fits) {
        AtlasSource::Storage
    } else {
        AtlasSource::Texture
    }
}
