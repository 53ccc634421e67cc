//! Ground and sky in the AOV pass.

use crate::{
    gpu::{GpuError, RenderPipeline},
    render::{
        DepthTarget, RenderContext,
        passes::{aov::AovKind, background::GROUND_VERTICES},
        targets::DEPTH_FORMAT,
    },
};

/// Condition of shaders with AOV uniforms in group 1.
pub const AOV_BACKGROUND: &str = "aov_background";

/// Pipelines of shaders/aov_background.wgsl for one AOV.
pub(crate) struct AovBackground {
    ground: wgpu::RenderPipeline,
    /// Sky, for the motion AOV alone.
    sky: Option<wgpu::RenderPipeline>,
}

impl AovBackground {
    pub(crate) fn new(context: &RenderContext, kind: AovKind) -> Result<Self, GpuError> {
        let sky = (kind == AovKind::Motion).then(|| pipeline(context, kind, true));
        Ok(Self {
            ground: pipeline(context, kind, false)?,
            sky: sky.transpose()?,
        })
    }

    /// Draws ground and sky. They read groups 0 and 1, which the caller has set.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.ground);
        pass.draw(0..GROUND_VERTICES, 0..1);
        if let Some(sky) = &self.sky {
            pass.set_pipeline(sky);
            pass.draw(0..3, 0..1);
        }
    }
}

fn pipeline(context: &RenderContext, kind: AovKind, sky: bool) -> Result<wgpu::RenderPipeline, GpuError> {
    let features = [kind.condition(), AOV_BACKGROUND, "sky"];
    RenderPipeline {
        pass: "aov_background",
        features: if sky { &features } else { &features[..2] },
        layouts: &[&context.layouts.frame, &context.layouts.aov],
        primitive: wgpu::PrimitiveState {
            topology: if sky {
                wgpu::PrimitiveTopology::TriangleList
            } else {
                wgpu::PrimitiveTopology::TriangleStrip
            },
            ..Default::default()
        },
        depth: Some(DepthTarget::reversed(DEPTH_FORMAT).state(!sky)),
        target: Some(kind.format()),
        ..Default::default()
    }
    .build(&context.gpu)
}
