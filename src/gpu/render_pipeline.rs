//! Render pipelines and target textures, without the descriptor fields that never change here.

use crate::gpu::{
    Gpu, GpuError, ShaderSources,
    pipeline_cache::{RenderKey, ShaderKey},
    pipeline_layout, shader,
};

/// Descriptor of a render pipeline: triangles, one shader module, pulled or fetched vertices, and one colour target or
/// depth alone.
#[derive(Clone)]
pub struct RenderPipeline<'a> {
    /// Pass: file name of its shader, label of its pipeline.
    pub pass: &'a str,
    /// Conditions of the shader.
    pub features: &'a [&'a str],
    /// Sources of the shader; `None` takes those that the device draws with.
    pub sources: Option<&'a ShaderSources>,
    /// Layouts by group number, as [`pipeline_layout`](crate::gpu::pipeline_layout) takes them.
    pub layouts: &'a [&'a wgpu::BindGroupLayout],
    /// Vertex buffers; empty if the shader pulls vertices.
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    /// Topology and culling.
    pub primitive: wgpu::PrimitiveState,
    /// Depth test and write.
    pub depth: Option<wgpu::DepthStencilState>,
    /// Samples per pixel.
    pub samples: u32,
    /// Format of the colour target; `None` writes depth alone.
    pub target: Option<wgpu::TextureFormat>,
    /// Blending with the target; `None` overwrites it.
    pub blend: Option<wgpu::BlendState>,
    /// True if the fragment shader discards pixels, which also matters if only depth is written.
    pub discards: bool,
}

impl Default for RenderPipeline<'_> {
    fn default() -> Self {
        Self {
            pass: "",
            features: &[],
            sources: None,
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
    /// Compiles the pipeline. Its shader has one vertex and at most one fragment entry point.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn build(self, gpu: &Gpu) -> Result<wgpu::RenderPipeline, GpuError> {
        let key = self.key(gpu)?;
        let make = || Ok(self.make(gpu, &key.shader));
        gpu.pipelines
            .render
            .get_or_make(key.clone(), || gpu.checked(self.pass, make))
    }

    fn key(&self, gpu: &Gpu) -> Result<RenderKey, GpuError> {
        let buffer =
            |buffer: &wgpu::VertexBufferLayout<'_>| (buffer.array_stride, buffer.step_mode, buffer.attributes.to_vec());
        let shader = match self.sources {
            Some(sources) => shader::key(sources, self.pass, self.features, self.layouts),
            None => shader::key(&gpu.shaders(), self.pass, self.features, self.layouts),
        };
        Ok(RenderKey {
            shader: shader?,
            buffers: self.buffers.iter().map(|own| own.as_ref().map(buffer)).collect(),
            primitive: self.primitive,
            depth: self.depth.clone(),
            samples: self.samples,
            target: self.target,
            blend: self.blend,
            discards: self.discards,
        })
    }

    fn make(&self, gpu: &Gpu, key: &ShaderKey) -> wgpu::RenderPipeline {
        let module = shader::module(gpu, key);
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
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.pass),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                buffers: self.buffers,
            },
            primitive: self.primitive,
            depth_stencil: self.depth.clone(),
            multisample: wgpu::MultisampleState {
                count: self.samples,
                ..Default::default()
            },
            fragment: (self.discards || self.target.is_some()).then_some(fragment),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// Texture with one layer and one mip level to draw into.
#[must_use]
pub fn target_texture(
    gpu: &Gpu,
    label: &str,
    size: (u32, u32),
    format: wgpu::TextureFormat,
    samples: u32,
    more_usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width: size.0,
            height: size.1,
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
