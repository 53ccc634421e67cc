//! Second step of compaction: prefix sum over the blocks, and the arguments of all draws.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/triangle_cull_draws.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "triangle_cull_draws",
        &["kept_pass"],
        &[&context.layouts.frame, &context.layouts.triangle_cull.kept],
    )
}
