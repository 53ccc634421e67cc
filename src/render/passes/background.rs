//! Background pass: ground and sky, drawn after the crowd so that hidden pixels cost nothing.

use crate::{
    gpu::{GpuError, RenderPipeline},
    render::{
        DepthTarget, RenderContext,
        targets::{DEPTH_FORMAT, HDR_FORMAT},
    },
};

/// Pipelines of shaders/ground.wgsl and shaders/sky.wgsl.
pub(crate) struct BackgroundPass {
    ground: wgpu::RenderPipeline,
    sky: wgpu::RenderPipeline,
}

impl BackgroundPass {
    pub(crate) fn new(context: &RenderContext, samples: u32) -> Result<Self, GpuError> {
        let strip = wgpu::PrimitiveTopology::TriangleStrip;
        let list = wgpu::PrimitiveTopology::TriangleList;
        let (ground, sky) = context.gpu.run_parallel((
            || pipeline(context, "ground", samples, strip, true),
            || pipeline(context, "sky", samples, list, false),
        ))?;
        Ok(Self { ground, sky })
    }

    /// Draws ground and sky. They read group 0 alone, which the caller has set.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.ground);
        pass.draw(0..4, 0..1);
        pass.set_pipeline(&self.sky);
        pass.draw(0..3, 0..1);
    }
}

fn pipeline(
    context: &RenderContext,
    name: &str,
    samples: u32,
    topology: wgpu::PrimitiveTopology,
    depth_write: bool,
) -> Result<wgpu::RenderPipeline, GpuError> {
    // Only the ground receives the crowd shadow of distant people; the sky does not.
    let features: &[&str] = if name == "ground" { &["crowd_shadow"] } else { &[] };
    RenderPipeline {
        pass: name,
        features,
        layouts: &[&context.layouts.lit_frame],
        primitive: wgpu::PrimitiveState {
            topology,
            ..Default::default()
        },
        depth: Some(DepthTarget::reversed(DEPTH_FORMAT).state(depth_write)),
        samples,
        target: Some(HDR_FORMAT),
        ..Default::default()
    }
    .build(&context.gpu)
}
