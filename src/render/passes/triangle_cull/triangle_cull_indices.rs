//! Third step of compaction: writes the indices of the surviving triangles in draw order.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/triangle_cull_indices.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "triangle_cull_indices",
        &["kept_pass"],
        &[&context.layouts.frame, &context.layouts.triangle_cull.kept],
    )
}
