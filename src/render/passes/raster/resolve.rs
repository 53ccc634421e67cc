//! The colours of what was rasterised in compute.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        Layouts,
        passes::{DrawVariant, crowd::Shown, raster::groups},
    },
};

/// Pixels along an edge of a workgroup.
pub(super) const TILE: u32 = 8;

/// Pipeline of shaders/resolve.wgsl.
pub(super) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    variant: DrawVariant,
    shown: Shown,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [&variant.features(), shown.features()].concat();
    let groups = groups(layouts, variant, (&layouts.lit_frame, &layouts.resolve));
    compute_pipeline(gpu, "resolve", &features, &groups)
}
