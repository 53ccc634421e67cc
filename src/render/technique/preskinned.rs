//! Technique `preskinned`: a compute pass skins every distinct pose of a frame once (`render/passes/preskin`), and
//! people are drawn like static meshes. Clips are quantized in time, so that poses are shared
//! (`render/resources/pose_steps.rs`). Each pose is skinned at the LODs at which it is shown
//! (`render/resources/pose_lods.rs`).

use crate::{
    atlas::AtlasFormat,
    character::Character,
    gpu::{Gpu, GpuError},
    render::{
        resources::{AtlasSource, atlas, pose_steps::PoseSteps},
        technique::{AnimationData, AnimationSource, ErrorSource, Facts, MorphTargets, Role, VertexInput},
    },
};

pub(crate) const FACTS: Facts = Facts {
    name: "preskinned",
    condition: "technique_preskinned",
    source: AnimationSource::PosedVertices,
    vertices: VertexInput::Pulled,
    morphs: MorphTargets::AddedBefore,
    heroes: false,
    lods: true,
    posed_on_cpu: false,
    error: ErrorSource::SteppedFrames,
    role: Role::Alternative,
    color: [86, 180, 233],
    upload,
    bytes,
};

// Matrices are read once for each distinct pose: a smaller format would save next to nothing.
fn upload(gpu: &Gpu, character: &Character, _: AtlasFormat, _: AtlasSource) -> Result<AnimationData, GpuError> {
    let encoded = character.atlas(AtlasFormat::F32);
    let source = AtlasSource::Storage;
    let (resource, bytes) = atlas::matrices(gpu, &encoded, source, &character.model.name)?;
    let steps = PoseSteps::of(&character.palettes).upload(gpu, &character.palettes);
    Ok(AnimationData {
        bytes: bytes + steps.bytes(),
        steps: Some(steps),
        ..AnimationData::new(resource, source, bytes)
    })
}

fn bytes(character: &Character, _: AtlasFormat) -> u64 {
    let palettes = &character.palettes;
    let matrices = palettes.frame_count * palettes.slot_count * AtlasFormat::F32.matrix_bytes();
    matrices as u64 + PoseSteps::byte_size(palettes)
}
