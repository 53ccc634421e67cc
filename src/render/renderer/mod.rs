//! The frame: animate → shadow → crowd → backdrop → tonemap, straight through.

mod encode;
mod rebuild;
mod upload;

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use crate::{
    gpu::{Gpu, GpuError, Invocations, PassStatistics, PassTimer, buffer_with, encoder},
    model::Bounds,
    render::{
        DrawMethod, FrameInput, FrameUniforms, Layouts, Pass,
        passes::{
            DrawVariant, PickAnswer,
            animate::Animate,
            attachments::{AttachmentCrowd, AttachmentPass},
            backdrop::Backdrop,
            crowd::CrowdPass,
            heroes::{HeroCrowd, HeroPass},
            live::{LiveCrowd, LivePass},
            pick::{PendingPick, PickPass},
            shadow::{SHADOW_SIZE, ShadowPass},
            tonemap::Tonemap,
        },
        resources::{CharacterAssets, CrowdInstances, instances::bind_group},
        stats::{DrawCounts, FrameTimes},
        targets::{Targets, supported_samples},
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

struct CharacterDraw {
    assets: Arc<CharacterAssets>,
    crowd: CrowdInstances,
    variant: DrawVariant,
    live: Option<LiveCrowd>,
    heroes: Option<HeroCrowd>,
    /// See [`all_clips_bounds`].
    all_clips_bounds: Bounds,
}

impl CharacterDraw {
    fn parts(&self) -> (&CharacterAssets, &CrowdInstances) {
        (&self.assets, &self.crowd)
    }
}

/// Everything on the GPU for one scene.
pub struct Renderer {
    layouts: Layouts,
    options: RenderOptions,
    frame_buffer: wgpu::Buffer,
    frame: wgpu::BindGroup,
    lit_frame: wgpu::BindGroup,
    animate: Animate,
    live: LivePass,
    attachment_pass: AttachmentPass,
    heroes: HeroPass,
    shadow: ShadowPass,
    crowd: CrowdPass,
    backdrop: Backdrop,
    tonemap: Tonemap,
    targets: Option<(Targets, wgpu::BindGroup)>,
    tints: wgpu::Buffer,
    characters: Vec<CharacterDraw>,
    props: Vec<CharacterDraw>,
    attachments: Vec<AttachmentCrowd>,
    pick: PickPass,
    picking: Option<PendingPick>,
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
        let layouts = Layouts::new(gpu);
        let shadow = ShadowPass::new(gpu);
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let frame_buffer = buffer_with(gpu, "frame", &[0; size_of::<FrameUniforms>()], usage);
        let frame = bind_group(gpu, "frame", &layouts.frame, &[(0, frame_buffer.as_entire_binding())]);
        let lit_frame = bind_group(
            gpu,
            "lit frame",
            &layouts.lit_frame,
            &[
                (0, frame_buffer.as_entire_binding()),
                (1, wgpu::BindingResource::TextureView(&shadow.map)),
                (2, wgpu::BindingResource::Sampler(&shadow.sampler)),
            ],
        );
        Ok(Self {
            animate: Animate::new(gpu, &layouts)?,
            live: LivePass::new(gpu, &layouts)?,
            attachment_pass: AttachmentPass::new(gpu, &layouts)?,
            heroes: HeroPass::new(gpu, &layouts)?,
            crowd: CrowdPass::new(options.samples),
            backdrop: Backdrop::new(gpu, &layouts, options.samples)?,
            tonemap: Tonemap::new(gpu, &layouts, options.target)?,
            targets: None,
            tints: buffer_with(gpu, "tints", &[0; 16], wgpu::BufferUsages::STORAGE),
            characters: Vec::new(),
            props: Vec::new(),
            attachments: Vec::new(),
            pick: PickPass::new(gpu)?,
            picking: None,
            timer: PassTimer::new(gpu),
            gpu_ms: BTreeMap::new(),
            statistics: None,
            frame_buffer,
            frame,
            lit_frame,
            layouts,
            options,
            shadow,
        })
    }

    /// Options in force (the adapter may support fewer samples than requested).
    #[must_use]
    pub fn options(&self) -> RenderOptions {
        self.options
    }

    /// Draws one frame into `view` of `size` pixels and submits it.
    pub fn draw(&mut self, gpu: &Gpu, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> FrameTimes {
        let (start, sent) = (Instant::now(), gpu.uploads.total());
        self.resize(gpu, size);
        let shadows = self.casts_shadows(input);
        let uniforms = FrameUniforms::new(input, shadows, SHADOW_SIZE);
        gpu.write_buffer("frame", &self.frame_buffer, 0, bytemuck::bytes_of(&uniforms));

        self.update_live(gpu, input);
        self.update_heroes(gpu, input);

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
            upload_bytes: gpu.uploads.total() - sent,
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
    pub fn ask_pick(&mut self, gpu: &Gpu, ray: Ray) {
        let crowds = self.characters.iter().map(|d| (&d.crowd, d.all_clips_bounds));
        self.picking = Some(self.pick.ask(gpu, ray, crowds));
    }

    /// The answer to [`Renderer::ask_pick`], once, as soon as it is there; never waits.
    ///
    /// # Errors
    /// [`GpuError::Readback`] on a lost device.
    pub fn picked(&mut self, gpu: &Gpu) -> Option<Result<PickAnswer, GpuError>> {
        let answer = self.picking.as_ref()?.answer(gpu)?;
        self.picking = None;
        Some(answer)
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
        self.characters.iter().map(|d| d.crowd.count).sum()
    }

    /// What a frame draws and what it occupies.
    #[must_use]
    pub fn counts(&self) -> DrawCounts {
        let mut counts = DrawCounts::default();
        for d in &self.characters {
            let copies = u64::from(d.crowd.count);
            counts.instances += copies;
            counts.crowd_draw_calls += u32::from(d.crowd.count > 0);
            counts.triangles += copies * u64::from(d.assets.index_count / 3);
            counts.vertices += copies * u64::from(d.assets.vertex_count);
            counts.atlas_bytes += d.assets.atlas_bytes;
            counts.frame_data_bytes += d.live.as_ref().map_or(0, LiveCrowd::frame_bytes);
        }
        for (assets, crowd) in self.props_and_attachments() {
            counts.prop_draw_calls += u32::from(crowd.count > 0);
            counts.prop_triangles += u64::from(crowd.count) * u64::from(assets.index_count / 3);
            counts.vram_bytes += assets.bytes + crowd.bytes;
        }
        let heroes = || self.characters.iter().filter_map(|d| d.heroes.as_ref());
        counts.heroes = heroes().map(HeroCrowd::count).sum();
        counts.vram_bytes += heroes().map(HeroCrowd::bytes).sum::<u64>();
        let people = self.characters.iter().map(|d| d.assets.bytes + d.crowd.bytes);
        counts.vram_bytes += people.sum::<u64>();
        let targets = self.targets.as_ref().map_or(0, |(t, _)| t.bytes);
        counts.vram_bytes += targets + u64::from(SHADOW_SIZE * SHADOW_SIZE * 4) + self.tints.size();
        counts
    }

    fn resize(&mut self, gpu: &Gpu, size: (u32, u32)) {
        if self.targets.as_ref().is_none_or(|(t, _)| t.size != size) {
            let targets = Targets::new(gpu, size, self.options.samples);
            let bind = self.tonemap.bind(gpu, targets.hdr());
            self.targets = Some((targets, bind));
        }
    }

    /// Runs the CPU animators of the live technique; nothing for the others.
    fn update_live(&mut self, gpu: &Gpu, input: &FrameInput) {
        let live = self.characters.iter_mut().filter_map(|d| d.live.as_mut());
        live.for_each(|l| l.update(gpu, input.clock));
    }

    /// Poses the heroes; nothing where there are none.
    fn update_heroes(&mut self, gpu: &Gpu, input: &FrameInput) {
        let heroes = self.characters.iter_mut().filter_map(|d| d.heroes.as_mut());
        heroes.for_each(|h| h.update(gpu, input.clock, input.eye));
    }

    /// Scenery and attachments.
    fn props_and_attachments(&self) -> impl Iterator<Item = (&CharacterAssets, &CrowdInstances)> {
        let standing = self.props.iter().map(CharacterDraw::parts);
        standing.chain(self.attachments.iter().map(|h| (&h.assets, &h.crowd)))
    }

    fn everything(&self) -> impl Iterator<Item = &CharacterDraw> {
        self.characters.iter().chain(&self.props)
    }
}

/// Timings of the frame's passes; whatever else was timed is left out.
fn by_pass(milliseconds: &BTreeMap<String, f64>) -> BTreeMap<Pass, f64> {
    let passes = milliseconds.iter();
    passes
        .filter_map(|(name, ms)| Some((Pass::from_name(name)?, *ms)))
        .collect()
}
