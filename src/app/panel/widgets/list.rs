//! Drop-down lists of names.

use egui::{ComboBox, Ui};

/// Width of a list, points: names of files' own are of any length.
const WIDTH: f32 = 130.0;

/// A list that sets a name to one of others; `label` tells lists apart.
pub(crate) fn pick(ui: &mut Ui, label: &str, value: &mut String, names: &[&str]) {
    pick_shown(ui, label, value, (names, |name| name));
}

/// Choice among names that are shown shortened, whole in the tooltip.
pub(crate) fn pick_shown(
    ui: &mut Ui,
    label: &str,
    value: &mut String,
    (names, shown): (&[&str], for<'a> fn(&'a str) -> &'a str),
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
