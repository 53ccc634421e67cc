//! LODs of technique `preskinned`: the place of each LOD's vertices, and the number of influences that skin them.
//!
//! Full detail uses all influences. A coarser LOD uses its strongest one or two if no vertex moves by more than half a
//! row of the picture. That must hold in every frame of the clips, at the largest height of the LOD: the condition of
//! coarser rates ([`MOST_ROWS_OFF`]).

use rayon::prelude::*;

use crate::{
    bake::skinning,
    character::Character,
    model::{Lod, Vertex},
    render::resources::{lods::CoarserMeshes, pose_steps::MOST_ROWS_OFF},
};

/// LODs that a table has room for: as many as the bits of a list entry can hold.
pub const POSE_LODS: usize = 16;
/// Numbers of influences that skin vertices, ascending; the last two are all that a character has.
pub const TIERS: [u32; 4] = [1, 2, 4, 8];
/// Tiers with fewer influences than full detail.
const FEW: [u32; 2] = [TIERS[0], TIERS[1]];
/// Budget of posed vertices for the search. The coarsest LODs come first; LODs beyond the budget keep all influences.
const MOST_POSED: u64 = 1 << 24;

shader_struct!(PoseLod);

/// LODs of a character, the full mesh first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseLods {
    /// LODs in their order.
    pub rows: Vec<PoseLod>,
    /// Largest displacement (m) of any vertex from dropped influences.
    pub error: f32,
}

impl PoseLods {
    /// LODs of a character's full mesh and of the coarser ones that a technique draws.
    pub(crate) fn of(character: &Character, coarser: &CoarserMeshes<'_>) -> Self {
        let full = &character.packed;
        let all = if full.has_eight_influences() { 8 } else { 4 };
        let mut rows = vec![PoseLod {
            vertex_count: full.vertices.len() as u32,
            influences: all,
            ..PoseLod::default()
        }];
        for lod in coarser.lods() {
            let before = rows[rows.len() - 1];
            rows.push(PoseLod {
                first_vertex: before.first_vertex + before.vertex_count,
                vertex_count: lod.mesh.vertices.len() as u32,
                influences: all,
                pad: 0,
            });
        }
        let (mut left, mut error) = (MOST_POSED, 0.0_f32);
        for (row, lod) in rows[1..].iter_mut().zip(coarser.lods()).rev() {
            if let Some((influences, found)) = fewest_influences(character, lod, &mut left) {
                row.influences = influences;
                error = error.max(found);
            }
        }
        Self { rows, error }
    }
}

/// Smallest tier that an LOD may have, and the largest displacement (m) of its vertices. `None` if it needs all
/// influences, or if the search exceeds the budget `left`.
fn fewest_influences(character: &Character, lod: &Lod, left: &mut u64) -> Option<(u32, f32)> {
    let height = character.largest_edge();
    let allowed = MOST_ROWS_OFF * height / lod.max_sample_rows;
    FEW.into_iter().find_map(|influences| {
        let vertices = lod.mesh.vertices.iter();
        let reduced = vertices.filter(|vertex| loses(vertex, influences)).count() as u64;
        *left = left.checked_sub(reduced * character.palettes.frame_count as u64)?;
        let error = influence_error(character, lod, influences, allowed)?;
        Some((influences, error))
    })
}

/// Largest displacement (m) of an LOD's vertices in the worst frame of the clips, if only the strongest influences are
/// kept. `None` if it exceeds `allowed`.
#[must_use]
pub fn influence_error(character: &Character, lod: &Lod, influences: u32, allowed: f32) -> Option<f32> {
    let palettes = &character.palettes;
    let frames = (0..palettes.frame_count).into_par_iter();
    let found = frames.map(|frame| {
        let palette = palettes.frame(frame);
        let vertices = skinning::morphed_lod(lod, palettes.frame_morphs(frame));
        let reduced = vertices.iter().filter(|vertex| loses(vertex, influences));
        let off = reduced.map(|vertex| {
            let all = skinning::blend(vertex, palette).transform_point3(vertex.position);
            let few = skinning::blend(&strongest(vertex, influences), palette).transform_point3(vertex.position);
            all.distance(few)
        });
        // NaN counts as an error beyond any limit.
        let off = off.fold(0.0_f32, |most, off| if off <= most { most } else { off });
        (off <= allowed).then_some(off)
    });
    found.try_reduce(|| 0.0, |a, b| Some(a.max(b)))
}

/// True if a vertex has more influences.
fn loses(vertex: &Vertex, influences: u32) -> bool {
    vertex.weights[influences as usize] > 0.0
}

/// Vertex with its strongest influences only, renormalised; all of them from four on. CPU twin of the shader's
/// function.
#[must_use]
pub fn strongest(vertex: &Vertex, influences: u32) -> Vertex {
    if influences > FEW[1] {
        return *vertex;
    }
    let mut kept = *vertex;
    let (few, others) = kept.weights.split_at_mut(influences as usize);
    others.fill(0.0);
    let sum: f32 = few.iter().sum();
    few.iter_mut().for_each(|weight| *weight /= sum);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strongest_influences_are_renormalised() {
        let vertex = Vertex {
            joints: [3, 5, 7, 9, 3, 3, 3, 3],
            weights: [0.5, 0.3, 0.15, 0.05, 0.0, 0.0, 0.0, 0.0],
            ..Vertex::default()
        };
        let weights = |influences| strongest(&vertex, influences).weights;
        assert_eq!(weights(4), vertex.weights);
        assert_eq!(weights(1)[..2], [1.0, 0.0]);
        let [first, second, rest @ ..] = weights(2);
        assert!((first - 0.625).abs() < 1e-6 && (second - 0.375).abs() < 1e-6);
        assert_eq!(rest, [0.0; 6]);
        assert!(loses(&vertex, 2) && !loses(&strongest(&vertex, 2), 2));
    }
}
