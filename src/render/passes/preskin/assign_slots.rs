//! Fourth step of `preskinned`: writes where the poses of each instance are.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/assign_slots.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(gpu, "assign_slots", &[], &[&layouts.frame, &layouts.poses])
}
