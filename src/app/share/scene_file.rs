//! Saving the scene that is shown, and opening another one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    app::{share::whereabouts, state::AppState},
    config::{Config, ConfigError, limits},
    file::output::Output,
};

/// How files begin that were written here: others may hold words of somebody's own, and are not replaced.
const OURS: &str = "# A scene saved by throng.";

impl AppState {
    /// Writes the scene to its file: again to the one that was written before, else to a new one.
    pub(in crate::app) fn save_scene(&mut self) {
        let own = self.sharing.file.clone().filter(|file| is_ours(file));
        match self.write_scene_file(own) {
            Ok((file, note)) => {
                let told = format!("saved {}{note}", whereabouts(&file));
                tracing::info!("{told}");
                self.notices.tell(told);
                self.remember_recent(&file);
                self.sharing.file = Some(file);
            }
            Err(error) => self.notices.fail(format!("{error:#}")),
        }
    }

    /// Writes the scene to a file, a new one where none is given; what it cannot say.
    pub(super) fn write_scene_file(&mut self, file: Option<PathBuf>) -> Result<(PathBuf, String)> {
        let (text, note) = self.scene_text()?;
        let file = match file {
            Some(file) => file,
            None => {
                let name = self.config.scene.name.clone();
                self.sharing.new_file(&name, "toml")
            }
        };
        Output::create(&file)?.write(text.as_bytes())?;
        Ok((file, note))
    }

    /// The scene as a file that shows the same picture, and what it cannot say.
    fn scene_text(&self) -> Result<(String, String)> {
        let mut config = self.picture_config();
        // Windows of another shape have a wider one themselves.
        config.camera.fov = self.config.camera.fov;
        let cast = self.with_heroes(config.scene);
        config.scene = cast.scene;
        let mut view = self.picture_view();
        view.time = view.time.filter(|time| limits::TIME.contains(time));
        config.start_with(view);
        let text = format!("{OURS}\n\n{}", config.scene_file().context("the scene")?);
        // What the window can set and a file cannot hold is better known now than when it is opened.
        Config::parse("the scene cannot be saved", &text).map_err(ConfigError::of_no_file)?;
        let note = match cast.unsaid {
            0 => String::new(),
            some => format!(" (without {some} of those taken over: a file cannot say what they do)"),
        };
        Ok((text, note))
    }

    /// Shows the scene of a file, from its first view and moment on. Where it is faulty, the present one stays.
    pub(in crate::app) fn open_scene(&mut self, file: &Path) {
        match Config::load(file) {
            Ok(fresh) => {
                self.take_scene(fresh);
                self.remember_recent(file);
                self.sharing.file = Some(file.to_owned());
            }
            Err(error) => self.notices.fail(error.to_string()),
        }
    }

    fn take_scene(&mut self, fresh: Config) {
        let look = std::mem::replace(&mut self.config.look, fresh.look.clone());
        if self.shown.scene.is_some() {
            self.held_look.get_or_insert(look);
        }
        self.config = Config {
            window: self.config.window.clone(),
            ..fresh
        };
        self.preset = self.config.clone();
        if let Some(seconds) = self.config.start_time() {
            self.clock.seconds = seconds;
        }
        self.follow = false;
        let start = self.config.camera.start.clone();
        self.view = Some(start.clone());
        // The same people seen from elsewhere need not be built anew.
        self.go_to(&start);
    }

    /// What was dropped on the window or chosen: a scene or a character, by its name.
    pub(in crate::app) fn open_file(&mut self, file: &Path) {
        let is_scene = file
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        if is_scene {
            self.open_scene(file);
        } else {
            self.open_model(file);
            if self.config.scene.characters == [file] {
                self.remember_recent(file);
            }
        }
    }

    /// Puts a file in front of those that were opened lately.
    pub(in crate::app) fn remember_recent(&mut self, file: &Path) {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        self.recent.retain(|other| *other != file);
        self.recent.insert(0, file);
        self.recent.truncate(Self::MOST_RECENT);
    }

    /// Files in the list of recent ones, at most.
    pub(in crate::app) const MOST_RECENT: usize = 8;
}

fn is_ours(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.starts_with(OURS))
}
