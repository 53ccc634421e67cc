//! Depth composite: puts the visibility buffer among the hardware rasterizer's draws, each sample at its depth.

use crate::{
    gpu::{Gpu, GpuError, RenderPipeline},
    render::{
        Layouts, Targets,
        passes::draw_lists::occlusion_cull::{depth_features, sample_features},
    },
};

/// Pipeline of shaders/composite.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts, targets: Targets) -> Result<wgpu::RenderPipeline, GpuError> {
    RenderPipeline {
        pass: "composite",
        features: &[
            &["slots_pass"],
            sample_features(targets.samples),
            depth_features(targets.depth.convention),
        ]
        .concat(),
        layouts: &[&layouts.lit_frame, &layouts.composite],
        depth: Some(targets.depth.state(true)),
        samples: targets.samples,
        target: Some(targets.color),
        ..Default::default()
    }
    .build(gpu)
}
