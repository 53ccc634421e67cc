//! What was rasterised in compute, drawn among what the graphics pipe draws.

use crate::{
    gpu::{Gpu, GpuError, RenderPipeline},
    render::{Layouts, Targets, passes::bins::occlude::depth_features},
};

/// Pipeline of shaders/meet.wgsl.
pub(super) fn pipeline(gpu: &Gpu, layouts: &Layouts, targets: Targets) -> Result<wgpu::RenderPipeline, GpuError> {
    let samples: &[&str] = if targets.samples > 1 { &["multisampled"] } else { &[] };
    RenderPipeline {
        pass: "meet",
        features: &[&["slots_pass"], samples, depth_features(targets.depth.convention)].concat(),
        layouts: &[&layouts.lit_frame, &layouts.meet],
        depth: Some(targets.depth.state(true)),
        samples: targets.samples,
        target: Some(targets.color),
        ..Default::default()
    }
    .build(gpu)
}
