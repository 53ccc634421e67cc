//! The window: the crowd with a panel of settings and measurements beside it.

mod annotate;
mod auto_raster;
mod character;
mod clip_error;
mod compare;
mod convert;
mod cpu_start;
mod dialog;
mod flow_line;
mod gui_painter;
mod invalid_setting;
mod loader;
mod lods;
mod memory;
mod panel;
pub mod person;
mod presenter;
#[cfg(debug_assertions)]
mod shader_reload;
mod share;
mod state;
mod stress;
mod stress_curve;
mod viewer;
mod window;

pub(crate) use annotate::{Annotations, Burner};
pub(crate) use state::view::PictureView;

use std::{panic, path::PathBuf, time::Instant};

use winit::{error::EventLoopError, event_loop::EventLoop};

use crate::{
    app::{auto_raster::AutoRaster, memory::WindowMemory, state::AppState, window::App},
    config::Config,
    file::LodCache,
    gpu::adapter::AdapterChoice,
    render::resources::AtlasSource,
    scene::LodMaker,
    tracks::live,
};

/// Options with which the window starts.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// Scene, look, camera, technique.
    pub config: Config,
    /// Where the shader reads the atlas from; `None` measures which source is faster.
    pub source: Option<AtlasSource>,
    /// Cache for LODs of raw files, if enabled.
    pub cache: Option<LodCache>,
    /// Scene time of the first frame (s).
    pub time: f64,
    /// Adapter to draw with.
    pub adapter: AdapterChoice,
    /// Start in the viewer: one character before a plain background.
    pub viewer: bool,
    /// True if neither scene, count nor character was given; a slow adapter may then start with fewer people.
    pub is_default_scene: bool,
    /// File of the scene; `None` for presets.
    pub scene: Option<PathBuf>,
    /// True if the window size was given as an option.
    pub is_sized: bool,
    /// Restore window size, panel and recent files of the last start, and keep them for the next.
    pub memory: bool,
}

impl AppOptions {
    /// Options for a configuration from its start on the best adapter.
    #[must_use]
    pub fn of(config: Config) -> Self {
        Self {
            config,
            source: None,
            cache: LodCache::usual(),
            time: 0.0,
            adapter: AdapterChoice::default(),
            viewer: false,
            is_default_scene: false,
            scene: None,
            is_sized: false,
            memory: true,
        }
    }
}

/// How the window ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppExit {
    /// The window was closed.
    Closed,
    /// The window could not be opened because there is no display, with the reason.
    NoDisplay(String),
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// An invalid scene or character, no adapter that can draw it, or a lost display.
pub fn run(options: &AppOptions) -> anyhow::Result<AppExit> {
    let begun = Instant::now();
    let mut state = AppState::new(options);
    state.auto_raster = AutoRaster::kept_in(options.cache.as_ref().map(LodCache::folder));
    let event_loop = match event_loop() {
        Ok(event_loop) => event_loop,
        Err(reason) => return Ok(AppExit::NoDisplay(reason)),
    };
    let trajectories = &options.config.scene.trajectories;
    if trajectories.is_standard_input() {
        live::begin_standard_input(&trajectories.into())?;
    }
    let memory = options.memory.then(WindowMemory::usual).flatten();
    if let Some(memory) = &memory {
        memory.recall(options, &mut state);
    }
    let lods = LodMaker::new(options.cache.clone(), options.config.render.lods, |_| ());
    let mut app = App::new(state, options.adapter.clone(), lods, begun)?;
    let ran = event_loop.run_app(&mut app);
    app.finish_films();
    if let Some(Err(error)) = memory.map(|memory| memory.keep(&app.state)) {
        tracing::warn!("cannot keep the window settings: {error:#}");
    }
    if let Some(failure) = app.failure {
        return Err(failure);
    }
    match ran {
        Ok(()) => Ok(AppExit::Closed),
        // winit gives only an exit status here.
        Err(EventLoopError::ExitFailure(_)) => anyhow::bail!("the display closed the connection"),
        Err(error) => Err(error.into()),
    }
}

/// Connection to the display, or the reason why there is none.
fn event_loop() -> Result<EventLoop<()>, String> {
    let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    if cfg!(all(unix, not(target_vendor = "apple"))) && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".into());
    }
    // winit panics if a keyboard library is missing.
    let made = panic::catch_unwind(EventLoop::new).map_err(|_| "display libraries are missing".to_owned())?;
    // winit's own message names a line of its source.
    made.map_err(|_| {
        let display = ["WAYLAND_DISPLAY", "DISPLAY"].into_iter().find(|name| set(name));
        let named = |name| {
            std::env::var_os(name)
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        format!(
            "cannot connect to the display {}",
            display.map_or_else(String::new, named)
        )
    })
}
