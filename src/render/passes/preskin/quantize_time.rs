//! The first step: everyone to the moment at which they are shown.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/quantize_time.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(gpu, "quantize_time", &[], &[&layouts.frame, &layouts.moments])
}
