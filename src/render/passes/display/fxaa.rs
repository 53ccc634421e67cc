//! FXAA (Lottes 2009): smooths edges of pictures with one sample per pixel, after tone mapping.

use crate::{
    config::Effort,
    gpu::{Binding, Gpu, GpuError, RenderPipeline, bind_group_layout, target_texture, whole_view},
    render::{passes::SIMPLE, resources::instances::bind_group},
};

/// Format of the picture between tone mapping and FXAA: display values, not linear light.
pub(crate) const DISPLAY_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Pipeline of shaders/fxaa.wgsl for one target format, and the picture that it reads.
pub(crate) struct Fxaa {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
    picture: Option<DisplayPicture>,
}

struct DisplayPicture {
    size: (u32, u32),
    view: wgpu::TextureView,
    group: wgpu::BindGroup,
}

impl Fxaa {
    pub(crate) fn new(gpu: &Gpu, target: wgpu::TextureFormat, effort: Effort) -> Result<Self, GpuError> {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let rows = [
            (0, fragment, Binding::Texture(wgpu::TextureViewDimension::D2)),
            (1, fragment, Binding::Sampler),
        ];
        let layout = bind_group_layout(gpu, "fxaa", &rows);
        let wanted = [("srgb_target", target.is_srgb()), (SIMPLE, effort.is_light())];
        let features: Vec<&str> = wanted.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
        let pipeline = RenderPipeline {
            pass: "fxaa",
            features: &features,
            layouts: &[&layout],
            target: Some(target),
            ..Default::default()
        };
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("fxaa"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        Ok(Self {
            pipeline: pipeline.build(gpu)?,
            layout,
            sampler,
            picture: None,
        })
    }

    /// Makes the target of tone mapping, of `size` pixels.
    pub(crate) fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.picture.as_ref().is_some_and(|picture| picture.size == size) {
            return;
        }
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        let view = whole_view(
            &target_texture(gpu, "display", size, DISPLAY_FORMAT, 1, read),
            "display",
        );
        let rows = [
            (0, wgpu::BindingResource::TextureView(&view)),
            (1, wgpu::BindingResource::Sampler(&self.sampler)),
        ];
        let group = bind_group(gpu, "fxaa", &self.layout, &rows);
        self.picture = Some(DisplayPicture { size, view, group });
    }

    /// Target of tone mapping; `None` before [`Fxaa::resize`].
    pub(crate) fn source(&self) -> Option<&wgpu::TextureView> {
        self.picture.as_ref().map(|picture| &picture.view)
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&self) -> u64 {
        let pixels = |picture: &DisplayPicture| u64::from(picture.size.0) * u64::from(picture.size.1);
        self.picture.as_ref().map_or(0, pixels) * 4
    }

    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some(picture) = &self.picture else { return };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &picture.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
