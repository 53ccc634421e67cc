//! State of the application: settings, requests and what the window shows, without GPU and window handles.

pub(crate) mod action;
mod camera_path;
mod clock;
pub(crate) mod expensive;
mod frame;
mod hold;
pub(crate) mod naming;
pub(crate) mod notices;
pub(crate) mod open;
pub(crate) mod playback;
pub(crate) mod profile;
mod shown;
mod tracks;
mod undo;
pub(crate) mod view;
mod views;

use std::sync::Arc;

use clap::ValueEnum;
use winit::event::Modifiers;

pub(super) use crate::app::state::{
    action::{Action, Tab},
    shown::{Inspect, Loading, ScreenState},
};

use crate::{
    app::{
        AppOptions,
        auto_raster::AutoRaster,
        character::CharacterTab,
        compare::Compare,
        convert::Conversion,
        dialog::{Dialog, Purpose},
        invalid_setting::Check,
        loader::LoadRequest,
        panel::WIDTHS,
        person::{heroes::Heroes, pick::PickState},
        share::{Filming, Sharing},
        state::{
            clock::SceneClock,
            expensive::ExpensiveScene,
            naming::NamePrompt,
            notices::Notices,
            open::Arrivals,
            profile::{DrawnSettings, History},
            undo::Undo,
        },
        stress::{self, Stress},
    },
    config::{Config, LookConfig, RenderConfig},
    render::resources::AtlasSource,
    scene::{PersonRef, Scene, Warning},
    view::{Camera, CameraRig},
};

/// Allowed number of people.
pub(super) use crate::config::limits::COUNT;

/// State of the application without its window.
pub(super) struct AppState {
    /// Requested settings; the window follows as soon as it can.
    pub config: Config,
    /// Settings of the preset or scene file, for marks and resets.
    pub preset: Config,
    /// Requested source of the atlas in shaders.
    pub source: AtlasSource,
    /// Measure the faster atlas source after the first scene is loaded, since none was given.
    pub measure_source: bool,
    /// Scene clock.
    pub clock: SceneClock,
    /// Camera rig.
    pub rig: CameraRig,
    /// View that the camera was sent to; `None` after it was moved by hand.
    pub view: Option<String>,
    /// The panel is shown.
    pub panel: bool,
    /// File that the camera path was saved to.
    pub saved_path: Option<std::path::PathBuf>,
    /// Scene files, pictures and films.
    pub sharing: Sharing,
    /// Progress of the film being recorded.
    pub filming: Option<Filming>,
    /// File dialog of the system.
    pub dialog: Dialog,
    /// Question for the name of a file to write.
    pub naming: Option<NamePrompt>,
    /// Character being baked or exported.
    pub converting: Option<Conversion>,
    /// Recently opened scenes and characters, newest first.
    pub recent: Vec<std::path::PathBuf>,
    /// Scale of the panel relative to the system's.
    pub zoom: f32,
    /// Size of the window when not full screen (px).
    pub windowed: (u32, u32),
    /// Undo history of settings.
    pub undo: Undo,
    /// The list of shortcuts is shown over the picture.
    pub keys: bool,
    /// Width of the panel (points).
    pub panel_width: f32,
    /// Selected tab of the panel.
    pub tab: Tab,
    /// Compare view.
    pub compare: Compare,
    /// Stress test: the search for the largest crowd.
    pub stress: Stress,
    /// Inspection modes for LODs, culling and overdraw.
    pub inspect: Inspect,
    /// State of the rasterizer setting `auto`.
    pub auto_raster: AutoRaster,
    /// State of the character tab.
    pub character: CharacterTab,
    /// Selected person.
    pub selected: Option<PersonRef>,
    /// Pending picking queries.
    pub pick: PickState,
    /// People taken over from the crowd.
    pub heroes: Heroes,
    /// The camera follows the selected person.
    pub follow: bool,
    /// Position of the followed person in the last frame (m).
    pub followed: Option<glam::Vec3>,
    /// Neither scene, count nor character was given; a CPU adapter may start with fewer people.
    pub is_default_scene: bool,
    /// Notice to show with the first picture.
    pub start_notice: Option<String>,
    /// Notices shown in the panel.
    pub notices: Notices,
    /// Dropped and requested files.
    pub arrivals: Arrivals,
    /// True if the characters being loaded were dropped on the window.
    pub dropped: bool,
    /// The system reports files dropped on the window.
    pub takes_drops: bool,
    /// File being dragged over the window.
    pub hovering: Option<std::path::PathBuf>,
    /// Progress of the scene being loaded.
    pub loading: Option<Loading>,
    /// Progress of LODs being built, 0 to 1.
    pub lods_share: Option<f32>,
    /// Expensive crowd that needs the user's agreement.
    pub expensive: Option<ExpensiveScene>,
    /// Requested count that waits until few people have measured the cost.
    pub deferred: Option<u32>,
    /// Largest count that the user agreed to.
    pub agreed: u32,
    /// Light and ground of the scene shown, while another one is being built.
    pub held_look: Option<LookConfig>,
    /// Scene and statistics on the screen.
    pub shown: ScreenState,
    /// The frame of what F12 and films save is shown on request.
    pub shows_frame: bool,
    /// Time until which that frame is shown after a screenshot.
    pub frame_until: Option<std::time::Instant>,
    /// Nothing moves: the last frames before drawing is suspended.
    pub rests: bool,
    /// Times of the newest frames.
    pub history: History,
    /// Validation of the requested scene.
    pub check: Check,
    /// Actions requested and not yet performed.
    pub actions: Vec<Action>,
    /// Modifier keys held.
    pub modifiers: Modifiers,
}

impl AppState {
    /// State for these options.
    #[must_use]
    pub(super) fn new(options: &AppOptions) -> Self {
        let config = options.config.clone();
        let start = Camera {
            eye: glam::Vec3::new(0.0, 2.0, 6.0),
            target: glam::Vec3::Y,
            fov: config.camera.fov.to_radians(),
        };
        let mut state = Self {
            preset: config.clone(),
            source: options.source.unwrap_or_default(),
            measure_source: options.source.is_none(),
            clock: SceneClock::starting_at(options.time),
            rig: CameraRig::new(start),
            view: Some(config.camera.start.clone()),
            panel: config.window.panel,
            saved_path: None,
            sharing: Sharing::of(options.scene.clone()),
            filming: None,
            dialog: Dialog::default(),
            naming: None,
            converting: None,
            recent: Vec::new(),
            zoom: 1.0,
            windowed: (config.window.width, config.window.height),
            undo: Undo::default(),
            keys: false,
            panel_width: *WIDTHS.start(),
            tab: Tab::default(),
            compare: Compare::default(),
            stress: Stress::default(),
            inspect: Inspect::default(),
            auto_raster: AutoRaster::default(),
            character: CharacterTab::default(),
            start_notice: None,
            selected: None,
            pick: PickState::default(),
            heroes: Heroes::default(),
            follow: false,
            followed: None,
            is_default_scene: options.is_default_scene,
            notices: Notices::default(),
            arrivals: Arrivals::default(),
            dropped: false,
            takes_drops: true,
            hovering: None,
            loading: None,
            lods_share: None,
            expensive: None,
            deferred: None,
            agreed: 0,
            held_look: None,
            shown: ScreenState::default(),
            shows_frame: false,
            frame_until: None,
            rests: false,
            history: History::default(),
            check: Check::default(),
            actions: Vec::new(),
            modifiers: Modifiers::default(),
            config,
        };
        if options.viewer {
            state.toggle_viewer();
        }
        state
    }

    /// Performs an action that concerns only this state; returns one that needs window or device.
    #[must_use]
    pub(super) fn act(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::TogglePanel => self.panel = !self.panel,
            Action::Play(request) => self.play(request),
            Action::ScaleCount(factor) => self.scale_count(factor),
            Action::NextSeed => self.config.scene.seed = self.config.scene.seed.wrapping_add(1) & (u64::MAX >> 1),
            Action::ToggleCompare => self.toggle_compare(),
            Action::ToggleHeat => self.compare.heat = !self.compare.heat,
            Action::SwapSides => self.swap_sides(),
            Action::TechniqueSweep => self.compare.sweep = true,
            Action::Stress => stress::toggle(self),
            Action::ToggleViewer => self.toggle_viewer(),
            Action::Pick(pixel) => self.pick(pixel),
            Action::TakeOver => self.take_over(),
            Action::Cancel if std::mem::take(&mut self.keys) => {}
            Action::Cancel if self.naming.is_some() => self.answer_naming(false),
            Action::Cancel if self.converting.is_some() => self.cancel_conversion(),
            Action::Cancel if self.filming.is_some() => return Some(Action::CancelFilm),
            Action::Cancel if self.decline() => {}
            Action::Cancel if self.loading.is_some() && self.shown.scene.is_some() => {
                return Some(Action::StopLoading);
            }
            Action::Cancel => self.cancel(),
            Action::Agree => self.agree(),
            Action::NextTechnique => self.next_technique(),
            Action::NextFormat => self.next_format(),
            Action::View(name) => self.go_to(name),
            Action::FrameAll => self.go_to("overview"),
            Action::ToggleVsync => self.config.window.vsync = !self.config.window.vsync,
            Action::AddCameraKey => self.add_camera_key(),
            Action::SaveCameraPath => self.save_camera_path(std::path::Path::new("")),
            Action::SaveScene => self.save_scene(),
            Action::SaveSceneAs => self.ask_to_write(Purpose::SceneToSave),
            Action::BakeCharacter => self.ask_to_write(Purpose::BakedCharacter),
            Action::ExportCharacter => self.ask_to_write(Purpose::ExportFolder),
            Action::OpenScene => self.ask_for(Purpose::Scene),
            Action::OpenCharacters => self.ask_for(Purpose::Characters),
            Action::AskForFiles(wanted) => self.ask_for_files(wanted),
            Action::OpenRecent(place) => self.open_recent(place),
            Action::KeepView => self.keep_view(),
            Action::Undo => self.undo(true),
            Action::Redo => self.undo(false),
            Action::ToggleKeys => self.keys = !self.keys,
            Action::CopyStats
            | Action::CopyCommand
            | Action::Screenshot
            | Action::ToggleFilm
            | Action::CancelFilm
            | Action::CopyCameraPath
            | Action::StopLoading
            | Action::ToggleFullscreen
            | Action::LoseDevice
            | Action::LoseSurface
            | Action::Quit => return Some(action),
        }
        None
    }

    fn next_technique(&mut self) {
        self.config.render.technique = next(self.config.render.technique);
        self.notify_without_panel(format!("technique {}", self.config.render.technique.name()));
    }

    fn next_format(&mut self) {
        let technique = self.config.render.technique;
        if !technique.facts().reads_format() {
            let name = technique.name();
            return self.notify_without_panel(format!("technique {name}: there is no format to choose"));
        }
        self.config.render.format = next(self.config.render.format);
        self.notify_without_panel(format!("format {}", self.config.render.format.name()));
    }

    /// Shows the effect of a key as a notice while the panel is hidden.
    fn notify_without_panel(&mut self, what: String) {
        if !self.panel {
            self.notices.tell(what);
        }
    }

    fn toggle_compare(&mut self) {
        self.compare.on = !self.compare.on;
        if self.compare.on {
            self.compare.tab_before = std::mem::replace(&mut self.tab, Tab::Compare);
        } else if self.tab == Tab::Compare {
            self.tab = self.compare.tab_before;
        }
    }

    fn swap_sides(&mut self) {
        let (right, render) = (&mut self.compare.right, &mut self.config.render);
        std::mem::swap(&mut right.technique, &mut render.technique);
        std::mem::swap(&mut right.format, &mut render.format);
        std::mem::swap(&mut right.source, &mut self.source);
    }

    fn scale_count(&mut self, factor: f64) {
        let count = (f64::from(self.config.scene.count) * factor).round() as u32;
        self.config.scene.count = count.clamp(*COUNT.start(), *COUNT.end());
    }

    /// Sends the camera to a view of the scene.
    pub(super) fn go_to(&mut self, name: &str) {
        if let Some(camera) = self.camera_of(name) {
            self.rig.go_to(camera);
            self.view = Some(name.to_owned());
        }
    }

    pub(super) fn camera_of(&mut self, name: &str) -> Option<Camera> {
        let extent = self.shown.scene.as_ref()?.extent_at(self.clock.seconds);
        let found = Camera::preset(name, &self.config.camera, &extent, self.min_aspect());
        found.map_err(|error| self.notices.fail(error.to_string())).ok()
    }

    /// Switches to a preset, keeping the user's own characters and technique.
    pub(super) fn open_preset(&mut self, name: &str) {
        match Config::scene(name) {
            Ok(mut fresh) => {
                fresh.scene.characters = std::mem::take(&mut self.config.scene.characters);
                self.preset = Config {
                    render: self.preset.render.clone(),
                    ..fresh.clone()
                };
                self.sharing.file = None;
                self.view = Some(fresh.camera.start.clone());
                self.config.scene = fresh.scene;
                let look = std::mem::replace(&mut self.config.look, fresh.look);
                if self.shown.scene.is_some() {
                    self.held_look.get_or_insert(look);
                }
                self.config.camera = fresh.camera;
                self.config.render.msaa = fresh.render.msaa;
            }
            Err(error) => self.notices.fail(error.to_string()),
        }
    }

    /// Sets the scene that is now on the screen. The camera adapts to the crowd's extent unless it was moved by hand.
    pub(super) fn show(&mut self, scene: Arc<Scene>, same_people: bool) {
        let first = self.shown.scene.is_none();
        if let Some(start_notice) = self.start_notice.take() {
            self.notices.tell(start_notice);
        }
        if !same_people && std::mem::take(&mut self.dropped) {
            let resized = scene
                .notes()
                .into_iter()
                .find(|note| matches!(note, Warning::Scaled { .. }));
            if let Some(note) = resized {
                self.notices.tell(note.to_string());
            }
        }
        let gone = |s: &PersonRef| s.index as usize >= scene.crowd.per_character.get(s.character).map_or(0, Vec::len);
        if !same_people || self.selected.as_ref().is_some_and(gone) {
            self.select(None);
        }
        let before = self.shown.scene.as_deref().filter(|_| same_people);
        self.heroes.carry(before, &scene);
        self.shown.clips = clip_names(&scene);
        (self.shown.sockets, self.shown.groups) = (scene.sockets(), scene.groups());
        self.shown.scene = Some(scene);
        self.history.clear();
        self.held_look = None;
        if self.frame_arrival() {
            return;
        }
        let Some(camera) = self.view.clone().and_then(|view| self.camera_of(&view)) else {
            return;
        };
        if first {
            self.rig.jump_to(camera);
        } else {
            self.rig.go_to(camera);
        }
    }

    /// Returns to the scene shown after another one failed or was cancelled.
    pub(super) fn go_back(&mut self, shown: LoadRequest) {
        (self.config.scene, self.config.bake, self.dropped) = (shown.scene, shown.bake, false);
        if let Some(format) = shown.format {
            // Otherwise the failed scene would be requested again.
            self.config.render.format = format;
        }
        self.restore_shown_characters();
        if let Some(look) = self.held_look.take() {
            self.config.look = look;
        }
    }

    /// Settings of the next frame, which its times belong to.
    #[must_use]
    pub(super) fn drawing(&self) -> DrawnSettings {
        let window = &self.config.window;
        DrawnSettings {
            render: RenderConfig {
                raster: self.raster(),
                ..self.config.render.clone()
            },
            source: self.source,
            overdraw: self.inspect.overdraw && !self.compare.on,
            size: (window.width, window.height),
            shadows: self.look().shadows,
            right: self.compare.on.then_some(self.compare.right),
        }
    }

    /// True if nothing moves and nothing is pending, so another frame would be equal.
    #[must_use]
    pub(super) fn is_still(&self) -> bool {
        let paused = self.clock.paused || self.clock.scale == 0.0;
        let awaits = self.pick != PickState::default()
            || self.compare.awaits
            || self.auto_raster.awaits()
            || self.stress.trying().is_some()
            || self.compare.table.left > 0;
        let flashes = self.frame_until.is_some_and(|until| std::time::Instant::now() < until);
        let asks = self.dialog.is_open() || self.naming.is_some() || self.converting.is_some() || flashes;
        let busy = awaits || asks || self.loading.is_some() || self.compare.sweep || !self.actions.is_empty();
        paused && !busy && self.rig.at_rest() && self.notices.are_settled()
    }

    /// Window title, such as `throng - plaza - 2000 people`.
    #[must_use]
    pub(super) fn title(&self) -> String {
        let scene = &self.config.scene.name;
        match &self.shown.scene {
            Some(shown) => {
                let people = match shown.crowd.count() {
                    1 => "1 person".to_owned(),
                    many => format!("{many} people"),
                };
                format!("throng - {scene} - {people}")
            }
            None => format!("throng - {scene} - loading"),
        }
    }
}

fn clip_names(scene: &Scene) -> Vec<String> {
    let mut names = Vec::new();
    for clip in scene.characters.iter().flat_map(|c| &c.palettes.clips) {
        if !names.contains(&clip.name) {
            names.push(clip.name.clone());
        }
    }
    names
}

/// Next value of an enumeration, wrapping around.
fn next<T: ValueEnum + PartialEq>(value: T) -> T {
    let all = T::value_variants();
    let at = all.iter().position(|v| *v == value).unwrap_or(0);
    all[(at + 1) % all.len()].clone()
}

#[cfg(test)]
mod tests;
