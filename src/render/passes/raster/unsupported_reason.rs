//! What a device lacks for software rasterization.

use crate::gpu::Gpu;

/// Storage buffers that resolve binds, materials, instances, heroes, morphs and the crowd's density among them.
const STORAGE_BUFFERS: u32 = 16;

/// Why a device cannot uses the software rasterizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedReason {
    /// It has no 64-bit atomics.
    WideAtomics,
    /// Its fragment shaders do not run for single samples.
    SampleShading,
    /// It binds too few storage buffers.
    StorageBuffers {
        /// How many it allows.
        allowed: u32,
    },
}

impl UnsupportedReason {
    /// The first of a device's; `None` where it can.
    #[must_use]
    pub fn of(gpu: &Gpu) -> Option<Self> {
        if !gpu.features.contains(Gpu::WIDE_ATOMICS) {
            return Some(Self::WideAtomics);
        }
        let flags = gpu.adapter().map(|adapter| adapter.get_downlevel_capabilities().flags);
        if flags.is_some_and(|flags| !flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING)) {
            return Some(Self::SampleShading);
        }
        let allowed = gpu.limits.max_storage_buffers_per_shader_stage;
        (allowed < STORAGE_BUFFERS).then_some(Self::StorageBuffers { allowed })
    }

    /// A few words.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::WideAtomics => "no 64-bit atomics",
            Self::SampleShading => "no shading of single samples",
            Self::StorageBuffers { .. } => "too few storage buffers",
        }
    }

    /// Sentence about an adapter, by its name.
    #[must_use]
    pub fn sentence(self, adapter: &str) -> String {
        match self {
            Self::WideAtomics => format!("{adapter} has no 64-bit atomics"),
            Self::SampleShading => format!("{adapter} does not shade single samples"),
            Self::StorageBuffers { allowed } => format!(
                "it binds {STORAGE_BUFFERS} storage buffers, but {adapter} allows {allowed} \
                 (max_storage_buffers_per_shader_stage)"
            ),
        }
    }
}

/// Why a device cannot uses the software rasterizer, as a sentence; `None` where it can.
#[must_use]
pub fn unsupported_reason(gpu: &Gpu) -> Option<String> {
    UnsupportedReason::of(gpu).map(|unsupported_reason| unsupported_reason.sentence(&gpu.facts.name))
}
