//! Measurement of scene views: all methods on the device at once, drawn in turn.

use anyhow::Result;

use crate::{
    bench::{
        BenchArgs, BenchPlan,
        run::progress::BenchProgress,
        scenes::{
            plan::{self, SceneMethod, SceneView, Variant},
            report::SceneRow,
        },
    },
    config::{Config, LodQuality},
    file::LodCache,
    gpu::{Gpu, GpuError, PICTURE_FORMAT, PICTURE_USAGES, read_texture_rgba8, target_texture, whole_view},
    measure::{
        FrameSamples, FrameTiming, PictureDifference, Summary, TimingBudget,
        frame_account::frame_stats,
        median,
        stopwatch::{cpu_burst, interleave, interleave_bursts},
    },
    render::{RenderOptions, Renderer},
    scene::{LodMaker, Scene, StartupTimes},
};

/// Minimum number of timed frames per method, however long they take, unless fewer are requested.
const LEAST_FRAMES: usize = 5;
/// Scene time between rounds (s).
const STEP: f64 = 1.0 / 30.0;
/// Frames longer than this (ms) are not drawn in bursts for CPU times.
const LONG_FRAME_MS: f64 = 250.0;
/// Number of frames after which the first counts have been read back.
const UNTIL_COUNTED: usize = 2;

/// Scene view on the device, with a renderer for every method.
pub(super) struct MethodGroup<'a> {
    gpu: &'a Gpu,
    plan: &'a BenchPlan,
    progress: &'a BenchProgress,
    place: &'a SceneView,
    scene: Scene,
    /// Scene time of pictures (s).
    start: f64,
    subjects: Vec<SceneSubject>,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

/// Method with its renderer, or the reason why it cannot draw.
struct SceneSubject {
    variant: Variant,
    config: Config,
    renderer: Result<Renderer, String>,
    bytes: u64,
    /// Bytes that the renderer counted itself right after the upload.
    estimate: u64,
}

impl SceneSubject {
    /// Returns all bytes that it holds now: later frames may have needed more memory than the first.
    fn bytes(&self) -> u64 {
        let now = self.renderer.as_ref().map_or(0, |r| r.counts().vram_bytes);
        self.bytes + now.saturating_sub(self.estimate)
    }
}

impl<'a> MethodGroup<'a> {
    /// Loads the scene and uploads it once for every variant.
    ///
    /// # Errors
    /// A bad scene or a lost device. A variant that does not fit is rejected by itself.
    pub(super) fn load(
        args: &BenchArgs,
        plan: &'a BenchPlan,
        gpu: &'a Gpu,
        progress: &'a BenchProgress,
        place: &'a SceneView,
        count: Option<u32>,
        variants: &[Variant],
    ) -> Result<Self> {
        let config = plan::config(args, plan, place, count)?;
        progress.prepare(&format!("{}: loading", place.scene));
        let mut scene = Scene::load(&config, &mut StartupTimes::default())?;
        let start = plan::start(&scene);
        plan::moment(place, &config, &scene, start)?;
        if variants.iter().any(|variant| variant.way.draws_lods()) {
            progress.prepare(&format!("{}: LODs", place.scene));
            scene.load_or_make_lods(&LodMaker::new(LodCache::usual(), LodQuality::Judged, |_| ()));
        }
        let make = || target_texture(gpu, "picture", plan.size, PICTURE_FORMAT, 1, PICTURE_USAGES);
        let texture = gpu.ensure_memory("the picture", "use a smaller --size", make)?;
        let mut group = Self {
            gpu,
            plan,
            progress,
            place,
            subjects: Vec::new(),
            view: whole_view(&texture, "picture"),
            texture,
            start,
            scene,
        };
        for variant in variants {
            let subject = group.upload(*variant, &config)?;
            group.subjects.push(subject);
        }
        Ok(group)
    }

    fn upload(&self, variant: Variant, config: &Config) -> Result<SceneSubject> {
        let mut config = config.clone();
        let path = variant.way.apply(&mut config);
        let options = RenderOptions::of_pictures(self.gpu, &config.render, &self.scene.characters, None, path);
        self.progress
            .prepare(&format!("{}: upload for {}", self.place.scene, variant.way.name()));
        let before = self.gpu.settled_memory();
        let mut renderer = match ready(&variant.way.device(self.gpu), options, &self.scene, self.plan.size) {
            Ok(renderer) => Ok(renderer),
            Err(error @ (GpuError::TooLarge { .. } | GpuError::Memory { .. })) => Err(error.to_string()),
            Err(error) => return Err(error.into()),
        };
        if let Some(error) = self.gpu.take_error() {
            renderer = Err(error);
        }
        if let Ok((_, Some(why))) = renderer.as_ref().map(Renderer::raster) {
            renderer = Err(why);
        }
        let after = self.gpu.settled_memory();
        let allocated = after
            .zip(before)
            .map(|(after, before)| after.bytes.saturating_sub(before.bytes));
        let estimate = renderer.as_ref().map_or(0, |r| r.counts().vram_bytes);
        Ok(SceneSubject {
            variant,
            config,
            renderer,
            bytes: allocated.unwrap_or(estimate),
            estimate,
        })
    }

    /// Measures the group and returns one row per method.
    ///
    /// # Errors
    /// A lost device, a rejected frame.
    pub(super) fn run(mut self) -> Result<Vec<SceneRow>> {
        let mut rows = self.pictures()?;
        let samples = self.times();
        // Bursts of long frames would take minutes: their CPU times come from the timed frames.
        let long: Vec<bool> = { samples.iter() }.map(|s| median(&s.wall_ms) > LONG_FRAME_MS).collect();
        let bursts = interleave_bursts(self.subjects.len(), |index| {
            self.progress.tick();
            if self.progress.stopped() || long[index] {
                return Vec::new();
            }
            self.burst(index)
        });
        let software = self.gpu.facts.is_software();
        for (((row, samples), burst), subject) in rows.iter_mut().zip(samples).zip(bursts).zip(&self.subjects) {
            row.gpu_bytes = subject.bytes();
            row.upload_bytes = samples.upload_bytes;
            row.wall_ms = Summary::of(&samples.wall_ms);
            row.cpu_ms = Summary::of(&burst).or_else(|| Summary::of(&samples.cpu_ms));
            if !software {
                row.gpu_ms = Summary::of(&samples.gpu_frame_ms);
                row.pass_ms = samples.gpu_medians();
            }
        }
        if let Some(error) = self.gpu.take_error() {
            anyhow::bail!("the device rejected a frame: {error}");
        }
        anyhow::ensure!(!self.gpu.is_lost(), "the device was lost");
        self.progress.done(rows.len());
        rows.retain(|row| row.wall_ms.is_some() || row.skipped.is_some());
        Ok(rows)
    }

    /// Draws the picture of every method at one time, compares it with full detail, and reads back its counts.
    fn pictures(&mut self) -> Result<Vec<SceneRow>> {
        let mut rows = Vec::with_capacity(self.subjects.len());
        let mut full: Option<Vec<u8>> = None;
        for index in 0..self.subjects.len() {
            self.progress.prepare(&format!(
                "{}: picture of {}",
                self.place.scene,
                self.subjects[index].variant.way.name()
            ));
            for _ in 0..UNTIL_COUNTED {
                self.draw(index, 0);
            }
            let mut row = self.row(index)?;
            if row.skipped.is_none() && !self.progress.stopped() {
                let picture = read_texture_rgba8(self.gpu, &self.texture)?;
                row.picture = full.as_ref().map(|full| PictureDifference::between(full, &picture));
                if row.way == SceneMethod::Full && full.is_none() {
                    full = Some(picture);
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn row(&self, index: usize) -> Result<SceneRow> {
        let subject = &self.subjects[index];
        let SceneSubject {
            variant,
            config,
            renderer,
            ..
        } = subject;
        let moment = plan::moment(self.place, config, &self.scene, self.start)?;
        let stats = renderer
            .as_ref()
            .map(|renderer| frame_stats(self.gpu, &self.scene, renderer, config, &moment.input))
            .unwrap_or_default();
        Ok(SceneRow {
            scene: self.place.scene.to_string(),
            view: config.camera.start.clone(),
            count: self.people(),
            samples: samples(&self.subjects[index]),
            shadows: config.look.shadows,
            way: variant.way,
            control: variant.control,
            wall_ms: None,
            gpu_ms: None,
            pass_ms: std::collections::BTreeMap::new(),
            cpu_ms: None,
            upload_bytes: 0,
            gpu_bytes: subject.bytes(),
            raster: stats.raster,
            visible: stats.visible,
            hidden: stats.hidden,
            triangles: stats.triangles,
            surviving_triangles: stats.surviving_triangles,
            lods: stats.lods,
            poses: stats.poses,
            ratio_to_full: None,
            picture: None,
            skipped: renderer.as_ref().err().cloned(),
        })
    }

    fn times(&mut self) -> Vec<FrameSamples> {
        self.progress.prepare(&format!("{}: timing", self.place.scene));
        let most = self.plan.repeats as usize;
        let budget = TimingBudget {
            warm_up: 1,
            frames: LEAST_FRAMES.min(most)..=most,
            seconds: self.plan.seconds,
        };
        interleave(self.subjects.len(), &budget, |index, round| {
            self.progress.tick();
            let stopped = self.progress.stopped();
            (!stopped).then(|| self.draw(index, round)).flatten()
        })
    }

    /// Draws one frame and waits for it. Returns `None` if the method was rejected.
    fn draw(&mut self, index: usize, round: usize) -> Option<FrameTiming> {
        let subject = self.subjects.get_mut(index)?;
        let renderer = subject.renderer.as_mut().ok()?;
        let time = self.start + round as f64 * STEP;
        let moment = plan::moment(self.place, &subject.config, &self.scene, time).ok()?;
        let (view, size) = (&self.view, self.plan.size);
        Some(FrameTiming::draw(self.gpu, renderer, view, size, &moment.input))
    }

    /// Returns the number of people in the scene.
    pub(super) fn people(&self) -> u64 {
        let characters = self.scene.crowd.per_character.iter();
        characters.map(|people| people.len() as u64).sum()
    }

    /// Returns view, samples per pixel, and whether shadows are drawn.
    pub(super) fn shown(&self) -> (&str, u32, bool) {
        let first = self.subjects.first();
        let config = first.map(|subject| &subject.config);
        (
            config.map_or("", |config| &config.camera.start),
            first.map_or(0, samples),
            config.is_some_and(|config| config.look.shadows),
        )
    }

    /// True if a frame takes too long for bursts. Draws the first frames of the method to find out.
    pub(super) fn is_long(&mut self, index: usize) -> bool {
        self.draw(index, 0);
        self.draw(index, 1).is_some_and(|frame| frame.wall_ms > LONG_FRAME_MS)
    }

    /// Measures CPU times of a burst (ms); empty if the method was rejected.
    pub(super) fn burst(&mut self, index: usize) -> Vec<f64> {
        let Some(subject) = self.subjects.get_mut(index) else {
            return Vec::new();
        };
        let moment = plan::moment(self.place, &subject.config, &self.scene, self.start);
        let (Ok(renderer), Ok(moment)) = (subject.renderer.as_mut(), moment) else {
            return Vec::new();
        };
        cpu_burst(self.gpu, renderer, &self.view, self.plan.size, &moment.input)
    }
}

/// Returns the samples per pixel that a method draws.
fn samples(subject: &SceneSubject) -> u32 {
    let renderer = subject.renderer.as_ref();
    renderer.map_or(subject.config.render.msaa, |r| r.options().samples)
}

fn ready(gpu: &Gpu, options: RenderOptions, scene: &Scene, size: (u32, u32)) -> Result<Renderer, GpuError> {
    let mut renderer = Renderer::new(gpu, options)?;
    renderer.set_scene(scene)?;
    renderer.prepare(gpu, size)?;
    Ok(renderer)
}
