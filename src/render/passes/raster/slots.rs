//! Assigns triangle ids to everything that the software rasterizer draws, and writes the sizes of its dispatches.

use bytemuck::{Pod, Zeroable};

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Words of the indirect dispatch of a draw.
pub const DISPATCH_WORDS: u32 = 3;

/// Draws that get ids in one dispatch: `SlotUniforms` in shaders/slots.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct SlotUniforms {
    /// Draws whose arguments are in the same buffer.
    pub draw_count: u32,
    /// First row of the phase in the table of [`RasterRow`](super::RasterRow)s.
    pub first_row: u32,
    /// Number of the first of these draws among all.
    pub first_draw: u32,
    /// Unused.
    pub pad_a: u32,
}

/// Pipeline of shaders/slots.wgsl.
pub(in crate::render::passes) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "slots",
        &["slots_pass"],
        &[&context.layouts.frame, &context.layouts.slots],
    )
}

/// Offset (bytes) of a draw's indirect dispatch of rasterise.
pub(in crate::render::passes) fn rasterise_offset(draw: usize) -> u64 {
    4 * u64::from(DISPATCH_WORDS) * draw as u64
}
