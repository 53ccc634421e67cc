//! First step of draw lists: frustum culling and LOD selection assign each instance to a draw list.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/select.wgsl.
pub(crate) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "select",
        &[],
        &[
            &context.layouts.frame,
            &context.layouts.crowd_visibility,
            &context.layouts.crowd_shadow,
        ],
    )
}
