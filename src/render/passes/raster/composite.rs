//! Depth composite: puts the visibility buffer among the hardware rasterizer's draws, each sample at its depth.

use crate::{
    gpu::{GpuError, RenderPipeline},
    render::{
        RenderContext, Targets,
        passes::draw_lists::occlusion_cull::{depth_features, sample_features},
    },
};

/// Pipeline of shaders/composite.wgsl.
pub(super) fn pipeline(context: &RenderContext, targets: Targets) -> Result<wgpu::RenderPipeline, GpuError> {
    RenderPipeline {
        pass: "composite",
        features: &[
            &["slots_pass"],
            sample_features(targets.samples),
            depth_features(targets.depth.convention),
        ]
        .concat(),
        layouts: &[&context.layouts.lit_frame, &context.layouts.composite],
        depth: Some(targets.depth.state(true)),
        samples: targets.samples,
        target: Some(targets.color),
        ..Default::default()
    }
    .build(&context.gpu)
}
