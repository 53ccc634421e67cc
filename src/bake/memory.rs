//! The memory that baking may take: checked before anything is allocated.

use glam::Affine3A;

use crate::{
    bake::{BakeError, MAX_FRAMES},
    model::{Clip, Model},
};

/// Bytes that the frames of one character may take in full precision; encoding them takes as much again.
pub const MAX_BAKE_BYTES: u64 = 2 << 30;

/// Frames of a character that memory and an atlas hold, at most.
#[must_use]
pub fn most_frames(model: &Model) -> u64 {
    MAX_FRAMES.min(MAX_BAKE_BYTES / frame_bytes(model).max(1))
}

/// Refuses a character of which not even both ends of every clip fit.
///
/// # Errors
/// [`BakeError::TooLarge`].
pub fn check_ends(model: &Model) -> Result<(), BakeError> {
    let ends = |clip: &Clip| if clip.duration > 0.0 { 2 } else { 1 };
    check(model, model.clips.iter().map(ends).sum(), || None)
}

/// Bytes of a frame in full precision.
#[must_use]
pub fn frame_bytes(model: &Model) -> u64 {
    let matrices = model.skeleton.slots.len() * size_of::<Affine3A>();
    (matrices + model.morphs.len() * size_of::<f32>()) as u64
}

/// Refuses so many frames of a character as take more than the limit; `fits` is a lower rate that does not.
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
