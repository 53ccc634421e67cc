//! Second step of draw lists: prefix sums of the blocks' counts give where each block's part of a draw list begins.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/scan.wgsl, for all draw lists or only those of the far phase.
pub(crate) fn pipeline(context: &RenderContext, far_only: bool) -> Result<wgpu::ComputePipeline, GpuError> {
    let features: &[&str] = if far_only { &["far_only"] } else { &[] };
    compute_pipeline(
        &context.gpu,
        "scan",
        features,
        &[&context.layouts.frame, &context.layouts.draw_lists],
    )
}
