//! State of the application: settings, requests and what the window shows, without GPU and window handles.

pub(crate) mod action;
mod camera_path;
mod clock;
pub(crate) mod expensive;
mod files;
mod frame;
mod hold;
mod load;
pub(crate) mod naming;
pub(crate) mod notices;
pub(crate) mod open;
mod person;
pub(crate) mod playback;
pub(crate) mod profile;
mod shown;
mod tracks;
mod ui;
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
        dialog::Purpose,
        loader::LoadRequest,
        person::pick::PickState,
        state::{
            clock::SceneClock,
            files::FileState,
            load::LoadState,
            notices::Notices,
            person::PersonState,
            profile::{DrawnSettings, History},
            ui::UiState,
            undo::Undo,
        },
        stress::{self, Stress},
    },
    config::{Config, RenderConfig},
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
    /// Undo history of settings.
    pub undo: Undo,
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
    /// Notices shown in the panel.
    pub notices: Notices,
    /// Scene and statistics on the screen.
    pub shown: ScreenState,
    /// Nothing moves: the last frames before drawing is suspended.
    pub rests: bool,
    /// Times of the newest frames.
    pub history: History,
    /// Actions requested and not yet performed.
    pub actions: Vec<Action>,
    /// Modifier keys held.
    pub modifiers: Modifiers,
    /// Panel, overlays and size of the window.
    pub ui: UiState,
    /// Files written, chosen, dropped and recent.
    pub files: FileState,
    /// Person selected and people taken over.
    pub person: PersonState,
    /// Requested scene until it is shown.
    pub load: LoadState,
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
            undo: Undo::default(),
            compare: Compare::default(),
            stress: Stress::default(),
            inspect: Inspect::default(),
            auto_raster: AutoRaster::default(),
            character: CharacterTab::default(),
            notices: Notices::default(),
            shown: ScreenState::default(),
            rests: false,
            history: History::default(),
            actions: Vec::new(),
            modifiers: Modifiers::default(),
            config,
            ui: UiState::new(options),
            files: FileState::new(options),
            person: PersonState::default(),
            load: LoadState::new(options),
        };
        if options.viewer {
            state.toggle_viewer();
        }
        let scene = options.scene.as_ref().map(|file| file.display().to_string());
        for file in [Some(String::new()), scene].into_iter().flatten() {
            state.tell_of_replaced_words(&file);
        }
        state
    }

    /// Performs an action that concerns only this state; returns one that needs window or device.
    #[must_use]
    pub(super) fn act(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::TogglePanel => self.ui.panel = !self.ui.panel,
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
            Action::Cancel if std::mem::take(&mut self.ui.keys) => {}
            Action::Cancel if self.files.naming.is_some() => self.answer_naming(false),
            Action::Cancel if self.files.converting.is_some() => self.cancel_conversion(),
            Action::Cancel if self.files.filming.is_some() => return Some(Action::CancelFilm),
            Action::Cancel if self.decline() => {}
            Action::Cancel if self.load.loading.is_some() && self.shown.scene.is_some() => {
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
            Action::ToggleKeys => self.ui.keys = !self.ui.keys,
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
        if !self.ui.panel {
            self.notices.tell(what);
        }
    }

    fn toggle_compare(&mut self) {
        self.compare.on = !self.compare.on;
        if self.compare.on {
            self.compare.tab_before = std::mem::replace(&mut self.ui.tab, Tab::Compare);
        } else if self.ui.tab == Tab::Compare {
            self.ui.tab = self.compare.tab_before;
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
                self.files.sharing.file = None;
                self.view = Some(fresh.camera.start.clone());
                self.config.scene = fresh.scene;
                let look = std::mem::replace(&mut self.config.look, fresh.look);
                if self.shown.scene.is_some() {
                    self.load.held_look.get_or_insert(look);
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
        if let Some(start_notice) = self.load.start_notice.take() {
            self.notices.tell(start_notice);
        }
        if !same_people && std::mem::take(&mut self.files.dropped) {
            let resized = scene
                .notes()
                .into_iter()
                .find(|note| matches!(note, Warning::Scaled { .. }));
            if let Some(note) = resized {
                self.notices.tell(note.to_string());
            }
        }
        let gone = |s: &PersonRef| s.index as usize >= scene.crowd.per_character.get(s.character).map_or(0, Vec::len);
        if !same_people || self.person.selected.as_ref().is_some_and(gone) {
            self.select(None);
        }
        let before = self.shown.scene.as_deref().filter(|_| same_people);
        self.person.heroes.carry(before, &scene);
        self.shown.clips = clip_names(&scene);
        (self.shown.sockets, self.shown.groups) = (scene.sockets(), scene.groups());
        self.shown.scene = Some(scene);
        self.history.clear();
        self.load.held_look = None;
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
        (self.config.scene, self.config.bake, self.files.dropped) = (shown.scene, shown.bake, false);
        if let Some(format) = shown.format {
            // Otherwise the failed scene would be requested again.
            self.config.render.format = format;
        }
        self.restore_shown_characters();
        if let Some(look) = self.load.held_look.take() {
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
        let awaits = self.person.pick != PickState::default()
            || self.compare.awaits
            || self.auto_raster.awaits()
            || self.stress.trying().is_some()
            || self.compare.table.left > 0;
        let flashes = self
            .ui
            .frame_until
            .is_some_and(|until| std::time::Instant::now() < until);
        let asks =
            self.files.dialog.is_open() || self.files.naming.is_some() || self.files.converting.is_some() || flashes;
        let busy = awaits || asks || self.load.loading.is_some() || self.compare.sweep || !self.actions.is_empty();
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
