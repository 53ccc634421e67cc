//! First step of compaction: prefix sum of surviving triangles over the workgroups of each block.

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
