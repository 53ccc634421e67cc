//! Technique `matrix`: joint matrices from the animation atlas, skinned in the vertex shader.

use crate::{
    atlas::AtlasFormat,
    character::Character,
    gpu::{Gpu, GpuError},
    render::{
        resources::{AtlasSource, atlas},
        technique::{AnimationData, AnimationSource, ErrorSource, Facts, MorphTargets, Role, VertexInput},
    },
};

pub(crate) const FACTS: Facts = Facts {
    name: "matrix",
    condition: "technique_matrix",
    source: AnimationSource::Atlas,
    vertices: VertexInput::Pulled,
    morphs: MorphTargets::Added,
    heroes: true,
    lods: true,
    posed_on_cpu: false,
    error: ErrorSource::BakedFrames,
    role: Role::Subject,
    color: [0, 114, 178],
    upload,
    bytes,
};

fn upload(
    gpu: &Gpu,
    character: &Character,
    format: AtlasFormat,
    source: AtlasSource,
) -> Result<AnimationData, GpuError> {
    let encoded = character.atlas(format);
    let (resource, bytes) = atlas::matrices(gpu, &encoded, source, &character.model.name)?;
    Ok(AnimationData {
        format,
        decode_min: encoded.decode_min,
        decode_size: encoded.decode_size,
        ..AnimationData::new(resource, source, bytes)
    })
}

fn bytes(character: &Character, format: AtlasFormat) -> u64 {
    let palettes = &character.palettes;
    (palettes.frame_count * palettes.slot_count * format.matrix_bytes()) as u64
}
