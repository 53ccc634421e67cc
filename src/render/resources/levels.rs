//! Levels of detail on the GPU: their vertices come behind those of the full mesh, their indices
//! behind its indices and counted from its first vertex, so that draws of one pipeline reach them all.

use std::borrow::Cow;

use crate::{
    character::Character,
    config::Technique,
    model::{Bounds, LevelOfDetail, PackedMesh},
    render::technique::{AnimationSource, VertexInput},
};

/// Levels that are drawn at most, the full one included: `BIN_LEVELS` in shaders/shared/bins.wgsl.
pub const MOST_LEVELS: usize = 10;

/// What one indirect draw draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawLevel {
    /// First index.
    pub first_index: u32,
    /// Indices.
    pub index_count: u32,
    /// Largest height in rows at which it is used; infinite for the full mesh.
    pub max_rows: f32,
}

/// The levels of a character besides its full mesh.
pub(crate) struct CoarserMeshes {
    packed: Option<PackedMesh>,
    /// Indices and `max_rows` of each.
    sizes: Vec<(u32, f32)>,
    /// How far any of them leaves the full mesh's surface, metres.
    pub(crate) error: f32,
}

/// Those that a technique can draw: vertices must be pulled and skinned by matrices, or not at all, and
/// morph targets move the full mesh's vertices only.
pub(crate) fn of(character: &Character, technique: Technique) -> CoarserMeshes {
    let Character {
        model, packed: full, ..
    } = character;
    let facts = technique.facts();
    let drawn = match facts.source {
        AnimationSource::Atlas => facts.vertices == VertexInput::Pulled && model.morphs.is_empty(),
        AnimationSource::RestPose => true,
        AnimationSource::BakedVertices
        | AnimationSource::FullMatrices
        | AnimationSource::LivePalettes
        | AnimationSource::PosedVertices => false,
    };
    let mut levels: Vec<&LevelOfDetail> = character.levels().iter().filter(|l| drawn && is_sound(l)).collect();
    levels.sort_by(|a, b| b.max_rows.total_cmp(&a.max_rows));
    levels.truncate(MOST_LEVELS - 1);
    let millimetres = levels.iter().fold(0.0, |most: f32, level| most.max(level.worst_mm));
    CoarserMeshes {
        packed: (!levels.is_empty()).then(|| full.coarser(levels.iter().map(|level| &level.mesh))),
        sizes: levels
            .iter()
            .map(|l| (l.mesh.indices.len() as u32, l.max_rows))
            .collect(),
        error: if millimetres.is_finite() {
            millimetres / 1000.0
        } else {
            0.0
        },
    }
}

/// Indices of all levels that a technique can draw of a character, and for every vertex the first that is where it is in
/// whatever pose: targets may move those apart that influences keep together.
pub(crate) fn indices_and_places(character: &Character, technique: Technique) -> [Vec<u32>; 2] {
    let (coarser, full) = (of(character, technique), &character.packed);
    let places = match (&coarser.packed, character.model.morphs.is_empty()) {
        (_, false) => (0..coarser.vertex_count(full) as u32).collect(),
        (None, true) => full.first_in_place(),
        (Some(packed), true) => {
            let first = full.vertices.len() as u32;
            let behind = packed.first_in_place().into_iter().map(|vertex| first + vertex);
            full.first_in_place().into_iter().chain(behind).collect()
        }
    };
    [coarser.indices(full).into_owned(), places]
}

/// What is not, is left out: full detail is always right.
fn is_sound(level: &LevelOfDetail) -> bool {
    let mesh = &level.mesh;
    let vertices = mesh.vertices.len();
    level.max_rows > 0.0
        && level.max_rows.is_finite()
        && !mesh.indices.is_empty()
        && mesh.indices.iter().all(|&index| (index as usize) < vertices)
        && mesh.vertices.iter().all(|v| v.position.is_finite())
}

impl CoarserMeshes {
    /// Box of their vertices in the rest pose.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.packed.as_ref().map(|packed| packed.bounds)
    }

    /// Vertices in all, the full mesh's included.
    pub(crate) fn vertex_count(&self, full: &PackedMesh) -> usize {
        full.vertices.len() + self.packed.as_ref().map_or(0, |packed| packed.vertices.len())
    }

    /// All vertices.
    pub(crate) fn vertex_bytes<'a>(&self, full: &'a PackedMesh) -> Cow<'a, [u8]> {
        match &self.packed {
            None => full.vertex_bytes(),
            Some(packed) => Cow::Owned([full.vertex_bytes(), packed.vertex_bytes()].concat()),
        }
    }

    /// All indices.
    pub(crate) fn indices<'a>(&self, full: &'a PackedMesh) -> Cow<'a, [u32]> {
        let Some(packed) = &self.packed else {
            return Cow::Borrowed(&full.indices);
        };
        let first = full.vertices.len() as u32;
        let behind = packed.indices.iter().map(|index| index + first);
        Cow::Owned(full.indices.iter().copied().chain(behind).collect())
    }

    /// The full mesh and all others.
    pub(crate) fn draws(&self, full: &PackedMesh) -> Vec<DrawLevel> {
        let mut draws = vec![DrawLevel {
            first_index: 0,
            index_count: full.indices.len() as u32,
            max_rows: f32::INFINITY,
        }];
        for &(index_count, max_rows) in &self.sizes {
            let before = draws[draws.len() - 1];
            draws.push(DrawLevel {
                first_index: before.first_index + before.index_count,
                index_count,
                max_rows,
            });
        }
        draws
    }
}
