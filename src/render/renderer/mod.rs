//! The frame: animate → shadow → crowd → backdrop → tonemap, straight through. The crowd is that of
//! [`CrowdRenderer`], drawn as any host draws it; what is added here is ours alone.

mod encode;
mod rebuild;
mod upload;

use std::{collections::BTreeMap, time::Instant};

use crate::{
    gpu::{Gpu, GpuError, Invocations, PassStatistics, PassTimer, encoder},
    render::{
        CrowdOptions, CrowdRenderer, DepthTarget, DrawMethod, FrameInput, FrameUniforms, Pass, Targets,
        passes::{PickAnswer, backdrop::Backdrop, shadow::SHADOW_SIZE, tonemap::Tonemap},
        stats::{DrawCounts, FrameTimes},
        targets::{DEPTH_FORMAT, FrameTargets, HDR_FORMAT, supported_samples},
    },
    view::Ray,
};

/// Above this many instances the sun casts no shadows: a second skinned pass would double the
/// frame for shadows too small to see.
pub const SHADOW_MAX_INSTANCES: u32 = 30_000;

/// What is fixed while a renderer lives, and what selects pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Format of the final target.
    pub target: wgpu::TextureFormat,
    /// Wanted samples per pixel, 1 or 4.
    pub samples: u32,
    /// Technique, atlas format and source.
    pub method: DrawMethod,
}

/// A scene on the GPU, and everything that makes a picture of it.
pub struct Renderer {
    options: RenderOptions,
    crowd: CrowdRenderer,
    backdrop: Backdrop,
    tonemap: Tonemap,
    targets: Option<(FrameTargets, wgpu::BindGroup)>,
    timer: PassTimer,
    gpu_ms: BTreeMap<Pass, f64>,
    statistics: Option<PassStatistics>,
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
        let look = CrowdOptions {
            method: options.method,
            shadow_size: SHADOW_SIZE,
            own_sky: true,
        };
        let crowd = CrowdRenderer::with_options(gpu, targets, look)?;
        let (layouts, ..) = crowd.shared();
        Ok(Self {
            backdrop: Backdrop::new(gpu, layouts, options.samples)?,
            tonemap: Tonemap::new(gpu, layouts, options.target)?,
            targets: None,
            timer: PassTimer::new(gpu),
            gpu_ms: BTreeMap::new(),
            statistics: None,
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
        self.resize(gpu, size);
        let shadows = self.casts_shadows(input);
        let uniforms = FrameUniforms::new(input, shadows, SHADOW_SIZE);
        let upload_bytes = self.crowd.update(&uniforms, &input.view(shadows), input.clock);

        let mut encoder = encoder(gpu, "frame");
        self.encode_animate(&mut encoder);
        if shadows {
            self.encode_shadow(&mut encoder);
        }
        self.encode_crowd(&mut encoder);
        self.encode_backdrop(&mut encoder);
        self.encode_tonemap(&mut encoder, view);
        self.timer.resolve(&mut encoder);
        gpu.queue.submit([encoder.finish()]);

        let cpu_ms = start.elapsed().as_secs_f64() * 1e3;
        if let Some(gpu_ms) = self.timer.finish_frame() {
            self.gpu_ms = by_pass(&gpu_ms);
        }
        FrameTimes {
            cpu_ms,
            gpu_ms: self.gpu_ms.clone(),
            upload_bytes,
        }
    }

    /// After [`Gpu::wait_idle`]: the times of the last frame drawn, by pass.
    pub fn finished_gpu_ms(&mut self) -> BTreeMap<Pass, f64> {
        if let Some(gpu_ms) = self.timer.poll() {
            self.gpu_ms = by_pass(&gpu_ms);
        }
        self.gpu_ms.clone()
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

    /// True where this frame has sun shadows.
    #[must_use]
    pub fn casts_shadows(&self, input: &FrameInput) -> bool {
        input.look.shadows && self.instance_count() <= SHADOW_MAX_INSTANCES
    }

    /// Instances of all characters.
    #[must_use]
    pub fn instance_count(&self) -> u32 {
        self.crowd.instance_count()
    }

    /// What a frame draws and what it occupies.
    #[must_use]
    pub fn counts(&self) -> DrawCounts {
        let mut counts = self.crowd.counts();
        counts.vram_bytes += self.targets.as_ref().map_or(0, |(t, _)| t.bytes);
        counts
    }

    fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.targets.as_ref().is_none_or(|(t, _)| t.size != size) {
            let targets = FrameTargets::new(gpu, size, self.options.samples);
            let bind = self.tonemap.bind(gpu, targets.hdr());
            self.targets = Some((targets, bind));
        }
    }
}

/// Timings of the frame's passes; whatever else was timed is left out.
fn by_pass(milliseconds: &BTreeMap<String, f64>) -> BTreeMap<Pass, f64> {
    let passes = milliseconds.iter();
    passes
        .filter_map(|(name, ms)| Some((Pass::from_name(name)?, *ms)))
        .collect()
}
