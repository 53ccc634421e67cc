//! GPU memory as the allocator counts it: all buffers and textures of a device, those of egui, the profiler and wgpu
//! included.

use serde::{Deserialize, Serialize};

use crate::gpu::{Gpu, uploads::ByPurpose};

/// Source of a figure of GPU memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySource {
    /// Allocator: every buffer and texture. It leaves out the swapchain, shaders, and overhead of the driver.
    Allocator,
    /// Sum over characters, instances and targets, for backends without an allocator to ask (OpenGL, Metal). It leaves
    /// out panel, queries, profiler and padding.
    #[default]
    Estimate,
}

/// Allocated memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GpuMemory {
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes by label.
    pub by_purpose: ByPurpose,
}

impl Gpu {
    /// Memory allocated on the device now; `None` if the backend does not report it.
    #[must_use]
    pub fn memory(&self) -> Option<GpuMemory> {
        let report = self.device.generate_allocator_report()?;
        let mut by_purpose = ByPurpose::new();
        for allocation in report.allocations {
            *by_purpose.entry(allocation.name).or_default() += allocation.size;
        }
        Some(GpuMemory {
            bytes: report.total_allocated_bytes,
            by_purpose,
        })
    }

    /// Memory as [`Gpu::memory`] reports it, after pending uploads have arrived and dropped resources are freed.
    #[must_use]
    pub fn settled_memory(&self) -> Option<GpuMemory> {
        self.queue.submit([]);
        self.wait_idle();
        self.memory()
    }
}
