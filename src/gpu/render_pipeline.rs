//! Render pipelines and the pictures they draw into, without the fields that are always the same.

use crate::gpu::{Gpu, GpuError, pipeline_layout, shader};

/// A pipeline that draws triangles with one shader module, pulls or fetches vertices, and writes one
/// picture or depth alone.
#[derive(Clone)]
pub struct RenderPipeline<'a> {
    /// Pass: file name of its shader, label of its pipeline.
    pub pass: &'a str,
    /// Conditions of the shader.
    pub features: &'a [&'a str],
    /// By group, as [`pipeline_layout`](crate::gpu::pipeline_layout) takes them.
    pub layouts: &'a [&'a wgpu::BindGroupLayout],
    /// Vertex buffers; none where vertices are pulled.
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    /// Topology and culling.
    pub primitive: wgpu::PrimitiveState,
    /// Depth test and write.
    pub depth: Option<wgpu::DepthStencilState>,
    /// Samples per pixel.
    pub samples: u32,
    /// Format of the picture; `None` writes depth alone.
    pub target: Option<wgpu::TextureFormat>,
    /// How what is written meets what is there; `None` takes its place.
    pub blend: Option<wgpu::BlendState>,
    /// A fragment shader leaves pixels out, of depth alone too.
    pub discards: bool,
}

impl Default for RenderPipeline<'_> {
    fn default() -> Self {
        Self {
            pass: "",
            features: &[],
            layouts: &[],
            buffers: &[],
            primitive: wgpu::PrimitiveState::default(),
            depth: None,
            samples: 1,
            target: None,
            blend: None,
            discards: false,
        }
    }
}

impl RenderPipeline<'_> {
    /// Compiles it; the shader has one vertex and at most one fragment entry point.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn build(self, gpu: &Gpu) -> Result<wgpu::RenderPipeline, GpuError> {
        let module = shader::module(gpu, self.pass, self.features)?;
        let layout = pipeline_layout(gpu, self.pass, self.layouts);
        let target = self.target.map(|format| {
            Some(wgpu::ColorTargetState {
                blend: self.blend,
                ..wgpu::ColorTargetState::from(format)
            })
        });
        let fragment = wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: target.as_slice(),
        };
        Ok(gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.pass),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                buffers: self.buffers,
            },
            primitive: self.primitive,
            depth_stencil: self.depth,
            multisample: wgpu::MultisampleState {
                count: self.samples,
                ..Default::default()
            },
            fragment: (self.discards || self.target.is_some()).then_some(fragment),
            multiview_mask: None,
            cache: None,
        }))
    }
}

/// A texture of one layer and level to draw into.
#[must_use]
pub fn target_texture(
    gpu: &Gpu,
    label: &str,
    (width, height): (u32, u32),
    (format, samples): (wgpu::TextureFormat, u32),
    more_usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | more_usage,
        view_formats: &[],
    })
}
