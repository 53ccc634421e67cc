//! Technique `static`: the rest pose without skinning, the lower bound of an instanced draw. Props use it, too.

use crate::render::technique::{AnimationData, AnimationSource, ErrorSource, Facts, MorphTargets, Role, VertexInput};

pub(crate) const FACTS: Facts = Facts {
    name: "static",
    condition: "technique_static",
    source: AnimationSource::RestPose,
    vertices: VertexInput::Pulled,
    morphs: MorphTargets::LeftOut,
    heroes: false,
    lods: false,
    posed_on_cpu: false,
    error: ErrorSource::NotComparable,
    role: Role::LowerBound,
    color: [110, 110, 110],
    upload: |gpu, _, _, _| Ok(AnimationData::none(gpu)),
    bytes: |_, _| 0,
};
