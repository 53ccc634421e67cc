//! What passes told of every pixel, on the CPU.

use std::collections::BTreeMap;

use half::f16;

use crate::render::passes::{AovKind, NOWHERE};

/// The numbers of all pixels, rows top to bottom, the numbers of a pixel together.
#[derive(Clone, Debug, PartialEq)]
pub enum AovValues {
    /// Whole numbers.
    U32(Vec<u32>),
    /// Floats.
    F32(Vec<f32>),
    /// Halves.
    F16(Vec<f16>),
}

/// AOVs of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AovImages {
    /// Pixels.
    pub size: (u32, u32),
    /// Requested AOVs by kind.
    pub layers: BTreeMap<AovKind, AovValues>,
}

impl AovImages {
    /// Takes the bytes of a texture of a kind; what has no depth is endlessly far, what has no motion
    /// not a number. Depth is in metres, or `near` metres over them.
    pub(crate) fn add(&mut self, kind: AovKind, bytes: &[u8], near: Option<f32>) {
        let layer = match kind {
            AovKind::Ids => AovValues::U32(bytemuck::pod_collect_to_vec(bytes)),
            AovKind::Depth => {
                let mut depth: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
                let far = |told: f32| match near {
                    _ if told <= 0.0 => f32::INFINITY,
                    Some(near) => near / told,
                    None => told,
                };
                depth.iter_mut().for_each(|told| *told = far(*told));
                AovValues::F32(depth)
            }
            AovKind::Motion => {
                let motion: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
                let told = |pixels: f32| if pixels >= NOWHERE { f32::NAN } else { pixels };
                AovValues::F32(motion.into_iter().map(told).collect())
            }
            AovKind::Uv => AovValues::F32(bytemuck::pod_collect_to_vec(bytes)),
            AovKind::Normal | AovKind::Albedo => AovValues::F16(bytemuck::pod_collect_to_vec(bytes)),
        };
        self.layers.insert(kind, layer);
    }

    /// Instance ids of every pixel: see [`AovKind::Ids`]; empty if not requested.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        match self.layers.get(&AovKind::Ids) {
            Some(AovValues::U32(ids)) => ids,
            _ => &[],
        }
    }

    /// Floats of a kind: metres of depth, pairs of pixels of motion, pairs of coordinates; empty where it
    /// was not asked for or has halves.
    #[must_use]
    pub fn floats(&self, kind: AovKind) -> &[f32] {
        match self.layers.get(&kind) {
            Some(AovValues::F32(floats)) => floats,
            _ => &[],
        }
    }

    /// Metres along the camera's axis to what is at a pixel; endless outside the picture too.
    #[must_use]
    pub fn depth_at(&self, x: u32, y: u32) -> f32 {
        let (width, height) = self.size;
        let inside = x < width && y < height;
        let place = (y as usize) * (width as usize) + x as usize;
        let depth = self.floats(AovKind::Depth).get(place).filter(|_| inside);
        depth.copied().unwrap_or(f32::INFINITY)
    }
}
