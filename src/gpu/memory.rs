//! GPU memory as the allocator counts it: all buffers and textures of a device, egui's, the
//! profiler's and wgpu's own among them.

use serde::{Deserialize, Serialize};

use crate::gpu::{Gpu, uploads::ByPurpose};

/// Where a figure of GPU memory comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySource {
    /// The allocator: every buffer and texture. Swapchain, shaders and what a driver adds are not in it.
    Allocator,
    /// A sum over characters, instances and targets, where the backend has no allocator to ask
    /// (OpenGL, Metal): panel, queries, profiler and padding are not in it.
    #[default]
    Estimate,
}

/// Allocated memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes in all.
    pub bytes: u64,
    /// Bytes by label.
    pub by_purpose: ByPurpose,
}

impl Gpu {
    /// Memory allocated on the device now; `None` if the backend does not tell.
    #[must_use]
    pub fn memory(&self) -> Option<Memory> {
        let report = self.device.generate_allocator_report()?;
        let mut by_purpose = ByPurpose::new();
        for allocation in report.allocations {
            *by_purpose.entry(allocation.name).or_default() += allocation.size;
        }
        Some(Memory {
            bytes: report.total_allocated_bytes,
            by_purpose,
        })
    }

    /// As [`Gpu::memory`], after what was sent has arrived and what was dropped is gone.
    #[must_use]
    pub fn settled_memory(&self) -> Option<Memory> {
        self.queue.submit([]);
        self.wait_idle();
        self.memory()
    }
}
