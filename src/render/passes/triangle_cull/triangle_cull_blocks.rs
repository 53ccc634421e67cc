//! How many triangles are left before each workgroup.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/triangle_cull_blocks.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        gpu,
        "triangle_cull_blocks",
        &["kept_pass"],
        &[&layouts.frame, &layouts.triangle_cull.kept],
    )
}
