//! Toolbar of the panel: files, undo, the command line of the picture, camera views.

pub(crate) mod views;

use egui::{Button, Ui};

use crate::app::state::{AppState, action::Action};

/// Row of buttons.
pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let [undo, redo] = state.undo.can();
    ui.horizontal(|ui| {
        // All buttons fit the narrowest panel.
        ui.spacing_mut().item_spacing.x = 3.0;
        ui.spacing_mut().button_padding.x = 3.0;
        ui.menu_button("File", |ui| file_menu(ui, state))
            .response
            .on_hover_text("open and save files, pictures and films");
        let mut ask = |there: bool, name: &str, hint: &str, action: Action| {
            let button = ui.add_enabled(there, Button::new(name));
            if button.on_hover_text(hint).on_disabled_hover_text(hint).clicked() {
                state.actions.push(action);
            }
        };
        let shown = state.shown.scene.is_some();
        ask(
            shown,
            "Save",
            "save the scene as shown to its file (Ctrl+S)",
            Action::SaveScene,
        );
        ask(
            undo,
            "Undo",
            "undo the newest change of settings (Ctrl+Z)",
            Action::Undo,
        );
        ask(redo, "Redo", "redo the change undone last (Ctrl+Shift+Z)", Action::Redo);
        let command = "copy the command line that draws this picture, without the panel (Ctrl+Shift+C)";
        ask(shown, "Command", command, Action::CopyCommand);
        ask(true, "?", "show all shortcuts (F1)", Action::ToggleKeys);
    });
}

fn file_menu(ui: &mut Ui, state: &mut AppState) {
    let shown = state.shown.scene.is_some();
    let mut chosen = None;
    for (there, name, keys, action) in [
        (!state.dialog.is_open(), "Open scene…", "Ctrl+O", Action::OpenScene),
        (!state.dialog.is_open(), "Open character…", "", Action::OpenCharacters),
        (shown, "Save scene", "Ctrl+S", Action::SaveScene),
        (shown, "Save picture", "F12", Action::Screenshot),
        (shown, "Film (start, end)", "F10", Action::ToggleFilm),
        (shown, "Copy command line", "Ctrl+Shift+C", Action::CopyCommand),
    ] {
        if ui.add_enabled(there, Button::new(name).shortcut_text(keys)).clicked() {
            chosen = Some(action);
        }
    }
    ui.separator();
    ui.weak("recent files");
    if state.recent.is_empty() {
        ui.weak("none yet");
    }
    for (place, file) in state.recent.iter().enumerate() {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        if ui
            .button(name.into_owned())
            .on_hover_text(file.display().to_string())
            .clicked()
        {
            chosen = Some(Action::OpenRecent(place));
        }
    }
    if let Some(action) = chosen {
        state.actions.push(action);
        ui.close();
    }
}
