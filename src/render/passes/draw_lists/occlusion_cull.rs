//! Occlusion culling: removes people of the far phase whose boxes are farther than the depth pyramid.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{DepthConvention, Layouts},
};

/// Pipeline of shaders/occlusion_cull.wgsl.
pub(crate) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    convention: DepthConvention,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let groups = [&layouts.frame, &layouts.crowd_visibility, &layouts.pyramid];
    compute_pipeline(gpu, "occlusion_cull", depth_features(convention), &groups)
}

/// Shader conditions of a depth convention.
pub(crate) fn depth_features(convention: DepthConvention) -> &'static [&'static str] {
    match convention {
        DepthConvention::Reversed => &[],
        DepthConvention::Standard => &["standard_depth"],
    }
}

/// Shader conditions of multisampled pictures.
pub(crate) const fn sample_features(samples: u32) -> &'static [&'static str] {
    if samples > 1 { &["multisampled"] } else { &[] }
}
