//! Saving the scene shown, and opening another one.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    app::{share::absolute_path_text, state::AppState},
    config::{Config, ConfigError, Effort, aliases::replaced_words, limits},
    file::output::Output,
};

/// First line of files written here; other files may hold comments of their own and are not replaced.
const OURS: &str = "# A scene saved by throng.";

impl AppState {
    /// Writes the scene to the file written before, else to a new one.
    pub(in crate::app) fn save_scene(&mut self) {
        let own = self
            .files
            .sharing
            .file
            .clone()
            .filter(|file| is_ours(file) || !file.exists());
        self.save_scene_at(own);
    }

    /// Writes the scene to a chosen file, which later saves overwrite.
    pub(in crate::app) fn save_scene_to(&mut self, file: PathBuf) {
        self.save_scene_at(Some(file));
    }

    fn save_scene_at(&mut self, file: Option<PathBuf>) {
        match self.write_scene_file(file) {
            Ok((file, note)) => {
                let told = format!("saved {}{note}", absolute_path_text(&file));
                tracing::info!("{told}");
                self.notices.tell(told);
                self.remember_recent(&file);
                self.files.sharing.file = Some(file);
            }
            Err(error) => self.notices.fail(format!("{error:#}")),
        }
    }

    /// Writes the scene to `file`, or to a new one; returns the path and a note about what was left out.
    pub(super) fn write_scene_file(&mut self, file: Option<PathBuf>) -> Result<(PathBuf, String)> {
        let (text, note) = self.scene_text()?;
        let file = match file {
            Some(file) => file,
            None => {
                let name = self.config.scene.name.clone();
                self.files.sharing.new_file(&name, "toml")
            }
        };
        Output::create(&file)?.write(text.as_bytes())?;
        Ok((file, note))
    }

    /// Text of a scene file that gives the same picture, and a note about what was left out.
    pub(super) fn scene_text(&self) -> Result<(String, String)> {
        let mut config = self.picture_config();
        // The file keeps the field of view of the settings and the minimum aspect, so each picture shape widens it as
        // needed.
        (config.camera.fov, config.camera.min_aspect) = (self.config.camera.fov, self.min_aspect());
        // The result of `auto` depends on this machine; a file should not.
        config.render.raster = self.config.render.raster;
        let cast = self.with_heroes(config.scene);
        config.scene = cast.scene;
        let mut view = self.picture_view();
        view.time = view.time.filter(|time| limits::TIME.contains(time));
        config.start_with(view);
        let text = format!("{OURS}\n\n{}", config.scene_file().context("the scene")?);
        // Settings that a file cannot hold should fail now, not when the file is opened.
        Config::parse("the scene cannot be saved", &text).map_err(ConfigError::of_no_file)?;
        let note = match cast.omitted_heroes {
            0 => String::new(),
            some => format!(" (without {some} heroes, whose actions a file cannot express)"),
        };
        let note = match self.invalid_setting() {
            None => note,
            Some(invalid_setting) => format!(
                "{note} (as shown, without the invalid change of {})",
                invalid_setting.key
            ),
        };
        Ok((text, note))
    }

    /// Opens a scene file at its start view and time. If it is invalid, the present scene stays.
    pub(in crate::app) fn open_scene(&mut self, file: &Path) {
        match Config::load(file) {
            Ok(fresh) => {
                self.take_scene(fresh);
                self.remember_recent(file);
                self.files.sharing.file = Some(file.to_owned());
                self.tell_of_replaced_words(&file.display().to_string());
            }
            Err(error) => self.notices.fail(error.to_string()),
        }
    }

    /// Tells of words in a scene file that others replace. An empty file stands for the command line.
    pub(in crate::app) fn tell_of_replaced_words(&mut self, file: &str) {
        for sentence in replaced_words(file) {
            self.notices.tell(sentence);
        }
    }

    fn take_scene(&mut self, mut fresh: Config) {
        if fresh.render.effort == Effort::Auto {
            // What suits the adapter, or what was chosen since.
            fresh.render.effort = self.config.render.effort;
        }
        let look = std::mem::replace(&mut self.config.look, fresh.look.clone());
        if self.shown.scene.is_some() {
            self.load.held_look.get_or_insert(look);
        }
        self.config = Config {
            window: self.config.window.clone(),
            ..fresh
        };
        self.preset = self.config.clone();
        if let Some(seconds) = self.config.start_time() {
            self.clock.seconds = seconds;
        }
        self.person.follow = false;
        let start = self.config.camera.start.clone();
        self.view = Some(start.clone());
        // If only the view differs, the crowd need not be built again.
        self.go_to(&start);
    }

    /// Opens a dropped or chosen file as a scene or a character, by its extension.
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

    /// Adds a file to the front of the recent files.
    pub(in crate::app) fn remember_recent(&mut self, file: &Path) {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        self.files.recent.retain(|other| *other != file);
        self.files.recent.insert(0, file);
        self.files.recent.truncate(Self::MOST_RECENT);
    }

    /// Maximum number of recent files.
    pub(in crate::app) const MOST_RECENT: usize = 8;
}

fn is_ours(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.starts_with(OURS))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{app::state::Action, view::Camera};

    /// Three knights on the plaza; files go into `folder`.
    fn shown(folder: &Path) -> AppState {
        let mut config = Config::scene("plaza").expect("a preset");
        config.scene.characters = vec!["knight".into()];
        config.scene.count = 3;
        let mut state = AppState::showing(config);
        state.files.sharing.folder = folder.to_owned();
        state
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn scene_with_a_technique_that_is_gone_opens_with_a_notice() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("gone.toml");
        std::fs::write(&file, "[render]\ntechnique = \"naive\"\n").expect("written");
        let mut state = shown(folder.path());
        state.open_file(&file);
        assert_eq!(state.config.render.technique, crate::config::Technique::Textbook);
        let notices: Vec<&str> = state.notices.current().map(|notice| notice.text.as_str()).collect();
        assert_eq!(notices, ["technique `naive` is gone; `textbook` takes its place"]);
    }

    #[test]
    fn a_saved_scene_opens_with_equal_settings() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = shown(folder.path());
        let camera = Camera {
            eye: Vec3::new(1.0 / 3.0, 2.0, 9.0),
            target: Vec3::Y,
            fov: 45_f32.to_radians(),
        };
        state.rig.jump_to(camera);
        state.clock.seconds = 12.345_678_9;
        (
            state.config.look.exposure,
            state.config.render.msaa,
            state.config.scene.spacing,
        ) = (0.7, 1, 2.5);
        let _ = state.act(Action::KeepView);
        for _ in 0..2 {
            let _ = state.act(Action::SaveScene);
        }
        assert_eq!(names(folder.path()), ["plaza.toml"], "again to its own file");
        let saved = state.config.clone();

        let mut other = shown(folder.path());
        other.open_file(&folder.path().join("plaza.toml"));
        assert!(other.notices.current().all(|notice| !notice.is_error));
        assert_eq!((&other.config.look, &other.config.render), (&saved.look, &saved.render));
        assert_eq!((&other.config.scene, other.clock.seconds), (&saved.scene, 12.345_678_9));
        assert_eq!(other.config.camera.views["view 1"], saved.camera.views["view 1"]);
        other.rig.update(60.0);
        assert_eq!(
            (other.rig.camera().eye, other.rig.camera().target),
            (camera.eye, camera.target)
        );
        assert!(other.files.recent[0].ends_with("plaza.toml") && state.files.recent == other.files.recent);
        // Marks and resets now refer to the settings of the file.
        assert_eq!(other.preset.look, saved.look);
    }

    #[test]
    fn a_faulty_scene_changes_nothing_and_foreign_files_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = shown(folder.path());
        let (faulty, own) = (folder.path().join("faulty.toml"), folder.path().join("own.toml"));
        std::fs::write(&faulty, "[scene]\ncount = -3\n").expect("written");
        std::fs::write(&own, "[scene]\nname = \"own\"\n").expect("written");
        let before = state.config.clone();
        state.open_file(&faulty);
        let told: Vec<_> = state.notices.current().map(|notice| notice.text.clone()).collect();
        assert!(told.len() == 1 && told[0].contains("faulty.toml:2"), "{told:?}");
        assert!(state.config == before && state.files.recent.is_empty());
        state.open_file(&own);
        let _ = state.act(Action::SaveScene);
        assert_eq!(names(folder.path()), ["faulty.toml", "own-2.toml", "own.toml"]);
        assert_eq!(
            std::fs::read_to_string(&own).expect("read"),
            "[scene]\nname = \"own\"\n"
        );
    }

    #[test]
    fn settings_that_no_file_can_hold_are_reported_and_not_saved() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = shown(folder.path());
        state.config.scene.clips = [("walk".to_owned(), 0.0)].into_iter().collect();
        let _ = state.act(Action::SaveScene);
        let told: Vec<_> = state.notices.current().map(|notice| notice.text.clone()).collect();
        assert!(
            told[0].starts_with("the scene cannot be saved: `scene.clips`"),
            "{told:?}"
        );
        assert!(names(folder.path()).is_empty());
    }
}
