//! Memory limit of baking, checked before anything is allocated.

use glam::Affine3A;

use crate::{
    bake::{BakeError, MAX_FRAMES},
    model::{Clip, Model},
};

/// Limit of the frames of one character in full precision (bytes); encoding takes as much again.
pub const MAX_BAKE_BYTES: u64 = 2 << 30;

/// Largest number of frames of a character that memory and an atlas hold.
#[must_use]
pub fn most_frames(model: &Model) -> u64 {
    MAX_FRAMES.min(MAX_BAKE_BYTES / frame_bytes(model).max(1))
}

/// Rejects a character if not even both ends of every clip fit.
///
/// # Errors
/// [`BakeError::TooLarge`].
pub fn check_ends(model: &Model) -> Result<(), BakeError> {
    let ends = |clip: &Clip| if clip.duration > 0.0 { 2 } else { 1 };
    check(model, model.clips.iter().map(ends).sum(), || None)
}

/// Size of a frame in full precision (bytes).
#[must_use]
pub fn frame_bytes(model: &Model) -> u64 {
    let matrices = model.skeleton.slots.len() * size_of::<Affine3A>();
    (matrices + model.morphs.len() * size_of::<f32>()) as u64
}

/// Rejects a number of frames that exceeds the memory limit; `fits` gives a lower rate that does not.
///
/// # Errors
/// [`BakeError::TooLarge`].
pub fn check(model: &Model, frames: u64, fits: impl FnOnce() -> Option<f32>) -> Result<(), BakeError> {
    let bytes = frames.saturating_mul(frame_bytes(model));
    if bytes <= MAX_BAKE_BYTES {
        return Ok(());
    }
    Err(BakeError::TooLarge {
        name: model.name.clone(),
        frames,
        slots: model.skeleton.slots.len(),
        morphs: model.morphs.len(),
        bytes,
        fits: fits(),
    })
}
