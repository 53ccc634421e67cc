//! The indices of the triangles that are left.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/sift_indices.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        gpu,
        "sift_indices",
        &["kept_pass"],
        &[&layouts.frame, &layouts.sift.kept],
    )
}
