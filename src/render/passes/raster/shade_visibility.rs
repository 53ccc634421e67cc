//! Deferred shading of the visibility buffer (Burns and Hunt 2013): visible triangles are fetched and posed again, and
//! shaded once a pixel.

use crate::{
    gpu::{GpuError, compute_pipeline},
    render::{
        RenderContext,
        passes::{DrawVariant, crowd::FragmentOutput, draw_lists::occlusion_cull::sample_features, raster::groups},
    },
};

/// Pipeline of shaders/shade_visibility.wgsl, for so many samples a pixel.
pub(super) fn pipeline(
    context: &RenderContext,
    variant: DrawVariant,
    fragment_output: FragmentOutput,
    samples: u32,
) -> Result<wgpu::ComputePipeline, GpuError> {
    let features = [
        &variant.features(),
        fragment_output.features(),
        sample_features(samples),
        &["shadow_map_words"],
    ]
    .concat();
    let groups = groups(
        &context.layouts,
        variant,
        &context.layouts.shaded_frame,
        &context.layouts.shade_visibility,
    );
    compute_pipeline(&context.gpu, "shade_visibility", &features, &groups)
}
