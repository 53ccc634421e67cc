//! Tint colours of a scene on the GPU.

use crate::{crowd::tints::Ramps, model::linear_from_srgb};

/// Bytes of all colours.
pub(crate) const BYTES: usize = 4 * 64 * size_of::<[f32; 4]>();

/// Tint colours: 4 x 64, linear; alpha is the strength with which they replace a material's own colour.
pub(crate) fn colors(ramps: &Ramps, strength: f32) -> Vec<[f32; 4]> {
    let all = ramps.colours.iter().flatten();
    all.map(|&srgb| linear(srgb, strength)).collect()
}

/// Linear colour from sRGB bytes (red lowest).
fn linear(srgb: u32, alpha: f32) -> [f32; 4] {
    let channel = |shift: u32| linear_from_srgb(f32::from((srgb >> shift) as u8) / 255.0);
    [channel(0), channel(8), channel(16), alpha]
}
