//! A crowd in somebody's render passes: the interface for host programs, and what our own
//! [`Renderer`](crate::render::Renderer) draws with.
//!
//! ```text
//! CrowdRenderer::new(&gpu, targets)      formats of the host's targets
//!   add_character → set_instances, set_plan, set_heroes, set_attachments
//!   each frame:
//!   prepare(&mut encoder, &view, time)   compute passes, and shadows where asked for
//!   draw(&mut pass)                      into the host's colour and depth
//! ```
//!
//! World space is right-handed with Y up, in metres; characters face +Z. What is written is linear
//! radiance times [`Light::exposure`], with alpha 1: no tone mapping, no clearing, no submit.

mod attachments;
mod contents;
mod draw;
mod heroes;
mod people;
mod rebuild;
mod view;

pub use crate::render::passes::PosedHero;
pub use contents::{CharacterId, CrowdContents};
pub use view::{Light, LightUniforms, View};

use crate::{
    atlas::AtlasFormat,
    config::Technique,
    gpu::{Gpu, GpuError, buffer_with},
    render::{
        DrawMethod, FrameUniforms, Layouts,
        passes::{
            DrawVariant, PickAnswer,
            animate::Animate,
            attachments::AttachmentPass,
            crowd::CrowdPass,
            heroes::HeroPass,
            live::LivePass,
            pick::{PendingPick, PickPass},
            shadow::ShadowPass,
        },
        resources::{AtlasSource, instances::bind_group},
    },
    view::Ray,
};

/// What a host's render pass draws into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets {
    /// Format of the only colour attachment. Radiance is not limited to 0..1: a float format keeps
    /// all of it, sRGB formats encode it, plain 8-bit formats would show it too dark.
    pub color: wgpu::TextureFormat,
    /// Depth attachment.
    pub depth: DepthTarget,
    /// Samples per pixel of both.
    pub samples: u32,
}

/// A depth attachment and which of its values are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthTarget {
    /// Any format with depth; stencils are neither tested nor written.
    pub format: wgpu::TextureFormat,
    /// Must agree with the projection of [`View`].
    pub convention: DepthConvention,
}

/// Which depths are near.
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

    /// Tests against what is there; equal depths pass.
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

/// How characters are drawn and lit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrowdOptions {
    /// How characters added from now on are drawn; heroes need technique `matrix`, the default.
    pub method: DrawMethod,
    /// Edge of the shadow map, pixels; 0: the crowd casts no shadows. Fixed once the renderer is
    /// made.
    pub shadow_size: u32,
    /// Light, reflections and haze of throng's own late-morning sky, as in its window: of [`Light`]
    /// only the sun's direction and irradiance count. Fixed once the renderer is made.
    pub own_sky: bool,
}

/// Technique `matrix` with 16-bit floats from a storage buffer, no shadows, a host's light.
impl Default for CrowdOptions {
    fn default() -> Self {
        Self {
            method: DrawMethod::new(Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage),
            shadow_size: 0,
            own_sky: false,
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
    animate: Animate,
    live: LivePass,
    heroes: HeroPass,
    attachments: AttachmentPass,
    shadow: ShadowPass,
    crowd: CrowdPass,
    pick: PickPass,
    picking: Option<PendingPick>,
    contents: CrowdContents,
}

impl CrowdRenderer {
    /// An empty crowd for a host's targets, with the usual technique and without shadows.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, targets: Targets) -> Result<Self, GpuError> {
        Self::with_options(gpu, targets, CrowdOptions::default())
    }

    /// An empty crowd, drawn as `options` say.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn with_options(gpu: &Gpu, targets: Targets, options: CrowdOptions) -> Result<Self, GpuError> {
        let layouts = Layouts::new(gpu);
        let shadow = ShadowPass::new(gpu, options.shadow_size);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame_buffer = buffer_with(gpu, "frame", &[0; size_of::<FrameUniforms>()], usage);
        let light_buffer = buffer_with(gpu, "light", &[0; size_of::<LightUniforms>()], usage);
        let frame = bind_group(gpu, "frame", &layouts.frame, &[(0, frame_buffer.as_entire_binding())]);
        let lit_frame = bind_group(
            gpu,
            "lit frame",
            &layouts.lit_frame,
            &[
                (0, frame_buffer.as_entire_binding()),
                (1, wgpu::BindingResource::TextureView(&shadow.map)),
                (2, wgpu::BindingResource::Sampler(&shadow.sampler)),
                (3, light_buffer.as_entire_binding()),
            ],
        );
        Ok(Self {
            animate: Animate::new(gpu, &layouts)?,
            live: LivePass::new(gpu, &layouts)?,
            heroes: HeroPass::new(gpu, &layouts)?,
            attachments: AttachmentPass::new(gpu, &layouts)?,
            crowd: CrowdPass::new(targets, options.own_sky),
            pick: PickPass::new(gpu)?,
            picking: None,
            contents: CrowdContents::empty(gpu),
            gpu: gpu.clone(),
            targets,
            options,
            frame_buffer,
            light_buffer,
            frame,
            lit_frame,
            shadow,
            layouts,
        })
    }

    /// What it draws into.
    #[must_use]
    pub fn targets(&self) -> Targets {
        self.targets
    }

    /// How characters that are added now will be drawn.
    #[must_use]
    pub fn options(&self) -> CrowdOptions {
        self.options
    }

    /// How characters added from now on are drawn; those there stay as they are.
    pub fn set_method(&mut self, method: DrawMethod) {
        self.options.method = method;
    }

    /// Asks whose boxes a ray enters, at the moment last prepared. Another question in the meantime
    /// takes the place of the one before.
    pub fn ask_pick(&mut self, ray: Ray) {
        let crowds = self.contents.people.iter().map(|d| (&d.crowd, d.all_clips_bounds));
        self.picking = Some(self.pick.ask(&self.gpu, ray, crowds));
    }

    /// The answer to [`CrowdRenderer::ask_pick`], once, as soon as it is there; never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn picked(&mut self) -> Option<Result<PickAnswer, GpuError>> {
        let answer = self.picking.as_ref()?.answer(&self.gpu)?;
        self.picking = None;
        Some(answer)
    }

    /// Layouts, and group 0 with and without the shadow map: what passes beside the crowd share.
    pub(crate) fn shared(&self) -> (&Layouts, &wgpu::BindGroup, &wgpu::BindGroup) {
        (&self.layouts, &self.frame, &self.lit_frame)
    }

    fn compile(&mut self, variant: DrawVariant) -> Result<(), GpuError> {
        self.crowd.prepare(&self.gpu, &self.layouts, variant)?;
        if self.options.shadow_size > 0 {
            self.shadow.prepare(&self.gpu, &self.layouts, variant)?;
        }
        Ok(())
    }
}
