//! First step of draw lists: frustum culling and LOD selection assign each instance to a draw list.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/select.wgsl.
pub(crate) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        gpu,
        "select",
        &[],
        &[&layouts.frame, &layouts.crowd_visibility, &layouts.crowd_shadow],
    )
}
