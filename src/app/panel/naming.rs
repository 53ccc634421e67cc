//! Question for the name of a file to write, where the system has no file dialog.

use egui::{Button, Color32, Id, Key, Label, RichText, TextEdit, Ui};

use crate::app::{dialog::Purpose, panel::widgets::style, state::AppState};

/// Card with the name, and buttons to write the file or not.
pub(super) fn show(ui: &mut Ui, state: &mut AppState) {
    let Some(prompt) = &mut state.files.naming else { return };
    let mut answer = None;
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.label(RichText::new(prompt.purpose.title()).strong());
        let field = TextEdit::singleline(&mut prompt.text)
            .id(Id::unique("name of the file"))
            .desired_width(f32::INFINITY);
        let field = ui
            .add(field)
            .on_hover_text("file or folder; without folders, in the working folder");
        if std::mem::take(&mut prompt.is_new) {
            field.request_focus();
        }
        let file = prompt.file();
        let exists = file.as_ref().is_some_and(|file| file.exists());
        if exists && prompt.purpose != Purpose::ExportFolder {
            let told = RichText::new("This file exists and will be replaced.").color(ui.visuals().warn_fg_color);
            ui.add(Label::new(told).wrap());
        }
        let [enter, escape] = [Key::Enter, Key::Escape].map(|key| ui.input(|input| input.key_pressed(key)));
        let left = field.lost_focus();
        ui.horizontal_wrapped(|ui| {
            let write = ui.add_enabled(file.is_some(), Button::new("write"));
            if write.clicked() || (left && enter) {
                answer = Some(true);
            }
            if ui.button("cancel").on_hover_text("write nothing (Esc)").clicked() || (left && escape) {
                answer = Some(false);
            }
        });
    });
    if let Some(accepted) = answer {
        state.answer_naming(accepted);
    }
}
