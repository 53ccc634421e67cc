//! What the user wants and what the window shows: everything but GPU and window handles.

pub(crate) mod action;
mod camera_path;
mod clock;
pub(crate) mod expensive;
mod frame;
mod hold;
pub(crate) mod notices;
pub(crate) mod open;
pub(crate) mod profile;
mod shown;
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
        dialog::{Dialog, Purpose},
        invalid_setting::Check,
        loader::LoadRequest,
        panel::WIDTHS,
        person::{heroes::Heroes, pick::PickState},
        share::{Filming, Sharing},
        state::{
            clock::SceneClock,
            expensive::ExpensiveScene,
            notices::Notices,
            open::Arrivals,
            profile::{DrawnSettings, History},
            undo::Undo,
        },
        stress::{self, Stress},
    },
    config::{Config, LookConfig, RenderConfig},
    render::{resources::AtlasSource, stats::counted},
    scene::{Scene, Selected, Warning},
    view::{Camera, CameraRig},
};

/// Fewest and most characters.
pub(super) use crate::config::limits::COUNT;

/// The application without its window.
pub(super) struct AppState {
    /// Settings that the user requested; the window follows as soon as it can.
    pub config: Config,
    /// The settings as the scene's preset or file has them, for going back.
    pub preset: Config,
    /// Where the shader should read the atlas from.
    pub source: AtlasSource,
    /// Measure which source is faster once the first scene is there: the user named none.
    pub measure_source: bool,
    /// Scene time.
    pub clock: SceneClock,
    /// The camera.
    pub rig: CameraRig,
    /// The view that the camera was sent to last, unless it has been moved by hand since.
    pub view: Option<String>,
    /// Whether the panel is shown.
    pub panel: bool,
    /// The file that the camera's path was saved to.
    pub saved_path: Option<std::path::PathBuf>,
    /// Files of the scene, pictures.
    pub sharing: Sharing,
    /// The film being made.
    pub filming: Option<Filming>,
    /// The system's dialog for files.
    pub dialog: Dialog,
    /// Scenes and characters opened lately, the newest first.
    pub recent: Vec<std::path::PathBuf>,
    /// Points of the panel against those of the system.
    pub zoom: f32,
    /// Size of the window while it does not fill the screen, pixels.
    pub windowed: (u32, u32),
    /// Changes of settings, for taking them back.
    pub undo: Undo,
    /// Whether all keys are shown.
    pub keys: bool,
    /// Width of the panel, points.
    pub panel_width: f32,
    /// The page of the panel.
    pub tab: Tab,
    /// Two draw methods side by side.
    pub compare: Compare,
    /// The search for the largest crowd.
    pub stress: Stress,
    /// Inspection of detail and culling.
    pub inspect: Inspect,
    /// Rasterizer that `auto` has chosen.
    pub auto_raster: AutoRaster,
    /// The character tab.
    pub character: CharacterTab,
    /// The person picked.
    pub selected: Option<Selected>,
    /// A click, and who was under it.
    pub pick: PickState,
    /// People taken over from the crowd.
    pub heroes: Heroes,
    /// The camera goes along with the person picked.
    pub follow: bool,
    /// Where that person was at the last frame.
    pub followed: Option<glam::Vec3>,
    /// Neither scene, count nor character was given: the start may be eased on slow adapters.
    pub is_default_scene: bool,
    /// To tell once the first picture is there.
    pub start_notice: Option<String>,
    /// Lines to tell.
    pub notices: Notices,
    /// Files dropped on the window.
    pub arrivals: Arrivals,
    /// The characters being loaded were dropped on the window.
    pub dropped: bool,
    /// Whether the system tells of files dropped on the window.
    pub takes_drops: bool,
    /// A file dragged over the window.
    pub hovering: Option<std::path::PathBuf>,
    /// Scene being loaded, and its progress.
    pub loading: Option<Loading>,
    /// How far the making of LODs is, while they are being made.
    pub lods_share: Option<f32>,
    /// A crowd that somebody has to agree to.
    pub expensive: Option<ExpensiveScene>,
    /// People asked for at the start, while few show what they cost.
    pub deferred: Option<u32>,
    /// The largest crowd that somebody agreed to.
    pub agreed: u32,
    /// Light and ground of the scene shown, while that of another preset is being built.
    pub held_look: Option<LookConfig>,
    /// State of the screen.
    pub shown: ScreenState,
    /// Times of the newest frames.
    pub history: History,
    /// Whether the scene asked for can be built.
    pub check: Check,
    /// Requested and not yet done.
    pub actions: Vec<Action>,
    /// Keys held beside others.
    pub modifiers: Modifiers,
}

impl AppState {
    /// As requested.
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
            history: History::default(),
            check: Check::default(),
            actions: Vec::new(),
            modifiers: Modifiers::default(),
            config,
        };
        if options.viewer {
            state.toggle_viewer();
            state.tab = Tab::Character;
        }
        state
    }

    /// Does what concerns only this state; gives back what concerns window or device.
    #[must_use]
    pub(super) fn act(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::TogglePanel => self.panel = !self.panel,
            Action::TogglePause => self.clock.paused = !self.clock.paused,
            Action::Step(steps) => self.clock.step(steps),
            Action::ScaleCount(factor) => self.scale_count(factor),
            Action::NextSeed => self.config.scene.seed = self.config.scene.seed.wrapping_add(1) & (u64::MAX >> 1),
            Action::ToggleCompare => self.toggle_compare(),
            Action::ToggleHeat => self.compare.heat = !self.compare.heat,
            Action::SwapSides => self.swap_sides(),
            Action::TechniqueSweep => self.compare.sweep = true,
            Action::Stress => stress::toggle(self),
            Action::ToggleViewer => {
                self.toggle_viewer();
                self.tab = Tab::Character;
            }
            Action::Pick(pixel) => self.pick(pixel),
            Action::TakeOver => self.take_over(),
            Action::Cancel if std::mem::take(&mut self.keys) => {}
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
            return self.notify_without_panel(format!("technique {name} reads no atlas: there is no format to choose"));
        }
        self.config.render.format = next(self.config.render.format);
        self.notify_without_panel(format!("format {}", self.config.render.format.name()));
    }

    /// Tells the effect of a key if the panel does not show it.
    fn notify_without_panel(&mut self, what: String) {
        if !self.panel {
            self.notices.tell(what);
        }
    }

    fn toggle_compare(&mut self) {
        self.compare.on = !self.compare.on;
        self.tab = if self.compare.on { Tab::Compare } else { Tab::Crowd };
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

    fn camera_of(&mut self, name: &str) -> Option<Camera> {
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

    /// Takes over a scene that is now on the screen; the camera follows the crowd's extent as
    /// long as nobody has moved it.
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
        let gone = |s: &Selected| s.index as usize >= scene.crowd.per_character.get(s.character).map_or(0, Vec::len);
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
        let Some(camera) = self.view.clone().and_then(|view| self.camera_of(&view)) else {
            return;
        };
        if first {
            self.rig.jump_to(camera);
        } else {
            self.rig.go_to(camera);
        }
    }

    /// Back to the scene that is shown, after another one failed or was not waited for.
    pub(super) fn go_back(&mut self, LoadRequest { scene, bake, format }: LoadRequest) {
        (self.config.scene, self.config.bake, self.dropped) = (scene, bake, false);
        if let Some(format) = format {
            // Else the loader would be asked for the other one again.
            self.config.render.format = format;
        }
        self.restore_shown_characters();
        if let Some(look) = self.held_look.take() {
            self.config.look = look;
        }
    }

    /// Description of the next frame, to which its times belong.
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

    /// Whether nothing moves and nothing is awaited: a further picture would be this one.
    #[must_use]
    pub(super) fn is_still(&self) -> bool {
        let paused = self.clock.paused || self.clock.scale == 0.0;
        let awaits = self.pick != PickState::default()
            || self.compare.awaits
            || self.auto_raster.awaits()
            || self.stress.trying().is_some()
            || self.compare.table.left > 0;
        let busy =
            awaits || self.dialog.is_open() || self.loading.is_some() || self.compare.sweep || !self.actions.is_empty();
        paused && !busy && self.rig.at_rest() && self.notices.are_settled()
    }

    /// `throng - plaza - 2000 instances`.
    #[must_use]
    pub(super) fn title(&self) -> String {
        let scene = &self.config.scene.name;
        match &self.shown.scene {
            Some(shown) => {
                let instances = counted(shown.crowd.count() as u64, "instance");
                format!("throng - {scene} - {instances}")
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

/// The value after this one, round.
fn next<T: ValueEnum + PartialEq>(value: T) -> T {
    let all = T::value_variants();
    let at = all.iter().position(|v| *v == value).unwrap_or(0);
    all[(at + 1) % all.len()].clone()
}

#[cfg(test)]
mod tests;
