//! Second step of `preskinned`: marks the poses in the draw lists.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/mark_used.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(gpu, "mark_used", &[], &[&layouts.frame, &layouts.poses])
}
