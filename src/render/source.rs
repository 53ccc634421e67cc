//! Renderer options from settings: a picture's options, and the source (texture or storage buffer) that can hold the
//! animation data.

use std::sync::Arc;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    config::{LodQuality, Raster, RenderConfig, Technique},
    gpu::{Gpu, PICTURE_FORMAT},
    render::{
        DrawMethod, DrawPath, Pass, PassSet, RenderOptions,
        passes::raster::{StorageRoom, supports_technique},
        resources::AtlasSource,
    },
};

impl RenderOptions {
    /// Options for pictures of [`PICTURE_FORMAT`] from settings. Without a `source`, the one that fits the characters
    /// is taken.
    #[must_use]
    pub fn of_pictures(
        gpu: &Gpu,
        config: &RenderConfig,
        characters: &[Arc<Character>],
        source: Option<AtlasSource>,
        path: DrawPath,
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
            display_steps: Self::steps_after_tonemap(config),
            effort: config.effort.in_pictures(),
        }
    }

    /// Steps after tone mapping that settings ask for.
    #[must_use]
    pub fn steps_after_tonemap(config: &RenderConfig) -> PassSet {
        PassSet::of(if config.effective_fxaa() { &[Pass::Fxaa] } else { &[] })
    }

    /// Rasterizer of a crowd. With [`Effort::Light`](crate::config::Effort::Light), `Auto` leaves the shadow map to the
    /// hardware rasterizer: adapters that render on the CPU are slow at atomics.
    pub(crate) const fn crowd_raster(&self) -> Raster {
        match self.raster {
            Raster::Auto if self.effort.is_light() => Raster::Hardware,
            other => other,
        }
    }

    /// True if LODs are drawn, so that they are worth waiting for.
    #[must_use]
    pub fn draws_lods(&self, config: &RenderConfig) -> bool {
        draws_lods(self.method.technique, self.path, config)
    }
}

/// True if a technique draws LODs on a path with these settings.
#[must_use]
pub fn draws_lods(technique: Technique, path: DrawPath, config: &RenderConfig) -> bool {
    let wanted = config.detail > 0.0 && config.lods != LodQuality::Full;
    wanted && technique.facts().lods && path == DrawPath::Selected
}

/// Storage, unless a character's animation data exceeds what a storage buffer may hold, or the software rasterizer needs
/// all storage buffers of a shader stage. It depends on scene and adapter alone, for pictures that must be reproducible.
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
    let room = StorageRoom::of(gpu);
    if supports_technique(technique) && technique.facts().has_source() && room.suffices() && !room.is_full() {
        return AtlasSource::Texture;
    }
    if characters.iter().all(fits) {
        AtlasSource::Storage
    } else {
        AtlasSource::Texture
    }
}
