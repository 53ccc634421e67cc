//! Numbers what is rasterised in compute, and tells the dispatches how large they are.

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Words of the dispatches of a draw: three of rasterise, three of resolve.
pub const DISPATCH_WORDS: u32 = 6;

/// `SlotUniforms` in shaders/slots.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct SlotUniforms {
    /// Draws.
    pub draw_count: u32,
    /// Workgroups of resolve over the picture.
    pub across: u32,
    /// See `across`.
    pub down: u32,
    /// Unused.
    pub pad: u32,
}

/// Pipeline of shaders/slots.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(gpu, "slots", &["slots_pass"], &[&layouts.frame, &layouts.slots])
}

/// Where the size of a draw's dispatch of rasterise is.
pub(super) fn rasterise_offset(draw: usize) -> u64 {
    4 * u64::from(DISPATCH_WORDS) * draw as u64
}

/// Where that of resolve is.
pub(super) fn resolve_offset(draw: usize) -> u64 {
    rasterise_offset(draw) + 12
}
