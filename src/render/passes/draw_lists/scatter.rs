//! Third step of draw lists: writes their entries, and the arguments of the draws that read them.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::Layouts,
};

/// Pipeline of shaders/scatter.wgsl, for all draw lists or only those of the far phase.
pub(crate) fn pipeline(gpu: &Gpu, layouts: &Layouts, far_only: bool) -> Result<wgpu::ComputePipeline, GpuError> {
    let features: &[&str] = if far_only { &["far_only"] } else { &[] };
    compute_pipeline(gpu, "scatter", features, &[&layouts.frame, &layouts.draw_lists])
}
