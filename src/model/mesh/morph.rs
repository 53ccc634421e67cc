//! Morph targets (blend shapes) that clips animate. Targets with constant weights are part of the mesh already.

use glam::Vec3;

use crate::model::Interpolation;

/// One morph target of one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Name in the file, or `target N`.
    pub name: String,
    /// Rest weight, where no clip drives it.
    pub rest: f32,
    /// Deltas of the vertices that it moves.
    pub deltas: Vec<MorphDelta>,
}

/// Delta of one vertex in a morph target; scaled by the weight and added before skinning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MorphDelta {
    /// Index into the mesh's vertices.
    pub vertex: u32,
    /// Position delta in the rest pose (m).
    pub position: Vec3,
    /// Normal delta, added to the unit normal; the sum is normalised.
    pub normal: Vec3,
    /// Tangent delta, added to the unit tangent's direction; zero in meshes without tangents.
    pub tangent: Vec3,
}

impl MorphDelta {
    /// True if its vertex is below `vertices` and its numbers are finite.
    #[must_use]
    pub fn is_sound(&self, vertices: usize) -> bool {
        let moves = [self.position, self.normal, self.tangent];
        (self.vertex as usize) < vertices && moves.iter().all(|m| m.is_finite())
    }

    /// True if some delta is not zero.
    #[must_use]
    pub fn adds_something(&self) -> bool {
        [self.position, self.normal, self.tangent] != [Vec3::ZERO; 3]
    }
}

/// The animated weight of one morph target.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphChannel {
    /// Index into `Model::morphs`.
    pub morph: u32,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// Key times since the clip's start (s), increasing, at least one.
    pub times: Vec<f32>,
    /// One value per key, or three (in-tangent, value, out-tangent) for cubic splines.
    pub values: Vec<f32>,
}
