//! Camera section: field of view, and the camera path for films.

use egui::{Button, Ui};

use crate::{
    app::{
        panel::widgets::style::{row, slider},
        state::{AppState, action::Action},
    },
    config::limits::{FIELD_OF_VIEW, single},
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    row(ui, "lens", "vertical field of view (degrees)", |ui| {
        let lens = slider(&mut state.config.camera.fov, single(&FIELD_OF_VIEW))
            .suffix("°")
            .max_decimals(0);
        if ui.add(lens).changed() {
            state.rig.set_fov(state.config.camera.fov.to_radians());
        }
    });
    let hint = "frame what F12 and films save: the picture at the window's size, without the panel";
    row(ui, "picture", hint, |ui| {
        ui.checkbox(&mut state.ui.shows_frame, "show its frame")
            .on_hover_text(hint);
    });
    path(ui, state);
    let camera = state.rig.camera();
    ui.weak(format!(
        "eye {:.1}, {:.1}, {:.1} m",
        camera.eye.x, camera.eye.y, camera.eye.z
    ));
}

/// Camera path: its keys are played back by `throng film` and by the view `path`.
fn path(ui: &mut Ui, state: &mut AppState) {
    let told = match &state.config.camera.path[..] {
        [] => "no keys".to_owned(),
        [only] => format!("a key at {:.2} s", only.time),
        [first, .., last] => {
            let keys = state.config.camera.path.len();
            format!("{keys} keys, {:.2} to {:.2} s", first.time, last.time)
        }
    };
    row(ui, "path", "camera path: camera positions at scene times", |ui| {
        ui.weak(told)
    });
    row(ui, "", "", |ui| {
        let any = !state.config.camera.path.is_empty();
        let mut ask = |ui: &mut Ui, there: bool, name: &str, hint: &str, action: Action| {
            if ui
                .add_enabled(there, Button::new(name).small())
                .on_hover_text(hint)
                .clicked()
            {
                state.actions.push(action);
            }
        };
        ask(
            ui,
            true,
            "add key",
            "add the current camera at the current time (P)",
            Action::AddCameraKey,
        );
        let copied = "copy the keys as [[camera.path]] for a scene file";
        ask(ui, any, "copy", copied, Action::CopyCameraPath);
        let saved = "save the scene with its camera path, for throng film (Ctrl+Shift+P)";
        ask(ui, any, "save", saved, Action::SaveCameraPath);
        let remove = ui.add_enabled(any, Button::new("remove").small());
        if remove
            .on_hover_text("remove the key nearest to the current time")
            .clicked()
        {
            state.remove_camera_key();
        }
    });
}
