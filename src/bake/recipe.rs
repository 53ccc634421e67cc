//! Preparation and baking of an imported model, the same for every placement of frames.

use glam::Affine3A;
use rayon::prelude::*;

use crate::{
    bake::{Palettes, extract_root_motion, influences::keep_influences, state_ground_speeds},
    model::{Bounds, Model},
};

/// Extracts root motion from the clips. Keeps up to eight influences where four would cost more than half of
/// `largest_error` (m). Adds notes on both to the model.
pub fn prepare(model: &mut Model, largest_error: f32) {
    let travels = extract_root_motion(model);
    model.notes.extend(travels);
    let influences = keep_influences(model, largest_error);
    model.notes.extend(influences);
}

/// Calls [`prepare`], lets `frames` bake the model, and sets the ground speed of walks whose file states none.
///
/// # Errors
/// Errors of `frames`.
pub fn bake_in_place<E>(
    model: &mut Model,
    largest_error: f32,
    frames: impl FnOnce(&Model) -> Result<Palettes, E>,
) -> Result<Palettes, E> {
    prepare(model, largest_error);
    let mut palettes = frames(model)?;
    state_ground_speeds(model, &mut palettes);
    model.mirrored = mirrors(&palettes);
    Ok(palettes)
}

/// Volume (relative to the cube of the longest axis) below which a matrix counts as flat, not as mirroring. Clips hide
/// parts by scaling them to nearly nothing.
const FLAT: f32 = 1e-3;

/// True if any frame mirrors a slot that moves vertices.
fn mirrors(palettes: &Palettes) -> bool {
    let turns_around = |matrix: &Affine3A| {
        let m = matrix.matrix3;
        let longest = m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length());
        m.determinant() < -FLAT * longest.powi(3)
    };
    let moves = |slot: usize| palettes.slot_bounds[slot] != Bounds::EMPTY;
    let frames = palettes.matrices.par_chunks_exact(palettes.slot_count.max(1));
    frames.into_par_iter().any(|frame| {
        let mut slots = frame.iter().enumerate();
        slots.any(|(slot, matrix)| moves(slot) && turns_around(matrix))
    })
}
