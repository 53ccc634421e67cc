//! Colour and depth targets of the scene before tone mapping.

use crate::gpu::{Gpu, target_texture, whole_view};

/// Format of scene-referred colour.
pub(crate) const HDR_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Format of depth, which is reversed and infinite.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Size-dependent textures.
pub(crate) struct FrameTargets {
    pub(crate) size: (u32, u32),
    /// Colour target; multisampled unless samples = 1.
    pub(crate) color: wgpu::TextureView,
    /// Resolved copy of `color`, read by tone mapping; `None` if `color` has one sample.
    pub(crate) resolved: Option<wgpu::TextureView>,
    pub(crate) depth: wgpu::TextureView,
    pub(crate) bytes: u64,
}

impl FrameTargets {
    /// Makes the targets. `usage` is the further usage of the colour that tone mapping reads: copies, and writes by
    /// compute passes.
    pub(crate) fn new(gpu: &Gpu, size: (u32, u32), samples: u32, usage: wgpu::TextureUsages) -> Self {
        let none = wgpu::TextureUsages::empty();
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        let shown = read | usage;
        let in_compute = usage.contains(wgpu::TextureUsages::STORAGE_BINDING);
        let drawn = if in_compute { read } else { none };
        let make = |label, format, samples, usage| {
            whole_view(&target_texture(gpu, label, size, format, samples, usage), label)
        };
        let pixels = u64::from(size.0) * u64::from(size.1);
        let multisampled = samples > 1;
        let readable = !multisampled || gpu.facts.backend.reads_depth_samples();
        Self {
            size,
            color: make("color", HDR_FORMAT, samples, if multisampled { drawn } else { shown }),
            resolved: multisampled.then(|| make("resolved", HDR_FORMAT, 1, shown)),
            depth: make("depth", DEPTH_FORMAT, samples, if readable { read } else { none }),
            bytes: pixels * (u64::from(samples) * 12 + if multisampled { 8 } else { 0 }),
        }
    }

    /// Input of tone mapping.
    pub(crate) fn hdr(&self) -> &wgpu::TextureView {
        self.resolved.as_ref().unwrap_or(&self.color)
    }
}

/// Largest sample count, at most `wanted`, that the adapter can draw and resolve.
pub(crate) fn supported_samples(gpu: &Gpu, wanted: u32) -> u32 {
    let color = gpu.format_features(HDR_FORMAT).flags;
    let depth = gpu.format_features(DEPTH_FORMAT).flags;
    let supported = wanted == 4
        && color.sample_count_supported(4)
        && depth.sample_count_supported(4)
        && color.contains(wgpu::TextureFormatFeatureFlags::MULTISAMPLE_RESOLVE);
    if supported { 4 } else { 1 }
}
