//! Background pass: ground and sky, drawn after the crowd so that hidden pixels cost nothing.

use crate::{
    gpu::{Gpu, GpuError, RenderPipeline},
    render::{
        DepthTarget, Layouts,
        targets::{DEPTH_FORMAT, HDR_FORMAT},
    },
};

/// Pipelines of shaders/ground.wgsl and shaders/sky.wgsl.
pub(crate) struct BackgroundPass {
    ground: wgpu::RenderPipeline,
    sky: wgpu::RenderPipeline,
}

impl BackgroundPass {
    pub(crate) fn new(gpu: &Gpu, layouts: &Layouts, samples: u32) -> Result<Self, GpuError> {
        let strip = wgpu::PrimitiveTopology::TriangleStrip;
        let list = wgpu::PrimitiveTopology::TriangleList;
        let (ground, sky) = gpu.run_parallel((
            || pipeline(gpu, layouts, "ground", samples, strip, true),
            || pipeline(gpu, layouts, "sky", samples, list, false),
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
    gpu: &Gpu,
    layouts: &Layouts,
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
        layouts: &[&layouts.lit_frame],
        primitive: wgpu::PrimitiveState {
            topology,
            ..Default::default()
        },
        depth: Some(DepthTarget::reversed(DEPTH_FORMAT).state(depth_write)),
        samples,
        target: Some(HDR_FORMAT),
        ..Default::default()
    }
    .build(gpu)
}
