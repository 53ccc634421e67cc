//! The frame: animate → select → shadow → crowd → cull → raster → resolve → far → background → tonemap → fxaa, straight
//! through; without lists (see [`DrawPath`]) there is no select, cull and far, and only where people are drawn by the
//! software rasterizer (see [`Raster`]) there are raster and resolve, and only where shadows are there is sun before
//! shadow; fxaa where asked for. The crowd is that of [`CrowdRenderer`], drawn as any host draws it; what is added here
//! is ours alone.

mod aov;
mod display;
mod encode;
mod picture;
mod rebuild;
mod upload;

pub use aov::AovView;

use std::{collections::BTreeMap, time::Instant};

use crate::{
    config::Raster,
    gpu::{Gpu, GpuError, Invocations, PICTURE_FORMAT, PassStatistics, PassTimer, Staging, encoder},
    render::{
        CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, DrawPath, FrameInput, FrameUniforms, Layouts, Pass,
        SHADOWS_IN_WORDS, Targets,
        crowd::{DrawnCounts, PendingAmodal, PendingCounts, PoseCounter},
        passes::{
            PickAnswer, background::BackgroundPass, background_compute::BackgroundCompute,
            display::overdraw::OverdrawMap, draw_lists::Phase, raster::unsupported_reason, shadow::SHADOW_SIZE,
        },
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
    /// Wanted samples per pixel, 1 or 4.
    pub samples: u32,
    /// Technique, atlas format and source.
    pub method: DrawMethod,
    /// Draw path: everyone, or draw lists that the GPU fills. Fixed for the life of the renderer.
    pub path: DrawPath,
    /// Rasterizer of people. Fixed for the life of the renderer.
    pub raster: Raster,
    /// Smooth edges after tone mapping: for pictures of one sample.
    pub fxaa: bool,
}

impl RenderOptions {
    /// Pictures that are read back: one sample, everybody whom the method can leave out is left out, the hardware
    /// rasterizer.
    #[must_use]
    pub fn of(method: DrawMethod) -> Self {
        Self {
            target: PICTURE_FORMAT,
            samples: 1,
            method,
            path: DrawPath::default(),
            raster: Raster::Hardware,
            fxaa: false,
        }
    }
}

/// A scene on the GPU, and everything that makes a picture of it.
pub struct Renderer {
    options: RenderOptions,
    crowd: CrowdRenderer,
    background: BackgroundPass,
    /// In its place where a device shades in compute.
    background_compute: Option<BackgroundCompute>,
    display: Display,
    /// Tone mapping of pictures whose format differs from the frames'; made when first needed.
    picture_display: Option<Display>,
    /// In place of either, where that was asked for.
    overdraw: Option<OverdrawMap>,
    targets: Option<(FrameTargets, wgpu::BindGroup)>,
    aov: Option<aov::AovTargets>,
    /// Amodal extents of the last AOVs, being read back.
    counted: Option<PendingAmodal>,
    /// Staging buffers of that readback.
    staging: Staging,
    /// Whether what tone mapping reads can be copied.
    keeps_radiance: bool,
    timer: PassTimer,
    gpu_ms: BTreeMap<Pass, f64>,
    statistics: Option<PassStatistics>,
    /// On their way; the frames meanwhile are not counted.
    pending: Option<PendingCounts>,
    drawn: Option<DrawnCounts>,
    poses: PoseCounter,
    /// Draw calls of the last frame, counted as they are encoded.
    draw_calls: BTreeMap<Pass, u32>,
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
        let set_view = CrowdOptions {
            method: options.method,
            shadow_size: SHADOW_SIZE,
            own_sky: true,
            path: options.path,
            raster: options.raster,
        };
        let (crowd, (background, background_compute, display)) =
            CrowdRenderer::with_other_passes(gpu, targets, set_view, |layouts| {
                gpu.run_parallel((
                    || BackgroundPass::new(gpu, layouts, options.samples),
                    || background_compute(gpu, layouts, options),
                    || Display::new(gpu, layouts, (options.target, options.fxaa), shades(gpu)),
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
        // Of a first frame, what all others use again is sent, too.
        let sent = gpu.uploads.total();
        self.resize(gpu, size);
        let shadows = input.look.shadows;
        let samples = self.options.samples;
        let view_of_crowd = input.view(size, shadows);
        self.crowd.set_view(&view_of_crowd);
        self.crowd.prepare_raster(size);
        self.crowd.prepare_triangle_cull(size);
        if shadows {
            self.crowd.prepare_shadow_raster();
        }
        let uses_sw_raster = self.crowd.uses_sw_raster();
        let all_compute = self.is_all_compute();
        let mut uniforms = FrameUniforms::new(input, (size, samples), shadows, SHADOW_SIZE);
        if shadows && self.casts_in_compute() {
            uniforms.shadows = SHADOWS_IN_WORDS;
        }
        self.crowd.update(&uniforms, &view_of_crowd, input.clock);

        self.draw_calls.clear();
        // The device empties buffers while the frame is still recorded.
        let mut encoder = encoder(gpu, "frame");
        self.crowd.clear(&mut encoder, shadows && !input.same_shadows);
        encoder = submitted(gpu, encoder);
        self.encode_animate(&mut encoder);
        if self.selects() {
            self.encode_select(&mut encoder, shadows);
        }
        self.encode_preskin(&mut encoder, shadows);
        encoder = submitted(gpu, encoder);
        if shadows && !input.same_shadows {
            self.encode_shadow(&mut encoder);
        }
        match all_compute {
            true => self.encode_near(&mut encoder),
            false => {
                self.encode_triangle_cull(&mut encoder, Phase::Near);
                self.encode_crowd(&mut encoder);
            }
        }
        if self.selects() {
            self.encode_cull(&mut encoder);
            encoder = submitted(gpu, encoder);
            if uses_sw_raster {
                self.encode_raster(&mut encoder);
                encoder = submitted(gpu, encoder);
                self.encode_shade_visibility(&mut encoder);
                // What is recorded of this part is let go of while the rest is drawn.
                encoder = submitted(gpu, encoder);
            }
            if !all_compute {
                self.encode_triangle_cull(&mut encoder, Phase::Far);
                self.encode_far(&mut encoder);
            }
        } else if self.computes_background() {
            // Whatever the hardware rasterizer draws comes before what is behind it.
            self.encode_far(&mut encoder);
        }
        self.encode_background(&mut encoder);
        self.encode_tonemap(&mut encoder, view);
        self.encode_fxaa(&mut encoder, view);
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

    /// After [`Gpu::wait_idle`]: the times of the last frame drawn, by pass.
    pub fn finished_gpu_ms(&mut self) -> BTreeMap<Pass, f64> {
        self.poll_counts();
        if let Some(gpu_ms) = self.timer.poll() {
            self.gpu_ms = by_pass(&gpu_ms);
        }
        self.gpu_ms.clone()
    }

    /// After [`Renderer::finished_gpu_ms`]: milliseconds of that frame on the GPU, from its first pass to its last,
    /// what lies between them included. `None` without timestamps.
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

    /// How poses were shared in a recent frame; `None` before the first answer, and where they are not.
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

    /// Draw calls of the last frame by pass; an indirect draw of several LODs is one.
    #[must_use]
    pub fn draw_calls(&self) -> &BTreeMap<Pass, u32> {
        &self.draw_calls
    }

    /// Notes the draws that a pass has recorded: the crowd's and so many more.
    fn count_draws(&mut self, pass: Pass, more: u32) {
        self.draw_calls.insert(pass, self.crowd.take_recorded() + more);
    }

    /// Times no pass from now on: what nobody asks for costs nothing, and cannot fail with a device that is lost.
    pub fn disable_timing(&mut self) {
        (self.timer, self.gpu_ms) = (PassTimer::off(), BTreeMap::new());
    }

    /// Lets [`Renderer::radiance`] be copied, from the next frame on.
    pub fn keep_radiance(&mut self) {
        (self.keeps_radiance, self.targets) = (true, None);
    }

    /// Compiles what [`FrameInput::show_heights`] needs.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_heights(&mut self) -> Result<(), GpuError> {
        self.crowd.prepare_heights()
    }

    /// Compiles what [`FrameInput::show_overdraw`] needs.
    ///
    /// # Errors
    /// [`GpuError::Shader`].
    pub fn prepare_overdraw(&mut self) -> Result<(), GpuError> {
        self.overdraw = Some(overdraw_map(self.crowd.gpu(), self.options)?);
        self.crowd.prepare_overdraw()
    }

    /// Whether that is there.
    #[must_use]
    pub fn has_overdraw(&self) -> bool {
        self.crowd.has_overdraw()
    }

    /// The last frame before tone mapping: linear, scene-referred, four halves a pixel, samples resolved (usage
    /// `COPY_SRC`). `None` before the first frame after [`Renderer::keep_radiance`].
    #[must_use]
    pub fn radiance(&self) -> Option<&wgpu::Texture> {
        let (targets, _) = self.targets.as_ref().filter(|_| self.keeps_radiance)?;
        Some(targets.hdr().texture())
    }

    /// Drops the GPU times of frames drawn so far, those on their way included.
    pub fn reset_timing(&mut self, gpu: &Gpu) {
        (self.timer, self.gpu_ms) = (PassTimer::new(gpu), BTreeMap::new());
    }

    /// Asks whose boxes a ray enters, at the moment of the frame drawn last. Another question in
    /// the meantime takes the place of the one before.
    pub fn ask_pick(&mut self, ray: Ray) {
        self.crowd.ask_pick(ray);
    }

    /// The answer to [`Renderer::ask_pick`], once, as soon as it is there; never waits.
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

    /// Invocations of the last frame's crowd pass; `None` where nothing counts them.
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
        counts.vram_bytes += self.display.bytes();
        counts
    }

    /// Makes what a frame of `size` pixels is drawn into, so that a device that cannot says so before.
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

    /// Rasterizer in use, and the reason if it is not compute everywhere though that was asked for.
    #[must_use]
    pub fn raster(&self) -> (Raster, Option<String>) {
        let too_large = self.crowd.too_large().map(str::to_owned);
        if self.crowd.uses_sw_raster() {
            return (Raster::Compute, too_large);
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

    /// Whether only those whom the view shows are drawn.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.crowd.options().selects()
    }

    fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.targets.as_ref().is_none_or(|(t, _)| t.size != size) {
            let targets = FrameTargets::new(
                gpu,
                (size, self.options.samples),
                (self.keeps_radiance, self.background_compute.is_some()),
            );
            let bind = self.display.bind(gpu, &targets);
            self.targets = Some((targets, bind));
        }
    }
}

/// Ends a part of a frame, so that the device works at it while the rest is encoded.
fn submitted(gpu: &Gpu, part: wgpu::CommandEncoder) -> wgpu::CommandEncoder {
    gpu.queue.submit([part.finish()]);
    encoder(gpu, "frame")
}

/// Whether a device shades in compute. Those that could not rasterise there do not: they may have a hardware rasterizer
/// that keeps samples on the chip, or none of the formats.
fn shades(gpu: &Gpu) -> bool {
    unsupported_reason(gpu).is_none() && gpu.facts.backend.reads_depth_samples()
}

/// Background pass in compute, if the device shades there.
fn background_compute(
    gpu: &Gpu,
    layouts: &Layouts,
    options: RenderOptions,
) -> Result<Option<BackgroundCompute>, GpuError> {
    let uses_sw_raster = options.raster == Raster::Compute;
    let background_compute = shades(gpu).then(|| BackgroundCompute::new(gpu, layouts, options.samples, uses_sw_raster));
    background_compute.transpose()
}

/// For frames and for pictures.
fn overdraw_map(gpu: &Gpu, options: RenderOptions) -> Result<OverdrawMap, GpuError> {
    let targets = [options.target, PICTURE_FORMAT];
    let count = if options.target == PICTURE_FORMAT { 1 } else { 2 };
    OverdrawMap::new(gpu, &targets[..count])
}

/// Timings of the frame's passes; whatever else was timed is left out.
fn by_pass(milliseconds: &BTreeMap<String, f64>) -> BTreeMap<Pass, f64> {
    let passes = milliseconds.iter();
    passes
        .filter_map(|(name, ms)| Some((Pass::from_name(name)?, *ms)))
        .collect()
}
