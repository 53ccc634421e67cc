//! Occlusion culling: removes people of the far phase whose boxes are farther than the depth pyramid.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::{DepthConvention, RenderContext},
};

/// Pipeline of shaders/occlusion_cull.wgsl.
pub(crate) fn pipeline(
    context: &RenderContext,
    convention: DepthConvention,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let groups = [
        &context.layouts.frame,
        &context.layouts.crowd_visibility,
        &context.layouts.pyramid,
    ];
    compute_pipeline(&context.gpu, "occlusion_cull", depth_features(convention), &groups)
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
