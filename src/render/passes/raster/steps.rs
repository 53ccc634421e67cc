//! Steps of the software rasterizer: one with 64-bit atomics, two with 32-bit atomics.

use crate::{gpu::Gpu, render::passes::raster::RasterUniforms};

/// Atomics that keep the nearest triangle of every sample. Both leave the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleAtomics {
    /// One 64-bit maximum of depth key and id.
    Packed,
    /// Two 32-bit maxima: depth keys of everything, then ids where the depth is the largest.
    Split,
}

impl SampleAtomics {
    /// Atomics of a device: 64 bits if its features have them.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Self {
        if gpu.features.contains(Gpu::WIDE_ATOMICS) {
            Self::Packed
        } else {
            Self::Split
        }
    }

    /// Conditions of shaders/shared/cover.wgsl.
    #[must_use]
    pub const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Packed => &[],
            Self::Split => &["split_words"],
        }
    }
}

/// Step of the software rasterizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RasterStep {
    /// Keeps the nearest depth of every sample; with 64-bit atomics its id, too.
    Nearest,
    /// Writes ids, after the depths of all phases. With 64-bit atomics there is nothing left to write.
    Ids,
}

impl RasterStep {
    /// Uniforms of the step.
    pub(super) fn uniforms(self, uniforms: RasterUniforms) -> RasterUniforms {
        RasterUniforms {
            writes_ids: u32::from(self == Self::Ids),
            ..uniforms
        }
    }
}

/// Bind groups of a draw or a queue, one for each step of a device.
pub(crate) struct StepGroups {
    nearest: wgpu::BindGroup,
    ids: Option<wgpu::BindGroup>,
}

impl StepGroups {
    /// Bind groups of every step of these atomics.
    pub(super) fn new(atomics: SampleAtomics, make: impl Fn(RasterStep) -> wgpu::BindGroup) -> Self {
        Self {
            nearest: make(RasterStep::Nearest),
            ids: (atomics == SampleAtomics::Split).then(|| make(RasterStep::Ids)),
        }
    }

    /// Bind group of a step; `None` if the device has no such step.
    pub(super) const fn of(&self, step: RasterStep) -> Option<&wgpu::BindGroup> {
        match step {
            RasterStep::Nearest => Some(&self.nearest),
            RasterStep::Ids => self.ids.as_ref(),
        }
    }
}
