//! Levels of detail on the GPU: their vertices come behind those of the full mesh, their indices
//! behind its indices and counted from its first vertex, so that draws of one pipeline reach them all.

use std::borrow::Cow;

use crate::{
    character::Character,
    config::Technique,
    model::{Bounds, LEAN_MOST, LEAN_STEPS, LevelOfDetail, MorphDelta, PackedMesh},
    render::{
        resources::morphs,
        technique::{AnimationSource, MorphTargets, VertexInput},
    },
};

/// Levels that are drawn at most, the full one included: `BIN_LEVELS` in shaders/shared/bins.wgsl.
pub const MOST_LEVELS: usize = 13;

/// Words of a buffer that every device binds: levels whose deltas make morph targets larger are left out.
const MOST_MORPH_WORDS: usize = (128 << 20) / 4;

/// Of these, meshes: the rest are discs.
const MOST_MESHES: usize = 10;

/// What one indirect draw draws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrawLevel {
    /// First index.
    pub first_index: u32,
    /// Indices.
    pub index_count: u32,
    /// Largest height in rows at which it is used; infinite for the full mesh.
    pub max_rows: f32,
    /// Discs, which the rasteriser in compute alone draws: three equal indices each.
    pub discs: bool,
}

/// The levels of a character besides its full mesh.
pub(crate) struct CoarserMeshes<'a> {
    levels: Vec<&'a LevelOfDetail>,
    packed: Option<PackedMesh>,
    /// How far any of them leaves the full mesh's surface, metres.
    pub(crate) error: f32,
}

/// Those that a technique can draw: vertices must be pulled and skinned by matrices, or not at all.
pub(crate) fn of(character: &Character, technique: Technique) -> CoarserMeshes<'_> {
    let Character {
        model, packed: full, ..
    } = character;
    let facts = technique.facts();
    let drawn = |level: &LevelOfDetail| match facts.source {
        AnimationSource::Atlas => facts.vertices == VertexInput::Pulled,
        AnimationSource::RestPose => true,
        AnimationSource::PosedVertices => !level.is_discs(),
        AnimationSource::BakedVertices | AnimationSource::FullMatrices | AnimationSource::LivePalettes => false,
    };
    let targets = model.morphs.len();
    let all = character.levels().iter();
    let mut levels: Vec<&LevelOfDetail> = all.filter(|l| drawn(l) && is_sound(l, targets)).collect();
    // Meshes first, whatever serves up to which height.
    levels.sort_by(|a, b| {
        let apart = a.is_discs().cmp(&b.is_discs());
        apart.then(b.max_rows.total_cmp(&a.max_rows))
    });
    let meshes = levels.iter().filter(|level| !level.is_discs()).count();
    levels.drain(meshes.min(MOST_MESHES - 1)..meshes);
    levels.truncate(MOST_LEVELS - 1);
    let adds = matches!(facts.morphs, MorphTargets::Added | MorphTargets::AddedBefore);
    if adds && targets > 0 {
        fit_morphs(&mut levels, character);
    }
    let error = levels.iter().map(|level| reach(level)).fold(0.0, f32::max);
    CoarserMeshes {
        packed: (!levels.is_empty()).then(|| {
            let mut packed = full.coarser(levels.iter().map(|level| &level.mesh));
            tell_leans(&mut packed, &levels);
            packed
        }),
        error: if error.is_finite() { error } else { 0.0 },
        levels,
    }
}

/// Writes by how much normals lean into the lowest bits of the vertices' own, where it is read by `load_vertex` of
/// shaders/shared/packed.wgsl: two bits of either number, of which three are a ten thousandth. Levels before the first that leans
/// are left as they are.
fn tell_leans(packed: &mut PackedMesh, levels: &[&LevelOfDetail]) {
    let upright = vertices_upright(levels);
    let mut vertices = packed.vertices.iter_mut().skip(upright);
    for level in levels.iter().skip_while(|level| level.lean == 0.0) {
        let lean = (level.lean.clamp(0.0, LEAN_MOST) * LEAN_STEPS).round() as u32;
        for vertex in vertices.by_ref().take(level.mesh.vertices.len()) {
            vertex.words[2] = vertex.words[2] & !0x0003_0003 | lean & 3 | (lean >> 2) << 16;
        }
    }
}

/// Vertices of the levels before the first whose normals lean.
fn vertices_upright(levels: &[&LevelOfDetail]) -> usize {
    let upright = levels.iter().take_while(|level| level.lean == 0.0);
    upright.map(|level| level.mesh.vertices.len()).sum()
}

/// How far a level may reach out of the full mesh, metres. The middle of a disc lies on it or within, to a tenth of the
/// radius.
fn reach(level: &LevelOfDetail) -> f32 {
    if level.is_discs() {
        return 1.1 * level.radii.iter().copied().fold(0.0, f32::max);
    }
    level.worst_mm / 1000.0
}

/// What meshlets are cut from.
pub(crate) struct Drawable {
    /// Of all levels that a technique can draw of a character.
    pub(crate) indices: Vec<u32>,
    /// For every vertex the first that is where it is in whatever pose: targets may move those apart that influences
    /// keep together.
    pub(crate) places: Vec<u32>,
    /// See [`CoarserMeshes::radii`].
    pub(crate) radii: Vec<f32>,
}

/// Of a character as a technique draws it.
pub(crate) fn drawable(character: &Character, technique: Technique) -> Drawable {
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
    Drawable {
        indices: coarser.indices(full).into_owned(),
        places,
        radii: coarser.radii(),
    }
}

/// Leaves out the finest levels until their deltas fit a buffer beside those of the full mesh.
fn fit_morphs(levels: &mut Vec<&LevelOfDetail>, character: &Character) {
    let model = &character.model;
    let each = morphs::delta_words(model);
    let of_level = |level: &&LevelOfDetail| {
        let deltas: usize = level.morphs.iter().map(Vec::len).sum();
        level.mesh.vertices.len() + each * deltas
    };
    let deltas: usize = model.morphs.iter().map(|morph| morph.deltas.len()).sum();
    let of_full = model.mesh.vertices.len() + each * deltas + character.palettes.morph_weights.len();
    drop_finest(levels, MOST_MORPH_WORDS.saturating_sub(of_full), of_level);
}

/// Leaves out the finest levels until what is left has room.
fn drop_finest<T>(levels: &mut Vec<T>, room: usize, words: impl Fn(&T) -> usize) {
    let mut taken = 0_usize;
    let fit = levels.iter().rev().take_while(|level| {
        taken = taken.saturating_add(words(level));
        taken <= room
    });
    let fit = fit.count();
    levels.drain(..levels.len() - fit);
}

/// What is not, is left out: full detail is always right.
fn is_sound(level: &LevelOfDetail, targets: usize) -> bool {
    let mesh = &level.mesh;
    let vertices = mesh.vertices.len();
    level.max_rows > 0.0
        && level.max_rows.is_finite()
        && !mesh.indices.is_empty()
        && mesh.indices.iter().all(|&index| (index as usize) < vertices)
        && mesh.vertices.iter().all(|v| v.position.is_finite())
        && (!level.is_discs() || are_discs(level))
        && level.morphs.len() == targets
        && level.morphs.iter().flatten().all(|delta| delta.is_sound(vertices))
}

/// Whether disc `k` is around vertex `k`, which is what the rasteriser takes for granted, and of a radius; those of
/// morphing characters are left out.
fn are_discs(level: &LevelOfDetail) -> bool {
    let count = level.radii.len();
    let middles = level.mesh.indices.iter().copied();
    level.mesh.vertices.len() == count
        && middles.eq((0..count as u32).flat_map(|disc| [disc; 3]))
        && level.radii.iter().all(|radius| radius.is_finite() && *radius > 0.0)
        && level.morphs.is_empty()
}

impl CoarserMeshes<'_> {
    /// Radii of the discs of all levels, in the order of their triangles, metres.
    pub(crate) fn radii(&self) -> Vec<f32> {
        self.levels
            .iter()
            .flat_map(|level| level.radii.iter().copied())
            .collect()
    }

    /// They themselves, the finest first.
    pub(crate) fn levels(&self) -> &[&LevelOfDetail] {
        &self.levels
    }

    /// Box of their vertices in the rest pose.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.packed.as_ref().map(|packed| packed.bounds)
    }

    /// The first vertex, in the buffer of all, whose lowest bits tell by how much its normal leans.
    pub(crate) fn first_leaning(&self, full: &PackedMesh) -> u32 {
        (full.vertices.len() + vertices_upright(&self.levels)) as u32
    }

    /// Vertices in all, the full mesh's included.
    pub(crate) fn vertex_count(&self, full: &PackedMesh) -> usize {
        full.vertices.len() + self.packed.as_ref().map_or(0, |packed| packed.vertices.len())
    }

    /// What morph targets add to their vertices, which are numbered as in the buffer of all: target and delta.
    pub(crate) fn deltas(&self, full: &PackedMesh) -> impl Iterator<Item = (usize, MorphDelta)> {
        let counts = self.levels.iter().map(|level| level.mesh.vertices.len() as u32);
        let firsts = counts.scan(full.vertices.len() as u32, |next, count| {
            let first = *next;
            *next += count;
            Some(first)
        });
        self.levels.iter().zip(firsts).flat_map(|(level, first)| {
            let targets = level.morphs.iter().enumerate();
            targets.flat_map(move |(target, deltas)| {
                deltas.iter().map(move |delta| {
                    let vertex = first + delta.vertex;
                    (target, MorphDelta { vertex, ..*delta })
                })
            })
        })
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
            discs: false,
        }];
        for level in &self.levels {
            let before = draws[draws.len() - 1];
            draws.push(DrawLevel {
                first_index: before.first_index + before.index_count,
                index_count: level.mesh.indices.len() as u32,
                max_rows: level.max_rows,
                discs: level.is_discs(),
            });
        }
        draws
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mesh, Vertex};

    #[test]
    fn leans_are_told_in_four_bits_of_each_vertex_and_leave_normals_as_they_were() {
        let level = |lean: f32, normal: glam::Vec3| LevelOfDetail {
            mesh: Mesh {
                vertices: vec![
                    Vertex {
                        normal,
                        ..Vertex::default()
                    };
                    3
                ],
                indices: vec![0, 1, 2],
            },
            lean,
            ..LevelOfDetail::default()
        };
        let normals = [
            glam::Vec3::new(0.3, -0.8, 0.2).normalize(),
            glam::Vec3::NEG_Z,
            glam::Vec3::X,
        ];
        for (first, step) in (0..16).flat_map(|step| (0..3).map(move |first| (first, step))) {
            // Levels before `first` are upright.
            let mut number = 0..;
            let levels = normals.map(|normal| {
                let leans = number.next() >= Some(first);
                level(if leans { step as f32 / LEAN_STEPS } else { 0.0 }, normal)
            });
            let vertices = levels.iter().flat_map(|level| level.mesh.vertices.clone()).collect();
            let all = Mesh {
                vertices,
                indices: (0..9).collect(),
            };
            let before = PackedMesh::new(&all);
            let mut packed = PackedMesh::new(&all);
            tell_leans(&mut packed, &levels.each_ref());
            let upright = vertices_upright(&levels.each_ref());
            assert_eq!(upright, if step == 0 { 9 } else { 3 * first });
            let words = packed.vertices.iter().zip(&before.vertices);
            for (vertex, (told, plain)) in words.enumerate() {
                let (word, normal) = (told.words[2], normals[vertex / 3]);
                if vertex < upright {
                    assert_eq!(told.words, plain.words);
                    continue;
                }
                assert_eq!(word & 3 | word >> 14 & 12, step);
                let told = crate::model::unpack_octahedral(word);
                assert!((told - normal).length() < 5e-4, "{told} {normal}");
            }
        }
        assert_eq!((LEAN_MOST * LEAN_STEPS) as u32, 15);
    }

    #[test]
    fn the_finest_levels_go_where_all_have_no_room() {
        let left = |room: usize| {
            let mut levels = vec![70_usize, 50, 30, 20];
            drop_finest(&mut levels, room, |&words| words);
            levels
        };
        assert_eq!(left(170), [70, 50, 30, 20]);
        assert_eq!(left(169), [50, 30, 20]);
        assert_eq!(left(50), [30, 20]);
        assert_eq!(left(49), [20]);
        assert_eq!(left(19), [0; 0]);
    }
}
