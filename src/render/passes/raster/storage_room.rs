//! Storage buffers that a shader stage may bind, and the draws that the software rasterizer has room for there.

use crate::{
    gpu::Gpu,
    render::{
        passes::DrawVariant,
        resources::{AtlasSource, DrawFlags},
        technique::AnimationSource,
    },
};

/// Room for storage buffers in a shader stage of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorageRoom {
    /// Storage buffers that the device allows in a shader stage.
    allowed: u32,
}

impl StorageRoom {
    /// Storage buffers of rasterizing or shading a draw that needs no others: vertices, materials, instances, posed
    /// instances, and six of the pass. Browsers allow ten on most devices.
    pub const LEAST: u32 = 10;
    /// Storage buffers that suffice for every draw with the shadow map's words, and for ids with amodal masks.
    pub const FULL: u32 = 15;

    /// Room of a device.
    #[must_use]
    pub const fn of(gpu: &Gpu) -> Self {
        Self {
            allowed: gpu.limits.max_storage_buffers_per_shader_stage,
        }
    }

    /// Room of a limit.
    #[must_use]
    pub const fn new(allowed: u32) -> Self {
        Self { allowed }
    }

    /// Storage buffers that the device allows in a shader stage.
    #[must_use]
    pub const fn allowed(self) -> u32 {
        self.allowed
    }

    /// True if some draws fit.
    #[must_use]
    pub const fn suffices(self) -> bool {
        self.allowed >= Self::LEAST
    }

    /// True if every draw fits, shading reads the shadow map from the words of the software rasterizer, and ids are
    /// written with amodal masks.
    #[must_use]
    pub const fn is_full(self) -> bool {
        self.allowed >= Self::FULL
    }

    /// True if a variant fits. Those that do not are drawn by the hardware rasterizer.
    #[must_use]
    pub fn holds(self, variant: DrawVariant) -> bool {
        let method = variant.method;
        let is_posed = method.technique.facts().source != AnimationSource::RestPose;
        let more = [
            is_posed && method.source == AtlasSource::Storage,
            variant.has(DrawFlags::MORPHS),
            variant.flags.intersects(DrawFlags::HEROES | DrawFlags::ACTORS),
        ];
        let more = more.into_iter().filter(|&binds| binds).count() as u32;
        Self::LEAST + more <= self.allowed
    }
}
