//! Full-screen passes after tone mapping: each reads a picture of display values and draws another.

use crate::{
    gpu::{Binding, Gpu, GpuError, RenderPipeline, bind_group_layout, target_texture, whole_view},
    render::{Pass, RenderOptions, resources::instances::bind_group},
};

/// Format of pictures between tone mapping and the last step: display values, not linear light.
pub(crate) const DISPLAY_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Condition of shaders that draw display values into an sRGB target, which expects linear light.
const SRGB_TARGET: &str = "srgb_target";

/// Full-screen pass after tone mapping. `RenderOptions::display_steps` asks for it.
///
/// Its shader is `shaders/NAME.wgsl`, with the name of the pass. The shader reads the picture before it at binding 0
/// and a linear sampler at binding 1. It writes linear light under the condition `srgb_target`, else display values.
pub(crate) struct DisplayStep {
    pub(crate) pass: Pass,
    /// Conditions of the shader besides `srgb_target`.
    pub(crate) conditions: &'static [StepCondition],
}

/// Condition of a step's shader.
pub(crate) struct StepCondition {
    pub(crate) name: &'static str,
    pub(crate) holds: fn(&RenderOptions) -> bool,
}

/// Pipeline of a step for one target format, and the picture that it reads.
pub(crate) struct DisplayPass {
    pass: Pass,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
    source: Option<SourcePicture>,
}

struct SourcePicture {
    size: (u32, u32),
    view: wgpu::TextureView,
    group: wgpu::BindGroup,
}

impl DisplayStep {
    /// Conditions of every pipeline that options can ask for.
    pub(crate) fn variants(&self) -> Vec<Vec<&'static str>> {
        let names = self.conditions.iter().map(|condition| condition.name);
        names.chain([SRGB_TARGET]).fold(vec![vec![]], |known, name| {
            let with = known.iter().map(|on| [&on[..], &[name]].concat());
            with.chain(known.iter().cloned()).collect()
        })
    }
}

impl DisplayPass {
    /// Compiles a step that draws into `target`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub(crate) fn new(
        gpu: &Gpu,
        step: &DisplayStep,
        target: wgpu::TextureFormat,
        options: &RenderOptions,
    ) -> Result<Self, GpuError> {
        let name = step.pass.name();
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let rows = [
            (0, fragment, Binding::Texture(wgpu::TextureViewDimension::D2)),
            (1, fragment, Binding::Sampler),
        ];
        let layout = bind_group_layout(gpu, name, &rows);
        let on = step.conditions.iter().filter(|condition| (condition.holds)(options));
        let srgb = target.is_srgb().then_some(SRGB_TARGET);
        let features: Vec<&str> = on.map(|condition| condition.name).chain(srgb).collect();
        let pipeline = RenderPipeline {
            pass: name,
            features: &features,
            layouts: &[&layout],
            target: Some(target),
            ..Default::default()
        };
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some(name),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        Ok(Self {
            pass: step.pass,
            pipeline: pipeline.build(gpu)?,
            layout,
            sampler,
            source: None,
        })
    }

    pub(crate) const fn pass(&self) -> Pass {
        self.pass
    }

    /// Makes the picture that the step reads, of `size` pixels.
    pub(crate) fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.source.as_ref().is_some_and(|source| source.size == size) {
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
        let group = bind_group(gpu, self.pass.name(), &self.layout, &rows);
        self.source = Some(SourcePicture { size, view, group });
    }

    /// Target of the pass before; `None` before [`DisplayPass::resize`].
    pub(crate) fn source(&self) -> Option<&wgpu::TextureView> {
        self.source.as_ref().map(|source| &source.view)
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&self) -> u64 {
        let pixels = |source: &SourcePicture| u64::from(source.size.0) * u64::from(source.size.1);
        self.source.as_ref().map_or(0, pixels) * 4
    }

    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some(source) = &self.source else { return };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &source.group, &[]);
        pass.draw(0..3, 0..1);
    }
}
