//! Reasons why a device does not support the software rasterizer.

use crate::{
    gpu::{Backend, Gpu},
    render::passes::raster::{SampleAtomics, StorageRoom},
};

/// Reason why a device does not support the software rasterizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedReason {
    /// The backend is OpenGL.
    OpenGl,
    /// Fragment shaders do not run per sample.
    SampleShading,
    /// Too few storage buffers can be bound.
    StorageBuffers {
        /// Storage buffers that the device allows in a shader stage.
        allowed: u32,
    },
}

impl UnsupportedReason {
    /// First reason that applies to a device; `None` if it supports the software rasterizer.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Option<Self> {
        if gpu.facts.backend == Backend::Gl {
            return Some(Self::OpenGl);
        }
        let flags = gpu.adapter().map(|adapter| adapter.get_downlevel_capabilities().flags);
        if flags.is_some_and(|flags| !flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING)) {
            return Some(Self::SampleShading);
        }
        let room = StorageRoom::of(gpu);
        let allowed = room.allowed();
        (!room.suffices()).then_some(Self::StorageBuffers { allowed })
    }

    /// Reason in a few words.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::OpenGl => "OpenGL",
            Self::SampleShading => "no per-sample shading",
            Self::StorageBuffers { .. } => "too few storage buffers",
        }
    }

    /// Reason as a sentence that names the adapter.
    #[must_use]
    pub fn sentence(self, adapter: &str) -> String {
        match self {
            Self::OpenGl => format!("the software rasterizer does not support OpenGL ({adapter})"),
            Self::SampleShading => format!("{adapter} does not support per-sample shading"),
            Self::StorageBuffers { allowed } => format!(
                "the software rasterizer binds {} storage buffers, but {adapter} allows {allowed} \
                 (max_storage_buffers_per_shader_stage)",
                StorageRoom::LEAST
            ),
        }
    }
}

/// Reason why a device does not support the software rasterizer, as a sentence; `None` if it does.
#[must_use]
pub fn unsupported_reason(gpu: &Gpu) -> Option<String> {
    UnsupportedReason::of(gpu).map(|unsupported_reason| unsupported_reason.sentence(&gpu.facts.name))
}

/// True if a device gets compute passes that nobody asked for: shadows by the software rasterizer, triangle culling, the
/// background. Where they were measured to pay off, devices had 64-bit atomics; others keep the graphics pipeline, which
/// may hold samples on the chip.
#[must_use]
pub(crate) fn prefers_compute(gpu: &Gpu) -> bool {
    let has_all = StorageRoom::of(gpu).is_full() && SampleAtomics::of(gpu) == SampleAtomics::Packed;
    has_all && UnsupportedReason::of(gpu).is_none()
}
