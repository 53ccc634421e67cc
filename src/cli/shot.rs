//! `throng shot`: one frame without a window, deterministic.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Result;

use crate::{
    aov::{AovRenderer, FrameParameters, Opening, PassSet},
    cli::{
        ShotArgs,
        annotator::{Annotator, DrawnPicture},
        film::FilmBar,
        inputs::{BadUsage, refuse_overwriting_inputs},
    },
    config::{Config, LodQuality},
    console::{print_stdout, printable, write_stdout},
    file::output::{Output, is_special, png, same_file},
    film::{self, FilmPlan, FrameRate, Gif, MotionBlur, Shard, Sink},
    gpu::{Gpu, PICTURE_FORMAT, PICTURE_USAGES, read_texture_rgba8, target_texture, whole_view},
    label::{LabelRules, OutputKind, PictureRequest, Recorder},
    measure::{
        FrameSamples, FrameTiming, TimingBudget,
        frame_account::frame_stats,
        median,
        stopwatch::{BURSTS, cpu_burst, interleave},
    },
    render::{DrawPath, FrameInput, Renderer, resources::AtlasSource, stats::FrameStats},
    scene::{LodMaker, Scene, SceneError, StartupTimes, milliseconds},
};

/// Maximum number of frames timed for `--stats`; fewer if they are slow.
const TIMED_FRAMES: usize = 30;
/// Minimum number of frames timed on a GPU: the first one also clears new memory.
const LEAST_TIMED_FRAMES: usize = 5;
/// Time (s) after which no further frame, and no further burst for CPU times, is timed.
const TIMED_SECONDS: f64 = 1.0;

/// Runs the command.
///
/// # Errors
/// Invalid scene or model, no adapter, or an output that cannot be written.
pub fn run(args: &ShotArgs) -> Result<()> {
    let mut config = args.scene.config(&args.models)?;
    check_outputs(args)?;
    if args.record.any() {
        // Labelled pictures teach people, not texts over them.
        config.scene.trajectories.hide_annotations();
    }
    let wanted = || args.record.wanted(&config, OutputKind::Picture, LabelRules::default());
    let wanted = args.record.any().then(wanted).transpose()?;
    let written = written(&args.output, wanted.as_ref());
    // Open the output first, so that an unwritable path fails before any rendering.
    let to_stdout = args.output == Path::new("-");
    let picture = (!to_stdout).then(|| Output::create(&args.output)).transpose()?;
    let stats_file = args.stats.as_deref().map(Output::create).transpose()?;
    let how = (args.scene.draw.atlas, DrawPath::Selected);
    let mut shot = ShotRenderer::open(
        &config,
        &args.scene.adapter(),
        how,
        &args.scene.lod_maker(config.render.lods.or(LodQuality::Quick)),
    )?;
    let busiest = || shot.scene.tracks.as_ref().map(|tracks| tracks.presence.busiest_time());
    let time = args
        .scene
        .time
        .or(config.start_time())
        .or_else(busiest)
        .unwrap_or(DEFAULT_TIME);
    shot.require_clips(&args.scene.clips)?;
    shot.pace = Duration::try_from_secs_f64(args.frame_interval)?;
    let (pixels, stats) = shot.take(&config, time)?;
    let size = (config.window.width, config.window.height);
    match (picture, args.frames) {
        (_, None) if wanted.as_ref().is_some_and(|wanted| !wanted.passes.color) => {}
        (None, _) => write_stdout(&png(&pixels, size)?)?,
        (Some(picture), None) => picture.write_png(&pixels, size)?,
        (Some(picture), Some(frames)) => {
            let plan = FilmPlan {
                frames: 0..u64::from(frames),
                rate: FrameRate::whole(args.fps),
                start: time,
                blur: MotionBlur::OFF,
                shard: Shard::WHOLE,
            };
            let bar = FilmBar::new()?;
            let gif = Sink::Stream(Box::new(Gif::new(picture.begin()?, plan.rate)?));
            shot.film(&config, &plan, gif, |progress| bar.tell(progress))?;
            bar.finish();
        }
    }
    if let Some(wanted) = wanted {
        record(args, &config, shot, wanted, time)?;
    }
    let json = serde_json::to_string_pretty(&stats)? + "\n";
    if let Some(file) = stats_file {
        file.write(json.as_bytes())?;
    }
    if args.json {
        print_stdout(&json)?;
    } else if to_stdout {
        eprintln!("{}", printable(&stats.summary()));
    } else {
        print_stdout(&format!("{}\nwrote      {written}\n", stats.summary()))?;
    }
    Ok(())
}

/// Names of the written files, for the summary; the picture is left out unless the passes include color.
fn written(picture: &Path, wanted: Option<&PictureRequest>) -> String {
    let color = wanted.is_none_or(|wanted| wanted.passes.color);
    let beside = wanted.map_or_else(Vec::new, |wanted| {
        without_picture(wanted.clone()).files(&picture.with_extension(""))
    });
    let files = color.then(|| picture.to_owned()).into_iter().chain(beside);
    let names: Vec<String> = files.map(|file| file.display().to_string()).collect();
    names.join(", ")
}

/// Requested outputs without the picture itself.
fn without_picture(wanted: PictureRequest) -> PictureRequest {
    let passes = PassSet {
        color: false,
        ..wanted.passes
    };
    PictureRequest { passes, ..wanted }
}

/// Time between a shot and the next picture, to which motion vectors refer (s).
const NEXT: f64 = 1.0 / 24.0;

/// Writes passes and labels beside the picture, which is already written.
fn record(args: &ShotArgs, config: &Config, shot: ShotRenderer, wanted: PictureRequest, time: f64) -> Result<()> {
    let wanted = without_picture(wanted);
    let aov_renderer = AovRenderer::new(shot.gpu, shot.scene, shot.renderer);
    args.record.warn_unmapped_joints(&wanted, &aov_renderer.scene);
    let moments = [time, time + NEXT].map(|time| FrameParameters::of(config, &aov_renderer.scene, time));
    let [moment, next] = moments;
    let mut recorder = Recorder::new(aov_renderer, wanted);
    let recording = recorder.record(0, &[moment?], Some(&next?))?;
    recording.write(recorder.wanted(), &args.output.with_extension(""))
}

/// Rejects contradictory outputs.
fn check_outputs(args: &ShotArgs) -> Result<(), BadUsage> {
    for output in [Some(&args.output), args.stats.as_ref()].into_iter().flatten() {
        let models = args
            .models
            .iter()
            .map(PathBuf::as_path)
            .chain(args.scene.animations.files());
        refuse_overwriting_inputs(output, models.chain(args.scene.scene.as_ref().map(Path::new)))?;
    }
    let (picture, refuse) = (args.output.display(), |why: String| Err(BadUsage(why)));
    if args.stats.as_ref().is_some_and(|stats| same_file(stats, &args.output)) {
        return refuse(format!("{picture} cannot be both the picture and the statistics"));
    }
    if args.record.any() && (args.frames.is_some() || is_special(&args.output)) {
        return refuse(format!(
            "{picture}: passes and labels of many frames need `throng film`"
        ));
    }
    if args.output == Path::new("-") {
        return match (args.json, args.frames.is_some() || args.record.any()) {
            (true, _) => refuse("--json and a picture cannot both go to standard output; use --stats FILE".to_owned()),
            (_, true) => refuse("only a single picture goes to standard output; see `throng help film`".to_owned()),
            _ => Ok(()),
        };
    }
    if is_special(&args.output) {
        return Ok(());
    }
    let ending = args.output.extension().unwrap_or_default().to_string_lossy();
    match (ending.to_lowercase().as_str(), args.frames) {
        ("png", None) | ("gif", Some(_)) => Ok(()),
        ("gif", None) => refuse(format!("{picture}: a .gif requires --frames")),
        (_, Some(_)) => refuse(format!("{picture}: --frames writes a .gif")),
        (_, None) => refuse(format!("{picture}: only .png and .gif are supported")),
    }
}

/// Default scene time (s), at which the default scene is lively.
pub const DEFAULT_TIME: f64 = 4.0;

/// Renderer of shots: an open device with a scene, drawing into a texture.
pub struct ShotRenderer {
    gpu: Gpu,
    scene: Scene,
    renderer: Renderer,
    startup: StartupTimes,
    started: Instant,
    /// Texts over pictures of trajectories.
    annotator: Annotator,
    /// Minimum interval between timed frames.
    pub pace: Duration,
}

impl ShotRenderer {
    /// Opens the adapter and uploads the scene, with the LODs that it draws.
    ///
    /// # Errors
    /// The errors of [`run`].
    pub fn open(
        config: &Config,
        adapter: &crate::gpu::adapter::AdapterChoice,
        how: (Option<AtlasSource>, DrawPath),
        lods: &LodMaker,
    ) -> Result<Self> {
        let started = Instant::now();
        let mut startup = StartupTimes::default();
        let opening = Opening::new(config, adapter, how, lods, &mut startup)?;
        let Opening {
            gpu, scene, renderer, ..
        } = opening;
        Ok(Self {
            gpu,
            scene,
            renderer,
            startup,
            started,
            annotator: Annotator::default(),
            pace: Duration::ZERO,
        })
    }

    /// Draws a scene time (s); returns the pixels (RGBA8) and the statistics.
    ///
    /// # Errors
    /// A lost device.
    pub fn take(&mut self, config: &Config, time: f64) -> Result<(Vec<u8>, FrameStats)> {
        let size = (config.window.width, config.window.height);
        let texture = self.target(size)?;
        let view = whole_view(&texture, "picture");
        let input = frame_input(config, &self.scene, time)?;
        let timing = self.time_frames(&view, size, &input);
        if let Some(error) = self.gpu.take_error() {
            anyhow::bail!("the device rejected the frame: {error}");
        }
        // Taken before the readback, whose buffer would count as memory.
        let mut stats = self.stats(config, &input, time, timing);
        self.log_passes(&stats);
        let parameters = FrameParameters::of(config, &self.scene, time)?;
        let aspect = size.0 as f32 / size.1.max(1) as f32;
        stats
            .notes
            .extend(self.scene.empty_picture(&parameters.camera, aspect, time));
        let drawn = DrawnPicture {
            view: &view,
            size,
            input: &input,
        };
        self.annotator.paint(&self.gpu, &self.scene, config, drawn);
        let pixels = read_texture_rgba8(&self.gpu, &texture)?;
        Ok((pixels, stats))
    }

    /// Logs the passes of the frame, in order: mode, median GPU time (ms), draw calls.
    fn log_passes(&self, stats: &FrameStats) {
        let draws = self.renderer.draw_calls();
        for (pass, mode) in self.renderer.passes() {
            let ms = stats.gpu_ms.get(&pass);
            let ms = ms.map_or_else(|| "untimed".to_owned(), |ms| format!("{ms:.3} ms"));
            let calls = draws.get(&pass).copied().unwrap_or(0);
            tracing::info!("{:<17} {mode:<8} {ms:>11} {calls:>4} draw calls", pass.name());
        }
    }

    /// Draws a scene time (s) without timing; returns the pixels (RGBA8).
    ///
    /// # Errors
    /// A lost device.
    pub fn draw(&mut self, config: &Config, time: f64) -> Result<Vec<u8>> {
        let size = (config.window.width, config.window.height);
        let texture = self.target(size)?;
        let view = whole_view(&texture, "picture");
        let input = frame_input(config, &self.scene, time)?;
        FrameTiming::draw(&self.gpu, &mut self.renderer, &view, size, &input);
        Ok(read_texture_rgba8(&self.gpu, &texture)?)
    }

    /// Draws the frames of a plan into `sink`.
    ///
    /// # Errors
    /// The errors of [`film::render_film`].
    pub fn film(
        &mut self,
        config: &Config,
        plan: &FilmPlan,
        sink: Sink,
        told: impl FnMut(film::FrameProgress),
    ) -> Result<film::FrameProgress> {
        let size = (config.window.width, config.window.height);
        self.renderer.prepare(&self.gpu, size)?;
        self.renderer.disable_timing();
        let Self {
            gpu,
            scene,
            renderer,
            annotator,
            ..
        } = self;
        let draw = |view: &wgpu::TextureView, moment: film::FilmMoment| {
            let input = frame_input(config, scene, moment.time)?;
            renderer.draw(gpu, view, size, &input);
            // Texts that change or move within a frame would be blurred until nobody can read them.
            let input = &frame_input(config, scene, moment.opened)?;
            annotator.paint(gpu, scene, config, DrawnPicture { view, size, input });
            Ok(())
        };
        film::render_film(gpu, plan, size, sink, draw, told)
    }

    /// Rejects names of clips that no character has.
    ///
    /// # Errors
    /// [`SceneError`] with the names of the existing clips.
    pub fn require_clips(&self, clips: &[String]) -> Result<(), SceneError> {
        self.scene.require_clips(clips)
    }

    /// Texture to render into and read back; also prepares the renderer for its size.
    fn target(&mut self, size: (u32, u32)) -> Result<wgpu::Texture> {
        self.renderer.prepare(&self.gpu, size)?;
        let make = || target_texture(&self.gpu, "picture", size, PICTURE_FORMAT, 1, PICTURE_USAGES);
        Ok(self.gpu.ensure_memory("the picture", "use a smaller --size", make)?)
    }

    /// Draws frames until their cost is measured; the first frame is a warm-up and dropped.
    fn time_frames(&mut self, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> Timing {
        let least = if self.gpu.facts.is_software() {
            0
        } else {
            LEAST_TIMED_FRAMES
        };
        let budget = TimingBudget {
            warm_up: 1,
            frames: least..=TIMED_FRAMES,
            seconds: TIMED_SECONDS,
        };
        let mut first_upload_bytes = 0;
        let mut samples = interleave(1, &budget, |_, round| {
            if round > 0 {
                self.keep_pace();
            }
            let frame = FrameTiming::draw(&self.gpu, &mut self.renderer, view, size, input);
            if round == 0 {
                self.startup.total = milliseconds(self.started);
                first_upload_bytes = frame.times.upload_bytes;
            }
            Some(frame)
        });
        let mut frames = samples.pop().unwrap_or_default();
        frames.settle();
        let cpu_ms = self.cpu_times(view, size, input);
        let cpu_ms = if cpu_ms.is_empty() {
            frames.cpu_ms.clone()
        } else {
            cpu_ms
        };
        Timing {
            frames,
            cpu_ms,
            first_upload_bytes,
        }
    }

    /// CPU times (ms) of frames that run ahead of the GPU, measured for up to a second. Empty if they cannot be
    /// measured, or with a frame interval.
    fn cpu_times(&mut self, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> Vec<f64> {
        let begun = Instant::now();
        let mut cpu_ms = Vec::new();
        for _ in 0..BURSTS {
            if self.pace.is_zero() && begun.elapsed().as_secs_f64() < TIMED_SECONDS {
                cpu_ms.extend(cpu_burst(&self.gpu, &mut self.renderer, view, size, input));
            }
        }
        cpu_ms
    }

    /// Waits for the frame interval, polling the device as an application would.
    fn keep_pace(&self) {
        let start = Instant::now();
        while start.elapsed() < self.pace {
            // The result does not matter: no work is pending.
            let _ = self.gpu.device.poll(wgpu::PollType::Poll);
            std::hint::spin_loop();
        }
    }

    fn stats(&self, config: &Config, input: &FrameInput, time: f64, timing: Timing) -> FrameStats {
        FrameStats {
            time,
            upload_bytes: timing.frames.upload_bytes,
            first_upload_bytes: Some(timing.first_upload_bytes),
            upload_by_purpose: timing.frames.uploads.clone(),
            cpu_ms: median(&timing.cpu_ms),
            gpu_ms: timing.frames.gpu_medians(),
            wall_ms: Some(median(&timing.frames.wall_ms)),
            timed_frames: timing.frames.count(),
            cpu_frames: timing.cpu_ms.len() as u32,
            warm_up_frames: timing.frames.warm_up_frames,
            startup_ms: self.startup,
            ..frame_stats(&self.gpu, &self.scene, &self.renderer, config, input)
        }
    }
}

/// Renderer input for the camera, light and time of a configuration.
///
/// # Errors
/// The camera name is unknown.
pub fn frame_input(config: &Config, scene: &Scene, time: f64) -> Result<FrameInput> {
    Ok(FrameParameters::of(config, scene, time)?.input)
}

/// Frame times of a picture.
struct Timing {
    frames: FrameSamples,
    /// CPU times (ms) of frames that ran ahead of the GPU, if that can be measured.
    cpu_ms: Vec<f64>,
    /// Bytes uploaded for the first frame.
    first_upload_bytes: u64,
}
