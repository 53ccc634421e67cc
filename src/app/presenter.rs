//! Presenter: everything that lives on one GPU device. A lost device is replaced by rebuilding it from CPU data.

mod auto_raster;
mod follow;
mod lods;
mod picture;

use std::{sync::Arc, time::Instant};

use winit::window::Window;

#[cfg(debug_assertions)]
use crate::app::shader_reload;
use crate::{
    app::{
        annotate::Burner,
        auto_raster::trial::RasterTrial,
        compare::{SideTimes, second_renderer::SecondRenderer, technique_sweep::TechniqueSweep},
        cpu_start,
        gui_painter::GuiTarget,
        panel,
        state::{AppState, expensive::Cost, profile::HistorySummary, view::PictureView},
        stress,
        window::{
            gui::Gui,
            surface::{AcquiredFrame, WindowSurface},
        },
    },
    config::RenderConfig,
    crowd::heroes::Hero,
    gpu::{Gpu, GpuError, adapter::AdapterChoice, uploads::ByPurpose, whole_view},
    measure::{faster_source, frame_account::frame_stats},
    render::{
        Pass, RenderOptions, Renderer,
        passes::PickAnswer,
        resources::AtlasSource,
        stats::{FrameStats, FrameTimes},
    },
    scene::{Scene, StartupTimes, Warning, milliseconds},
};

/// Time between two updates of the numbers in the panel (s); faster changes cannot be read.
const NUMBERS_EVERY: f64 = 0.25;

/// Colour of the window before the first picture.
const DUSK: wgpu::Color = wgpu::Color {
    r: 0.09,
    g: 0.10,
    b: 0.12,
    a: 1.0,
};

/// Width of the panel's draggable edge (px).
const EDGE: f32 = 6.0;

/// Window with its device, surface, renderers and panel.
pub(super) struct Presenter {
    /// The window.
    pub window: Arc<Window>,
    /// The device.
    pub gpu: Gpu,
    /// The panel.
    pub gui: Gui,
    screen: WindowSurface,
    #[cfg(debug_assertions)]
    shaders: shader_reload::ShaderReload,
    renderer: Renderer,
    /// Renderer of the right side of the compare view, while that is shown.
    second: Option<SecondRenderer>,
    /// Measurement of the compare table, while it runs.
    sweep: Option<TechniqueSweep>,
    /// Measurement of both rasterizers, while they are timed.
    trial: Option<RasterTrial>,
    scene: Option<Arc<Scene>>,
    /// Heroes as sent to the renderers.
    heroes: Vec<Hero>,
    /// Render settings as requested; the renderer may have fewer samples.
    asked: RenderConfig,
    /// Startup times of opening, uploading and compiling (ms).
    pub startup: StartupTimes,
    covered: f32,
    drawn_at: Instant,
    /// Bytes uploaded by the end of the newest frame.
    sent: ByPurpose,
    numbers_at: Option<Instant>,
    /// Painter of annotations into saved pictures, after the first of them.
    burner: Option<Burner>,
}

/// Outcome of drawing a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameOutcome {
    /// The frame is on the screen.
    Shown,
    /// No frame was drawn: the window is minimised or hidden, or the surface was reconfigured.
    NotNow,
    /// The surface or the device is lost.
    Lost,
}

impl Presenter {
    /// Opens the best adapter that can draw into `window`.
    ///
    /// # Errors
    /// There is no such adapter, or it cannot be opened.
    pub(super) fn open(window: Arc<Window>, choice: &AdapterChoice, state: &mut AppState) -> Result<Self, GpuError> {
        let begun = Instant::now();
        let instance = Gpu::instance(Box::new(window.clone()));
        let refuse = |reason: String| GpuError::Device {
            name: "window".into(),
            reason,
        };
        let surface = instance
            .create_surface(window.clone())
            .map_err(|e| refuse(e.to_string()))?;
        let gpu = Gpu::open(instance, choice, Some(&surface))?;
        cpu_start::apply(state, &gpu.facts);
        state.auto_raster = std::mem::take(&mut state.auto_raster).on(&gpu);
        let vsync = state.config.window.vsync;
        let no_format = || refuse(format!("{} offers it no format", gpu.facts.name));
        let screen = WindowSurface::new(&gpu, surface, &window, vsync).ok_or_else(no_format)?;
        let mut startup = StartupTimes {
            device: milliseconds(begun),
            ..StartupTimes::default()
        };
        let begun = Instant::now();
        let renderer = Renderer::new(&gpu, follow::options(&gpu, state, screen.format()))?;
        let gui = Gui::new(&gpu, &window, screen.format(), state.ui.zoom);
        startup.pipelines = milliseconds(begun);
        Ok(Self {
            asked: state.config.render.clone(),
            #[cfg(debug_assertions)]
            shaders: shader_reload::ShaderReload::of_checkout(),
            second: None,
            sweep: None,
            trial: None,
            scene: None,
            heroes: Vec::new(),
            covered: 0.0,
            drawn_at: Instant::now(),
            sent: ByPurpose::new(),
            numbers_at: None,
            burner: None,
            window,
            gpu,
            gui,
            screen,
            renderer,
            startup,
        })
    }

    /// Uploads a scene; if only the crowd differs, uploads only the crowd.
    ///
    /// # Errors
    /// It does not fit; the scene before stays.
    pub(super) fn set_scene(&mut self, scene: Arc<Scene>, same_characters: bool) -> Result<(), GpuError> {
        let begun = Instant::now();
        let before = self.scene.as_ref();
        let crowd_only = same_characters && before.is_some_and(|before| before.has_props_of(&scene));
        let sent = if crowd_only {
            self.renderer.set_crowd(&scene)
        } else {
            self.renderer.set_scene(&scene)
        };
        sent?;
        if let Some(second) = &mut self.second
            && second.set_scene(&scene, crowd_only).is_err()
        {
            // The next frame opens it again and reports what does not fit.
            self.second = None;
        }
        self.invalidate_trial();
        self.heroes.clone_from(&scene.heroes);
        self.scene = Some(scene);
        self.startup.upload = milliseconds(begun);
        self.exclude_from_times();
        Ok(())
    }

    /// Measures whether this device reads animation data faster from a texture or from a storage buffer.
    ///
    /// # Errors
    /// Even a small crowd cannot be drawn.
    pub(super) fn faster_source(&mut self, scene: &Scene) -> Result<AtlasSource, GpuError> {
        let source = faster_source(&self.gpu, scene, self.renderer.options())?;
        self.exclude_from_times();
        Ok(source)
    }

    /// True if the panel or one of its popups covers a pixel.
    #[must_use]
    pub(super) fn is_panel_at(&self, pixel: [f32; 2]) -> bool {
        // Dragging the panel's edge resizes it.
        let edge = if self.covered > 0.0 { EDGE } else { 0.0 };
        pixel[0] < self.covered + edge || self.gui.covers(pixel)
    }

    /// Polls the device, which reports its loss only when polled.
    #[must_use]
    pub(super) fn is_alive(&self) -> bool {
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
        !self.gpu.is_lost()
    }

    /// Simulates a lost surface.
    pub(super) fn lose_surface(&mut self) {
        self.screen.lose();
    }

    /// True if panel, compare table and difference need no further frame.
    #[must_use]
    pub(super) fn is_settled(&self) -> bool {
        self.gui.is_settled() && self.sweep.is_none() && self.trial.is_none()
    }

    /// Excludes the time until now from frame times: nothing was drawn.
    pub(super) fn resume(&mut self) {
        self.exclude_from_times();
    }

    /// Excludes the time until now, and the uploads meanwhile, from the statistics.
    fn exclude_from_times(&mut self) {
        self.drawn_at = Instant::now();
        self.sent = self.gpu.uploads.by_purpose();
    }

    /// Draws crowd and panel, and presents them.
    pub(super) fn draw(&mut self, state: &mut AppState) -> FrameOutcome {
        // Before the crowd is posed again: the query is about the frame on the screen.
        self.pick(state);
        if !self.screen.resize(&self.gpu, self.window.inner_size()) {
            return FrameOutcome::NotNow;
        }
        let frame = match self.screen.acquire(&self.gpu) {
            AcquiredFrame::Frame(frame) => frame,
            AcquiredFrame::NotNow => return FrameOutcome::NotNow,
            AcquiredFrame::Lost => return FrameOutcome::Lost,
        };
        let view = whole_view(&frame.texture, "window");
        let size = self.screen.size();
        (state.config.window.width, state.config.window.height) = size;
        if self.window.fullscreen().is_none() {
            state.ui.windowed = size;
        }
        self.choose_raster(state, size);
        self.follow_times(state);
        let times = self.draw_crowd(state, &view, size);
        // Device loss shows after a submission; creating buffers on a lost device would panic.
        if !self.is_alive() {
            return FrameOutcome::Lost;
        }
        let panel_ms = self.draw_panel(state, &view, size, times.is_none());
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        if let Some(times) = times {
            self.remember(state, &times, panel_ms);
        }
        FrameOutcome::Shown
    }

    /// Clears the time history if the drawn settings have changed.
    fn follow_times(&mut self, state: &mut AppState) {
        if !state.history.follow(&state.drawing()) {
            return;
        }
        self.renderer.reset_timing(&self.gpu);
        if let Some(second) = &mut self.second {
            second.reset_timing(&self.gpu);
        }
        state.shown.summary = HistorySummary::default();
        state.compare.times = [None; 2];
        self.numbers_at = None;
        self.exclude_from_times();
    }

    fn draw_crowd(&mut self, state: &mut AppState, view: &wgpu::TextureView, size: (u32, u32)) -> Option<FrameTimes> {
        let scene = self.scene.as_ref()?;
        let input = state.frame_input(size, self.covered);
        state.shown.picture = Some(PictureView::of(&input, size));
        if std::mem::take(&mut state.compare.sweep) {
            let format = self.screen.format();
            self.sweep = Some(TechniqueSweep::new(
                &self.gpu,
                scene,
                format,
                size,
                state.compare.repeats,
                &mut state.compare.table,
            ));
        }
        let options = RenderOptions {
            raster: state.compared_raster(),
            ..self.renderer.options()
        };
        if let Some(mut sweep) = self.sweep.take()
            && sweep.is_of(scene)
        {
            let more = sweep.step(&self.gpu, options, &input, &mut state.compare.table);
            self.sweep = more.then_some(sweep);
            self.exclude_from_times();
        }
        Some(match &mut self.second {
            Some(second) => {
                let how = state.compare.uniforms(size.0 as f32, self.covered);
                second.draw(&self.gpu, &mut self.renderer, view, size, &input, &how)
            }
            None => self.renderer.draw(&self.gpu, view, size, &input),
        })
    }

    fn draw_panel(&mut self, state: &mut AppState, view: &wgpu::TextureView, size: (u32, u32), clear: bool) -> f64 {
        let begun = Instant::now();
        state.shown.vsync_fixed = match self.screen.free_running() {
            Some(_) => None,
            None => Some(format!(
                "{} cannot present without vsync",
                self.gpu.facts.backend.name()
            )),
        };
        let mut covered = 0.0;
        let layout = self
            .gui
            .lay_out(&self.gpu, &self.window, |ui| covered = panel::show(ui, state));
        self.covered = covered * layout.pixels_per_point();
        state.ui.zoom = self.gui.zoom();
        // Painting submits, which may wait for the crowd's frame; that wait is not the panel's cost.
        let panel_ms = milliseconds(begun);
        let clear = clear.then_some(DUSK);
        self.gui.paint(&self.gpu, &GuiTarget { view, size, clear }, &layout);
        panel_ms
    }

    fn remember(&mut self, state: &mut AppState, times: &FrameTimes, panel_ms: f64) {
        let frame_ms = milliseconds(self.drawn_at);
        self.drawn_at = Instant::now();
        let uploads = self.gpu.uploads.since(&self.sent);
        self.sent = self.gpu.uploads.by_purpose();
        state.history.push(frame_ms, times, panel_ms);
        let submitted = self.renderer.counts().triangles;
        let triangles = self.renderer.drawn().map_or(submitted, |drawn| drawn.triangles());
        stress::advance(state, frame_ms, triangles);
        if let Some(second) = &self.second {
            second.report_difference(&mut state.compare);
        }
        let due = self
            .numbers_at
            .is_none_or(|at| at.elapsed().as_secs_f64() >= NUMBERS_EVERY);
        if due && state.history.frame.iter().len() > 0 {
            self.numbers_at = Some(Instant::now());
            state.shown.summary = state.history.summary();
            state.shown.stats = self.stats(state, uploads);
            let people = self.renderer.instance_count();
            let bytes = self.renderer.counts().people_bytes;
            if let Some(cost) = Cost::of(&state.shown.summary, people, bytes) {
                state.note_cost(cost);
            }
            if let Some(second) = &self.second {
                let history = &state.history;
                let crowd = [Pass::Crowd, Pass::Preskin].into_iter();
                let left = SideTimes::of(&history.cpu, crowd.filter_map(|pass| history.gpu.get(&pass)));
                state.compare.times = [left, second.times()];
            }
        }
    }

    /// Sends picking queries of the pointer to the GPU and takes the answers.
    fn pick(&mut self, state: &mut AppState) {
        if let Some(asked) = state.person.pick.to_ask.take() {
            self.renderer.ask_pick(asked.ray);
            state.person.pick.asked = Some(asked);
        }
        let (Some(asked), Some(scene)) = (state.person.pick.asked, &self.scene) else {
            return;
        };
        let Some(answer) = self.renderer.picked() else {
            return;
        };
        state.person.pick.asked = None;
        let candidates = match answer {
            Ok(PickAnswer::Candidates(candidates)) => candidates,
            // The CPU answers instead; a lost device is reported elsewhere.
            Ok(PickAnswer::TooMany) | Err(_) => scene.pick_candidates(asked.ray, asked.clock),
        };
        let found = scene.pick_among(candidates, asked.ray, asked.clock, &self.heroes);
        state.select(found);
    }

    /// Statistics of the newest frames: medians over the history.
    fn stats(&self, state: &AppState, uploads: ByPurpose) -> FrameStats {
        let Some(scene) = &self.scene else {
            return FrameStats::default();
        };
        let summary = &state.shown.summary;
        let input = state.frame_input(self.screen.size(), self.covered);
        let mut account = frame_stats(&self.gpu, scene, &self.renderer, &state.config, &input);
        account.notes.push(Warning::FromWindow {
            interval_ms: summary.frame.median,
        });
        if let Some(told) = state.raster_text() {
            account.notes.push(Warning::RasterChosen { why: told.join(": ") });
        }
        FrameStats {
            upload_bytes: uploads.values().sum(),
            upload_by_purpose: uploads,
            cpu_ms: summary.cpu.median,
            gpu_ms: summary.gpu.iter().map(|(pass, s)| (*pass, s.median)).collect(),
            timed_frames: state.history.frame.iter().len() as u32,
            cpu_frames: state.history.cpu.iter().len() as u32,
            startup_ms: self.startup,
            ..account
        }
    }
}
