//! Third step of compaction: writes the indices of the surviving triangles in draw order.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/triangle_cull_indices.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        gpu,
        "triangle_cull_indices",
        &["kept_pass"],
        &[&layouts.frame, &layouts.triangle_cull.kept],
    )
}
