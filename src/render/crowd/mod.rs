//! Crowd in the render passes of a host program. Our own [`Renderer`](crate::render::Renderer) draws with it, too.
//!
//! ```text
//! CrowdRenderer::new(&gpu, targets)      formats of the host's targets
//!   add_character → set_instances, set_plan, set_heroes, set_attachments, actors
//!   each frame:
//!   prepare(&mut encoder, &view, time)   compute passes, and shadows where asked for
//!   draw(&mut pass)                      into the host's colour and depth
//!   prepare_view, draw_view              further views of the same frame
//!   draw_output                          normals, motion vectors, ids
//! ```
//!
//! World space is right-handed with Y up, in metres; characters face +Z. The output is linear radiance times
//! [`Light::exposure`], with alpha 1: no tone mapping, no clearing, no submit.

mod actors;
mod amodal;
mod aov;
mod attachments;
mod compile;
mod contents;
mod draw;
mod draw_list;
mod drawn;
mod further_view;
mod heights;
mod heroes;
mod ids;
mod outputs;
mod overdraw;
mod people;
mod plan;
mod poses;
mod raster;
mod rebuild;
mod scene_upload;
mod state;
mod surface_shader;
mod triangle_cull;
mod view;

pub use crate::render::passes::PosedHero;
pub use actors::{ACTOR_ROWS_WGSL, Actors, ActorsError};
pub use amodal::{Amodal, AmodalBox, AmodalMask, AmodalRuns, NO_MASK};
pub(crate) use amodal::{PendingAmodal, Round};
pub(crate) use aov::AovFrame;
pub use aov::NextMoment;
pub use contents::{CharacterId, CrowdContents};
pub(crate) use contents::{CrowdDrawLists, MeshletPolicy, ViewSet};
pub(crate) use drawn::PendingCounts;
pub use drawn::{DrawnCounts, DrawnPerson, ID_LOD_SHIFT, ID_MASK, LodCount};
pub use further_view::{FurtherView, FurtherViewError};
pub use outputs::TimedView;
pub(crate) use poses::PoseCounter;
pub use surface_shader::{
    MOST_BYTES, MOST_STEPS, MOST_TEXT, SURFACE_POINT_WGSL, SURFACE_SHADER, SurfaceShader, SurfaceShaderError,
    SurfaceShaderFault,
};
pub use view::{Culling, Light, LightUniforms, View, ViewMode};

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{
    atlas::AtlasFormat,
    config::{Effort, Raster, Technique},
    gpu::{Gpu, GpuError},
    render::{
        DrawMethod, FrameUniforms, RenderContext,
        crowd::{
            rebuild::{CrowdPasses, KeptPasses},
            state::{FrameBindings, FrameProgress, ListState, SizedBuffers, ViewSettings},
        },
        passes::{
            PickAnswer,
            crowd::{CrowdPass, FragmentOutput},
            pick::PendingPick,
            raster::RasterPasses,
            shadow::ShadowPass,
        },
        plan::FramePlan,
        resources::AtlasSource,
    },
    view::Ray,
};

/// Formats and samples of a host's render pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets {
    /// Format of the only colour attachment. Radiance exceeds 1: float formats keep all of it, sRGB formats encode it,
    /// plain 8-bit formats would look too dark.
    pub color: wgpu::TextureFormat,
    /// Depth attachment.
    pub depth: DepthTarget,
    /// Samples per pixel of both.
    pub samples: u32,
}

/// Depth attachment and its convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthTarget {
    /// Format with depth; stencils are neither tested nor written.
    pub format: wgpu::TextureFormat,
    /// Convention; it must agree with the projection of [`View`].
    pub convention: DepthConvention,
}

/// Convention of depth values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthConvention {
    /// 1 near, 0 far, cleared to 0: even precision to the horizon with float depth.
    #[default]
    Reversed,
    /// 0 near, 1 far, cleared to 1.
    Standard,
}

impl DepthTarget {
    /// Reversed depth: 1 near, cleared to 0.
    #[must_use]
    pub const fn reversed(format: wgpu::TextureFormat) -> Self {
        Self {
            format,
            convention: DepthConvention::Reversed,
        }
    }

    /// Standard depth: 0 near, cleared to 1.
    #[must_use]
    pub const fn standard(format: wgpu::TextureFormat) -> Self {
        Self {
            format,
            convention: DepthConvention::Standard,
        }
    }

    /// Depth test that lets equal depths pass.
    #[must_use]
    pub(crate) fn state(self, write: bool) -> wgpu::DepthStencilState {
        let compare = match self.convention {
            DepthConvention::Reversed => wgpu::CompareFunction::GreaterEqual,
            DepthConvention::Standard => wgpu::CompareFunction::LessEqual,
        };
        wgpu::DepthStencilState {
            format: self.format,
            depth_write_enabled: Some(write),
            depth_compare: Some(compare),
            stencil: Default::default(),
            bias: Default::default(),
        }
    }
}

/// Options of a crowd renderer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrowdOptions {
    /// Method for characters added from now on; heroes need technique `matrix`, the default.
    pub method: DrawMethod,
    /// Edge of the shadow map (px); 0 casts no shadows. Fixed for the life of the renderer.
    pub shadow_size: u32,
    /// True to light with throng's own late-morning sky, its reflections and haze, as the window does. [`Light`] then
    /// gives only the sun's direction and irradiance. Fixed for the life of the renderer.
    pub own_sky: bool,
    /// Effort of shading with `own_sky`: `Light` shades by the diffuse part alone. Fixed for the life of the renderer.
    pub effort: Effort,
    /// Draw path: everyone, or draw lists that the GPU fills. Fixed for the life of the renderer.
    pub path: DrawPath,
    /// Rasterizer of people: `Compute` needs one or four samples per pixel. `Auto` leaves people to the hardware
    /// rasterizer, and shadows to the software rasterizer on devices with 64-bit atomics. Fixed for the life of the
    /// renderer.
    pub raster: Raster,
}

/// Source of the draws of a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawPath {
    /// People in the view, at the LOD that they need, in draw lists that the GPU fills for indirect draws. Techniques
    /// without LODs draw as with `Plain`.
    #[default]
    Selected,
    /// Everyone at full detail, in one instanced draw per character.
    Plain,
}

/// Default: technique `matrix` with 16-bit floats from a storage buffer, no shadows, a host's light.
impl Default for CrowdOptions {
    fn default() -> Self {
        Self {
            method: DrawMethod::new(Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage),
            shadow_size: 0,
            own_sky: false,
            effort: Effort::Full,
            path: DrawPath::default(),
            raster: Raster::default(),
        }
    }
}

impl CrowdOptions {
    /// True if characters added now will be drawn from draw lists.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.path == DrawPath::Selected && self.method.technique.facts().lods
    }

    const fn shown(&self) -> FragmentOutput {
        match (self.own_sky, self.effort.is_light()) {
            (true, true) => FragmentOutput::SimpleLight,
            (true, false) => FragmentOutput::OwnLight,
            (false, _) => FragmentOutput::HostLight,
        }
    }
}

/// A crowd on the GPU, drawn into the passes of a host program.
pub struct CrowdRenderer {
    context: RenderContext,
    targets: Targets,
    options: CrowdOptions,
    passes: CrowdPasses,
    contents: CrowdContents,
    bindings: FrameBindings,
    buffers: SizedBuffers,
    lists: ListState,
    /// Settings of the view prepared last.
    view: ViewSettings,
    /// Plan of the frame prepared last.
    plan: FramePlan,
    /// Uniforms of that frame, once there is one.
    prepared: Option<FrameUniforms>,
    progress: FrameProgress,
    /// Draw calls recorded since the count was last taken.
    recorded: AtomicU32,
    /// True if pipelines are compiled only once everything is added.
    defers_compilation: bool,
    picking: Option<PendingPick>,
}

impl CrowdRenderer {
    /// Makes an empty crowd for a host's targets, with the default technique and without shadows.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, targets: Targets) -> Result<Self, GpuError> {
        Self::with_options(gpu, targets, CrowdOptions::default())
    }

    /// Makes an empty crowd with `options`.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn with_options(gpu: &Gpu, targets: Targets, options: CrowdOptions) -> Result<Self, GpuError> {
        let (crowd, ()) = Self::with_other_passes(gpu, targets, options, |_| Ok(()))?;
        Ok(crowd)
    }

    /// Makes an empty crowd while `others` compiles passes that share its context.
    pub(crate) fn with_other_passes<T: Send>(
        gpu: &Gpu,
        targets: Targets,
        options: CrowdOptions,
        others: impl FnOnce(&RenderContext) -> Result<T, GpuError> + Send,
    ) -> Result<(Self, T), GpuError> {
        let options = options.on(gpu, targets.samples);
        let context = RenderContext::new(gpu);
        let shadow = ShadowPass::new(gpu, options.shadow_size);
        let bindings = FrameBindings::new(&context, &shadow, options.shadow_size > 0);
        let uses_sw_raster = options.raster == Raster::Compute;
        let shown = options.shown();
        let raster = (uses_sw_raster || options.casts_in_compute())
            .then_some(|| RasterPasses::new(&context, targets, shown, uses_sw_raster));
        let kept = KeptPasses {
            shadow,
            crowd: CrowdPass::new(targets, shown),
            raster,
        };
        let lists = (options.path == DrawPath::Selected).then_some(uses_sw_raster);
        let culls_triangles = options.culls_triangles(gpu);
        let (passes, others) = gpu.run_parallel((
            || CrowdPasses::with_kept_passes(kept, &context, targets, lists, culls_triangles),
            || others(&context),
        ))?;
        let crowd = Self {
            passes,
            contents: CrowdContents::empty(gpu),
            bindings,
            buffers: SizedBuffers::default(),
            lists: ListState::default(),
            view: ViewSettings::default(),
            plan: FramePlan::default(),
            prepared: None,
            progress: FrameProgress::default(),
            recorded: AtomicU32::new(0),
            defers_compilation: false,
            picking: None,
            context,
            targets,
            options,
        };
        Ok((crowd, others))
    }

    /// Formats and samples that the renderer draws into.
    #[must_use]
    pub fn targets(&self) -> Targets {
        self.targets
    }

    /// Options for characters that are added now.
    #[must_use]
    pub fn options(&self) -> CrowdOptions {
        self.options
    }

    /// Sets the method for characters added from now on; existing ones keep theirs.
    pub fn set_method(&mut self, method: DrawMethod) {
        self.options.method = method;
    }

    /// Asks for the people whose boxes a ray enters, at the time last prepared. A new question replaces a pending one.
    pub fn ask_pick(&mut self, ray: Ray) {
        let crowds = self.contents.people.iter().map(|d| (&d.crowd, d.all_clips_bounds));
        self.picking = Some(self.passes.pick.ask(&self.context.gpu, ray, crowds));
    }

    /// Answer to [`CrowdRenderer::ask_pick`]: given once, as soon as it has arrived. Never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn picked(&mut self) -> Option<Result<PickAnswer, GpuError>> {
        let answer = self.picking.as_ref()?.answer(&self.context.gpu)?;
        self.picking = None;
        Some(answer)
    }

    /// Takes the number of draw calls recorded since the last call.
    pub(crate) fn take_recorded(&self) -> u32 {
        self.recorded.swap(0, Ordering::Relaxed)
    }

    pub(crate) const fn gpu(&self) -> &Gpu {
        &self.context.gpu
    }

    /// Device and layouts, which the renderer's other passes share.
    pub(crate) const fn context(&self) -> &RenderContext {
        &self.context
    }

    /// Group 0 of passes without light.
    pub(crate) const fn frame(&self) -> &wgpu::BindGroup {
        &self.bindings.frame
    }

    /// Group 0 of passes that shade in the graphics pipeline.
    pub(crate) const fn lit_frame(&self) -> &wgpu::BindGroup {
        &self.bindings.lit_frame
    }

    /// Group 0 of passes that shade in compute.
    pub(crate) const fn shaded_frame(&self) -> &wgpu::BindGroup {
        &self.bindings.shaded_frame
    }

    /// Views that draw lists are made for.
    fn view_set(&self) -> ViewSet {
        ViewSet {
            shadows: self.options.shadow_size > 0,
            meshlets: self.meshlet_policy(),
        }
    }

    fn meshlet_policy(&self) -> MeshletPolicy {
        match &self.passes.raster {
            None => MeshletPolicy::Never,
            Some(_) if self.options.raster == Raster::Compute => MeshletPolicy::Always,
            Some(_) => MeshletPolicy::IfTheyFit,
        }
    }
}
