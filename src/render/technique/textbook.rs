//! Technique `textbook`: a fair baseline. Vertices are four interleaved attributes (`render/resources/textbook.rs`).
//! The 3x4 f32 matrices of both frames are blended for all influences, zero weights included.

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
    name: "textbook",
    condition: "technique_textbook",
    source: AnimationSource::FullMatrices,
    vertices: VertexInput::Interleaved,
    morphs: MorphTargets::Added,
    heroes: false,
    lods: false,
    posed_on_cpu: false,
    error: ErrorSource::BakedFrames,
    role: Role::Alternative,
    color: [230, 159, 0],
    upload,
    bytes,
};

fn upload(gpu: &Gpu, character: &Character, _: AtlasFormat, _: AtlasSource) -> Result<AnimationData, GpuError> {
    let encoded = character.atlas(AtlasFormat::F32);
    let source = AtlasSource::Storage;
    let (resource, bytes) = atlas::matrices(gpu, &encoded, source, &character.model.name)?;
    Ok(AnimationData::new(resource, source, bytes))
}

fn bytes(character: &Character, _: AtlasFormat) -> u64 {
    let palettes = &character.palettes;
    (palettes.frame_count * palettes.slot_count * AtlasFormat::F32.matrix_bytes()) as u64
}
