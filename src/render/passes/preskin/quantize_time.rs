//! First step of `preskinned`: moves everyone to the nearest time step at which people are posed.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/quantize_time.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(gpu, "quantize_time", &[], &[&layouts.frame, &layouts.moments])
}
