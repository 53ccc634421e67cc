//! The CPU twin of the shader's atlas fetch, and the error of an encoding.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rayon::prelude::*;

use crate::{
    atlas::{Atlas, unit},
    bake::{Palettes, slot_bounds},
    model::{Bounds, LazyList, Model},
};

/// Largest displacement that an encoding causes at any point of any slot's vertex box.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct EncodeError {
    /// Displacement (m): an upper bound for every vertex at baked frames.
    pub worst: f32,
    /// Frame of the atlas.
    pub frame: u32,
    /// Palette slot.
    pub slot: u32,
}

impl Atlas {
    /// Matrix of a frame and slot in unit space.
    #[must_use]
    pub fn matrix(&self, frame: usize, slot: usize) -> Affine3A {
        let size = self.format.matrix_bytes();
        let index = frame * self.slot_count as usize + slot;
        let bytes = &self.bytes[index * size..(index + 1) * size];
        (self.format.facts().decode)(self, bytes)
    }

    /// Matrix of a frame and slot in model space.
    #[must_use]
    pub fn model_matrix(&self, frame: usize, slot: usize) -> Affine3A {
        unit::to_model(&self.unit, self.matrix(frame, slot))
    }

    /// All model-space matrices of a frame.
    #[must_use]
    pub fn model_palette(&self, frame: usize) -> Vec<Affine3A> {
        (0..self.slot_count as usize)
            .map(|slot| self.model_matrix(frame, slot))
            .collect()
    }

    /// Palettes with the accuracy of the atlas, to encode another format from a baked file. The matrices are decoded on
    /// first access.
    #[must_use]
    pub fn to_palettes(self: &Arc<Self>, model: &Model) -> Palettes {
        let atlas = self.clone();
        let decode = move || {
            let frames = 0..atlas.frame_count as usize;
            frames.flat_map(|f| atlas.model_palette(f)).collect()
        };
        Palettes {
            slot_count: self.slot_count as usize,
            frame_count: self.frame_count as usize,
            clips: self.clips.clone(),
            matrices: LazyList::new(decode),
            slot_bounds: slot_bounds(model),
            morph_weights: self.morph_weights.clone(),
            bound: self.bound,
        }
    }

    /// Encoding error at baked frames, against the palettes that were encoded.
    #[must_use]
    pub fn error(&self, palettes: &Palettes) -> EncodeError {
        let of_frame = |frame: usize| {
            let exact = palettes.frame(frame).iter().zip(&palettes.slot_bounds).enumerate();
            let errors = exact.map(|(slot, (&matrix, &bounds))| EncodeError {
                worst: displacement(matrix, self.model_matrix(frame, slot), bounds),
                frame: frame as u32,
                slot: slot as u32,
            });
            errors.fold(EncodeError::default(), worse)
        };
        (0..palettes.frame_count)
            .into_par_iter()
            .map(of_frame)
            .reduce(EncodeError::default, worse)
    }
}

fn worse(a: EncodeError, b: EncodeError) -> EncodeError {
    if b.worst > a.worst { b } else { a }
}

/// Largest distance (m) between a box's corners under both matrices; infinite for not-a-number.
pub(crate) fn displacement(exact: Affine3A, coded: Affine3A, bounds: Bounds) -> f32 {
    if bounds.is_empty() {
        return 0.0;
    }
    let corner = |i: u32| {
        let pick = |axis: u32, low: f32, high: f32| if i >> axis & 1 == 0 { low } else { high };
        let (a, b) = (bounds.min, bounds.max);
        Vec3::new(pick(0, a.x, b.x), pick(1, a.y, b.y), pick(2, a.z, b.z))
    };
    let distance = |p: Vec3| exact.transform_point3(p).distance(coded.transform_point3(p));
    // `f32::max` ignores not-a-number.
    let measured = |d: f32| if d.is_nan() { f32::INFINITY } else { d };
    (0..8).map(corner).map(distance).map(measured).fold(0.0, f32::max)
}
