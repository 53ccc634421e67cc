//! Saved camera views, and requested files.

use crate::{
    app::{
        dialog::{DialogAnswer, Purpose},
        state::{AppState, naming::NamePrompt},
    },
    config::ViewConfig,
    view::{BUILT_IN_VIEWS, Camera},
};

impl AppState {
    /// Saves the camera position as a view of the scene under a free name; a saved scene file includes it.
    pub(super) fn keep_view(&mut self) {
        let views = &self.config.camera.views;
        let with_number = (1_u32..).map(|number| format!("view {number}"));
        let free = |name: &String| !views.contains_key(name);
        let Some(name) = with_number.into_iter().find(free) else {
            return;
        };
        let camera: Camera = self.lens_camera();
        let view = ViewConfig {
            eye: camera.eye.into(),
            target: camera.target.into(),
            time: None,
        };
        self.config.camera.views.insert(name.clone(), view);
        self.notices.tell(format!(
            "saved as \"{name}\" for this session; save the scene (Ctrl+S) to keep it"
        ));
        self.view = Some(name);
    }

    /// Camera; that of a plan comes near, so that the scene's lens shows its target as large.
    pub(in crate::app) fn lens_camera(&self) -> Camera {
        let camera = self.rig.camera();
        match camera.is_plan() {
            true => camera.at_fov(self.config.camera.fov.to_radians()),
            false => *camera,
        }
    }

    /// Renames a view of the scene; does nothing if the name is taken or built in.
    pub(in crate::app) fn rename_view(&mut self, from: &str, to: &str) {
        let to = to.trim();
        let taken = to.is_empty() || BUILT_IN_VIEWS.contains(&to) || to == crate::config::CAMERA_PATH;
        let views = &mut self.config.camera.views;
        if from == to || taken || views.contains_key(to) {
            return;
        }
        if let Some(view) = views.remove(from) {
            views.insert(to.to_owned(), view);
            if self.view.as_deref() == Some(from) {
                self.view = Some(to.to_owned());
            }
            if self.config.camera.start == from {
                to.clone_into(&mut self.config.camera.start);
            }
        }
    }

    /// Removes a view of the scene.
    pub(in crate::app) fn forget_view(&mut self, name: &str) {
        self.config.camera.views.remove(name);
        if self.view.as_deref() == Some(name) {
            self.view = None;
        }
        if self.config.camera.start == name {
            BUILT_IN_VIEWS[0].clone_into(&mut self.config.camera.start);
        }
    }

    /// Opens the system's dialog for files.
    pub(in crate::app) fn ask_for(&mut self, purpose: Purpose) {
        let name = self.proposed_name(purpose);
        if let Err(error) = self.files.dialog.ask(purpose, &name) {
            self.notices
                .fail(format!("cannot start a thread for the file dialog: {error}"));
        }
    }

    /// Opens the files chosen in the dialog; true if there was an answer.
    pub(in crate::app) fn poll_dialog(&mut self) -> bool {
        match self.files.dialog.poll() {
            None => return false,
            Some(DialogAnswer::NoDialog(purpose, _)) if purpose.writes() => {
                self.files.naming = Some(NamePrompt::new(purpose, self.proposed_name(purpose)));
            }
            Some(DialogAnswer::NoDialog(_, why)) => self.notices.fail(why),
            Some(DialogAnswer::Files(Purpose::Scene, files)) => files.iter().for_each(|file| self.open_file(file)),
            Some(DialogAnswer::Files(Purpose::Characters | Purpose::Prop, files)) => self.open_chosen(&files),
            Some(DialogAnswer::Files(purpose, files)) => {
                files
                    .into_iter()
                    .take(1)
                    .for_each(|file| self.write_named(purpose, file));
            }
        }
        true
    }

    /// Opens one of the recent files.
    pub(super) fn open_recent(&mut self, place: usize) {
        let Some(file) = self.files.recent.get(place).cloned() else {
            return;
        };
        if file.exists() {
            self.open_file(&file);
        } else {
            self.files.recent.retain(|other| *other != file);
            self.notices.fail(format!("{} no longer exists", file.display()));
        }
    }
}
