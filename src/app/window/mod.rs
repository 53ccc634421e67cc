//! Event loop of the window: handles events, draws frames, and recovers from lost surfaces and devices.

mod actions;
pub(crate) mod gui;
mod pointer;
mod recording;
pub(crate) mod shortcuts;
pub(crate) mod surface;

use std::{
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use winit::{
    application::ApplicationHandler,
    dpi::PhysicalSize,
    event::{ElementState, KeyEvent, StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow},
    keyboard::PhysicalKey,
    raw_window_handle::{HasWindowHandle, RawWindowHandle},
    window::{WindowAttributes, WindowId},
};

use crate::{
    app::{
        loader::{LoadOutcome, LoadRequest, Loader},
        lods::LodThread,
        panel::widgets::style::people,
        presenter::{FrameOutcome, Presenter},
        share::FilmRecording,
        state::{AppState, Loading, action::Action, open::Join},
        window::{
            pointer::{Pointer, wheel_steps},
            shortcuts::{DEVELOPER_KEYS, action_of},
        },
    },
    gpu::adapter::AdapterChoice,
    scene::{LodMaker, milliseconds},
};

/// Interval of checks while the window is hidden.
const HIDDEN: Duration = Duration::from_millis(200);
/// Wait after the surface provided no frame.
const REFUSED: Duration = Duration::from_millis(20);
/// Interval of checks while nothing moves: for a lost device and changed shaders.
const STILL: Duration = Duration::from_millis(250);
/// Frames drawn after the last event, for late results and the panel's reactions.
const AFTERWARDS: u32 = 8;
/// Name of the device in messages about its loss.
const DEVICE: &str = "the GPU device";
const SURFACE: &str = "the window's surface";
/// Number of losses in a row after which the program gives up.
const PATIENCE: u32 = 5;

/// The application: state, loader, and the stage while there is one.
pub(super) struct App {
    choice: AdapterChoice,
    pub(super) state: AppState,
    loader: Loader,
    lods: LodThread,
    stage: Option<Presenter>,
    /// Film being recorded.
    recording: Option<FilmRecording>,
    /// Threads that complete ended films.
    films: Vec<JoinHandle<()>>,
    applied: Option<LoadRequest>,
    pointer: Pointer,
    hidden: bool,
    /// Requested size, if the window was created before its scale factor was known.
    unscaled: Option<PhysicalSize<u32>>,
    resting: Option<Duration>,
    /// Number of frames still to draw although nothing moves.
    afterwards: u32,
    /// Drawing is suspended because nothing moves.
    still: bool,
    lost: u32,
    begun: Instant,
    ticked: Instant,
    /// Shortcuts for tests of recovery are enabled.
    developer_keys: bool,
    /// Error that closed the window, if any.
    pub failure: Option<anyhow::Error>,
}

impl App {
    /// Starts loading at once; the window opens later.
    ///
    /// # Errors
    /// The system provides no thread for the loader or for LODs.
    pub(super) fn new(state: AppState, choice: AdapterChoice, lods: LodMaker, begun: Instant) -> std::io::Result<Self> {
        let mut loader = Loader::start()?;
        loader.ask(LoadRequest::of(&state.config));
        Ok(Self {
            choice,
            state,
            loader,
            lods: LodThread::start(lods)?,
            stage: None,
            recording: None,
            films: Vec::new(),
            applied: None,
            pointer: Pointer::default(),
            hidden: false,
            unscaled: None,
            resting: None,
            afterwards: AFTERWARDS,
            still: false,
            lost: 0,
            begun,
            ticked: Instant::now(),
            developer_keys: std::env::var_os(DEVELOPER_KEYS).is_some_and(|value| !value.is_empty()),
            failure: None,
        })
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: impl Into<anyhow::Error>) {
        self.failure = Some(error.into());
        event_loop.exit();
    }

    fn open(&mut self, event_loop: &ActiveEventLoop) -> anyhow::Result<()> {
        let window = &self.state.config.window;
        let size = PhysicalSize::new(window.width, window.height);
        let attributes = WindowAttributes::default()
            .with_title(self.state.title())
            .with_inner_size(size)
            .with_min_inner_size(PhysicalSize::new(320, 200));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let handle = window.window_handle().map(|handle| handle.as_raw());
        let on_wayland = matches!(handle, Ok(RawWindowHandle::Wayland(_)));
        // On Wayland, winit 0.30 reports no dropped files and takes the size as one at scale 1.
        self.state.files.takes_drops = !on_wayland;
        self.unscaled = on_wayland.then_some(size);
        self.stage = Some(Presenter::open(window, &self.choice, &mut self.state)?);
        // Opening may have reduced the scene; the loader should not finish the expensive one first.
        self.loader.ask_instead(LoadRequest::of(&self.state.config));
        Ok(())
    }

    /// A new stage in the same window, with the scene that was shown, after `what` was lost.
    fn reopen(&mut self, event_loop: &ActiveEventLoop, what: &str) {
        let Some(old) = self.stage.take() else { return };
        // The film's pending pictures are lost with the device.
        self.end_film(false);
        let window = old.window.clone();
        // A window cannot have two surfaces at once.
        drop(old);
        self.lost += 1;
        let reopened = Presenter::open(window, &self.choice, &mut self.state).and_then(|mut stage| {
            if let Some(scene) = self.state.shown.scene.clone() {
                stage.set_scene(scene, false)?;
            }
            Ok(stage)
        });
        match reopened {
            Ok(stage) if self.lost <= PATIENCE => {
                self.stage = Some(stage);
                let told = format!("{what} was lost and has been recreated");
                tracing::warn!("{told}");
                self.state.notices.tell(told);
            }
            Ok(_) => self.fail(
                event_loop,
                anyhow::anyhow!("{what} was lost {} times in a row", self.lost),
            ),
            Err(error) => self.fail(event_loop, error),
        }
    }

    /// One iteration of the loop: advances time, takes loaded scenes, draws a frame.
    fn turn(&mut self, event_loop: &ActiveEventLoop) {
        let dt = self.ticked.elapsed().as_secs_f64();
        self.ticked = Instant::now();
        // Scene time begins with the first picture.
        if self.state.shown.scene.is_some() {
            self.pass(dt);
        }
        self.move_camera(dt as f32);
        self.state.follow_selected();
        self.state.follow_camera_path();
        while let Some(loaded) = self.loader.poll() {
            self.take(event_loop, loaded);
        }
        self.load_or_make_lods();
        self.state.take_arrivals();
        self.state.follow_conversion();
        self.state.rests = self.rests();
        self.draw(event_loop);
        self.film();
        self.note_changes();
        self.finish_actions(event_loop);
        self.follow_requests();
    }

    /// True if another frame would equal the one on the screen.
    fn is_still(&self) -> bool {
        let settled = self.stage.as_ref().is_some_and(Presenter::is_settled);
        self.afterwards == 0 && settled && self.rests()
    }

    /// True if nothing moves or is about to, but for reactions of the panel.
    fn rests(&self) -> bool {
        let idle = self.loader.is_idle() && self.lods.share().is_none();
        let done = self.applied.is_some() && idle;
        done && self.resting.is_none() && !self.pointer.flies() && self.state.is_still()
    }

    /// Resumes drawing after an event.
    fn wake(&mut self) {
        self.afterwards = AFTERWARDS;
        if std::mem::take(&mut self.still)
            && let Some(stage) = &mut self.stage
        {
            stage.resume();
            stage.window.request_redraw();
        }
    }

    /// Checks for changes while nothing is drawn: device loss, shaders, finished files.
    fn check_while_still(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let told = self.state.notices.changes();
        if stage.is_alive() {
            stage.follow(&mut self.state);
            self.load_or_make_lods();
        }
        let Some(stage) = &mut self.stage else { return };
        let is_news = self.state.notices.changes() != told || !self.state.notices.are_settled();
        if !stage.is_alive() || is_news {
            self.wake();
        }
    }

    /// Requests LODs that the settings draw, and uploads finished ones.
    fn load_or_make_lods(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        while let Some(brought) = self.lods.poll() {
            brought.notes.into_iter().for_each(|note| self.state.notices.tell(note));
            if let Err(error) = stage.set_lods(&brought.characters) {
                self.state.notices.fail(error.to_string());
            }
        }
        let wanted = stage
            .draws_lods(&self.state.config.render)
            .then_some(&self.state.shown.scene);
        if let (Some(Some(scene)), None) = (wanted, self.lods.share()) {
            self.lods.ask(scene);
        }
        self.state.load.lods_share = self.lods.share();
    }

    fn follow_requests(&mut self) {
        if self.state.may_build() {
            self.loader.ask(LoadRequest::of(&self.state.config));
        }
        if self.loader.is_idle() && self.state.load.expensive.is_none() {
            self.state.load.held_look = None;
        }
        let share = self.loader.share();
        self.state.load.loading = self.loader.busy_with().map(|request| Loading {
            what: loading_text(request),
            share,
        });
    }

    /// Cancels loading and returns to the scene on the screen.
    fn stop_loading(&mut self) {
        if let Some(shown) = &self.applied {
            self.loader.stop(shown.clone());
            self.state.go_back(shown.clone());
            self.state.load.loading = None;
        }
    }

    fn move_camera(&mut self, dt: f32) {
        let fast = self.state.modifiers.state().shift_key();
        self.state.turn_table(dt);
        if self.pointer.fly(&mut self.state.rig, dt.min(0.1), fast) {
            self.state.camera_moved();
        }
        self.state.rig.update(dt);
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(stage) = self.stage.as_mut().filter(|_| !self.hidden) else {
            return;
        };
        if !stage.is_alive() {
            return self.reopen(event_loop, DEVICE);
        }
        stage.follow(&mut self.state);
        match stage.draw(&mut self.state) {
            FrameOutcome::Shown => {
                self.resting = None;
                self.afterwards = self.afterwards.saturating_sub(1);
                if self.state.history.frame.iter().len() > 60 {
                    self.lost = 0;
                }
                if stage.startup.total == 0.0 && self.applied.is_some() {
                    stage.startup.total = milliseconds(self.begun);
                }
            }
            FrameOutcome::NotNow => self.resting = Some(REFUSED),
            FrameOutcome::Lost => {
                let what = if stage.is_alive() { SURFACE } else { DEVICE };
                return self.reopen(event_loop, what);
            }
        }
        if let Some(error) = stage.gpu.take_error().filter(|_| !stage.gpu.is_lost()) {
            self.state.notices.fail(error);
        }
    }

    fn take(&mut self, event_loop: &ActiveEventLoop, loaded: LoadOutcome) {
        let Some(stage) = &mut self.stage else { return };
        let is_current = loaded.load_request.same_settings(&LoadRequest::of(&self.state.config));
        if self.applied.is_none() && loaded.result.is_ok() && !is_current {
            return;
        }
        let shown = loaded.result.map_err(anyhow::Error::from).and_then(|(scene, times)| {
            stage.set_scene(scene.clone(), loaded.same_characters)?;
            if std::mem::take(&mut self.state.measure_source) {
                self.state.source = stage.faster_source(&scene)?;
            }
            Ok((scene, times))
        });
        match shown {
            Ok((scene, times)) => {
                if self.applied.is_none() {
                    (stage.startup.import, stage.startup.bake, stage.startup.crowd) =
                        (times.import, times.bake, times.crowd);
                }
                self.state.shown.made_of = Some((loaded.load_request.scene.clone(), loaded.load_request.bake.clone()));
                self.applied = Some(loaded.load_request);
                // A later change of the scale factor means another display.
                self.unscaled = None;
                self.state.show(scene, loaded.same_people);
                stage.window.set_title(&self.state.title());
            }
            Err(error) => match &self.applied {
                Some(before) => {
                    self.state.notices.fail(format!("{error:#}"));
                    self.state.go_back(before.clone());
                    self.loader.settle(before.clone());
                }
                None => self.fail(event_loop, error),
            },
        }
    }

    /// Handles a key; true if the panel should not get the event.
    fn on_key(&mut self, event: &KeyEvent) -> bool {
        // A released key always stops flying, whatever else is held or typed.
        if let (PhysicalKey::Code(code), ElementState::Released) = (event.physical_key, event.state) {
            self.pointer.key(code, event.state);
        }
        let typing = self.stage.as_ref().is_some_and(|s| s.gui.is_typing());
        if typing {
            return false;
        }
        let modified = self.state.modifiers.state();
        if let (PhysicalKey::Code(code), false) = (event.physical_key, modified.control_key() || modified.alt_key())
            && self.pointer.key(code, event.state)
        {
            return true;
        }
        let action = action_of(&event.logical_key, &self.state.modifiers, self.developer_keys);
        if let (Some(action), ElementState::Pressed) = (action, event.state)
            && (!event.repeat || action.repeats())
        {
            self.state.actions.push(action);
        }
        action.is_some()
    }

    fn on_pointer(&mut self, event: &WindowEvent, over_panel: bool) {
        let height = self.state.config.window.height;
        let moved = match event {
            WindowEvent::MouseInput {
                state: ElementState::Pressed,
                ..
            } if over_panel => false,
            WindowEvent::MouseInput { state, button, .. } => {
                let clicked = self.pointer.button(*button, *state);
                self.state.actions.extend(clicked.map(Action::Pick));
                false
            }
            WindowEvent::CursorMoved { position, .. } => self.pointer.moved(*position, height, &mut self.state.rig),
            WindowEvent::MouseWheel { delta, .. } if !over_panel => {
                self.state.rig.dolly(wheel_steps(*delta));
                true
            }
            _ => false,
        };
        if moved {
            self.state.camera_moved();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.stage.is_none()
            && let Err(error) = self.open(event_loop)
        {
            self.fail(event_loop, error);
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if self.state.poll_file_outcomes() | self.state.poll_dialog() {
            self.wake();
        }
        self.still = self.is_still();
        if self.still {
            return self.check_while_still();
        }
        // Requesting a frame ends the wait, so a hidden window requests only when its wait is over.
        let is_due = !self.hidden || matches!(cause, StartCause::ResumeTimeReached { .. });
        if let Some(stage) = self.stage.as_ref().filter(|_| is_due) {
            stage.window.request_redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if event != WindowEvent::RedrawRequested {
            self.wake();
        }
        // On X11, winit reports keys that are held when the window gets the focus; they were meant for another window.
        if let WindowEvent::KeyboardInput {
            event, is_synthetic, ..
        } = &event
            && ((*is_synthetic && event.state.is_pressed()) || self.on_key(event))
        {
            return;
        }
        let Some(stage) = &mut self.stage else { return };
        stage.gui.on_event(&stage.window, &event);
        let over_panel = stage.is_panel_at(self.pointer.at());
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested => self.turn(event_loop),
            WindowEvent::Occluded(hidden) => self.hidden = hidden,
            WindowEvent::ScaleFactorChanged {
                mut inner_size_writer, ..
            } => {
                if let Some(size) = self.unscaled.take() {
                    // Fails if the window no longer exists.
                    let _ = inner_size_writer.request_inner_size(size);
                }
            }
            WindowEvent::Focused(false) => self.pointer.release_all(),
            WindowEvent::ModifiersChanged(modifiers) => self.state.modifiers = modifiers,
            WindowEvent::DroppedFile(path) => {
                self.state.files.hovering = None;
                let held = self.state.modifiers.state();
                let beside = held.shift_key() || held.control_key();
                let join = if beside { Join::Beside } else { Join::Instead };
                self.state.files.arrivals.add(path, join);
            }
            WindowEvent::HoveredFile(path) => self.state.files.hovering = Some(path),
            WindowEvent::HoveredFileCancelled => self.state.files.hovering = None,
            other => self.on_pointer(&other, over_panel),
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let rest = match (self.hidden, self.still) {
            (true, _) => Some(HIDDEN),
            (false, true) => Some(STILL),
            (false, false) => self.resting,
        };
        // Request the next frame now, so that waiting ends as soon as the system is ready for it.
        if let (None, Some(stage)) = (rest, &self.stage) {
            stage.window.request_redraw();
        }
        event_loop.set_control_flow(ControlFlow::WaitUntil(Instant::now() + rest.unwrap_or(STILL)));
    }
}

fn loading_text(request: &LoadRequest) -> String {
    match request.scene.characters.as_slice() {
        [] => people(request.scene.count.into()),
        [one] => one.file_name().unwrap_or(one.as_os_str()).display().to_string(),
        many => format!("{} characters", many.len()),
    }
}
