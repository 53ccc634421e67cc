//! Skin influences: reduces any number of weighted slots to four per vertex, or to eight where four cost too much
//! accuracy.

use crate::model::{MOST_INFLUENCES, Mesh, USUAL_INFLUENCES};

/// A vertex with fewer influences than in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct InfluenceReduction {
    /// Index into [`Mesh::vertices`](super::Mesh::vertices).
    pub vertex: u32,
    /// All palette slots and weights of the file, normalised, strongest first.
    pub influences: Vec<(u16, f32)>,
}

/// Reduces vertices to their four strongest influences and records the full ones.
#[derive(Default)]
pub(crate) struct Reduction {
    /// Vertices whose weights were all zero.
    pub unweighted: usize,
    /// Weights that were infinite or NaN, and count as zero.
    pub not_finite: usize,
    /// Vertices whose weights did not add up to 1 within 1 %.
    rescaled: usize,
    /// All influences of vertices that had more than four.
    full: Vec<(usize, Vec<(u16, f32)>)>,
}

/// Slots and weights of a vertex.
pub(crate) type InfluenceSet = ([u16; MOST_INFLUENCES], [f32; MOST_INFLUENCES]);

/// A few values, padded with one value.
#[must_use]
pub fn padded<T: Copy, const N: usize>(few: [T; N], with: T) -> [T; MOST_INFLUENCES] {
    std::array::from_fn(|i| few.get(i).copied().unwrap_or(with))
}

/// Up to eight influences, strongest first, normalised to sum to 1. Unused entries repeat the first slot, so that
/// fetching them stays in cache.
pub(super) fn entries(found: impl Iterator<Item = (u16, f32)>) -> InfluenceSet {
    let found: Vec<(u16, f32)> = found.take(MOST_INFLUENCES).collect();
    let kept: f32 = found.iter().map(|&(_, w)| w).sum();
    let first = found.first().map_or(0, |&(slot, _)| slot);
    let entry = |i: usize| found.get(i).map_or((first, 0.0), |&(slot, w)| (slot, w / kept));
    let entries: [(u16, f32); MOST_INFLUENCES] = std::array::from_fn(entry);
    let mut weights = entries.map(|(_, w)| w);
    // Validators require a sum of exactly 1.
    weights[0] = 1.0 - weights[1..].iter().sum::<f32>();
    (entries.map(|(slot, _)| slot), weights)
}

/// Restores up to eight influences of reduced vertices; those with more remain listed.
pub(crate) fn widen(mesh: &mut Mesh, reduced: &mut Vec<InfluenceReduction>) {
    for InfluenceReduction { vertex, influences } in &*reduced {
        let vertex = &mut mesh.vertices[*vertex as usize];
        (vertex.joints, vertex.weights) = entries(influences.iter().copied());
    }
    reduced.retain(|r| r.influences.len() > MOST_INFLUENCES);
}

impl Reduction {
    /// Slots and weights of the four strongest influences of vertex `index`.
    pub(crate) fn reduce(&mut self, index: usize, mut found: Vec<(u16, f32)>) -> InfluenceSet {
        found.sort_by_key(|&(slot, _)| slot);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        let sum: f64 = found.iter().map(|&(_, w)| f64::from(w)).sum();
        self.rescaled += usize::from((sum - 1.0).abs() > 0.01);
        for (_, weight) in &mut found {
            *weight = (f64::from(*weight) / sum) as f32;
        }
        let kept = entries(found.iter().copied().take(USUAL_INFLUENCES));
        if found.len() > USUAL_INFLUENCES {
            self.full.push((index, found));
        }
        kept
    }

    /// Reduced vertices of the finished mesh: `remap` gives the new index of each vertex, `slots` that of each slot.
    pub(crate) fn finish(self, remap: &[Option<u32>], slots: &[u16]) -> Vec<InfluenceReduction> {
        let reduced = |(old, mut influences): (usize, Vec<(u16, f32)>)| {
            let vertex = remap[old]?;
            influences
                .iter_mut()
                .for_each(|(slot, _)| *slot = slots[usize::from(*slot)]);
            Some(InfluenceReduction { vertex, influences })
        };
        let mut reduced: Vec<InfluenceReduction> = self.full.into_iter().filter_map(reduced).collect();
        // Merged vertices are listed more than once.
        reduced.sort_by_key(|r| r.vertex);
        reduced.dedup_by_key(|r| r.vertex);
        reduced
    }

    /// Import notes about weights, for display.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.not_finite > 0 {
            notes.push(format!("{} weights are not finite and count as zero", self.not_finite));
        }
        if self.unweighted > 0 {
            notes.push(format!(
                "{} vertices have no weights and are bound to the first joint of their skin",
                self.unweighted
            ));
        }
        if self.rescaled > 0 {
            notes.push(format!(
                "{} vertices have weights that do not add up to 1; they are normalised",
                self.rescaled
            ));
        }
        notes
    }
}
