//! Second step of compaction: prefix sum over the blocks, and the arguments of all draws.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/triangle_cull_draws.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts) -> Result<wgpu::ComputePipeline, GpuError> {
    compute_pipeline(
        gpu,
        "triangle_cull_draws",
        &["kept_pass"],
        &[&layouts.frame, &layouts.triangle_cull.kept],
    )
}
