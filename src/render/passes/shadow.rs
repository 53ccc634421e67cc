//! The shadow pass: the crowd's depth from the sun, skinned exactly as in the crowd pass.

use std::collections::{HashMap, hash_map::Entry};

use crate::{
    gpu::{Gpu, GpuError, RenderPipeline, target_texture, whole_view},
    render::{Layouts, passes::DrawVariant, targets::DEPTH_FORMAT},
};

/// Edge of the shadow map, pixels.
pub(crate) const SHADOW_SIZE: u32 = 2048;

/// Map and pipelines of shaders/shadow.wgsl.
pub(crate) struct ShadowPass {
    pub(crate) map: wgpu::TextureView,
    pub(crate) sampler: wgpu::Sampler,
    pipelines: HashMap<DrawVariant, wgpu::RenderPipeline>,
}

impl ShadowPass {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let (size, read) = ((SHADOW_SIZE, SHADOW_SIZE), wgpu::TextureUsages::TEXTURE_BINDING);
        let map = target_texture(gpu, "shadow map", size, (DEPTH_FORMAT, 1), read);
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow map"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        Self {
            map: whole_view(&map, "shadow map"),
            sampler,
            pipelines: HashMap::new(),
        }
    }

    pub(crate) fn prepare(&mut self, gpu: &Gpu, layouts: &Layouts, variant: DrawVariant) -> Result<(), GpuError> {
        let key = variant.outline_only();
        if let Entry::Vacant(vacant) = self.pipelines.entry(key) {
            vacant.insert(pipeline(gpu, layouts, key)?);
        }
        Ok(())
    }

    /// The same map with the same pipelines from the shaders of now.
    pub(crate) fn rebuilt(&self, gpu: &Gpu, layouts: &Layouts) -> Result<Self, GpuError> {
        let mut new = Self {
            map: self.map.clone(),
            sampler: self.sampler.clone(),
            pipelines: HashMap::new(),
        };
        let mut variants = self.pipelines.keys();
        variants.try_for_each(|&variant| new.prepare(gpu, layouts, variant))?;
        Ok(new)
    }

    /// The pipeline of a variant that was prepared.
    pub(crate) fn pipeline(&self, variant: DrawVariant) -> Option<&wgpu::RenderPipeline> {
        self.pipelines.get(&variant.outline_only())
    }
}

fn pipeline(gpu: &Gpu, layouts: &Layouts, variant: DrawVariant) -> Result<wgpu::RenderPipeline, GpuError> {
    RenderPipeline {
        pass: "shadow",
        features: &variant.features(),
        layouts: &[
            Some(&layouts.frame),
            Some(layouts.character(variant)),
            Some(layouts.instances(variant)),
        ],
        buffers: &variant.vertex_buffers(),
        discards: variant.alpha_test,
        depth: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: wgpu::DepthBiasState {
                constant: 1,
                slope_scale: 1.5,
                clamp: 0.0,
            },
        }),
        ..Default::default()
    }
    .build(gpu)
}
