//! Toolbar of the panel: files, undo, the command line of the picture, camera views.

pub(crate) mod views;

use egui::{Button, Ui};

use crate::app::{
    panel::widgets::style::shortened,
    state::{AppState, action::Action},
};

/// Row of buttons.
pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let [undo, redo] = state.undo.can();
    ui.horizontal_wrapped(|ui| {
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
        ask(shown, "Copy command", command, Action::CopyCommand);
        ask(true, "?", "show all shortcuts (F1)", Action::ToggleKeys);
    });
}

fn file_menu(ui: &mut Ui, state: &mut AppState) {
    let (shown, free) = (state.shown.scene.is_some(), !state.files.dialog.is_open());
    let film = if state.files.filming.is_some() {
        "End the film"
    } else {
        "Begin a film"
    };
    let (_, character) = state.chosen_character();
    let converts = shown && free && state.files.converting.is_none();
    let [bake, export] = ["Bake", "Export"].map(|verb| format!("{verb} {}…", shortened(&character)));
    let mut chosen = None;
    for (there, name, keys, hint, action) in [
        (free, "Open scene…", "Ctrl+O", "a scene file (.toml)", Action::OpenScene),
        (
            free,
            "Open character…",
            "",
            "replace the characters of the scene",
            Action::OpenCharacters,
        ),
        (shown, "Save scene", "Ctrl+S", "to the scene's file", Action::SaveScene),
        (
            shown && free,
            "Save scene as…",
            "Ctrl+Shift+S",
            "to another file",
            Action::SaveSceneAs,
        ),
        (
            shown,
            "Save picture",
            "F12",
            "without the panel, at the window's size (PNG)",
            Action::Screenshot,
        ),
        (
            shown,
            film,
            "F10",
            "at even steps of scene time; the frame on the screen shows what it holds",
            Action::ToggleFilm,
        ),
        (
            shown,
            "Copy command",
            "Ctrl+Shift+C",
            "the command line that draws this picture",
            Action::CopyCommand,
        ),
        (
            converts,
            &bake,
            "",
            "write a file that opens fast, as throng bake does; the Character tab chooses which",
            Action::BakeCharacter,
        ),
        (
            converts,
            &export,
            "",
            "write files for other engines, as throng export does",
            Action::ExportCharacter,
        ),
    ] {
        let button = ui.add_enabled(there, Button::new(name).shortcut_text(keys));
        if button.on_hover_text(hint).on_disabled_hover_text(hint).clicked() {
            chosen = Some(action);
        }
    }
    ui.separator();
    ui.weak("recent files");
    if state.files.recent.is_empty() {
        ui.weak("none yet");
    }
    for (place, file) in state.files.recent.iter().enumerate() {
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        if ui
            .button(shortened(&name))
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
