//! Encoding of palettes.
//!
//! Rounding the 3x3 part of a matrix rotates and scales everything about the origin, so a finger far from it would
//! shake. Every encoder therefore rounds the 3x3 part first. It then chooses the translation that is exact at the
//! slot's pivot, the centre of the vertices which the slot moves. The remaining error grows only with the size of that
//! part of the body.

use glam::{Affine3A, Vec3A};
use rayon::prelude::*;

use crate::{
    atlas::{Atlas, AtlasFormat, unit},
    bake::Palettes,
    model::{LazyList, UnitSpace},
};

impl Atlas {
    /// Encodes all palettes in parallel; [`Atlas::error`] reports the error.
    #[must_use]
    pub fn encode(palettes: &Palettes, space: &UnitSpace, format: AtlasFormat) -> Self {
        let matrices: Vec<Affine3A> = palettes
            .matrices
            .par_iter()
            .map(|&m| unit::from_model(space, m))
            .collect();
        let pivots: Vec<Vec3A> = palettes
            .slot_bounds
            .iter()
            .map(|b| unit::point(space, b.centre()))
            .collect();
        let mut atlas = Self {
            format,
            slot_count: palettes.slot_count as u32,
            frame_count: palettes.frame_count as u32,
            clips: palettes.clips.clone(),
            unit: *space,
            decode_min: [0.0; 12],
            decode_size: [1.0; 12],
            bytes: LazyList::default(),
            morph_weights: palettes.morph_weights.clone(),
            bound: palettes.bound,
        };
        (format.facts().encode)(&mut atlas, &matrices, &pivots);
        atlas
    }
}

/// Rounds each matrix and adjusts its translation so that the slot's pivot stays where it was.
pub(crate) fn pin(
    matrices: &[Affine3A],
    pivots: &[Vec3A],
    round: impl Fn(Affine3A) -> Affine3A + Sync,
) -> Vec<Affine3A> {
    let pinned = |(i, &exact): (usize, &Affine3A)| {
        let pivot = pivots[i % pivots.len()];
        let rounded = round(exact);
        Affine3A {
            matrix3: rounded.matrix3,
            translation: exact.transform_point3a(pivot) - rounded.matrix3 * pivot,
        }
    };
    matrices.par_iter().enumerate().map(pinned).collect()
}
