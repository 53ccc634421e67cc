//! First step of compaction: prefix sum of surviving triangles over the workgroups of each block.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/triangle_cull_blocks.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "triangle_cull_blocks",
        &["kept_pass"],
        &[&context.layouts.frame, &context.layouts.triangle_cull.kept],
    )
}
