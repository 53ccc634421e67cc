//! Second step of draw lists: prefix sums of the blocks' counts give where each block's part of a draw list begins.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/scan.wgsl, for all draw lists or only those of the far phase.
pub(crate) fn pipeline(gpu: &Gpu, layouts: &Layouts, far_only: bool) -> Result<wgpu::ComputePipeline, GpuError> {
    let features: &[&str] = if far_only { &["far_only"] } else { &[] };
    compute_pipeline(gpu, "scan", features, &[&layouts.frame, &layouts.draw_lists])
}
