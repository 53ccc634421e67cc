//! Technique `live`: the CPU computes palettes each frame (`render/passes/live.rs`); the GPU multiplies in inverse
//! binds.

use crate::render::technique::{AnimationData, AnimationSource, ErrorSource, Facts, MorphTargets, Role, VertexInput};

pub(crate) const FACTS: Facts = Facts {
    name: "live",
    condition: "technique_live",
    source: AnimationSource::LivePalettes,
    vertices: VertexInput::Pulled,
    morphs: MorphTargets::Added,
    heroes: false,
    lods: false,
    posed_on_cpu: true,
    error: ErrorSource::ExactPoses,
    role: Role::Alternative,
    color: [0, 158, 115],
    // Palettes belong to the instances, not to the character.
    upload: |gpu, _, _, _| Ok(AnimationData::none(gpu)),
    bytes: |_, _| 0,
};
