//! AOVs of every pixel on the CPU.

use std::collections::BTreeMap;

use half::f16;

use crate::render::passes::{AovKind, NOWHERE};

/// Values of one AOV: rows top to bottom, components of a pixel in sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum AovValues {
    /// Unsigned integers.
    U32(Vec<u32>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 16-bit floats.
    F16(Vec<f16>),
}

/// AOVs of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AovImages {
    /// Picture size (px).
    pub size: (u32, u32),
    /// Requested AOVs by kind.
    pub layers: BTreeMap<AovKind, AovValues>,
}

impl AovImages {
    /// Adds an AOV from the bytes of its texture. Missing depth becomes infinity, missing motion NaN. Depth texels hold
    /// metres, or with `near` the near distance (m) over metres.
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

    /// Returns the instance ids of every pixel (see [`AovKind::Ids`]); empty if not requested.
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        match self.layers.get(&AovKind::Ids) {
            Some(AovValues::U32(ids)) => ids,
            _ => &[],
        }
    }

    /// Returns the floats of an AOV: depth (m), pairs of motion (px), pairs of texture coordinates. Empty if it was not
    /// requested or has half floats.
    #[must_use]
    pub fn floats(&self, kind: AovKind) -> &[f32] {
        match self.layers.get(&kind) {
            Some(AovValues::F32(floats)) => floats,
            _ => &[],
        }
    }

    /// Returns the instance id at a pixel; 0 outside the picture.
    #[must_use]
    pub fn id_at(&self, x: u32, y: u32) -> u32 {
        let (width, height) = self.size;
        let place = (y as usize) * (width as usize) + x as usize;
        let id = self.ids().get(place).filter(|_| x < width && y < height);
        id.copied().unwrap_or_default()
    }

    /// Returns the distance along the camera's axis at a pixel (m); infinite outside the picture.
    #[must_use]
    pub fn depth_at(&self, x: u32, y: u32) -> f32 {
        let (width, height) = self.size;
        let inside = x < width && y < height;
        let place = (y as usize) * (width as usize) + x as usize;
        let depth = self.floats(AovKind::Depth).get(place).filter(|_| inside);
        depth.copied().unwrap_or(f32::INFINITY)
    }
}
