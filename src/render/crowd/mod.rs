//! Crowd in the render passes of a host program. Our own [`Renderer`](crate::render::Renderer) draws with it, too.
//!
//! ```text
//! CrowdRenderer::new(&gpu, targets)      formats of the host's targets
//!   add_character → set_instances, set_plan, set_heroes, set_attachments
//!   each frame:
//!   prepare(&mut encoder, &view, time)   compute passes, and shadows where asked for
//!   draw(&mut pass)                      into the host's colour and depth
//! ```
//!
//! World space is right-handed with Y up, in metres; characters face +Z. The output is linear radiance times
//! [`Light::exposure`], with alpha 1: no tone mapping, no clearing, no submit.

mod amodal;
mod aov;
mod attachments;
mod compile;
mod contents;
mod draw;
mod drawn;
mod heights;
mod heroes;
mod ids;
mod overdraw;
mod people;
mod poses;
mod raster;
mod rebuild;
mod triangle_cull;
mod view;

pub use crate::render::passes::PosedHero;
pub use amodal::{Amodal, AmodalBox, AmodalMask, AmodalRuns, NO_MASK};
pub(crate) use amodal::{PendingAmodal, Round};
pub use contents::{CharacterId, CrowdContents};
pub(crate) use contents::{CrowdDrawLists, MeshletPolicy, ViewSet};
pub(crate) use drawn::PendingCounts;
pub use drawn::{DrawnCounts, DrawnPerson, ID_LOD_SHIFT, ID_MASK, LodCount};
pub(crate) use poses::PoseCounter;
pub use view::{Culling, Light, LightUniforms, View};

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{
    atlas::AtlasFormat,
    config::{Raster, Technique},
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        DrawMethod, FrameUniforms, Layouts,
        crowd::rebuild::CrowdPasses,
        passes::{
            PickAnswer,
            crowd::{CrowdPass, FragmentOutput},
            crowd_shadow,
            draw_lists::{CullPhase, Pyramid},
            pick::PendingPick,
            raster::{IdVisibilityBuffer, RasterPasses, ShadowVisibilityBuffer, SizedResource, VisibilityBuffer},
            shadow::ShadowPass,
            triangle_cull::{TriangleCullFrame, TriangleCullTotals},
        },
        resources::{AtlasSource, instances::bind_group},
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
    /// Draw path: everyone, or draw lists that the GPU fills. Fixed for the life of the renderer.
    pub path: DrawPath,
    /// Rasterizer of people: `Compute` needs 64-bit atomics and one or four samples per pixel. Shadows use the
    /// software rasterizer where it exists, unless `Hardware` is asked for. Fixed for the life of the renderer.
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
        match self.own_sky {
            true => FragmentOutput::OwnLight,
            false => FragmentOutput::HostLight,
        }
    }
}

/// A crowd on the GPU, drawn into the passes of a host program.
pub struct CrowdRenderer {
    gpu: Gpu,
    targets: Targets,
    options: CrowdOptions,
    layouts: Layouts,
    frame_buffer: wgpu::Buffer,
    light_buffer: wgpu::Buffer,
    frame: wgpu::BindGroup,
    lit_frame: wgpu::BindGroup,
    /// Frame bind group of passes that shade in compute.
    shaded_frame: wgpu::BindGroup,
    passes: CrowdPasses,
    pyramid: Option<Pyramid>,
    raster: SizedResource<VisibilityBuffer>,
    /// Visibility buffer of the shadow map.
    shadow_raster: SizedResource<ShadowVisibilityBuffer>,
    /// Shadow map buffer bound in `shaded_frame`.
    shadow_map_words: Option<wgpu::Buffer>,
    ids_raster: SizedResource<IdVisibilityBuffer>,
    /// Compacted index buffers of triangle culling.
    triangle_cull: SizedResource<TriangleCullFrame>,
    /// Largest room that triangle culling has needed so far.
    triangle_cull_needed: TriangleCullTotals,
    /// Phase that the compacted index buffers are of.
    culled_triangles: Option<CullPhase>,
    /// True if the next view asks for triangle culling.
    culls_triangles_next: bool,
    /// True once every draw whose meshlets fit has some, for ids.
    has_all_meshlets: bool,
    /// True if the software rasterizer has drawn since the last update.
    sw_raster_draws: bool,
    /// True if the visibility buffer was cleared since then.
    cleared: bool,
    crowd_shadow_grid: wgpu::Buffer,
    /// Bind group that adds people to the crowd shadow grid.
    crowd_shadow: wgpu::BindGroup,
    /// True if all draw lists are merged into as few sets as possible.
    merged: bool,
    /// Draw calls recorded since the count was last taken.
    recorded: AtomicU32,
    /// True if culling is frozen: requested, and lists of the frame before exist.
    frozen: bool,
    /// True if lists of the current contents have been filled.
    listed: bool,
    /// True if the view prepared last asks for occlusion culling.
    occlusion_culls: bool,
    /// True if occlusion culling ran in this frame, so that the depth pyramid is current.
    occlusion_culled: bool,
    /// Largest height (sample rows) of people for the software rasterizer.
    sw_raster_max_rows: u32,
    /// True if the view shows heights.
    shows_heights: bool,
    /// True if the view shows overdraw.
    shows_overdraw: bool,
    /// True if pipelines are compiled only once everything is added.
    defers_compilation: bool,
    picking: Option<PendingPick>,
    contents: CrowdContents,
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

    /// Makes an empty crowd while `others` compiles passes that share its layouts.
    pub(crate) fn with_other_passes<T: Send>(
        gpu: &Gpu,
        targets: Targets,
        options: CrowdOptions,
        others: impl FnOnce(&Layouts) -> Result<T, GpuError> + Send,
    ) -> Result<(Self, T), GpuError> {
        let options = options.on(gpu, targets.samples);
        let layouts = Layouts::new(gpu);
        let shadow = ShadowPass::new(gpu, options.shadow_size);
        let crowd_shadow_grid = crowd_shadow::grid(gpu, options.shadow_size > 0);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame_buffer = buffer_with(gpu, "frame", &[0; size_of::<FrameUniforms>()], usage);
        let light_buffer = buffer_with(gpu, "light", &[0; size_of::<LightUniforms>()], usage);
        let frame = bind_group(gpu, "frame", &layouts.frame, &[(0, frame_buffer.as_entire_binding())]);
        let lit = [&frame_buffer, &light_buffer, &crowd_shadow_grid];
        let lit_frame = bind_group(gpu, "lit frame", &layouts.lit_frame, &lit_bindings(&shadow, lit));
        let shaded_frame = shaded_frame((gpu, &layouts), (&shadow, lit), None);
        let uses_sw_raster = options.raster == Raster::Compute;
        let shown = options.shown();
        let raster = (uses_sw_raster || options.casts_in_compute())
            .then_some(|| RasterPasses::new(gpu, &layouts, (targets, shown), uses_sw_raster));
        let kept = (shadow, CrowdPass::new(targets, shown), raster);
        let lists = (options.path == DrawPath::Selected).then_some(uses_sw_raster);
        let culls_triangles = options.culls_triangles(gpu);
        let (passes, others) = gpu.run_parallel((
            || CrowdPasses::with_kept_passes(kept, (gpu, &layouts, targets), (lists, culls_triangles)),
            || others(&layouts),
        ))?;
        let crowd = Self {
            passes,
            crowd_shadow: crowd_shadow::group(gpu, &layouts, &crowd_shadow_grid),
            crowd_shadow_grid,
            merged: false,
            pyramid: None,
            raster: SizedResource::default(),
            shadow_raster: SizedResource::default(),
            shadow_map_words: None,
            ids_raster: SizedResource::default(),
            triangle_cull: SizedResource::default(),
            triangle_cull_needed: TriangleCullTotals::default(),
            culled_triangles: None,
            culls_triangles_next: false,
            has_all_meshlets: false,
            sw_raster_draws: false,
            cleared: false,
            recorded: AtomicU32::new(0),
            frozen: false,
            listed: false,
            occlusion_culls: false,
            occlusion_culled: false,
            sw_raster_max_rows: 0,
            shows_heights: false,
            shows_overdraw: false,
            defers_compilation: false,
            picking: None,
            contents: CrowdContents::empty(gpu),
            gpu: gpu.clone(),
            targets,
            options,
            frame_buffer,
            light_buffer,
            frame,
            lit_frame,
            shaded_frame,
            layouts,
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
        self.picking = Some(self.passes.pick.ask(&self.gpu, ray, crowds));
    }

    /// Answer to [`CrowdRenderer::ask_pick`]: given once, as soon as it has arrived. Never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn picked(&mut self) -> Option<Result<PickAnswer, GpuError>> {
        let answer = self.picking.as_ref()?.answer(&self.gpu)?;
        self.picking = None;
        Some(answer)
    }

    /// Takes the number of draw calls recorded since the last call.
    pub(crate) fn take_recorded(&self) -> u32 {
        self.recorded.swap(0, Ordering::Relaxed)
    }

    pub(crate) const fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Layouts, and group 0 without and with the shadow map, which the renderer's other passes share.
    pub(crate) fn shared(&self) -> (&Layouts, &wgpu::BindGroup, &wgpu::BindGroup) {
        (&self.layouts, &self.frame, &self.lit_frame)
    }

    /// Group 0 of passes that shade in compute.
    pub(crate) const fn shaded_frame(&self) -> &wgpu::BindGroup {
        &self.shaded_frame
    }

    /// Views that draw lists are made for.
    fn view_set(&self) -> ViewSet {
        ViewSet {
            shadows: self.options.shadow_size > 0,
            meshlets: match &self.passes.raster {
                None => MeshletPolicy::Never,
                Some(_) if self.options.raster == Raster::Compute => MeshletPolicy::Always,
                Some(_) => MeshletPolicy::IfTheyFit,
            },
        }
    }
}

/// Bindings for shading: frame uniforms, a host's light, the crowd shadow grid, around the shadow map.
fn lit_bindings<'a>(
    shadow: &'a ShadowPass,
    [frame, light, crowd_shadow]: [&'a wgpu::Buffer; 3],
) -> [(u32, wgpu::BindingResource<'a>); 5] {
    [
        (0, frame.as_entire_binding()),
        (1, wgpu::BindingResource::TextureView(&shadow.map)),
        (2, wgpu::BindingResource::Sampler(&shadow.sampler)),
        (3, light.as_entire_binding()),
        (4, crowd_shadow.as_entire_binding()),
    ]
}

/// Frame bind group for shading in compute, with the software rasterizer's shadow map if it exists.
fn shaded_frame(
    (gpu, layouts): (&Gpu, &Layouts),
    (shadow, lit): (&ShadowPass, [&wgpu::Buffer; 3]),
    words: Option<&wgpu::Buffer>,
) -> wgpu::BindGroup {
    // Never read without a software-rasterized shadow map; any buffer fills the binding.
    let words = words.unwrap_or(lit[2]).as_entire_binding();
    let rows = [&lit_bindings(shadow, lit)[..], &[(5, words)]].concat();
    bind_group(gpu, "shaded frame", &layouts.shaded_frame, &rows)
}
