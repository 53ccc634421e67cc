//! Actions of keys and buttons that need window, device or clipboard.

use winit::{
    event_loop::ActiveEventLoop,
    window::{Fullscreen, Window},
};

use crate::app::{
    presenter::Presenter,
    share::Screenshot,
    state::{AppState, action::Action},
    window::App,
};

impl App {
    /// Performs the actions requested since the last frame.
    pub(super) fn finish_actions(&mut self, event_loop: &ActiveEventLoop) {
        for action in std::mem::take(&mut self.state.actions) {
            match (self.state.act(action), &mut self.stage) {
                (Some(Action::Quit), _) => event_loop.exit(),
                (Some(Action::StopLoading), _) => self.stop_loading(),
                (Some(Action::ToggleFilm), _) => self.toggle_film(),
                (Some(Action::CancelFilm), _) => self.end_film(true),
                (Some(Action::LoseDevice), Some(stage)) => stage.gpu.device.destroy(),
                (Some(Action::LoseSurface), Some(stage)) => stage.lose_surface(),
                (Some(Action::ToggleFullscreen), Some(stage)) => toggle_fullscreen(&stage.window),
                (Some(Action::CopyCameraPath), Some(stage)) => {
                    stage.gui.copy(self.state.camera_path_toml());
                    self.state.notices.tell("camera path copied as TOML");
                }
                (Some(Action::CopyStats), Some(stage)) => copy_statistics(stage, &mut self.state),
                (Some(Action::CopyCommand), Some(stage)) => match self.state.shot_command(&self.choice) {
                    Ok(command) => {
                        tracing::info!("command: {command}");
                        stage.gui.copy(command);
                        self.state.notices.tell("command line of this picture copied");
                    }
                    Err(error) => self.state.notices.fail(format!("{error:#}")),
                },
                (Some(Action::Screenshot), Some(stage)) => take_screenshot(stage, &mut self.state),
                _ => {}
            }
        }
    }

    /// Records changes of settings for undo.
    pub(super) fn note_changes(&mut self) {
        let held = self.stage.as_ref().is_some_and(|stage| stage.gui.is_held());
        self.state.note_changes(held);
    }
}

fn copy_statistics(stage: &mut Presenter, state: &mut AppState) {
    match serde_json::to_string_pretty(&state.shown.stats) {
        Ok(json) => {
            stage.gui.copy(json);
            state.notices.tell("statistics copied as JSON");
        }
        Err(error) => state.notices.fail(error.to_string()),
    }
}

fn take_screenshot(stage: &mut Presenter, state: &mut AppState) {
    match stage.picture(state) {
        Ok(Some(picture)) => {
            let (scene, window) = (state.config.scene.name.clone(), &state.config.window);
            let size = (window.width, window.height);
            let file = state.files.sharing.new_file(&scene, "png");
            state.flash_frame();
            Screenshot { picture, size, file }.write_in_background(&stage.gpu, state.files.sharing.outcome_sender());
        }
        Ok(None) => state.notices.tell("no picture yet: the scene is loading"),
        Err(error) => state.notices.fail(error.to_string()),
    }
}

fn toggle_fullscreen(window: &Window) {
    let now = window.fullscreen().is_some();
    window.set_fullscreen((!now).then_some(Fullscreen::Borderless(None)));
}
