//! `throng shot`: one frame, headless, deterministic.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::{
    cli::{
        ShotArgs, gif as film,
        gif::Reel,
        inputs::{BadUsage, same_file, spare_inputs},
    },
    config::Config,
    console::print_stdout,
    crowd::clock::Clock,
    file::output::{Output, is_special},
    gpu::{Gpu, PICTURE_FORMAT, read_texture_rgba8, target_texture, whole_view},
    measure::{
        Budget, FrameSamples, TimedFrame,
        frame_account::frame_stats,
        median,
        stopwatch::{BURSTS, cpu_burst, interleave},
    },
    render::{
        DrawMethod, FrameInput, RenderOptions, Renderer, fitting_source, resources::AtlasSource, stats::FrameStats,
    },
    scene::{Scene, SceneError, StartupTimes, milliseconds},
    view::Camera,
};

/// Frames timed for `--stats`, at most; fewer where one takes long.
const TIMED_FRAMES: usize = 30;
/// Frames timed on a GPU however long they take: the first one also clears fresh memory.
const LEAST_TIMED_FRAMES: usize = 5;
/// Seconds after which no further frame is timed, and no further burst of frames for CPU times.
const TIMED_SECONDS: f64 = 1.0;

/// Runs the command.
///
/// # Errors
/// Bad scene or model, no adapter, unwritable output.
pub fn run(args: &ShotArgs) -> Result<()> {
    let config = args.scene.config(&args.models)?;
    check_outputs(args)?;
    // Before the work: an unwritable place should not cost a rendering.
    let picture = Output::create(&args.output)?;
    let stats_file = args.stats.as_deref().map(Output::create).transpose()?;
    let time = args.scene.time.unwrap_or(DEFAULT_TIME);
    let mut shot = Shot::open(&config, &args.scene.adapter(), args.scene.atlas)?;
    shot.scene.require_clips(&args.scene.clips)?;
    shot.pace = Duration::try_from_secs_f64(args.pace)?;
    let (pixels, stats) = shot.take(&config, time)?;
    let size = (config.window.width, config.window.height);
    match args.frames {
        None => picture.write_png(&pixels, size)?,
        Some(frames) => {
            let reel = Reel { frames, fps: args.fps };
            let gif = film::gif(reel, time, size, |at| shot.draw(&config, at))?;
            picture.write(&gif)?;
        }
    }
    let json = serde_json::to_string_pretty(&stats)? + "\n";
    if let Some(file) = stats_file {
        file.write(json.as_bytes())?;
    }
    if args.json {
        print_stdout(&json)?;
    } else {
        print_stdout(&format!("{}\nwrote      {}\n", stats.summary(), args.output.display()))?;
    }
    Ok(())
}

/// Outputs that cannot be meant.
fn check_outputs(args: &ShotArgs) -> Result<(), BadUsage> {
    for output in [Some(&args.output), args.stats.as_ref()].into_iter().flatten() {
        spare_inputs(output, args.models.iter().chain(&args.scene.scene))?;
    }
    let (picture, refuse) = (args.output.display(), |why: String| Err(BadUsage(why)));
    if args.stats.as_ref().is_some_and(|stats| same_file(stats, &args.output)) {
        return refuse(format!("{picture} cannot be both the picture and the statistics"));
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

/// A moment at which the default scene is in full swing.
pub const DEFAULT_TIME: f64 = 4.0;

/// An open device with a scene on it, drawing into a texture.
pub struct Shot {
    gpu: Gpu,
    scene: Scene,
    renderer: Renderer,
    startup: StartupTimes,
    started: Instant,
    /// Least time from one timed frame to the next.
    pub pace: Duration,
}

impl Shot {
    /// Opens the adapter and uploads the scene.
    ///
    /// # Errors
    /// As [`run`].
    pub fn open(
        config: &Config,
        adapter: &crate::gpu::adapter::AdapterChoice,
        source: Option<AtlasSource>,
    ) -> Result<Self> {
        let started = Instant::now();
        let mut startup = StartupTimes::default();
        let scene = Scene::load(config, &mut startup)?;
        // An unknown camera should not cost a device.
        frame_input(config, &scene, 0.0)?;
        let at = Instant::now();
        let gpu = Gpu::headless(adapter)?;
        startup.device = milliseconds(at);
        let at = Instant::now();
        let (technique, format) = (config.render.technique, config.render.format);
        let options = RenderOptions {
            target: PICTURE_FORMAT,
            samples: config.render.msaa,
            method: DrawMethod {
                technique,
                format,
                source: source.unwrap_or_else(|| fitting_source(&gpu, &scene.characters, technique, format)),
            },
        };
        let mut renderer = Renderer::new(&gpu, options)?;
        startup.pipelines = milliseconds(at);
        let at = Instant::now();
        renderer.set_scene(&scene)?;
        startup.upload = milliseconds(at);
        Ok(Self {
            gpu,
            scene,
            renderer,
            startup,
            started,
            pace: Duration::ZERO,
        })
    }

    /// Draws at a scene time; the pixels (RGBA8) and what they cost.
    ///
    /// # Errors
    /// A lost device.
    pub fn take(&mut self, config: &Config, time: f64) -> Result<(Vec<u8>, FrameStats)> {
        let size = (config.window.width, config.window.height);
        let texture = self.target(size);
        let view = whole_view(&texture, "picture");
        let input = frame_input(config, &self.scene, time)?;
        let timing = self.time_frames(&view, size, &input);
        if let Some(error) = self.gpu.take_error() {
            anyhow::bail!("the device rejected the frame: {error}");
        }
        // Before the readback, whose buffer is as large as the picture.
        let stats = self.stats(config, &input, time, timing);
        let pixels = read_texture_rgba8(&self.gpu, &texture)?;
        Ok((pixels, stats))
    }

    /// Draws at a scene time, untimed; the pixels (RGBA8).
    ///
    /// # Errors
    /// A lost device.
    pub fn draw(&mut self, config: &Config, time: f64) -> Result<Vec<u8>> {
        let size = (config.window.width, config.window.height);
        let texture = self.target(size);
        let view = whole_view(&texture, "picture");
        let input = frame_input(config, &self.scene, time)?;
        TimedFrame::draw(&self.gpu, &mut self.renderer, (&view, size), &input);
        Ok(read_texture_rgba8(&self.gpu, &texture)?)
    }

    fn target(&self, size: (u32, u32)) -> wgpu::Texture {
        let read = wgpu::TextureUsages::COPY_SRC;
        target_texture(&self.gpu, "picture", size, (PICTURE_FORMAT, 1), read)
    }

    /// Draws until the picture's cost is known: the first frame warms up and is dropped.
    fn time_frames(&mut self, view: &wgpu::TextureView, size: (u32, u32), input: &FrameInput) -> Timing {
        let least = if self.gpu.facts.is_software() {
            0
        } else {
            LEAST_TIMED_FRAMES
        };
        let budget = Budget {
            warm_up: 1,
            frames: least..=TIMED_FRAMES,
            seconds: TIMED_SECONDS,
        };
        let mut samples = interleave(1, &budget, |_, round| {
            if round > 0 {
                self.keep_pace();
            }
            let frame = TimedFrame::draw(&self.gpu, &mut self.renderer, (view, size), input);
            if round == 0 {
                self.startup.total = milliseconds(self.started);
            }
            Some(frame)
        });
        let mut frames = samples.pop().unwrap_or_default();
        frames.settle();
        let cpu_ms = self.cpu_times((view, size), input);
        let cpu_ms = if cpu_ms.is_empty() {
            frames.cpu_ms.clone()
        } else {
            cpu_ms
        };
        Timing { frames, cpu_ms }
    }

    /// CPU times of frames that run ahead of the GPU, as many as a second allows; none where those
    /// are not to be had, or where frames are to keep a pace.
    fn cpu_times(&mut self, target: (&wgpu::TextureView, (u32, u32)), input: &FrameInput) -> Vec<f64> {
        let begun = Instant::now();
        let mut cpu_ms = Vec::new();
        for _ in 0..BURSTS {
            if self.pace.is_zero() && begun.elapsed().as_secs_f64() < TIMED_SECONDS {
                cpu_ms.extend(cpu_burst(&self.gpu, &mut self.renderer, target, input));
            }
        }
        cpu_ms
    }

    /// Waits, awake as between the frames of a long-running GPU.
    fn keep_pace(&self) {
        let start = Instant::now();
        while start.elapsed() < self.pace {
            // The result is the same each time: nothing is under way.
            let _ = self.gpu.device.poll(wgpu::PollType::Poll);
            std::hint::spin_loop();
        }
    }

    fn stats(&self, config: &Config, input: &FrameInput, time: f64, timing: Timing) -> FrameStats {
        FrameStats {
            time,
            upload_bytes: timing.frames.upload_bytes,
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

/// Camera, sun and time of a configuration.
///
/// # Errors
/// An unknown camera name.
pub fn frame_input(config: &Config, scene: &Scene, time: f64) -> Result<FrameInput> {
    let aspect = config.window.width as f32 / config.window.height as f32;
    let view = Camera::preset(&config.camera.start, &config.camera, &scene.extent_at(time), aspect);
    let camera = view.map_err(SceneError::from)?;
    let clock = Clock::from_seconds(time);
    Ok(FrameInput {
        interpolate: config.render.interpolate,
        ..FrameInput::new(&camera, aspect, clock, &config.look)
    })
}

/// What the frames of a picture cost.
struct Timing {
    frames: FrameSamples,
    /// Of frames that ran ahead of the GPU, where that can be measured.
    cpu_ms: Vec<f64>,
}
