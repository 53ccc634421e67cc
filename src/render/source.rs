//! Texture or storage buffer: which of the two can hold animation data.

use std::sync::Arc;

use crate::{atlas::AtlasFormat, character::Character, config::Technique, gpu::Gpu, render::resources::AtlasSource};

/// Storage, unless a character's animation data exceeds what a storage buffer may hold. Always the
/// same for the same scene and adapter: pictures that must be reproducible use this.
#[must_use]
pub fn fitting_source(
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
