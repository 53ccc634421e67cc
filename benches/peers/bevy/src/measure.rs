//! A run from its first frame to its report, and the times of its frames.

use std::{
    process::exit,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use bevy::{
    camera::visibility::ViewVisibility,
    ecs::system::SystemParam,
    mesh::skinning::SkinnedMesh,
    prelude::*,
    render::{
        renderer::RenderAdapterInfo,
        view::screenshot::{Screenshot, ScreenshotCaptured},
    },
};
use serde_json::{Value, json};

use crate::{
    args::Args,
    crowd::{Model, Poses, moved, poses},
};

/// Of Bevy, as in Cargo.toml.
const VERSION: &str = "0.19.1";
/// Frames within which everybody must have moved.
const WATCHED: u32 = 10;
/// How far a joint must have moved, in heights.
const MOVED: f32 = 1e-4;

/// Errors logged so far: Bevy logs a draw that failed and goes on, and its frames are short.
pub(crate) static ERRORS: AtomicUsize = AtomicUsize::new(0);

/// Times of frames, written by the main world and the render world.
#[derive(Resource, Clone, Default)]
pub(crate) struct Meter(Arc<Mutex<Times>>);

/// Milliseconds of every measured frame.
#[derive(Default)]
pub(crate) struct Times {
    is_on: bool,
    /// From the start of a frame to the start of the next.
    frame: Vec<f64>,
    /// All systems of the main world.
    main: Vec<f64>,
    /// All of the render graph, on the GPU.
    pub(crate) gpu: Vec<f64>,
}

impl Meter {
    /// Lets `write` add to the times while they are measured.
    pub(crate) fn record(&self, write: impl FnOnce(&mut Times)) {
        self.with(|times| times.is_on.then(|| write(times)));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Times) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// When the main world began this frame.
#[derive(Resource)]
pub(crate) struct FrameStart(pub(crate) Instant);

impl FrameStart {
    fn milliseconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1e3
    }
}

/// First of all systems.
pub(crate) fn begin_frame(mut start: ResMut<FrameStart>, meter: Res<Meter>) {
    meter.record(|times| times.frame.push(start.milliseconds()));
    start.0 = Instant::now();
}

/// Last of all systems.
pub(crate) fn end_frame(start: Res<FrameStart>, meter: Res<Meter>) {
    meter.record(|times| times.main.push(start.milliseconds()));
}

/// What the run is at.
#[derive(Resource, Default)]
pub(crate) enum Stage {
    #[default]
    Spawn,
    /// Frames left.
    WarmUp(u32),
    Measure,
    /// Frames left, and the poses before them.
    Watch(u32, Poses),
    /// Skins that moved.
    Picture(usize),
    /// The same.
    Report(usize),
}

/// The texture that the camera draws to.
#[derive(Resource)]
pub(crate) struct Canvas(pub(crate) Handle<Image>);

/// Everybody in the world.
#[derive(SystemParam)]
pub(crate) struct Everybody<'w, 's> {
    skins: Query<'w, 's, &'static SkinnedMesh>,
    places: Query<'w, 's, &'static GlobalTransform>,
    meshes: Query<'w, 's, &'static ViewVisibility, With<Mesh3d>>,
    players: Query<'w, 's, &'static AnimationPlayer>,
}

/// Goes on to the next stage where this one is over.
pub(crate) fn advance(
    mut commands: Commands,
    mut stage: ResMut<Stage>,
    mut leave: MessageWriter<AppExit>,
    (args, model, meter): (Res<Args>, Res<Model>, Res<Meter>),
    (canvas, adapter): (Res<Canvas>, Res<RenderAdapterInfo>),
    everybody: Everybody,
) {
    let poses = || poses(&everybody.skins, &everybody.places);
    let next = match &mut *stage {
        Stage::Spawn if model.ready == args.count => Stage::WarmUp(args.warmup),
        Stage::WarmUp(0) => {
            meter.with(|times| times.is_on = true);
            Stage::Measure
        }
        Stage::Measure if meter.with(|times| times.frame.len()) >= args.frames as usize => {
            meter.with(|times| times.is_on = false);
            Stage::Watch(WATCHED, poses())
        }
        Stage::Watch(0, before) => {
            let moving = moved(before, &poses(), MOVED * args.height);
            if args.png.is_some() {
                commands.spawn(Screenshot::image(canvas.0.clone())).aov(save);
                Stage::Picture(moving)
            } else {
                Stage::Report(moving)
            }
        }
        Stage::WarmUp(left) | Stage::Watch(left, _) => {
            *left -= 1;
            return;
        }
        Stage::Report(moving) => {
            let errors = ERRORS.load(Ordering::Relaxed);
            let (skins, players) = (everybody.skins.iter().count(), everybody.players.iter().count());
            let all_play = skins > 0 && (*moving, everybody.playing()) == (skins, players);
            let mut line = report(&args, &model, &adapter, &meter);
            line["visible"] = everybody.visible().into();
            line["players"] = players.into();
            line["skins"] = skins.into();
            line["all_play"] = all_play.into();
            line["errors"] = errors.into();
            println!("{line}");
            let is_good = all_play && errors == 0;
            leave.write(if is_good {
                AppExit::Success
            } else {
                AppExit::from_code(3)
            });
            return;
        }
        Stage::Spawn | Stage::Measure | Stage::Picture(_) => return,
    };
    *stage = next;
}

/// Writes the picture.
fn save(captured: On<ScreenshotCaptured>, args: Res<Args>, mut stage: ResMut<Stage>) {
    let (Stage::Picture(moving), Some(path)) = (&*stage, &args.png) else {
        return;
    };
    let picture = captured.image.clone().try_into_dynamic();
    let picture = picture.map_err(|error| error.to_string());
    if let Err(error) = picture.and_then(|picture| picture.to_rgb8().save(path).map_err(|error| error.to_string())) {
        eprintln!("bevy-crowd: {}: {error}", path.display());
        exit(1);
    }
    *stage = Stage::Report(*moving);
}

impl Everybody<'_, '_> {
    fn visible(&self) -> usize {
        self.meshes.iter().filter(|visibility| visibility.get()).count()
    }

    fn playing(&self) -> usize {
        let is_playing = |player: &&AnimationPlayer| {
            let mut clips = player.playing_animations();
            clips.any(|(_, clip)| !clip.is_paused() && !clip.is_finished())
        };
        self.players.iter().filter(is_playing).count()
    }
}

/// What was drawn, and how long it took.
fn report(args: &Args, model: &Model, adapter: &RenderAdapterInfo, meter: &Meter) -> Value {
    let copies = args.count as usize;
    meter.with(|times| {
        json!({
            "bevy": VERSION,
            "adapter": adapter.name,
            "driver": format!("{} {}", adapter.driver, adapter.driver_info),
            "cores": std::thread::available_parallelism().map_or(0, usize::from),
            "size": [args.size.0, args.size.1],
            "samples": args.samples.samples(),
            "count": copies,
            "triangles": copies * model.triangles,
            "joints": copies * model.joints,
            "clips": model.clips(),
            "spacing": args.spacing,
            "height": args.height,
            "eye": args.eye.to_array(),
            "target": args.target.to_array(),
            "fov_vertical_degrees": args.fov,
            "frames": times.frame.len(),
            "frame_ms": quantile(&times.frame, 0.5),
            "frame_p95_ms": quantile(&times.frame, 0.95),
            "main_ms": quantile(&times.main, 0.5),
            "main_p95_ms": quantile(&times.main, 0.95),
            "gpu_ms": quantile(&times.gpu, 0.5),
            "gpu_p95_ms": quantile(&times.gpu, 0.95),
        })
    })
}

/// Of times to the microsecond; none where there are none.
fn quantile(times: &[f64], share: f64) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let rank = times.len().saturating_sub(1) as f64 * share;
    times.get(rank.round() as usize).map(|time| (time * 1e3).round() / 1e3)
}
