//! The nearest triangle of every sample.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        DepthConvention, Layouts,
        passes::{DrawVariant, bins::occlude::depth_features},
    },
};

/// Pipeline of shaders/rasterise.wgsl.
pub(super) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    variant: DrawVariant,
    convention: DepthConvention,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let sides: &[&str] = if variant.double_sided || variant.mirrored {
        &[]
    } else {
        &["one_sided"]
    };
    let features = [&variant.pose_features(), sides, depth_features(convention)].concat();
    let groups = [
        &layouts.frame,
        layouts.character(variant),
        layouts.instances(variant),
        &layouts.rasterise,
    ];
    compute_pipeline(gpu, "rasterise", &features, &groups)
}
