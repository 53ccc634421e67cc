//! Morph targets (blend shapes) whose weights some clip changes. Weights that never change are
//! part of the mesh already.

use glam::Vec3;

use crate::model::Interpolation;

/// One target of one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Name in the file, or `target N`.
    pub name: String,
    /// Weight where no clip drives it.
    pub rest: f32,
    /// Vertices that it moves; those not listed stay.
    pub deltas: Vec<MorphDelta>,
}

/// Delta of one vertex in a morph target, times the target's weight, before skinning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MorphDelta {
    /// Index into the mesh's vertices.
    pub vertex: u32,
    /// Rest space, metres.
    pub position: Vec3,
    /// Added to the unit normal; the sum is normalised.
    pub normal: Vec3,
    /// Added to the unit tangent's direction; zero in meshes without tangents.
    pub tangent: Vec3,
}

impl MorphDelta {
    /// Whether it moves one of so many vertices, by numbers.
    #[must_use]
    pub fn is_sound(&self, vertices: usize) -> bool {
        let moves = [self.position, self.normal, self.tangent];
        (self.vertex as usize) < vertices && moves.iter().all(|m| m.is_finite())
    }

    /// Whether it changes anything.
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
    /// How keys are joined.
    pub interpolation: Interpolation,
    /// Seconds since the clip's start, increasing, at least one.
    pub times: Vec<f32>,
    /// One per key, three (in-tangent, value, out-tangent) for cubic splines.
    pub values: Vec<f32>,
}
