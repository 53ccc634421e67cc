//! Drop-down lists of names.

use egui::{ComboBox, Ui};

/// Width of a list, points: names of files' own are of any length.
const WIDTH: f32 = 130.0;

/// A list that sets a name to one of others; `label` tells lists apart.
pub(crate) fn pick(ui: &mut Ui, label: &str, value: &mut String, names: &[&str]) {
    ComboBox::from_id_salt(label)
        .selected_text(value.as_str())
        .width(WIDTH)
        .truncate()
        .show_ui(ui, |ui| {
            for name in names {
                if ui.selectable_label(name == value, *name).clicked() {
                    (*name).clone_into(value);
                }
            }
        });
}

/// A list that is called by what it does: the name that was chosen now.
pub(crate) fn add(ui: &mut Ui, (label, hint): (&str, &str), names: &[&str]) -> Option<String> {
    let mut chosen = None;
    ui.add_enabled_ui(!names.is_empty(), |ui| {
        let list = ComboBox::from_id_salt(label).selected_text(label);
        let shown = list.show_ui(ui, |ui| {
            for name in names {
                if ui.selectable_label(false, *name).clicked() {
                    chosen = Some((*name).to_owned());
                }
            }
        });
        shown.response.on_hover_text(hint);
    });
    chosen
}
