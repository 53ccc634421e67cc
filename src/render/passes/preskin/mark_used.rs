//! Second step of `preskinned`: marks the poses in the draw lists.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/mark_used.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "mark_used",
        &[],
        &[&context.layouts.frame, &context.layouts.poses],
    )
}
