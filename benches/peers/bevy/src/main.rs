//! Bevy draws the crowd of throng's grid for comparison: copies of one skinned glTF, each with a player of its own. It
//! renders to a texture as fast as the machine allows.

mod args;
mod crowd;
mod gpu_clock;
mod measure;

use std::{
    path::Path,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use bevy::{
    app::ScheduleRunnerPlugin,
    asset::AssetMetaCheck,
    camera::RenderTarget,
    log::{
        Level, LogPlugin,
        tracing::{Event, Subscriber},
        tracing_subscriber::{Layer, layer::Context},
    },
    prelude::*,
    render::{
        RenderApp, RenderPlugin,
        render_resource::TextureFormat,
        renderer::RenderAdapterInfo,
        settings::{Backends, InstanceFlags, RenderCreation, WgpuSettings},
    },
    time::TimeUpdateStrategy,
    window::{ExitCondition, WindowPlugin},
};
use clap::Parser;

use crate::{
    args::{Args, refuse},
    crowd::Model,
    measure::{Canvas, ERRORS, FrameStart, Meter, Stage},
};

/// Scene time per frame, independent of the frame's real time.
const STEP: Duration = Duration::from_nanos(16_666_667);
/// Direction towards throng's sun: 38 degrees high in the south-east.
const SUN: Vec3 = Vec3::new(0.557, 0.616, 0.557);

fn main() -> AppExit {
    let args = Args::parse();
    let path = args.model.canonicalize();
    let path = path.unwrap_or_else(|error| refuse(&format!("{}: {error}", args.model.display())));
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        refuse(&format!("{}: not a file", args.model.display()));
    };
    let mut app = App::new();
    app.add_plugins(plugins(folder, args.adapter.clone()))
        .add_plugins(ScheduleRunnerPlugin::default());

    let meter = Meter::default();
    let render = app.sub_app_mut(RenderApp);
    render.insert_resource(meter.clone());
    gpu_clock::install(render);

    let model = app.world().resource::<AssetServer>().load(name.to_owned());
    let (width, height) = args.size;
    let canvas = Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
    let canvas = app.world_mut().resource_mut::<Assets<Image>>().add(canvas);
    app.insert_resource(args)
        .insert_resource(meter)
        .insert_resource(Model::new(model))
        .insert_resource(Canvas(canvas))
        .insert_resource(FrameStart(Instant::now()))
        .insert_resource(TimeUpdateStrategy::ManualDuration(STEP))
        .init_resource::<Stage>()
        .add_systems(Startup, (check_adapter, light_and_look))
        .add_systems(First, measure::begin_frame)
        .add_systems(Update, (crowd::spawn, measure::advance).chain())
        .add_systems(Last, measure::end_frame)
        .add_observer(crowd::start)
        .run()
}

/// Returns Bevy's default plugins without a window.
fn plugins(folder: &Path, adapter_name: Option<String>) -> impl PluginGroup {
    let mut settings = WgpuSettings {
        backends: Some(Backends::VULKAN),
        adapter_name,
        // Bevy requests every feature of the adapter; a crowd needs no mesh shaders or ray queries.
        disabled_features: Some(wgpu::Features::all_experimental_mask()),
        ..default()
    };
    // This validation costs time, and only DX12 needs it.
    settings.instance_flags.remove(InstanceFlags::VALIDATION_INDIRECT_CALL);
    DefaultPlugins
        .set(LogPlugin {
            level: Level::WARN,
            custom_layer: |_| Some(Box::new(ErrorCount)),
            ..default()
        })
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .set(AssetPlugin {
            file_path: folder.to_string_lossy().into_owned(),
            meta_check: AssetMetaCheck::Never,
            ..default()
        })
        .set(RenderPlugin {
            render_creation: RenderCreation::from(settings),
            synchronous_pipeline_compilation: true,
            ..default()
        })
}

/// Counts errors in the log.
struct ErrorCount;

impl<S: Subscriber> Layer<S> for ErrorCount {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() == Level::ERROR {
            ERRORS.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Fails if the adapter has another name than requested: Bevy silently takes any other.
fn check_adapter(args: Res<Args>, adapter: Res<RenderAdapterInfo>) {
    let is_it = |wanted: &&String| adapter.name.to_lowercase().contains(&wanted.to_lowercase());
    if let Some(wanted) = args.adapter.as_ref().filter(|wanted| !is_it(wanted)) {
        refuse(&format!("no adapter {wanted:?}; there is {:?}", adapter.name));
    }
}

fn light_and_look(mut commands: Commands, args: Res<Args>, canvas: Res<Canvas>) {
    let lens = PerspectiveProjection {
        fov: args.fov.to_radians(),
        // The far plane is beyond the last copy.
        far: 1e5,
        ..default()
    };
    commands.spawn((
        Camera3d::default(),
        RenderTarget::from(canvas.0.clone()),
        Projection::Perspective(lens),
        Transform::from_translation(args.eye).looking_at(args.target, Vec3::Y),
        args.samples,
    ));
    let sun = DirectionalLight {
        shadow_maps_enabled: false,
        ..default()
    };
    commands.spawn((sun, Transform::from_translation(SUN).looking_at(Vec3::ZERO, Vec3::Y)));
    commands.insert_resource(GlobalAmbientLight {
        brightness: 300.0,
        ..default()
    });
}
