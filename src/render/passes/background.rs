//! Background pass: ground and sky, drawn after the crowd so that hidden pixels cost nothing.

use crate::{
    gpu::{GpuError, RenderPipeline},
    render::{
        DepthTarget, RenderContext, RenderOptions,
        passes::SIMPLE,
        targets::{DEPTH_FORMAT, HDR_FORMAT},
    },
};

/// Vertices of the ground's strip: `ground_corner` of shaders/shared/paving.wgsl.
pub(crate) const GROUND_VERTICES: u32 = 16;

/// Pipelines of shaders/ground.wgsl and shaders/sky.wgsl.
pub(crate) struct BackgroundPass {
    ground: wgpu::RenderPipeline,
    sky: wgpu::RenderPipeline,
}

impl BackgroundPass {
    pub(crate) fn new(context: &RenderContext, options: RenderOptions) -> Result<Self, GpuError> {
        let (ground, sky) = context.gpu.run_parallel((
            || pipeline(context, BackgroundPart::Ground, options),
            || pipeline(context, BackgroundPart::Sky, options),
        ))?;
        Ok(Self { ground, sky })
    }

    /// Draws ground and sky. They read group 0 alone, which the caller has set.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.ground);
        pass.draw(0..GROUND_VERTICES, 0..1);
        pass.set_pipeline(&self.sky);
        pass.draw(0..3, 0..1);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BackgroundPart {
    Ground,
    Sky,
}

fn pipeline(
    context: &RenderContext,
    part: BackgroundPart,
    options: RenderOptions,
) -> Result<wgpu::RenderPipeline, GpuError> {
    // Only the ground receives the crowd shadow of distant people; the sky does not.
    let features: &[&str] = match (options.effort.is_light(), part) {
        (true, _) => &[SIMPLE],
        (false, BackgroundPart::Ground) => &["crowd_shadow"],
        (false, BackgroundPart::Sky) => &[],
    };
    let (pass, topology) = match part {
        BackgroundPart::Ground => ("ground", wgpu::PrimitiveTopology::TriangleStrip),
        BackgroundPart::Sky => ("sky", wgpu::PrimitiveTopology::TriangleList),
    };
    RenderPipeline {
        pass,
        features,
        layouts: &[&context.layouts.lit_frame],
        primitive: wgpu::PrimitiveState {
            topology,
            ..Default::default()
        },
        depth: Some(DepthTarget::reversed(DEPTH_FORMAT).state(part == BackgroundPart::Ground)),
        samples: options.samples,
        target: Some(HDR_FORMAT),
        ..Default::default()
    }
    .build(&context.gpu)
}
