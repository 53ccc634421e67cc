//! Overdraw view: colours show how often every pixel was shaded.

use crate::{
    gpu::{Binding, Gpu, GpuError, RenderPipeline, bind_group_layout},
    render::resources::instances::bind_group,
};

/// Pipelines of shaders/overdraw.wgsl, by the format of what they draw into.
pub(crate) struct OverdrawMap {
    layout: wgpu::BindGroupLayout,
    pipelines: Vec<(wgpu::TextureFormat, wgpu::RenderPipeline)>,
}

impl OverdrawMap {
    pub(crate) fn new(gpu: &Gpu, targets: &[wgpu::TextureFormat]) -> Result<Self, GpuError> {
        let counts = Binding::TextureLoad(wgpu::TextureViewDimension::D2);
        let layout = bind_group_layout(gpu, "overdraw", &[(0, wgpu::ShaderStages::FRAGMENT, counts)]);
        let pipeline = |&target: &wgpu::TextureFormat| {
            let features: &[&str] = if target.is_srgb() { &["srgb_target"] } else { &[] };
            let made = RenderPipeline {
                pass: "overdraw",
                features,
                layouts: &[&layout],
                target: Some(target),
                ..Default::default()
            };
            Ok((target, made.build(gpu)?))
        };
        Ok(Self {
            pipelines: targets.iter().map(pipeline).collect::<Result<_, GpuError>>()?,
            layout,
        })
    }

    /// Draws the heat map of the counts into a picture of one of the formats. Returns the draw calls recorded.
    pub(crate) fn draw(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::RenderPass<'_>,
        counted: &wgpu::TextureView,
        target: wgpu::TextureFormat,
    ) -> u32 {
        let Some((_, pipeline)) = self.pipelines.iter().find(|(format, _)| *format == target) else {
            return 0;
        };
        // A new bind group for every picture is good enough, since this view is never timed.
        let rows = [(0, wgpu::BindingResource::TextureView(counted))];
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &bind_group(gpu, "overdraw", &self.layout, &rows), &[]);
        pass.draw(0..3, 0..1);
        1
    }
}
