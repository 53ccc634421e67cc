//! Views and lens.

use egui::Ui;

use crate::{
    app::{
        panel::widgets::style::{row, slider},
        state::AppState,
    },
    config::limits::{FIELD_OF_VIEW, single},
    view::Camera,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let names: Vec<String> = Camera::preset_names(&state.config.camera).map(str::to_owned).collect();
    ui.horizontal_wrapped(|ui| {
        for name in names {
            let here = state.view.as_deref() == Some(name.as_str());
            if ui.selectable_label(here, &name).clicked() {
                state.go_to(&name);
            }
        }
    });
    row(ui, "lens", "vertical field of view, degrees", |ui| {
        let lens = slider(&mut state.config.camera.fov, single(&FIELD_OF_VIEW))
            .suffix("°")
            .max_decimals(0);
        if ui.add(lens).changed() {
            state.rig.set_fov(state.config.camera.fov.to_radians());
        }
    });
    let camera = state.rig.camera();
    ui.weak(format!(
        "eye {:.1}, {:.1}, {:.1} m",
        camera.eye.x, camera.eye.y, camera.eye.z
    ));
}
