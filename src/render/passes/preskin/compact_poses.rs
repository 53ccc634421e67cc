//! Third step of `preskinned`: a prefix sum over the marks gives slots to the distinct poses.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/compact_poses.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(gpu, "compact_poses", &[], &[&layouts.frame, &layouts.poses])
}
