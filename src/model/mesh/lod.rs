//! LODs: coarser meshes of a character, for people who fill few rows of the picture.

use crate::model::{Mesh, MorphDelta};

/// A coarser mesh over the same palette slots, materials and unit space as the full one, or *splats* for the smallest:
/// circles that face whoever looks, each around a vertex that is posed like any other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lod {
    /// Its own vertices and triangles; positions may leave the full mesh's rest bounds slightly. Of splats every
    /// triangle is the vertex in the middle, three times.
    pub mesh: Mesh,
    /// Radii of splats in the order of the triangles (m, at the size of the rest pose); empty for a mesh.
    pub radii: Vec<f32>,
    /// Normal bias towards the viewer, since a coarse surface faces aside more than the full mesh. Shading normals
    /// are `normalize(normal + normal_bias * towards)`, both of unit length. 0 to [`NORMAL_BIAS_MAX`] in steps of 1 /
    /// [`NORMAL_BIAS_STEPS`]; 0 for splats.
    pub normal_bias: f32,
    /// Morph deltas of its vertices: a list for each of [`Model::morphs`](crate::model::Model::morphs), in their
    /// order; empty if the model has none.
    pub morphs: Vec<Vec<MorphDelta>>,
    /// Largest height in rows (height in pixels times the square root of the samples per pixel) at
    /// which it cannot be told from full detail. The height is that of the full mesh's largest edge in
    /// the rest pose, twice [`UnitSpace::half_extent`](super::UnitSpace::half_extent). Positive and finite.
    pub max_sample_rows: f32,
    /// Distance of the worst posed vertex, of either mesh from the other's surface, over all clips, in millimetres of
    /// the character as authored. Of splats, which are balls from all sides, what a vertex of the full mesh is outside
    /// of them, or one of them sticks out of the full surface.
    pub worst_mm: f32,
}

/// Steps of [`Lod::normal_bias`] to one.
pub const NORMAL_BIAS_STEPS: f32 = 64.0;

/// The most that [`Lod::normal_bias`] is: four bits of a vertex tell it to shaders.
pub const NORMAL_BIAS_MAX: f32 = 15.0 / NORMAL_BIAS_STEPS;

impl Lod {
    /// Whether it is made of splats.
    #[must_use]
    pub fn is_splats(&self) -> bool {
        !self.radii.is_empty()
    }

    /// Kind of primitive: "splats" (splats) or "triangles".
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.is_splats() { "discs" } else { "triangles" }
    }

    /// Triangles, or splats.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.mesh.indices.len() / 3
    }
}
