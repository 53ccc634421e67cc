//! Drop-down lists of names.

use egui::{ComboBox, Ui};

/// Width of a list (points); names from files can have any length.
const WIDTH: f32 = 130.0;

/// Drop-down list that sets a name; `label` identifies the list.
pub(crate) fn pick(ui: &mut Ui, label: &str, value: &mut String, names: &[&str]) {
    pick_shown(ui, label, value, names, |name| name);
}

/// Drop-down list of names shown shortened; the tooltip has the full name.
pub(crate) fn pick_shown(
    ui: &mut Ui,
    label: &str,
    value: &mut String,
    names: &[&str],
    shown: for<'a> fn(&'a str) -> &'a str,
) {
    let list = ComboBox::from_id_salt(label)
        .selected_text(shown(value))
        .width(WIDTH)
        .truncate()
        .show_ui(ui, |ui| {
            for name in names {
                let short = shown(name);
                let mut label = ui.selectable_label(name == value, short);
                if short != *name {
                    label = label.on_hover_text(*name);
                }
                if label.clicked() {
                    (*name).clone_into(value);
                }
            }
        });
    if shown(value) != value {
        list.response.on_hover_text(value.as_str());
    }
}

/// Drop-down list that works as a button; returns the name chosen now.
pub(crate) fn add(ui: &mut Ui, label: &str, hint: &str, names: &[&str]) -> Option<String> {
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
