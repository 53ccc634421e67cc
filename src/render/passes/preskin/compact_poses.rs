//! Third step of `preskinned`: a prefix sum over the marks gives slots to the distinct poses.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/compact_poses.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "compact_poses",
        &[],
        &[&context.layouts.frame, &context.layouts.poses],
    )
}
