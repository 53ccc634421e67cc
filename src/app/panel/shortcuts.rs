//! The table of keys, as it drives the keyboard.

use egui::{RichText, Ui};

use crate::app::window::shortcuts::{GESTURES, SHORTCUTS};

pub(crate) fn show(ui: &mut Ui) {
    egui::Grid::new("shortcuts")
        .num_columns(2)
        .spacing([10.0, 3.0])
        .show(ui, |ui| {
            let keys = SHORTCUTS.iter().map(|s| (s.keys, s.what));
            for (keys, what) in GESTURES.iter().copied().chain(keys) {
                ui.label(RichText::new(keys).monospace());
                ui.add(egui::Label::new(what).wrap());
                ui.end_row();
            }
        });
}
