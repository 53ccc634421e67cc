//! AOV pass: values of each pixel beside its colour, such as ids, depth and motion. Each requested AOV takes one draw
//! of everything as the picture shows it, LODs included, without antialiasing. The draw of ids can count everyone's
//! pixels for amodal masks (render/crowd/amodal.rs), if fragment shaders may write to buffers.

mod aov_background;
mod next_frame;

pub(crate) use next_frame::{Half, NextFrameData};

use std::collections::{HashMap, hash_map::Entry};

use crate::{
    gpu::{GpuError, RenderPipeline, buffer_with},
    render::{
        DepthTarget, RenderContext,
        passes::DrawVariant,
        resources::{DrawFlags, instances::bind_group},
    },
};
pub use aov_background::AOV_BACKGROUND;
use aov_background::AovBackground;

shader_struct!(AovUniforms);

/// Value of [`AovUniforms::only`] that draws every instance.
pub const EVERYBODY: u32 = u32::MAX;

/// Bit of the ids of attachments; the rest is their number.
pub const ID_ATTACHMENT: u32 = 0x4000_0000;
/// Bit of the ids of scenery; the rest is its number.
pub const ID_SCENERY: u32 = 0x8000_0000;
/// Both coordinates of an undefined motion: the point is behind the camera in the next picture.
pub const NOWHERE: f32 = 1e30;

/// Arbitrary output variable (AOV): a value of every pixel beside its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AovKind {
    /// Instance id: 0 nobody, 1 + number of the person, or [`ID_ATTACHMENT`] or [`ID_SCENERY`] and a number.
    Ids,
    /// Depth along the camera's axis (m); 0 where there is nothing.
    Depth,
    /// Normal of unit length (world space); zero where there is nothing.
    Normal,
    /// Motion vector to the point's place in the next picture (px), right and down.
    Motion,
    /// First texture coordinates.
    Uv,
    /// Linear base colour.
    Albedo,
}

impl AovKind {
    /// Every AOV.
    pub const ALL: [Self; 6] = [
        Self::Ids,
        Self::Depth,
        Self::Normal,
        Self::Motion,
        Self::Uv,
        Self::Albedo,
    ];

    /// Shader condition of the AOV.
    #[must_use]
    pub const fn condition(self) -> &'static str {
        match self {
            Self::Ids => "show_ids",
            Self::Depth => "show_depth",
            Self::Normal => "show_normal",
            Self::Motion => "show_motion",
            Self::Uv => "show_uv",
            Self::Albedo => "show_albedo",
        }
    }

    /// Texture format of the AOV.
    #[must_use]
    pub const fn format(self) -> wgpu::TextureFormat {
        match self {
            Self::Ids => wgpu::TextureFormat::R32Uint,
            Self::Depth => wgpu::TextureFormat::R32Float,
            Self::Normal | Self::Albedo => wgpu::TextureFormat::Rgba16Float,
            Self::Motion | Self::Uv => wgpu::TextureFormat::Rg32Float,
        }
    }

    /// Variant that draws the AOV, without the surface maps of lighting.
    #[must_use]
    pub fn variant(self, drawn: DrawVariant) -> DrawVariant {
        let look = match self {
            Self::Albedo => DrawFlags::TEXTURED | DrawFlags::SAMPLER_EMULATION,
            Self::Normal => DrawFlags::FLAT_SHADED | DrawFlags::SAMPLER_EMULATION,
            Self::Ids | Self::Depth | Self::Motion | Self::Uv => DrawFlags::empty(),
        };
        let kept = look | DrawFlags::SHOWS_BACK_FACES;
        drawn.outline_only().with(drawn.flags & kept)
    }
}

/// Pipelines of shaders/aov.wgsl, made when first needed.
pub(crate) struct AovPass {
    /// Pipelines by AOV, by whether pixels are counted for amodal masks, and by variant.
    pipelines: HashMap<(AovKind, bool, DrawVariant), wgpu::RenderPipeline>,
    aov_background: HashMap<AovKind, AovBackground>,
}

impl AovPass {
    pub(crate) fn new() -> Self {
        Self {
            pipelines: HashMap::new(),
            aov_background: HashMap::new(),
        }
    }

    /// Compiles missing pipelines of an AOV for a depth attachment, each variant with or without counting for amodal
    /// masks. A pass is always given the same depth.
    pub(crate) fn prepare(
        &mut self,
        context: &RenderContext,
        depth: DepthTarget,
        kind: AovKind,
        variants: impl Iterator<Item = (bool, DrawVariant)>,
    ) -> Result<(), GpuError> {
        let keys = variants.map(|(counted, variant)| (kind, counted, kind.variant(variant)));
        context
            .gpu
            .make_missing(&mut self.pipelines, keys, |(kind, counted, variant)| {
                pipeline(context, depth, kind, counted, variant)
            })
    }

    /// Compiles ground and sky of an AOV, unless they exist.
    pub(crate) fn prepare_background(&mut self, context: &RenderContext, kind: AovKind) -> Result<(), GpuError> {
        if let Entry::Vacant(vacant) = self.aov_background.entry(kind) {
            vacant.insert(AovBackground::new(context, kind)?);
        }
        Ok(())
    }

    /// Pipeline of a variant that was prepared.
    pub(crate) fn pipeline(&self, kind: AovKind, counted: bool, variant: DrawVariant) -> Option<&wgpu::RenderPipeline> {
        self.pipelines.get(&(kind, counted, kind.variant(variant)))
    }

    /// Draws ground and sky, if they were prepared; groups 0 and 1 are set by the caller.
    pub(crate) fn draw_aov_background(&self, pass: &mut wgpu::RenderPass<'_>, kind: AovKind) {
        if let Some(aov_background) = self.aov_background.get(&kind) {
            aov_background.draw(pass);
        }
    }
}

/// Group 3 of a draw, with the amodal masks and their positions if it counts pixels.
pub(crate) fn uniforms_group(
    context: &RenderContext,
    uniforms: &AovUniforms,
    counting: Option<[&wgpu::Buffer; 2]>,
) -> wgpu::BindGroup {
    let bytes = bytemuck::bytes_of(uniforms);
    let buffer = buffer_with(&context.gpu, "aov", bytes, wgpu::BufferUsages::UNIFORM);
    let own = (0, buffer.as_entire_binding());
    match counting {
        None => bind_group(&context.gpu, "aov", &context.layouts.aov, &[own]),
        Some([words, places]) => {
            let rows = [own, (1, words.as_entire_binding()), (2, places.as_entire_binding())];
            bind_group(&context.gpu, "counted truth", &context.layouts.amodal_masks, &rows)
        }
    }
}

fn pipeline(
    context: &RenderContext,
    depth: DepthTarget,
    kind: AovKind,
    counted: bool,
    variant: DrawVariant,
) -> Result<wgpu::RenderPipeline, GpuError> {
    let mut features = variant.features();
    features.push(kind.condition());
    if counted {
        features.push("amodal_masks");
    }
    RenderPipeline {
        pass: "aov",
        features: &features,
        layouts: &[
            &context.layouts.frame,
            context.layouts.character(variant),
            context.layouts.instances(variant),
            if counted {
                &context.layouts.amodal_masks
            } else {
                &context.layouts.aov
            },
        ],
        buffers: &variant.vertex_buffers(),
        primitive: wgpu::PrimitiveState {
            cull_mode: variant.cull_mode(),
            ..Default::default()
        },
        depth: Some(depth.state(true)),
        target: Some(kind.format()),
        ..Default::default()
    }
    .build(&context.gpu)
}
