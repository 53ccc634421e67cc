//! Shadow pass: directional shadow map of the crowd's depth, skinned exactly as in the crowd pass.

use std::collections::HashMap;

use crate::{
    config::Effort,
    gpu::{Gpu, GpuError, RenderPipeline, target_texture, whole_view},
    render::{RenderContext, passes::DrawVariant, resources::DrawFlags, targets::DEPTH_FORMAT},
};

/// Edge of our own renderer's shadow map (px).
pub(crate) const SHADOW_SIZE: u32 = 2048;
/// Edge of the shadow map with [`Effort::Light`] (px).
const LIGHT_SHADOW_SIZE: u32 = 512;

/// Edge of our own renderer's shadow map at an effort (px).
pub(crate) const fn shadow_size(effort: Effort) -> u32 {
    if effort.is_light() {
        LIGHT_SHADOW_SIZE
    } else {
        SHADOW_SIZE
    }
}

/// Constant depth bias of the shadow map away from the sun, in smallest steps of depth.
pub const CONSTANT_BIAS: i32 = 1;
/// Slope-scaled depth bias: factor on the larger change of a triangle's depth from texel to texel.
pub const SLOPE_BIAS: f32 = 1.5;

/// Map and pipelines of shaders/shadow.wgsl.
pub(crate) struct ShadowPass {
    pub(crate) map: wgpu::TextureView,
    pub(crate) sampler: wgpu::Sampler,
    size: u32,
    pipelines: HashMap<DrawVariant, wgpu::RenderPipeline>,
}

impl ShadowPass {
    /// Makes a map of `size` pixels a side; for 0, a placeholder that is never drawn.
    pub(crate) fn new(gpu: &Gpu, size: u32) -> Self {
        let read = wgpu::TextureUsages::TEXTURE_BINDING;
        let edge = size.max(1);
        let map = target_texture(gpu, "shadow map", (edge, edge), DEPTH_FORMAT, 1, read);
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
            size,
            pipelines: HashMap::new(),
        }
    }

    /// GPU bytes of the map.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.size) * u64::from(self.size) * 4
    }

    /// Compiles the pipelines of variants unless they exist.
    pub(crate) fn prepare(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant>,
    ) -> Result<(), GpuError> {
        let outlines = variants.into_iter().map(DrawVariant::outline_only);
        context
            .gpu
            .make_missing(&mut self.pipelines, outlines, |outline| pipeline(context, outline))
    }

    /// Shadow map with pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        let mut new = Self {
            map: self.map.clone(),
            sampler: self.sampler.clone(),
            size: self.size,
            pipelines: HashMap::new(),
        };
        new.prepare(context, self.pipelines.keys().copied())?;
        Ok(new)
    }

    /// Pipeline of a variant that was prepared.
    pub(crate) fn pipeline(&self, variant: DrawVariant) -> Option<&wgpu::RenderPipeline> {
        self.pipelines.get(&variant.outline_only())
    }
}

fn pipeline(context: &RenderContext, variant: DrawVariant) -> Result<wgpu::RenderPipeline, GpuError> {
    RenderPipeline {
        pass: "shadow",
        features: &variant.features(),
        layouts: &[
            &context.layouts.frame,
            context.layouts.character(variant),
            context.layouts.instances(variant),
        ],
        buffers: &variant.vertex_buffers(),
        discards: variant.has(DrawFlags::ALPHA_TEST),
        depth: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: wgpu::DepthBiasState {
                constant: CONSTANT_BIAS,
                slope_scale: SLOPE_BIAS,
                clamp: 0.0,
            },
        }),
        ..Default::default()
    }
    .build(&context.gpu)
}
