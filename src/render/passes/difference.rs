//! Difference pass of the compare view: two pictures of the same moment, split by a vertical line, or a heat map of
//! their difference.

use crate::{
    gpu::{
        Binding, Gpu, GpuError, RenderPipeline, bind_group_layout, buffer_with, encoder, target_texture, whole_view,
    },
    render::resources::instances::bind_group,
};

shader_struct!(DifferenceUniforms);

/// Pipeline of shaders/difference.wgsl and the two pictures that it reads.
pub struct Difference {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    uniforms: wgpu::Buffer,
    format: wgpu::TextureFormat,
    pictures: Option<Pictures>,
}

struct Pictures {
    size: (u32, u32),
    views: [wgpu::TextureView; 2],
    group: wgpu::BindGroup,
}

impl Difference {
    /// Compiles the pass for pictures and a target of `format`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Self, GpuError> {
        let picture = Binding::TextureLoad(wgpu::TextureViewDimension::D2);
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let rows = [
            (0, fragment, Binding::Uniform),
            (1, fragment, picture),
            (2, fragment, picture),
        ];
        let layout = bind_group_layout(gpu, "difference", &rows);
        let usage = wgpu::BufferUsages::UNIFORM;
        let features: &[&str] = if format.is_srgb() { &["srgb_target"] } else { &[] };
        let pipeline = RenderPipeline {
            pass: "difference",
            features,
            layouts: &[&layout],
            target: Some(format),
            ..Default::default()
        };
        Ok(Self {
            pipeline: pipeline.build(gpu)?,
            uniforms: buffer_with(
                gpu,
                "difference",
                bytemuck::bytes_of(&DifferenceUniforms::default()),
                usage,
            ),
            layout,
            format,
            pictures: None,
        })
    }

    /// Left and right picture of `size` pixels, to draw into before [`Difference::draw`].
    pub fn pictures(&mut self, gpu: &Gpu, size: (u32, u32)) -> &[wgpu::TextureView; 2] {
        let kept = self.pictures.take().filter(|p| p.size == size);
        let pictures = kept.unwrap_or_else(|| self.make(gpu, size));
        &self.pictures.insert(pictures).views
    }

    fn make(&self, gpu: &Gpu, size: (u32, u32)) -> Pictures {
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        let picture = |label| target_texture(gpu, label, size, self.format, 1, read);
        let views = ["left", "right"].map(|label| whole_view(&picture(label), label));
        let group = bind_group(
            gpu,
            "difference",
            &self.layout,
            &[
                (0, self.uniforms.as_entire_binding()),
                (1, wgpu::BindingResource::TextureView(&views[0])),
                (2, wgpu::BindingResource::TextureView(&views[1])),
            ],
        );
        Pictures { size, views, group }
    }

    /// Combines the two pictures into `view` of the same size and submits it.
    pub fn draw(&self, gpu: &Gpu, view: &wgpu::TextureView, how: &DifferenceUniforms) {
        let Some(pictures) = &self.pictures else { return };
        gpu.write_buffer("difference", &self.uniforms, 0, bytemuck::bytes_of(how));
        let mut encoder = encoder(gpu, "difference");
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("difference"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &pictures.group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
    }
}
