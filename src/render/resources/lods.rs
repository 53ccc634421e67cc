//! LODs on the GPU. Their vertices follow those of the full mesh. Their indices follow its indices and count from its
//! first vertex, so that one pipeline draws them all.

use std::borrow::Cow;

use crate::{
    character::Character,
    config::Technique,
    model::{Bounds, Lod, MorphDelta, NORMAL_BIAS_MAX, NORMAL_BIAS_STEPS, PackedMesh},
    render::{
        resources::morphs,
        technique::{AnimationSource, MorphTargets, VertexInput},
    },
};

/// Largest number of LODs drawn, full detail included: `DRAW_LIST_LODS` in shaders/shared/draw_lists.wgsl.
pub const MOST_LODS: usize = 13;

/// Words of a buffer that every device can bind. LODs whose deltas make morph targets larger are left out.
const MOST_MORPH_WORDS: usize = (128 << 20) / 4;

/// Largest number of meshes among them; the rest are splats.
const MOST_MESHES: usize = 10;

/// One LOD as an indirect draw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DrawLod {
    /// First index.
    pub first_index: u32,
    /// Number of indices.
    pub index_count: u32,
    /// Largest height (sample rows) at which it is used; infinite for the full mesh.
    pub max_sample_rows: f32,
    /// True for splats, which only the software rasterizer draws: three equal indices each.
    pub splats: bool,
}

/// LODs of a character besides its full mesh.
pub(crate) struct CoarserMeshes<'a> {
    lods: Vec<&'a Lod>,
    packed: Option<PackedMesh>,
    /// Largest distance (m) of any of them from the full mesh's surface.
    pub(crate) error: f32,
}

/// LODs that a technique can draw: vertices must be pulled, and skinned by matrices or not at all.
pub(crate) fn of(character: &Character, technique: Technique) -> CoarserMeshes<'_> {
    let Character {
        model, packed: full, ..
    } = character;
    let facts = technique.facts();
    let drawn = |lod: &Lod| match facts.source {
        AnimationSource::Atlas => facts.vertices == VertexInput::Pulled,
        AnimationSource::RestPose => true,
        AnimationSource::PosedVertices => !lod.is_splats(),
        AnimationSource::BakedVertices | AnimationSource::FullMatrices | AnimationSource::LivePalettes => false,
    };
    let targets = model.morphs.len();
    let all = character.lods().iter();
    let mut lods: Vec<&Lod> = all.filter(|l| drawn(l) && is_sound(l, targets)).collect();
    // Meshes come first, whatever heights they serve.
    lods.sort_by(|a, b| {
        let apart = a.is_splats().cmp(&b.is_splats());
        apart.then(b.max_sample_rows.total_cmp(&a.max_sample_rows))
    });
    let meshes = lods.iter().filter(|lod| !lod.is_splats()).count();
    lods.drain(meshes.min(MOST_MESHES - 1)..meshes);
    lods.truncate(MOST_LODS - 1);
    let adds = matches!(facts.morphs, MorphTargets::Added | MorphTargets::AddedBefore);
    if adds && targets > 0 {
        fit_morphs(&mut lods, character);
    }
    let error = lods.iter().map(|lod| reach(lod)).fold(0.0, f32::max);
    CoarserMeshes {
        packed: (!lods.is_empty()).then(|| {
            let mut packed = full.coarser(lods.iter().map(|lod| &lod.mesh));
            write_normal_biases(&mut packed, &lods);
            packed
        }),
        error: if error.is_finite() { error } else { 0.0 },
        lods,
    }
}

/// Writes each vertex's normal bias into the lowest bits of its normal: two bits in each 16-bit component, where the
/// three steps are a ten-thousandth. `load_vertex` in shaders/shared/packed.wgsl reads them. LODs before the first with
/// a bias are left as they are.
fn write_normal_biases(packed: &mut PackedMesh, lods: &[&Lod]) {
    let upright = vertices_upright(lods);
    let mut vertices = packed.vertices.iter_mut().skip(upright);
    for lod in lods.iter().skip_while(|lod| lod.normal_bias == 0.0) {
        let normal_bias = (lod.normal_bias.clamp(0.0, NORMAL_BIAS_MAX) * NORMAL_BIAS_STEPS).round() as u32;
        for vertex in vertices.by_ref().take(lod.mesh.vertices.len()) {
            vertex.words[2] = vertex.words[2] & !0x0003_0003 | normal_bias & 3 | (normal_bias >> 2) << 16;
        }
    }
}

/// Number of vertices in the LODs before the first with a normal bias.
fn vertices_upright(lods: &[&Lod]) -> usize {
    let upright = lods.iter().take_while(|lod| lod.normal_bias == 0.0);
    upright.map(|lod| lod.mesh.vertices.len()).sum()
}

/// Largest distance (m) of an LOD outside the full mesh. The centre of a splat lies on the mesh or inside it, to a
/// tenth of the radius.
fn reach(lod: &Lod) -> f32 {
    if lod.is_splats() {
        return 1.1 * lod.radii.iter().copied().fold(0.0, f32::max);
    }
    lod.worst_mm / 1000.0
}

/// Geometry from which meshlets are cut.
pub(crate) struct Drawable {
    /// Indices of all LODs that a technique can draw.
    pub(crate) indices: Vec<u32>,
    /// For every vertex, the first one that shares its position in every pose. Morph targets may separate vertices with
    /// equal influences.
    pub(crate) places: Vec<u32>,
    /// See [`CoarserMeshes::radii`].
    pub(crate) radii: Vec<f32>,
}

/// Geometry of a character as a technique draws it.
pub(crate) fn drawable(character: &Character, technique: Technique) -> Drawable {
    let (coarser, full) = (of(character, technique), &character.packed);
    let places = match (&coarser.packed, character.model.morphs.is_empty()) {
        (_, false) => (0..coarser.vertex_count(full) as u32).collect(),
        (None, true) => full.first_at_position(),
        (Some(packed), true) => {
            let first = full.vertices.len() as u32;
            let coarser_entries = packed.first_at_position().into_iter().map(|vertex| first + vertex);
            full.first_at_position().into_iter().chain(coarser_entries).collect()
        }
    };
    Drawable {
        indices: coarser.indices(full).into_owned(),
        places,
        radii: coarser.radii(),
    }
}

/// Drops the finest LODs until their deltas fit a buffer with those of the full mesh.
fn fit_morphs(lods: &mut Vec<&Lod>, character: &Character) {
    let model = &character.model;
    let each = morphs::delta_words(model);
    let of_lod = |lod: &&Lod| {
        let deltas: usize = lod.morphs.iter().map(Vec::len).sum();
        lod.mesh.vertices.len() + each * deltas
    };
    let deltas: usize = model.morphs.iter().map(|morph| morph.deltas.len()).sum();
    let of_full = model.mesh.vertices.len() + each * deltas + character.palettes.morph_weights.len();
    drop_finest(lods, MOST_MORPH_WORDS.saturating_sub(of_full), of_lod);
}

/// Drops the finest LODs until the rest fits.
fn drop_finest<T>(lods: &mut Vec<T>, room: usize, words: impl Fn(&T) -> usize) {
    let mut taken = 0_usize;
    let fit = lods.iter().rev().take_while(|lod| {
        taken = taken.saturating_add(words(lod));
        taken <= room
    });
    let fit = fit.count();
    lods.drain(..lods.len() - fit);
}

/// True if an LOD can be drawn. Others are left out, since full detail is always right.
fn is_sound(lod: &Lod, targets: usize) -> bool {
    let mesh = &lod.mesh;
    let vertices = mesh.vertices.len();
    lod.max_sample_rows > 0.0
        && lod.max_sample_rows.is_finite()
        && !mesh.indices.is_empty()
        && mesh.indices.iter().all(|&index| (index as usize) < vertices)
        && mesh.vertices.iter().all(|v| v.position.is_finite())
        && (!lod.is_splats() || are_splats(lod))
        && lod.morphs.len() == targets
        && lod.morphs.iter().flatten().all(|delta| delta.is_sound(vertices))
}

/// True if splat `k` is around vertex `k`, which the rasterizer relies on, with a positive radius. Splats of morphing
/// characters are left out.
fn are_splats(lod: &Lod) -> bool {
    let count = lod.radii.len();
    let middles = lod.mesh.indices.iter().copied();
    lod.mesh.vertices.len() == count
        && middles.eq((0..count as u32).flat_map(|splat| [splat; 3]))
        && lod.radii.iter().all(|radius| radius.is_finite() && *radius > 0.0)
        && lod.morphs.is_empty()
}

impl CoarserMeshes<'_> {
    /// Radii (m) of the splats of all LODs, in the order of their triangles.
    pub(crate) fn radii(&self) -> Vec<f32> {
        self.lods.iter().flat_map(|lod| lod.radii.iter().copied()).collect()
    }

    /// LODs, the finest first.
    pub(crate) fn lods(&self) -> &[&Lod] {
        &self.lods
    }

    /// Bounds of their vertices in the rest pose.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.packed.as_ref().map(|packed| packed.bounds)
    }

    /// First vertex, in the buffer of all, whose lowest bits hold its normal bias.
    pub(crate) fn first_biased(&self, full: &PackedMesh) -> u32 {
        (full.vertices.len() + vertices_upright(&self.lods)) as u32
    }

    /// Number of vertices, the full mesh's included.
    pub(crate) fn vertex_count(&self, full: &PackedMesh) -> usize {
        full.vertices.len() + self.packed.as_ref().map_or(0, |packed| packed.vertices.len())
    }

    /// Morph deltas (target, delta) of their vertices, with vertex indices into the buffer of all.
    pub(crate) fn deltas(&self, full: &PackedMesh) -> impl Iterator<Item = (usize, MorphDelta)> {
        let counts = self.lods.iter().map(|lod| lod.mesh.vertices.len() as u32);
        let firsts = counts.scan(full.vertices.len() as u32, |next, count| {
            let first = *next;
            *next += count;
            Some(first)
        });
        self.lods.iter().zip(firsts).flat_map(|(lod, first)| {
            let targets = lod.morphs.iter().enumerate();
            targets.flat_map(move |(target, deltas)| {
                deltas.iter().map(move |delta| {
                    let vertex = first + delta.vertex;
                    (target, MorphDelta { vertex, ..*delta })
                })
            })
        })
    }

    /// Bytes of all vertices.
    pub(crate) fn vertex_bytes<'a>(&self, full: &'a PackedMesh) -> Cow<'a, [u8]> {
        match &self.packed {
            None => full.vertex_bytes(),
            Some(packed) => Cow::Owned([full.vertex_bytes(), packed.vertex_bytes()].concat()),
        }
    }

    /// Indices of all LODs.
    pub(crate) fn indices<'a>(&self, full: &'a PackedMesh) -> Cow<'a, [u32]> {
        let Some(packed) = &self.packed else {
            return Cow::Borrowed(&full.indices);
        };
        let first = full.vertices.len() as u32;
        let coarser_entries = packed.indices.iter().map(|index| index + first);
        Cow::Owned(full.indices.iter().copied().chain(coarser_entries).collect())
    }

    /// Draws of all LODs, the full mesh first.
    pub(crate) fn draws(&self, full: &PackedMesh) -> Vec<DrawLod> {
        let mut draws = vec![DrawLod {
            first_index: 0,
            index_count: full.indices.len() as u32,
            max_sample_rows: f32::INFINITY,
            splats: false,
        }];
        for lod in &self.lods {
            let before = draws[draws.len() - 1];
            draws.push(DrawLod {
                first_index: before.first_index + before.index_count,
                index_count: lod.mesh.indices.len() as u32,
                max_sample_rows: lod.max_sample_rows,
                splats: lod.is_splats(),
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
    fn normal_biases_take_four_bits_of_each_vertex_and_keep_normals() {
        let lod = |normal_bias: f32, normal: glam::Vec3| Lod {
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
            normal_bias,
            ..Lod::default()
        };
        let normals = [
            glam::Vec3::new(0.3, -0.8, 0.2).normalize(),
            glam::Vec3::NEG_Z,
            glam::Vec3::X,
        ];
        for (first, step) in (0..16).flat_map(|step| (0..3).map(move |first| (first, step))) {
            // LODs before `first` have no bias.
            let mut number = 0..;
            let lods = normals.map(|normal| {
                let has_bias = number.next() >= Some(first);
                lod(if has_bias { step as f32 / NORMAL_BIAS_STEPS } else { 0.0 }, normal)
            });
            let vertices = lods.iter().flat_map(|lod| lod.mesh.vertices.clone()).collect();
            let all = Mesh {
                vertices,
                indices: (0..9).collect(),
            };
            let before = PackedMesh::new(&all);
            let mut packed = PackedMesh::new(&all);
            write_normal_biases(&mut packed, &lods.each_ref());
            let upright = vertices_upright(&lods.each_ref());
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
        assert_eq!((NORMAL_BIAS_MAX * NORMAL_BIAS_STEPS) as u32, 15);
    }

    #[test]
    fn finest_lods_are_dropped_if_not_all_fit() {
        let left = |room: usize| {
            let mut lods = vec![70_usize, 50, 30, 20];
            drop_finest(&mut lods, room, |&words| words);
            lods
        };
        assert_eq!(left(170), [70, 50, 30, 20]);
        assert_eq!(left(169), [50, 30, 20]);
        assert_eq!(left(50), [30, 20]);
        assert_eq!(left(49), [20]);
        assert_eq!(left(19), [0; 0]);
    }
}
