//! The frame: animate → select → shadow → crowd → occlusion_cull → sw_raster → shade_visibility → far → background →
//! tonemap → display steps.
//!
//! - Without draw lists (see [`DrawPath`]) there is no select, occlusion_cull and far.
//! - Only with the software rasterizer (see [`Raster`]) there are sw_raster and shade_visibility; with shadows,
//!   sw_shadow comes before shadow.
//! - Triangle culling precedes crowd and far if it is on.
//! - Steps after tone mapping, such as FXAA, run on request, in the order of `DISPLAY_STEPS`.
//!
//! [`CrowdRenderer`] draws the crowd as in any host; this module adds what only throng's own pictures have.

mod aov;
mod display;
mod encode;
mod picture;
mod rebuild;
mod upload;

pub use aov::AovView;

use std::collections::BTreeMap;

use web_time::Instant;

use crate::{
    config::{Effort, Raster},
    gpu::{Gpu, GpuError, Invocations, PICTURE_FORMAT, PassStatistics, PassTimer, Staging, encoder},
    render::{
        CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, DrawPath, FrameInput, FrameUniforms, Pass, PassSet,
        RenderContext, SHADOWS_IN_WORDS, Targets,
        crowd::{DrawnCounts, PendingAmodal, PendingCounts, PoseCounter},
        passes::{
            PickAnswer,
            background::BackgroundPass,
            background_compute::BackgroundCompute,
            display::overdraw::OverdrawMap,
            raster::{StorageRoom, prefers_compute, unsupported_reason},
            shadow::shadow_size,
        },
        plan::{PlanHost, ShadowRequest},
        renderer::display::Display,
        resources::PoseCounts,
        stats::{DrawCounts, FrameTimes},
        targets::{DEPTH_FORMAT, FrameTargets, HDR_FORMAT, supported_samples},
    },
    view::Ray,
};

/// Options that are fixed for the life of a renderer, and those that select pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Format of the final target.
    pub target: wgpu::TextureFormat,
    /// Requested samples per pixel, 1 or 4.
    pub samples: u32,
    /// Technique, atlas format and source.
    pub method: DrawMethod,
    /// Draw path: everyone, or draw lists that the GPU fills. Fixed for the life of the renderer.
    pub path: DrawPath,
    /// Rasterizer of people. Fixed for the life of the renderer.
    pub raster: Raster,
    /// Steps after tone mapping: [`Pass::Fxaa`] smooths edges of pictures with one sample. Other passes have no effect
    /// here.
    pub display_steps: PassSet,
    /// Effort of shadows, ground, sky and shading. Fixed for the life of the renderer.
    pub effort: Effort,
}

impl RenderOptions {
    /// Options of pictures that are read back: one sample, draw lists if the method has them, hardware rasterizer.
    #[must_use]
    pub fn of(method: DrawMethod) -> Self {
        Self {
            target: PICTURE_FORMAT,
            samples: 1,
            method,
            path: DrawPath::default(),
            raster: Raster::Hardware,
            display_steps: PassSet::default(),
            effort: Effort::Full,
        }
    }
}

/// Renderer of a scene: contents on the GPU and all passes of its pictures.
pub struct Renderer {
    options: RenderOptions,
    crowd: CrowdRenderer,
    background: BackgroundPass,
    /// Background in compute, on devices that shade there.
    background_compute: Option<BackgroundCompute>,
    display: Display,
    /// Display passes of pictures whose format differs from the frames'; made on first use.
    picture_display: Option<Display>,
    /// Overdraw map, once requested; it replaces tone mapping.
    overdraw: Option<OverdrawMap>,
    targets: Option<(FrameTargets, wgpu::BindGroup)>,
    aov: Option<aov::AovTargets>,
    /// Amodal extents of the last AOVs, being read back.
    counted: Option<PendingAmodal>,
    /// Staging buffers of that readback.
    staging: Staging,
    /// True if the colour that tone mapping reads can be copied.
    keeps_radiance: bool,
    timer: PassTimer,
    gpu_ms: BTreeMap<Pass, f64>,
    statistics: Option<PassStatistics>,
    /// Counts being read back; frames meanwhile are not counted.
    pending: Option<PendingCounts>,
    drawn: Option<DrawnCounts>,
    poses: PoseCounter,
    /// Draw calls of the last frame, counted as they are encoded.
    draw_calls: BTreeMap<Pass, u32>,
    /// Passes of the last frame, in order.
    passes: Vec<Pass>,
}

impl Renderer {
    /// Compiles the passes that do not depend on the scene.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn new(gpu: &Gpu, options: RenderOptions) -> Result<Self, GpuError> {
        let options = RenderOptions {
            samples: supported_samples(gpu, options.samples),
            ..options
        };
        let targets = Targets {
            color: HDR_FORMAT,
            depth: DepthTarget::reversed(DEPTH_FORMAT),
            samples: options.samples,
        };
        let crowd_options = CrowdOptions {
            method: options.method,
            shadow_size: shadow_size(options.effort),
            own_sky: true,
            effort: options.effort,
            path: options.path,
            raster: options.crowd_raster(),
        };
        let (crowd, (background, background_compute, display)) =
            CrowdRenderer::with_other_passes(gpu, targets, crowd_options, |context| {
                gpu.run_parallel((
                    || BackgroundPass::new(context, options),
                    || background_compute(context, options),
                    || Display::new(context, options, shades(&context.gpu, options)),
                ))
            })?;
        Ok(Self {
            background,
            background_compute,
            display,
            picture_display: None,
            overdraw: None,
            targets: None,
            aov: None,
            counted: None,
            staging: Staging::default(),
            keeps_radiance: false,
            timer: PassTimer::new(gpu),
            gpu_ms: BTreeMap::new(),
            statistics: None,
            pending: None,
            drawn: None,
            poses: PoseCounter::default(),
            draw_calls: BTreeMap::new(),
            passes: Vec::new(),
            options,
            crowd,
        })
    }

    /// Options in force (the adapter may support fewer samples than requested).
    #[must_use]
    pub fn options(&self) -> RenderOptions {
        self.options
    }

    /// Draws one frame into `view` of `size` pixels and submits it.
    pub fn draw(&mut self, gpu: &Gpu, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> FrameTimes {
        let start = Instant::now();
        // Uploads of a first frame include data that later frames reuse.
        let sent = gpu.uploads.total();
        self.resize(gpu, size);
        let shadows = match (input.look.shadows, input.same_shadows) {
            (false, _) => ShadowRequest::Off,
            (true, false) => ShadowRequest::Update,
            (true, true) => ShadowRequest::Reuse,
        };
        let view_of_crowd = input.view(size, input.look.shadows);
        let host = PlanHost {
            computes_background: self.background_compute.is_some(),
            reads_shadow_words: StorageRoom::of(gpu).is_full(),
            culls_triangles: self.crowd.has_triangle_culling(),
            // Pipeline statistics count hardware draws only.
            counts_invocations: self.statistics.is_some(),
        };
        let plan = self.crowd.plan_frame(&view_of_crowd, Some(size), shadows, host);
        let shadow_size = shadow_size(self.options.effort);
        let mut uniforms = FrameUniforms::new(input, size, self.options.samples, plan.has_shadows(), shadow_size);
        if plan.shadows_in_words() {
            uniforms.shadows = SHADOWS_IN_WORDS;
        }
        self.crowd.update(&uniforms, &view_of_crowd, input.clock);

        self.draw_calls.clear();
        let mut encoder = encoder(gpu, "frame");
        self.crowd.clear(&mut encoder);
        self.passes = plan.passes(self.display.steps());
        for number in 0..self.passes.len() {
            let pass = self.passes[number];
            self.encode(pass, &plan, &mut encoder, view);
            if plan.submits_after(pass) {
                encoder = submitted(gpu, encoder);
            }
        }
        self.timer.resolve(&mut encoder);
        let counts = match self.pending {
            None => self.crowd.copy_counts(&mut encoder, &self.staging),
            Some(_) => None,
        };
        self.poses.copy(&self.crowd, &mut encoder);
        gpu.queue.submit([encoder.finish()]);
        if let Some(mut counts) = counts {
            counts.ask();
            self.pending = Some(counts);
        }
        self.poses.ask();

        let cpu_ms = start.elapsed().as_secs_f64() * 1e3;
        let upload_bytes = gpu.uploads.total() - sent;
        if let Some(gpu_ms) = self.timer.finish_frame() {
            self.gpu_ms = by_pass(&gpu_ms);
        }
        self.poll_counts();
        FrameTimes {
            cpu_ms,
            gpu_ms: self.gpu_ms.clone(),
            upload_bytes,
        }
    }

    /// GPU times (ms) by pass of the last frame drawn. Call it after [`Gpu::wait_idle`].
    pub fn finished_gpu_ms(&mut self) -> BTreeMap<Pass, f64> {
        self.poll_counts();
        if let Some(gpu_ms) = self.timer.poll() {
            self.gpu_ms = by_pass(&gpu_ms);
        }
        self.gpu_ms.clone()
    }

    /// GPU time (ms) of that frame from its first pass to its last, gaps included; `None` without timestamps. Call it
    /// after [`Renderer::finished_gpu_ms`].
    #[must_use]
    pub const fn finished_gpu_span(&self) -> Option<f64> {
        self.timer.span_ms()
    }

    /// Counts of a recent frame, which may be some frames old; `None` before the first readback, and if everyone is
    /// drawn.
    #[must_use]
    pub fn drawn(&self) -> Option<&DrawnCounts> {
        self.drawn.as_ref().filter(|_| self.selects())
    }

    /// Pose sharing in a recent frame; `None` before the first readback, and if poses are not shared.
    #[must_use]
    pub fn poses(&self) -> Option<PoseCounts> {
        self.poses.last().filter(|_| self.crowd.preskins()).cloned()
    }

    fn poll_counts(&mut self) {
        self.poses.poll();
        let pending = self.pending.as_ref();
        if let Some(counts) = pending.and_then(|pending| pending.answer(&self.staging)) {
            for totals in counts.culled_triangles.iter().flatten() {
                self.crowd.note_triangle_cull_need(*totals);
            }
            self.drawn = Some(counts);
            self.pending = None;
        }
    }

    /// Draw calls of the last frame by pass. An indirect draw of several LODs is one.
    #[must_use]
    pub fn draw_calls(&self) -> &BTreeMap<Pass, u32> {
        &self.draw_calls
    }

    /// Passes of the last frame, in order, with their mode: `graphics`, `compute`, or `frozen` for lists that stay.
    pub fn passes(&self) -> impl Iterator<Item = (Pass, &'static str)> {
        let in_compute = |pass| self.draw_calls.get(&pass) == Some(&0);
        let mode = move |pass| match pass {
            Pass::Tonemap if in_compute(pass) => "compute",
            _ => self.crowd.plan().mode(pass),
        };
        self.passes.iter().map(move |&pass| (pass, mode(pass)))
    }

    /// Records the draw calls of a pass: the crowd's and `more`.
    fn count_draws(&mut self, pass: Pass, more: u32) {
        self.draw_calls.insert(pass, self.crowd.take_recorded() + more);
    }

    /// Stops timing passes. Unused timestamps then cost nothing, and cannot fail with a lost device.
    pub fn disable_timing(&mut self) {
        (self.timer, self.gpu_ms) = (PassTimer::off(), BTreeMap::new());
    }

    /// Makes [`Renderer::radiance`] copyable from the next frame on.
    pub fn keep_radiance(&mut self) {
        (self.keeps_radiance, self.targets) = (true, None);
    }

    /// Compiles the pipelines of [`ViewMode::Heights`](crate::render::ViewMode::Heights).
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_heights(&mut self) -> Result<(), GpuError> {
        self.crowd.prepare_heights()
    }

    /// Compiles the pipelines of [`ViewMode::Overdraw`](crate::render::ViewMode::Overdraw).
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_overdraw(&mut self) -> Result<(), GpuError> {
        self.overdraw = Some(overdraw_map(self.crowd.gpu(), self.options)?);
        self.crowd.prepare_overdraw()
    }

    /// True once the overdraw pipelines exist.
    #[must_use]
    pub fn has_overdraw(&self) -> bool {
        self.crowd.has_overdraw()
    }

    /// Last frame before tone mapping: linear, scene-referred, four 16-bit floats per pixel, samples resolved (usage
    /// `COPY_SRC`). `None` before the first frame after [`Renderer::keep_radiance`].
    #[must_use]
    pub fn radiance(&self) -> Option<&wgpu::Texture> {
        let (targets, _) = self.targets.as_ref().filter(|_| self.keeps_radiance)?;
        Some(targets.hdr().texture())
    }

    /// Drops the GPU times of all frames drawn so far, pending ones included.
    pub fn reset_timing(&mut self, gpu: &Gpu) {
        (self.timer, self.gpu_ms) = (PassTimer::new(gpu), BTreeMap::new());
    }

    /// Asks for the people whose boxes a ray enters, at the moment of the last frame. A new question replaces a pending
    /// one.
    pub fn ask_pick(&mut self, ray: Ray) {
        self.crowd.ask_pick(ray);
    }

    /// Answer to [`Renderer::ask_pick`]: given once, as soon as it has arrived. Never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn picked(&mut self) -> Option<Result<PickAnswer, GpuError>> {
        self.crowd.picked()
    }

    /// Counts shader invocations of the crowd pass in the frames that follow, or stops counting.
    pub fn count_invocations(&mut self, gpu: &Gpu, on: bool) {
        self.statistics = on.then(|| PassStatistics::new(gpu)).flatten();
    }

    /// Invocations of the last frame's crowd pass; `None` if they are not counted.
    ///
    /// # Errors
    /// [`GpuError::Readback`].
    pub fn invocations(&self, gpu: &Gpu) -> Result<Option<Invocations>, GpuError> {
        self.statistics.as_ref().map(|s| s.read(gpu)).transpose()
    }

    /// Instances of all characters.
    #[must_use]
    pub fn instance_count(&self) -> u32 {
        self.crowd.instance_count()
    }

    /// Draw calls, instances, vertices and bytes of one frame.
    #[must_use]
    pub fn counts(&self) -> DrawCounts {
        let mut counts = self.crowd.counts();
        counts.vram_bytes += self.targets.as_ref().map_or(0, |(t, _)| t.bytes);
        let displays = [Some(&self.display), self.picture_display.as_ref()];
        counts.vram_bytes += displays.into_iter().flatten().map(Display::bytes).sum::<u64>();
        counts.vram_bytes += self.aov.as_ref().map_or(0, aov::AovTargets::bytes);
        counts
    }

    /// Makes the targets of a frame of `size` pixels, so that a device without enough memory reports it beforehand.
    ///
    /// # Errors
    /// [`GpuError::Memory`].
    pub fn prepare(&mut self, gpu: &Gpu, size: (u32, u32)) -> Result<(), GpuError> {
        let what = format!("a picture of {} x {} pixels", size.0, size.1);
        let made = gpu.ensure_memory(&what, "use a smaller --size", || self.resize(gpu, size));
        if made.is_err() {
            self.targets = None;
        }
        made
    }

    /// Rasterizer in use, and the reason if compute was asked for but does not draw everything.
    #[must_use]
    pub fn raster(&self) -> (Raster, Option<String>) {
        let too_large = self.crowd.too_large().map(str::to_owned);
        if self.crowd.uses_sw_raster() {
            return (Raster::Compute, too_large.or_else(|| self.crowd.left_to_hardware()));
        }
        if self.crowd.shows_overdraw() {
            let why = "overdraw is counted by the hardware rasterizer".to_owned();
            return (
                Raster::Hardware,
                (self.options.raster == Raster::Compute).then_some(why),
            );
        }
        let why = || {
            let reason = || {
                format!(
                    "the software rasterizer does not support technique {}",
                    self.options.method.technique.name()
                )
            };
            unsupported_reason(self.crowd.gpu())
                .or(too_large)
                .unwrap_or_else(reason)
        };
        (Raster::Hardware, (self.options.raster == Raster::Compute).then(why))
    }

    /// True if people are drawn from draw lists.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.crowd.options().selects()
    }

    fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.targets.as_ref().is_none_or(|(t, _)| t.size != size) {
            let mut usage = wgpu::TextureUsages::empty();
            usage.set(wgpu::TextureUsages::COPY_SRC, self.keeps_radiance);
            usage.set(wgpu::TextureUsages::STORAGE_BINDING, self.background_compute.is_some());
            let targets = FrameTargets::new(gpu, size, self.options.samples, usage);
            let bind = self.display.bind(gpu, &targets);
            self.targets = Some((targets, bind));
        }
    }
}

/// Submits a part of a frame, so that the device works on it while the rest is encoded.
fn submitted(gpu: &Gpu, part: wgpu::CommandEncoder) -> wgpu::CommandEncoder {
    gpu.queue.submit([part.finish()]);
    encoder(gpu, "frame")
}

/// True if a device shades in compute: where the software rasterizer is asked for, or 64-bit atomics promise a device
/// whose compute passes are fast.
fn shades(gpu: &Gpu, options: RenderOptions) -> bool {
    let wanted = match options.raster {
        Raster::Compute => unsupported_reason(gpu).is_none(),
        Raster::Hardware | Raster::Auto => !options.effort.is_light() && prefers_compute(gpu),
    };
    wanted && gpu.facts.backend.reads_depth_samples()
}

/// Background pass in compute, if the device shades there.
fn background_compute(context: &RenderContext, options: RenderOptions) -> Result<Option<BackgroundCompute>, GpuError> {
    let background_compute = shades(&context.gpu, options).then(|| BackgroundCompute::new(context, options));
    background_compute.transpose()
}

/// Makes overdraw maps for frames and for pictures.
fn overdraw_map(gpu: &Gpu, options: RenderOptions) -> Result<OverdrawMap, GpuError> {
    let targets = [options.target, PICTURE_FORMAT];
    let count = if options.target == PICTURE_FORMAT { 1 } else { 2 };
    OverdrawMap::new(gpu, &targets[..count])
}

/// Times of the frame's passes; other timed work is left out.
fn by_pass(milliseconds: &BTreeMap<String, f64>) -> BTreeMap<Pass, f64> {
    let passes = milliseconds.iter();
    passes
        .filter_map(|(name, ms)| Some((Pass::from_name(name)?, *ms)))
        .collect()
}
