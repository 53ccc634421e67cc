//! Camera path for films: keys with camera positions at scene times.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    app::state::AppState,
    config::{CAMERA_PATH, CameraKeyConfig, limits},
    file::output::Output,
    view::Camera,
};

/// Time difference (s) within which a new key replaces an old one.
const SAME: f32 = 1e-3;
/// Frames per second of the suggested film, the default of `throng film`.
const RATE: f32 = 24.0;

impl AppState {
    /// Adds a key with the current camera at the current scene time; replaces a key at the same time.
    pub(super) fn add_camera_key(&mut self) {
        let time = self.clock.seconds as f32;
        if !limits::TIME.contains(&f64::from(time)) {
            return self
                .notices
                .fail("camera keys must lie within the first year of scene time");
        }
        let camera = self.lens_camera();
        let key = CameraKeyConfig {
            time,
            eye: camera.eye.into(),
            target: camera.target.into(),
        };
        let path = &mut self.config.camera.path;
        path.retain(|other| (other.time - time).abs() >= SAME);
        let place = path.partition_point(|other| other.time < time);
        path.insert(place, key);
        let keys = path.len();
        self.notices
            .tell(format!("camera path: key {} of {keys}, at {time:.2} s", place + 1));
    }

    /// Removes the key nearest to the current time.
    pub(in crate::app) fn remove_camera_key(&mut self) {
        let now = self.clock.seconds as f32;
        let path = &mut self.config.camera.path;
        let far = |key: &CameraKeyConfig| (key.time - now).abs();
        let nearest = (0..path.len()).min_by(|&a, &b| far(&path[a]).total_cmp(&far(&path[b])));
        if let Some(nearest) = nearest {
            path.remove(nearest);
        }
        if path.is_empty() && self.view.as_deref() == Some(CAMERA_PATH) {
            self.view = None;
        }
    }

    /// Moves the camera along the path while the view `path` is active.
    pub(in crate::app) fn follow_camera_path(&mut self) {
        let camera = &self.config.camera;
        let follows = self.view.as_deref() == Some(CAMERA_PATH) && !camera.views.contains_key(CAMERA_PATH);
        if follows && let Some(camera) = Camera::along_path(camera, self.clock.seconds) {
            self.rig.jump_to(camera);
        }
    }

    /// Camera path as TOML, as in a scene file.
    pub(in crate::app) fn camera_path_toml(&self) -> String {
        let point = |[x, y, z]: [f32; 3]| format!("[{x:?}, {y:?}, {z:?}]");
        let key = |key: &CameraKeyConfig| {
            let (eye, target) = (point(key.eye), point(key.target));
            format!(
                "[[camera.path]]\ntime = {:?}\neye = {eye}\ntarget = {target}\n",
                key.time
            )
        };
        self.config.camera.path.iter().map(key).collect::<Vec<_>>().join("\n")
    }

    /// Writes the scene with its camera path to a file, and shows the command that films it.
    pub(super) fn save_camera_path(&mut self, folder: &Path) {
        if self.config.camera.path.is_empty() {
            return self.notices.fail("the camera path has no keys yet; press P to add one");
        }
        match self.write_scene(folder) {
            Ok(file) => {
                let keys = &self.config.camera.path;
                let (first, last) = (keys[0].time, keys[keys.len() - 1].time);
                let frames = ((last - first) * RATE).ceil() as u32 + 1;
                let (scene, video) = (file.display(), file.with_extension("mp4"));
                self.notices.tell(format!(
                    "wrote {scene}: throng film --scene {scene} --time {first} --frames 0..{frames} -o {}",
                    video.display()
                ));
                self.files.saved_path = Some(file);
            }
            Err(error) => self.notices.fail(format!("{error:#}")),
        }
    }

    /// Writes to the file written before, else to a free name.
    fn write_scene(&self, folder: &Path) -> Result<PathBuf> {
        let text = self.config.scene_file().context("the scene")?;
        let name = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let scene: String = self.config.scene.name.chars().map(name).collect();
        let with_number = |number: u32| match number {
            1 => folder.join(format!("{scene}-path.toml")),
            _ => folder.join(format!("{scene}-path-{number}.toml")),
        };
        let free = || (1..1000).map(with_number).find(|file| !file.exists());
        let own = self
            .files
            .saved_path
            .clone()
            .filter(|file| file.parent() == Some(folder));
        let file = own.or_else(free).context("all names for the scene file are taken")?;
        Output::create(&file)?.write(text.as_bytes())?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{
        app::{AppOptions, state::Action},
        config::Config,
    };

    fn state() -> AppState {
        AppState::new(&AppOptions::of(Config::scene("plaza").expect("a preset")))
    }

    fn key_at(state: &mut AppState, seconds: f64, x: f32) {
        state.clock.seconds = seconds;
        state.rig.jump_to(Camera {
            eye: Vec3::new(x, 2.0, 9.0),
            target: Vec3::Y,
            fov: 0.8,
        });
        assert_eq!(state.act(Action::AddCameraKey), None);
    }

    fn times(state: &AppState) -> Vec<f32> {
        state.config.camera.path.iter().map(|key| key.time).collect()
    }

    #[test]
    fn camera_keys_are_sorted_with_unique_times() {
        let mut state = state();
        for (seconds, x) in [(2.0, 1.0), (0.5, 2.0), (4.0, 3.0), (2.0, 4.0)] {
            key_at(&mut state, seconds, x);
        }
        assert_eq!(times(&state), [0.5, 2.0, 4.0]);
        assert_eq!(state.config.camera.path[1].eye, [4.0, 2.0, 9.0], "the newer of two");
        assert_eq!(state.config.validation_error(), None);
        state.clock.seconds = 1.7;
        state.remove_camera_key();
        assert_eq!(times(&state), [0.5, 4.0]);
        state.view = Some(CAMERA_PATH.to_owned());
        (0..3).for_each(|_| state.remove_camera_key());
        assert_eq!((times(&state), state.view), (vec![], None));
    }

    #[test]
    fn the_path_view_follows_scene_time() {
        let mut state = state();
        key_at(&mut state, 0.0, 0.0);
        key_at(&mut state, 2.0, 8.0);
        state.clock.seconds = 1.0;
        state.follow_camera_path();
        assert_eq!(state.rig.camera().eye.x, 8.0, "a camera moved by hand stays");
        state.view = Some(CAMERA_PATH.to_owned());
        state.follow_camera_path();
        assert!((state.rig.camera().eye.x - 4.0).abs() < 1e-5);
    }

    #[test]
    fn saved_and_copied_camera_paths_load_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = state();
        state.save_camera_path(folder.path());
        assert!(state.notices.current().all(|notice| notice.is_error));
        key_at(&mut state, 0.25, 1.0);
        key_at(&mut state, 1.5, 1.0 / 3.0);
        std::fs::write(folder.path().join("plaza-path.toml"), "mine").expect("written");
        state.config.scene.count = 7;
        (0..2).for_each(|_| state.save_camera_path(folder.path()));
        let told = state.notices.current().next().map(|notice| notice.text.clone());
        assert!(
            told.as_ref()
                .is_some_and(|told| told.contains("--time 0.25 --frames 0..31")),
            "{told:?}"
        );
        let mut names: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
        names.sort_by_key(std::fs::DirEntry::file_name);
        assert_eq!(names.len(), 2, "saved twice to the same file, beside somebody else's");
        let saved = Config::load(&folder.path().join("plaza-path-2.toml")).expect("a scene");
        assert_eq!(saved.camera.path, state.config.camera.path);
        assert_eq!(
            (saved.camera.start.as_str(), saved.scene),
            ("path", state.config.scene.clone())
        );
        let copied = Config::parse("copied", &state.camera_path_toml()).expect("a scene's part");
        assert_eq!(copied.camera.path, state.config.camera.path);
    }
}
