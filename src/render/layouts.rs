//! The bind group layouts that passes share.

use wgpu::{ShaderStages, TextureViewDimension::D2Array};

use crate::{
    atlas::Texel,
    gpu::{Binding, Gpu, bind_group_layout},
    render::{
        passes::DrawVariant,
        resources::AtlasSource,
        technique::{AnimationSource, DrawMethod},
    },
};

/// Layouts by group; group 1 depends on where the atlas lives.
pub struct Layouts {
    /// Group 0 without the shadow map: shadow pass, animate.
    pub frame: wgpu::BindGroupLayout,
    /// Group 0 with the shadow map and a host's light: passes that are lit.
    pub lit_frame: wgpu::BindGroupLayout,
    /// Group 1 of animate.
    pub animate_character: wgpu::BindGroupLayout,
    /// Group 2 of animate.
    pub animate_crowd: wgpu::BindGroupLayout,
    /// Group 2 of drawing passes.
    pub crowd: wgpu::BindGroupLayout,
    /// As `crowd`, with heroes.
    pub heroed_crowd: wgpu::BindGroupLayout,
    /// Group 1 of the heroes pass.
    pub heroes: wgpu::BindGroupLayout,
    /// Group 3 of the probe.
    pub probe: wgpu::BindGroupLayout,
    /// Group 1 of the live pass.
    pub live: wgpu::BindGroupLayout,
    /// Group 1 of the attachment pass.
    pub attachments: wgpu::BindGroupLayout,
    matrix_texture: wgpu::BindGroupLayout,
    matrix_uint: wgpu::BindGroupLayout,
    matrix_storage: wgpu::BindGroupLayout,
    vertex_texture: wgpu::BindGroupLayout,
    vertex_storage: wgpu::BindGroupLayout,
    /// As the first three, with morph targets.
    morph_texture: wgpu::BindGroupLayout,
    morph_uint: wgpu::BindGroupLayout,
    morph_storage: wgpu::BindGroupLayout,
}

impl Layouts {
    /// Makes all of them.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        let all = ShaderStages::VERTEX_FRAGMENT | ShaderStages::COMPUTE;
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
                    (3, ShaderStages::FRAGMENT, Binding::Uniform),
                ],
            ),
            animate_character: bind_group_layout(
                gpu,
                "animate character",
                &[
                    (0, compute, Binding::Uniform),
                    (3, compute, Binding::Storage),
                    (4, compute, Binding::Storage),
                    (5, compute, Binding::Storage),
                    (6, compute, Binding::Storage),
                    (7, compute, Binding::Storage),
                ],
            ),
            animate_crowd: bind_group_layout(
                gpu,
                "animate crowd",
                &[(0, compute, Binding::Storage), (1, compute, Binding::StorageWrite)],
            ),
            crowd: bind_group_layout(gpu, "crowd", &CROWD),
            heroed_crowd: bind_group_layout(
                gpu,
                "crowd with heroes",
                &[&CROWD[..], &[(3, vertex, Binding::Storage)]].concat(),
            ),
            heroes: bind_group_layout(
                gpu,
                "heroes",
                &[
                    (0, compute, Binding::Storage),
                    (1, compute, Binding::StorageWrite),
                    (2, compute, Binding::StorageWrite),
                ],
            ),
            probe: bind_group_layout(gpu, "probe", &[(0, compute, Binding::StorageWrite)]),
            live: bind_group_layout(
                gpu,
                "live",
                &[
                    (0, compute, Binding::Storage),
                    (1, compute, Binding::Storage),
                    (2, compute, Binding::StorageWrite),
                    (3, compute, Binding::Uniform),
                ],
            ),
            attachments: bind_group_layout(
                gpu,
                "attachments",
                &[
                    (0, compute, Binding::Uniform),
                    (1, compute, Binding::Storage),
                    (2, compute, Binding::Storage),
                    (3, compute, Binding::Storage),
                    (4, compute, Binding::StorageWrite),
                    (5, compute, Binding::Storage),
                ],
            ),
            matrix_texture: character(gpu, Binding::TextureLoad(D2Array), None),
            matrix_uint: character(gpu, Binding::TextureUint(D2Array), None),
            matrix_storage: character(gpu, Binding::Storage, None),
            vertex_texture: character(gpu, Binding::TextureUint(D2Array), Some(FRAME_RANGES)),
            vertex_storage: character(gpu, Binding::Storage, Some(FRAME_RANGES)),
            morph_texture: character(gpu, Binding::TextureLoad(D2Array), Some(MORPHS)),
            morph_uint: character(gpu, Binding::TextureUint(D2Array), Some(MORPHS)),
            morph_storage: character(gpu, Binding::Storage, Some(MORPHS)),
        }
    }

    /// Group 2 of drawing passes.
    #[must_use]
    pub fn instances(&self, variant: DrawVariant) -> &wgpu::BindGroupLayout {
        if variant.heroes {
            &self.heroed_crowd
        } else {
            &self.crowd
        }
    }

    /// Group 1 of drawing passes: depends on what the technique reads and from where.
    #[must_use]
    pub fn character(&self, variant: DrawVariant) -> &wgpu::BindGroupLayout {
        let DrawMethod {
            technique,
            format,
            source,
        } = variant.method;
        match technique.facts().source {
            AnimationSource::BakedVertices => match source {
                AtlasSource::Texture => &self.vertex_texture,
                AtlasSource::Storage => &self.vertex_storage,
            },
            AnimationSource::Atlas
            | AnimationSource::FullMatrices
            | AnimationSource::LivePalettes
            | AnimationSource::RestPose => match (source, format.facts().texel, variant.morphs) {
                (AtlasSource::Storage, _, false) => &self.matrix_storage,
                (AtlasSource::Storage, _, true) => &self.morph_storage,
                (AtlasSource::Texture, Texel::Uint32, false) => &self.matrix_uint,
                (AtlasSource::Texture, Texel::Uint32, true) => &self.morph_uint,
                (AtlasSource::Texture, Texel::Float32 | Texel::Float16 | Texel::Unorm8, false) => &self.matrix_texture,
                (AtlasSource::Texture, Texel::Float32 | Texel::Float16 | Texel::Unorm8, true) => &self.morph_texture,
            },
        }
    }
}

/// Instances, what animate left for them, tints.
const CROWD: [(u32, ShaderStages, Binding); 3] = [
    (0, ShaderStages::VERTEX.union(ShaderStages::COMPUTE), Binding::Storage),
    (1, ShaderStages::VERTEX.union(ShaderStages::COMPUTE), Binding::Storage),
    (2, ShaderStages::VERTEX_FRAGMENT, Binding::Storage),
];
/// Binding of baked vertices' position ranges.
const FRAME_RANGES: u32 = 3;
/// Binding of morph targets.
const MORPHS: u32 = 7;

fn character(gpu: &Gpu, animation: Binding, extra: Option<u32>) -> wgpu::BindGroupLayout {
    let vertex = ShaderStages::VERTEX | ShaderStages::COMPUTE;
    let mut rows = vec![
        (0, vertex, Binding::Uniform),
        (1, vertex, Binding::Storage),
        (2, vertex, animation),
        (4, ShaderStages::VERTEX_FRAGMENT, Binding::Storage),
        (5, ShaderStages::FRAGMENT, Binding::Texture(D2Array)),
        (6, ShaderStages::FRAGMENT, Binding::Sampler),
        (8, ShaderStages::FRAGMENT, Binding::Texture(D2Array)),
    ];
    if let Some(binding) = extra {
        rows.push((binding, vertex, Binding::Storage));
    }
    bind_group_layout(gpu, "character", &rows)
}
