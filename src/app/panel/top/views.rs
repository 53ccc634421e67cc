//! Camera views: those of the scene and the built-in ones.

use egui::{Id, Response, TextEdit, Ui};

use crate::{
    app::{
        panel::widgets::style::shortened,
        state::{AppState, action::Action},
    },
    view::Camera,
};

/// Buttons for all views, and one that saves the camera position as a view.
pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let names: Vec<String> = Camera::preset_names(&state.config.camera).map(str::to_owned).collect();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for name in names {
            let here = state.view.as_deref() == Some(name.as_str());
            let own = state.config.camera.views.contains_key(&name);
            let mut button = ui.selectable_label(here, shortened(&name));
            if own {
                let hint = format!("{name}: view of this scene (right click: rename or remove)");
                button = button.on_hover_text(hint);
                rename(&button, state, &name);
            }
            if button.clicked() {
                state.go_to(&name);
            }
        }
        let keep = ui.button("add");
        if keep
            .on_hover_text("save the camera position as a view of this scene (N)")
            .clicked()
        {
            state.actions.push(Action::KeepView);
        }
    });
}

/// Context menu of a view: rename or remove.
fn rename(button: &Response, state: &mut AppState, name: &str) {
    button.context_menu(|ui| {
        let typed = Id::unique(("name of the view", name));
        let mut text = ui
            .data_mut(|data| data.get_temp::<String>(typed))
            .unwrap_or_else(|| name.to_owned());
        let edit = ui.add(TextEdit::singleline(&mut text).desired_width(120.0));
        let done = edit.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        ui.data_mut(|data| data.insert_temp(typed, text.clone()));
        if ui.button("rename").clicked() || done {
            state.rename_view(name, &text);
            ui.data_mut(|data| data.remove::<String>(typed));
            ui.close();
        }
        if ui.button("remove").clicked() {
            state.forget_view(name);
            ui.close();
        }
    });
}
