//! Technique `naive`: unpacked vertex attributes (`render/resources/naive.rs`) and 4x4 f32 matrices.

use glam::Mat4;

use crate::{
    atlas::AtlasFormat,
    character::Character,
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        resources::{AtlasSource, Resource},
        technique::{AnimationData, AnimationSource, ErrorSource, Facts, MorphTargets, Role, VertexInput},
    },
};

pub(crate) const FACTS: Facts = Facts {
    name: "naive",
    condition: "technique_naive",
    source: AnimationSource::FullMatrices,
    vertices: VertexInput::Attributes,
    morphs: MorphTargets::Added,
    heroes: false,
    lods: false,
    posed_on_cpu: false,
    error: ErrorSource::BakedFrames,
    role: Role::Alternative,
    color: [204, 121, 167],
    upload,
    bytes,
};

fn upload(gpu: &Gpu, character: &Character, _: AtlasFormat, _: AtlasSource) -> Result<AnimationData, GpuError> {
    let bytes = bytes(character, AtlasFormat::F32);
    let what = format!("the 4x4 matrices of {}", character.model.name);
    gpu.check_storage(&what, bytes, "compare with a character of fewer clips")?;
    let matrices: Vec<Mat4> = character.palettes.matrices.iter().map(|m| Mat4::from(*m)).collect();
    let buffer = buffer_with(
        gpu,
        "4x4 matrices",
        bytemuck::cast_slice(&matrices),
        wgpu::BufferUsages::STORAGE,
    );
    Ok(AnimationData::new(
        Resource::Buffer(buffer),
        AtlasSource::Storage,
        bytes,
    ))
}

fn bytes(character: &Character, _: AtlasFormat) -> u64 {
    let palettes = &character.palettes;
    (palettes.frame_count * palettes.slot_count * size_of::<Mat4>()) as u64
}
