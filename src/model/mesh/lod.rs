//! LODs: coarser meshes of a character, for instances of few rows on screen.

use crate::model::{Mesh, MorphDelta};

/// A coarser mesh with the palette slots, materials and unit space of the full one. The smallest LODs are *splats*:
/// camera-facing circles, each around a vertex that is posed like any other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lod {
    /// Mesh of the LOD; positions may leave the full mesh's rest bounds slightly. For splats each triangle repeats the
    /// centre vertex three times.
    pub mesh: Mesh,
    /// Radii of splats (m, in the rest pose), in the order of the triangles; empty for a mesh.
    pub radii: Vec<f32>,
    /// Normal bias towards the viewer, since a coarse surface faces aside more than the full mesh. Shading normals are
    /// `normalize(normal + normal_bias * towards)`, both of unit length. 0 to [`NORMAL_BIAS_MAX`] in steps of 1 /
    /// [`NORMAL_BIAS_STEPS`]; 0 for splats.
    pub normal_bias: f32,
    /// Morph deltas: a list per entry of [`Model::morphs`](crate::model::Model::morphs), in order; empty if the model
    /// has none.
    pub morphs: Vec<Vec<MorphDelta>>,
    /// Largest height (sample rows: pixels times the square root of the samples per pixel) at which it looks like full
    /// detail. The height is that of the full mesh's largest edge in the rest pose, twice
    /// [`UnitSpace::half_extent`](super::UnitSpace::half_extent). Positive and finite.
    pub max_sample_rows: f32,
    /// Largest distance of a posed vertex of either mesh from the other's surface, over all clips (mm, as authored).
    /// Splats count as balls: the distance of full-mesh vertices outside of them, or of balls that stick out.
    pub worst_mm: f32,
}

/// Steps of [`Lod::normal_bias`] per unit.
pub const NORMAL_BIAS_STEPS: f32 = 64.0;

/// Largest [`Lod::normal_bias`]: a packed vertex has four bits for it.
pub const NORMAL_BIAS_MAX: f32 = 15.0 / NORMAL_BIAS_STEPS;

impl Lod {
    /// True if it consists of splats.
    #[must_use]
    pub fn is_splats(&self) -> bool {
        !self.radii.is_empty()
    }

    /// Kind of primitive as files spell it: splats or triangles.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.is_splats() { "discs" } else { "triangles" }
    }

    /// Number of triangles, or of splats.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.mesh.indices.len() / 3
    }
}
