//! Third step of draw lists: writes their entries, and the arguments of the draws that read them.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/scatter.wgsl, for all draw lists or only those of the far phase.
pub(crate) fn pipeline(context: &RenderContext, far_only: bool) -> Result<wgpu::ComputePipeline, GpuError> {
    let features: &[&str] = if far_only { &["far_only"] } else { &[] };
    compute_pipeline(
        &context.gpu,
        "scatter",
        features,
        &[&context.layouts.frame, &context.layouts.draw_lists],
    )
}
