//! The bind group layouts that passes share.

use wgpu::{ShaderStages, TextureViewDimension::D2Array};

use super::AtlasSource;
use crate::{
    atlas::AtlasFormat,
    gpu::{Binding, Gpu, bind_group_layout},
};

/// Layouts by group; group 1 depends on where the atlas lives.
pub struct Layouts {
    /// Group 0 without the shadow map: shadow pass, animate.
    pub frame: wgpu::BindGroupLayout,
    /// Group 0 with the shadow map: passes that are lit.
    pub lit_frame: wgpu::BindGroupLayout,
    /// Group 1 of animate.
    pub animate_character: wgpu::BindGroupLayout,
    /// Group 2 of animate.
    pub animate_crowd: wgpu::BindGroupLayout,
    /// Group 2 of drawing passes.
    pub crowd: wgpu::BindGroupLayout,
    /// Group 3 of the probe.
    pub probe: wgpu::BindGroupLayout,
    character_texture: wgpu::BindGroupLayout,
    character_uint: wgpu::BindGroupLayout,
    character_storage: wgpu::BindGroupLayout,
}

impl Layouts {
    /// Makes all of them.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let all = ShaderStages::VERTEX_FRAGMENT | ShaderStages::COMPUTE;
        let draw = ShaderStages::VERTEX_FRAGMENT;
        let vertex = ShaderStages::VERTEX | ShaderStages::COMPUTE;
        let compute = ShaderStages::COMPUTE;
        Self {
            frame: bind_group_layout(gpu, "frame", &[(0, all, Binding::Uniform)]),
            lit_frame: bind_group_layout(
                gpu,
                "lit frame",
                &[
                    (0, all, Binding::Uniform),
                    (1, ShaderStages::FRAGMENT, Binding::Depth),
                    (2, ShaderStages::FRAGMENT, Binding::CompareSampler),
                ],
            ),
            animate_character: bind_group_layout(
                gpu,
                "animate character",
                &[(0, compute, Binding::Uniform), (3, compute, Binding::Storage)],
            ),
            animate_crowd: bind_group_layout(
                gpu,
                "animate crowd",
                &[(0, compute, Binding::Storage), (1, compute, Binding::StorageWrite)],
            ),
            crowd: bind_group_layout(
                gpu,
                "crowd",
                &[
                    (0, vertex, Binding::Storage),
                    (1, vertex, Binding::Storage),
                    (2, draw, Binding::Storage),
                ],
            ),
            probe: bind_group_layout(gpu, "probe", &[(0, compute, Binding::StorageWrite)]),
            character_texture: character(gpu, Binding::TextureLoad(D2Array)),
            character_uint: character(gpu, Binding::TextureUint(D2Array)),
            character_storage: character(gpu, Binding::Storage),
        }
    }

    /// Group 1 of drawing passes for an atlas of this format at this place.
    #[must_use]
    pub fn character(&self, source: AtlasSource, format: AtlasFormat) -> &wgpu::BindGroupLayout {
        match (source, format) {
            (AtlasSource::Storage, _) => &self.character_storage,
            (AtlasSource::Texture, AtlasFormat::Trs16) => &self.character_uint,
            (AtlasSource::Texture, _) => &self.character_texture,
        }
    }
}

fn character(gpu: &Gpu, atlas: Binding) -> wgpu::BindGroupLayout {
    let vertex = ShaderStages::VERTEX | ShaderStages::COMPUTE;
    bind_group_layout(
        gpu,
        "character",
        &[
            (0, vertex, Binding::Uniform),
            (1, vertex, Binding::Storage),
            (2, vertex, atlas),
            (4, ShaderStages::VERTEX_FRAGMENT, Binding::Storage),
            (5, ShaderStages::FRAGMENT, Binding::Texture(D2Array)),
            (6, ShaderStages::FRAGMENT, Binding::Sampler),
        ],
    )
}
