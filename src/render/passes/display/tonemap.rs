//! Tone mapping: HDR to display values.

use crate::{
    gpu::{Binding, Gpu, GpuError, RenderPipeline, bind_group_layout},
    render::{RenderContext, resources::instances::bind_group},
};

/// Pipeline of shaders/tonemap.wgsl for one target format.
pub(crate) struct Tonemap {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
}

impl Tonemap {
    pub(crate) fn new(context: &RenderContext, target: wgpu::TextureFormat) -> Result<Self, GpuError> {
        let hdr = Binding::TextureLoad(wgpu::TextureViewDimension::D2);
        let layout = bind_group_layout(&context.gpu, "tonemap", &[(0, wgpu::ShaderStages::FRAGMENT, hdr)]);
        let features: &[&str] = if target.is_srgb() { &["srgb_target"] } else { &[] };
        let pipeline = RenderPipeline {
            pass: "tonemap",
            features,
            layouts: &[&context.layouts.frame, &layout],
            target: Some(target),
            ..Default::default()
        }
        .build(&context.gpu)?;
        Ok(Self { layout, pipeline })
    }

    pub(crate) fn bind(&self, gpu: &Gpu, hdr: &wgpu::TextureView) -> wgpu::BindGroup {
        let rows = [(0, wgpu::BindingResource::TextureView(hdr))];
        bind_group(gpu, "tonemap", &self.layout, &rows)
    }

    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, frame: &wgpu::BindGroup, hdr: &wgpu::BindGroup) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, hdr, &[]);
        pass.draw(0..3, 0..1);
    }
}
