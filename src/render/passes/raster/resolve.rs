//! The colours of what was rasterised in compute.

use crate::{
    gpu::{Gpu, GpuError, compute_pipeline},
    render::{
        Layouts,
        passes::{DrawVariant, crowd::Shown, raster::groups},
    },
};

/// Pipeline of shaders/resolve.wgsl.
pub(super) fn pipeline(
    gpu: &Gpu,
    layouts: &Layouts,
    variant: DrawVariant,
    shown: Shown,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [&variant.features(), shown.features(), &["sun_words"]].concat();
    let groups = groups(layouts, variant, (&layouts.shaded_frame, &layouts.resolve));
    compute_pipeline(gpu, "resolve", &features, &groups)
}
