//! Fourth step of `preskinned`: writes where the poses of each instance are.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/assign_slots.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "assign_slots",
        &[],
        &[&context.layouts.frame, &context.layouts.poses],
    )
}
