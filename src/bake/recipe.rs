//! From a model as imported to its frames: the one recipe, whatever chooses the frames.

use glam::Affine3A;
use rayon::prelude::*;

use crate::{
    bake::{Palettes, extract_root_motion, influences::keep_influences, state_ground_speeds},
    model::{Bounds, Model},
};

/// Takes root motion out of the clips, and keeps up to eight influences where four would take more than half of
/// `largest_error`, metres. What was done is added to the model's notes.
pub fn prepare(model: &mut Model, largest_error: f32) {
    let travels = extract_root_motion(model);
    model.notes.extend(travels);
    let influences = keep_influences(model, largest_error);
    model.notes.extend(influences);
}

/// [`prepare`]s a model, lets `frames` bake it, and states the ground speed of walks whose file has none.
///
/// # Errors
/// Those of `frames`.
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

/// Volume, relative to the cube of the longest axis, below which a matrix flattens and mirrors nothing:
/// clips hide parts by scaling them to nearly nothing.
const FLAT: f32 = 1e-3;

/// Whether any frame mirrors a slot that moves vertices.
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
