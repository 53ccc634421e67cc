//! First step of `preskinned`: moves everyone to the nearest time step at which people are posed.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::RenderContext,
};

/// Pipeline of shaders/quantize_time.wgsl.
pub(super) fn pipeline(context: &RenderContext) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        &context.gpu,
        "quantize_time",
        &[],
        &[&context.layouts.frame, &context.layouts.moments],
    )
}
