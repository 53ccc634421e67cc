//! Shortcuts section: the table that also drives the keyboard.

use egui::{RichText, Ui};

use crate::app::window::shortcuts::{SHORTCUTS, gestures};

pub(crate) fn show(ui: &mut Ui, takes_drops: bool) {
    egui::Grid::new("shortcuts")
        .num_columns(2)
        .spacing([10.0, 3.0])
        .show(ui, |ui| {
            let keys = SHORTCUTS.iter().map(|s| (s.keys, s.what));
            for (keys, what) in gestures(takes_drops).chain(keys) {
                ui.label(RichText::new(keys).monospace());
                ui.add(egui::Label::new(what).wrap());
                ui.end_row();
            }
        });
}
