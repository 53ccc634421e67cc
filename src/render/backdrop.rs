//! Ground and sky, drawn after the crowd so that hidden pixels cost nothing.

use super::{Layouts, crowd::reversed_depth, targets::HDR_FORMAT};
use crate::gpu::{Gpu, GpuError, shader};

/// Pipelines of shaders/ground.wgsl and shaders/sky.wgsl.
pub(super) struct Backdrop {
    ground: wgpu::RenderPipeline,
    sky: wgpu::RenderPipeline,
}

impl Backdrop {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts, samples: u32) -> Result<Self, GpuError> {
        let strip = wgpu::PrimitiveTopology::TriangleStrip;
        let list = wgpu::PrimitiveTopology::TriangleList;
        Ok(Self {
            ground: pipeline(gpu, layouts, "ground", samples, strip, true)?,
            sky: pipeline(gpu, layouts, "sky", samples, list, false)?,
        })
    }

    /// Reads group 0 only, which the caller has set.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
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
    let module = shader::module(gpu, name, &[])?;
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(name),
        bind_group_layouts: &[Some(&layouts.lit_frame)],
        immediate_size: 0,
    });
    Ok(gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(name),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState {
            topology,
            ..Default::default()
        },
        depth_stencil: Some(reversed_depth(depth_write)),
        multisample: wgpu::MultisampleState {
            count: samples,
            ..Default::default()
        },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[Some(HDR_FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    }))
}
