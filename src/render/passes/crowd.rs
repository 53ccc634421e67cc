//! Crowd pass: draws each character's instances. One instanced draw takes all of them, or indirect draws take those in
//! its draw lists.

use std::collections::HashMap;

use crate::{
    character::Character,
    gpu::{GpuError, RenderPipeline},
    render::{
        RenderContext, Targets,
        crowd::SurfaceShader,
        passes::{
            draw_lists::{CullPhase, DrawLists},
            raster::{StorageRoom, SwRasterDraw, supports},
            triangle_cull::{COMPACTED, TriangleCullFrame},
        },
        resources::{CharacterAssets, CrowdInstances, DrawFlags, DrawParts, draw_flags, textbook},
        technique::{DrawMethod, MorphTargets, VertexInput},
    },
};

/// Properties that select a pipeline of the crowd pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawVariant {
    /// Technique, atlas format and source.
    pub method: DrawMethod,
    /// Properties that select shader code and pipeline state.
    pub flags: DrawFlags,
}

impl DrawVariant {
    /// Variant that will draw a character once it is uploaded, so that pipelines can compile meanwhile.
    pub(crate) fn expected(character: &Character, method: DrawMethod) -> Self {
        let facts = method.technique.facts();
        let adds_morphs = !character.model.morphs.is_empty() && facts.morphs == MorphTargets::Added;
        let mut flags = draw_flags(character, facts.source);
        flags.set(DrawFlags::MORPHS, adds_morphs);
        Self {
            method: method.in_use(),
            flags,
        }
    }

    /// Variant that draws `assets`.
    #[must_use]
    pub fn of(assets: &CharacterAssets) -> Self {
        let adds_morphs = assets.morphs.is_some() && assets.method.technique.facts().morphs == MorphTargets::Added;
        let mut flags = assets.flags;
        flags.set(DrawFlags::MORPHS, adds_morphs);
        Self {
            method: assets.method,
            flags,
        }
    }

    /// True if the variant has all of these properties.
    #[must_use]
    pub const fn has(self, flags: DrawFlags) -> bool {
        self.flags.contains(flags)
    }

    /// Variant that has these properties, too.
    #[must_use]
    pub const fn with(self, flags: DrawFlags) -> Self {
        Self {
            flags: self.flags.union(flags),
            ..self
        }
    }

    /// Variant without these properties.
    #[must_use]
    pub const fn without(self, flags: DrawFlags) -> Self {
        Self {
            flags: self.flags.difference(flags),
            ..self
        }
    }

    /// Culling of back faces, unless they are visible.
    pub(crate) fn cull_mode(self) -> Option<wgpu::Face> {
        let shows_back_faces = self.flags.intersects(DrawFlags::SHOWS_BACK_FACES);
        (!shows_back_faces).then_some(wgpu::Face::Back)
    }

    /// Shader conditions that select how a vertex is posed; shared by crowd, shadow and probe.
    #[must_use]
    pub fn pose_features(&self) -> Vec<&'static str> {
        let technique = if self.has(DrawFlags::ATTACHMENT) {
            "technique_attachment"
        } else {
            self.method.technique.facts().condition
        };
        let mut features = vec![technique, self.method.format.facts().condition];
        features.extend(self.method.source.condition());
        features.extend((self.flags & DrawFlags::POSE).conditions());
        features
    }

    /// Variant for depth alone: the pose, and the texture and alpha test where alpha leaves holes.
    pub(crate) fn outline_only(self) -> Self {
        let holes = match (self.has(DrawFlags::ALPHA_TEST), self.has(DrawFlags::TEXTURED)) {
            (false, _) => DrawFlags::empty(),
            (true, false) => DrawFlags::ALPHA_TEST,
            (true, true) => DrawFlags::ALPHA_TEST | DrawFlags::TEXTURED | DrawFlags::SAMPLER_EMULATION,
        };
        self.pose_only().with(self.flags & holes)
    }

    /// Variant for vertex positions alone: no materials, no alpha test.
    pub(crate) const fn pose_only(self) -> Self {
        self.without(DrawFlags::LOOK)
    }

    /// Vertex buffer layouts. With vertex pulling, the only one is the draw list, if there is one.
    pub(crate) fn vertex_buffers(&self) -> Vec<Option<wgpu::VertexBufferLayout<'static>>> {
        match self.method.technique.facts().vertices {
            VertexInput::Pulled => self.has(DrawFlags::LISTED).then_some(Some(LIST)).into_iter().collect(),
            VertexInput::Interleaved => textbook::buffer_layouts(self.flags),
        }
    }

    /// Conditions for the shader compiler.
    #[must_use]
    pub fn features(&self) -> Vec<&'static str> {
        let mut features = self.pose_features();
        features.extend((self.flags & DrawFlags::LOOK).conditions());
        features
    }
}

/// Vertex buffer of draw list entries: one 32-bit word per instance.
const LIST: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: 4,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![0 => Uint32],
};

/// Condition of shaders that are lit by a host program instead of the built-in sky.
pub const HOST_LIGHT: &str = "host_light";

/// Condition of shaders with simple light, ground and sky: [`Effort::Light`](crate::config::Effort::Light).
pub const SIMPLE: &str = "simple";

/// Condition of shaders that write height bands of people (shaders/shared/heights.wgsl) instead of light.
pub const SHOW_HEIGHTS: &str = "show_heights";

/// Condition of shaders that write 1 for every fragment instead of light; shaders/overdraw.wgsl shows the sums.
pub const SHOW_OVERDRAW: &str = "show_overdraw";

/// Additive blending, which counts fragments. Alpha is never read.
const ADDED: wgpu::BlendState = {
    let one = wgpu::BlendComponent {
        src_factor: wgpu::BlendFactor::One,
        dst_factor: wgpu::BlendFactor::One,
        operation: wgpu::BlendOperation::Add,
    };
    wgpu::BlendState { color: one, alpha: one }
};

/// Fragment output of the crowd pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentOutput {
    /// Light of the built-in sky.
    OwnLight,
    /// Light of the built-in sky, diffuse alone.
    SimpleLight,
    /// Light of a host program.
    HostLight,
    /// Height bands of people.
    Heights,
    /// Overdraw: 1 for each fragment, added up per pixel.
    Overdraw,
    /// None: depth alone. Vertices and holes are those of [`FragmentOutput::HostLight`].
    Depth,
}

impl FragmentOutput {
    /// Conditions for the shader compiler.
    pub(crate) fn features(self) -> &'static [&'static str] {
        match self {
            Self::OwnLight => &[],
            Self::SimpleLight => &[SIMPLE],
            Self::HostLight | Self::Depth => &[HOST_LIGHT],
            Self::Heights => &[SHOW_HEIGHTS],
            Self::Overdraw => &[SHOW_OVERDRAW],
        }
    }

    /// Blend state of the output.
    const fn blend(self) -> Option<wgpu::BlendState> {
        match self {
            Self::Overdraw => Some(ADDED),
            Self::OwnLight | Self::SimpleLight | Self::HostLight | Self::Heights | Self::Depth => None,
        }
    }
}

/// Properties that all pipelines of a crowd pass share.
#[derive(Clone)]
struct Shading {
    targets: Targets,
    fragment_output: FragmentOutput,
    surface_shader: Option<SurfaceShader>,
}

/// Pipelines of shaders/crowd.wgsl, compiled on first use.
pub(crate) struct CrowdPass {
    shading: Shading,
    pipelines: HashMap<DrawVariant, wgpu::RenderPipeline>,
    /// Pipelines that draw compacted index buffers.
    compacted: HashMap<DrawVariant, wgpu::RenderPipeline>,
}

impl CrowdPass {
    pub(crate) fn new(targets: Targets, fragment_output: FragmentOutput) -> Self {
        Self::with_shading(Shading {
            targets,
            fragment_output,
            surface_shader: None,
        })
    }

    fn with_shading(shading: Shading) -> Self {
        Self {
            shading,
            pipelines: HashMap::new(),
            compacted: HashMap::new(),
        }
    }

    /// Compiles missing pipelines of variants.
    pub(crate) fn prepare(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant> + Send,
    ) -> Result<(), GpuError> {
        self.prepare_with_compacted(context, variants, [])
    }

    /// Compiles missing pipelines of variants, and those of `compacting` that draw compacted index buffers.
    pub(crate) fn prepare_with_compacted(
        &mut self,
        context: &RenderContext,
        variants: impl IntoIterator<Item = DrawVariant> + Send,
        compacting: impl IntoIterator<Item = DrawVariant> + Send,
    ) -> Result<(), GpuError> {
        let Self {
            shading,
            pipelines,
            compacted,
        } = self;
        let (gpu, shading) = (&context.gpu, &*shading);
        let room = StorageRoom::of(gpu);
        gpu.run_parallel((
            || gpu.make_missing(pipelines, variants, |variant| shading.pipeline(context, variant, false)),
            || {
                let supported = compacting.into_iter().filter(|&variant| supports(room, variant));
                gpu.make_missing(compacted, supported, |variant| shading.pipeline(context, variant, true))
            },
        ))?;
        Ok(())
    }

    /// Pipelines compiled again from the current shaders.
    pub(crate) fn rebuilt(&self, context: &RenderContext) -> Result<Self, GpuError> {
        self.with_surface_shader(context, self.shading.surface_shader.clone())
    }

    /// Pipelines of the same variants with another surface shader, or without one.
    pub(crate) fn with_surface_shader(
        &self,
        context: &RenderContext,
        surface_shader: Option<SurfaceShader>,
    ) -> Result<Self, GpuError> {
        let mut new = Self::with_shading(Shading {
            surface_shader,
            ..self.shading.clone()
        });
        let (pipelines, compacted) = (self.pipelines.keys().copied(), self.compacted.keys().copied());
        new.prepare_with_compacted(context, pipelines, compacted)?;
        Ok(new)
    }

    pub(crate) const fn surface_shader(&self) -> Option<&SurfaceShader> {
        self.shading.surface_shader.as_ref()
    }

    /// Pipeline of a variant that was prepared.
    pub(crate) fn pipeline(&self, variant: DrawVariant) -> Option<&wgpu::RenderPipeline> {
        self.pipelines.get(&variant)
    }

    /// Pipeline that draws compacted index buffers.
    pub(crate) fn compacted(&self, variant: DrawVariant) -> Option<&wgpu::RenderPipeline> {
        self.compacted.get(&variant)
    }
}

impl Shading {
    fn pipeline(
        &self,
        context: &RenderContext,
        variant: DrawVariant,
        compacted: bool,
    ) -> Result<wgpu::RenderPipeline, GpuError> {
        let surface_shader = self.surface_shader.as_ref();
        let mut features = variant.features();
        features.extend(self.fragment_output.features());
        features.extend(SurfaceShader::features(surface_shader));
        let mut groups = vec![
            &context.layouts.lit_frame,
            context.layouts.character(variant),
            context.layouts.instances(variant),
        ];
        if compacted {
            features.push(COMPACTED);
            groups.push(&context.layouts.triangle_cull.drawn);
        }
        let sources = SurfaceShader::sources(surface_shader, &context.gpu);
        RenderPipeline {
            pass: "crowd",
            features: &features,
            sources: Some(&sources),
            layouts: &groups,
            buffers: &variant.vertex_buffers(),
            primitive: wgpu::PrimitiveState {
                cull_mode: variant.cull_mode(),
                ..Default::default()
            },
            depth: Some(self.targets.depth.state(true)),
            samples: self.targets.samples,
            target: (self.fragment_output != FragmentOutput::Depth).then_some(self.targets.color),
            blend: self.fragment_output.blend(),
            discards: variant.has(DrawFlags::ALPHA_TEST),
        }
        .build(&context.gpu)
    }
}

/// Draws all instances of one character, if its pipeline was prepared. The caller has set group 0. Returns the draw
/// calls recorded.
pub(crate) fn draw_instances(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: Option<&wgpu::RenderPipeline>,
    parts: DrawParts<'_>,
) -> u32 {
    let DrawParts { assets, crowd } = parts;
    let Some(pipeline) = pipeline.filter(|_| crowd.count > 0) else {
        return 0;
    };
    pass.set_pipeline(pipeline);
    pass.set_bind_group(1, &crowd.character, &[]);
    pass.set_bind_group(2, &crowd.crowd, &[]);
    if let Some(attributes) = &assets.attributes {
        attributes.set(pass, &crowd.posed, &crowd.list);
    }
    pass.set_index_buffer(assets.indices.slice(..), assets.index_format);
    pass.draw_indexed(0..assets.index_count, 0, 0..crowd.count);
    1
}

/// Draws the instances in one character's draw lists of a phase, if its pipeline was prepared. The caller has set group
/// 0. `others` replaces the arguments of the draw lists. Returns the draw calls recorded.
pub(crate) fn draw_listed(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: Option<&wgpu::RenderPipeline>,
    parts: DrawParts<'_>,
    draw_lists: &DrawLists,
    phase: CullPhase,
    others: Option<(&wgpu::Buffer, u64)>,
) -> u32 {
    let Some(pipeline) = pipeline else { return 0 };
    set_listed(pass, pipeline, parts.crowd, draw_lists);
    pass.set_index_buffer(parts.assets.indices.slice(..), parts.assets.index_format);
    draw_lists.draw(pass, phase, others)
}

/// Draws compacted index buffers. The remaining draws, which triangle culling left whole, come before.
pub(crate) fn draw_compacted(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: Option<&wgpu::RenderPipeline>,
    draw: SwRasterDraw<'_>,
    frame: &TriangleCullFrame,
    phase: CullPhase,
) -> u32 {
    let Some(pipeline) = pipeline else { return 0 };
    set_listed(pass, pipeline, draw.crowd, draw.draw_lists);
    frame.draw(pass, phase, draw.id, draw.draw_lists)
}

/// Sets the pipeline and the groups of draws from draw lists.
fn set_listed(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    crowd: &CrowdInstances,
    draw_lists: &DrawLists,
) {
    pass.set_pipeline(pipeline);
    pass.set_bind_group(1, crowd.listed_character(draw_lists.is_shadow_view()), &[]);
    pass.set_bind_group(2, &crowd.crowd, &[]);
}
