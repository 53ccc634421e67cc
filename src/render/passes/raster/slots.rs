//! Assigns triangle ids to everything that the software rasterizer draws, and writes the sizes of its dispatches.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Words of the indirect dispatch of a draw.
pub const DISPATCH_WORDS: u32 = 3;

shader_struct!(SlotUniforms);

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
