//! The shadow pass: the crowd's depth from the sun, skinned exactly as in the crowd pass.

use std::collections::{HashMap, hash_map::Entry};

use super::{CharacterAssets, CrowdInstances, DrawVariant, Layouts, crowd::draw_instances, targets::DEPTH_FORMAT};
use crate::{
    config::Technique,
    gpu::{Gpu, GpuError, shader},
};

/// Edge of the shadow map, pixels.
pub(super) const SHADOW_SIZE: u32 = 2048;

/// Map and pipelines of shaders/shadow.wgsl.
pub(super) struct ShadowPass {
    pub(super) map: wgpu::TextureView,
    pub(super) sampler: wgpu::Sampler,
    pipelines: HashMap<DrawVariant, wgpu::RenderPipeline>,
}

impl ShadowPass {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let map = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadow map"),
            size: wgpu::Extent3d {
                width: SHADOW_SIZE,
                height: SHADOW_SIZE,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: DEPTH_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        Self {
            map: map.create_view(&Default::default()),
            sampler,
            pipelines: HashMap::new(),
        }
    }

    pub(super) fn prepare(&mut self, gpu: &Gpu, layouts: &Layouts, variant: DrawVariant) -> Result<(), GpuError> {
        let key = variant.pose_only();
        // The textbook baseline is measured without shadows.
        if variant.technique == Technique::Naive {
            return Ok(());
        }
        if let Entry::Vacant(vacant) = self.pipelines.entry(key) {
            vacant.insert(pipeline(gpu, layouts, key)?);
        }
        Ok(())
    }

    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        variant: DrawVariant,
        assets: &CharacterAssets,
        crowd: &CrowdInstances,
    ) -> u32 {
        let Some(pipeline) = self.pipelines.get(&variant.pose_only()) else {
            return 0;
        };
        pass.set_pipeline(pipeline);
        draw_instances(pass, assets, crowd)
    }
}

fn pipeline(gpu: &Gpu, layouts: &Layouts, variant: DrawVariant) -> Result<wgpu::RenderPipeline, GpuError> {
    let module = shader::module(gpu, "shadow", &variant.pose_features())?;
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("shadow"),
        bind_group_layouts: &[
            Some(&layouts.frame),
            Some(layouts.character(variant)),
            Some(layouts.instances(variant)),
        ],
        immediate_size: 0,
    });
    Ok(gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("shadow"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("shadow_vertex"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
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
        multisample: Default::default(),
        fragment: None,
        multiview_mask: None,
        cache: None,
    }))
}
