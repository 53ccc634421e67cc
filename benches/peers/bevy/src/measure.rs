//! Stages of a run from its first frame to its report, and frame times.

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

/// Version of Bevy, as in Cargo.toml.
const VERSION: &str = "0.19.1";
/// Number of frames within which every copy must have moved.
const WATCHED: u32 = 10;
/// Minimum motion of a joint, as a share of the height.
const MOVED: f32 = 1e-4;

/// Number of errors logged so far: after a failed draw Bevy continues, and its frames are too short.
pub(crate) static ERRORS: AtomicUsize = AtomicUsize::new(0);

/// Times of frames, written by the main world and the render world.
#[derive(Resource, Clone, Default)]
pub(crate) struct Meter(Arc<Mutex<Times>>);

/// Times of every measured frame (ms).
#[derive(Default)]
pub(crate) struct Times {
    is_on: bool,
    /// Time from the start of a frame to the start of the next.
    frame: Vec<f64>,
    /// Time of all systems of the main world.
    main: Vec<f64>,
    /// GPU time of the render graph.
    pub(crate) gpu: Vec<f64>,
}

impl Meter {
    /// Calls `write` to add times while frames are measured.
    pub(crate) fn record(&self, write: impl FnOnce(&mut Times)) {
        self.with(|times| times.is_on.then(|| write(times)));
    }

    fn with<T>(&self, work: impl FnOnce(&mut Times) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Time at which the main world began this frame.
#[derive(Resource)]
pub(crate) struct FrameStart(pub(crate) Instant);

impl FrameStart {
    fn milliseconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1e3
    }
}

/// Runs before all other systems.
pub(crate) fn begin_frame(mut start: ResMut<FrameStart>, meter: Res<Meter>) {
    meter.record(|times| times.frame.push(start.milliseconds()));
    start.0 = Instant::now();
}

/// Runs after all other systems.
pub(crate) fn end_frame(start: Res<FrameStart>, meter: Res<Meter>) {
    meter.record(|times| times.main.push(start.milliseconds()));
}

/// Stage of the run.
#[derive(Resource, Default)]
pub(crate) enum Stage {
    #[default]
    Spawn,
    /// Remaining warm-up frames.
    WarmUp(u32),
    Measure,
    /// Remaining frames, and the poses before them.
    Watch(u32, Poses),
    /// Writing the picture; number of skins that moved.
    Picture(usize),
    /// Writing the report; number of skins that moved.
    Report(usize),
}

/// Texture that the camera draws to.
#[derive(Resource)]
pub(crate) struct Canvas(pub(crate) Handle<Image>);

/// Query of all copies in the world.
#[derive(SystemParam)]
pub(crate) struct Everybody<'w, 's> {
    skins: Query<'w, 's, &'static SkinnedMesh>,
    places: Query<'w, 's, &'static GlobalTransform>,
    meshes: Query<'w, 's, &'static ViewVisibility, With<Mesh3d>>,
    players: Query<'w, 's, &'static AnimationPlayer>,
}

/// Advances to the next stage when this one is over.
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

/// Makes the report: what was drawn, and its times.
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

/// Returns a quantile of times, rounded to the microsecond; none for an empty list.
fn quantile(times: &[f64], share: f64) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let rank = times.len().saturating_sub(1) as f64 * share;
    times.get(rank.round() as usize).map(|time| (time * 1e3).round() / 1e3)
}
