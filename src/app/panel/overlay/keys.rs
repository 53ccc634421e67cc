//! All keys over the picture.

use egui::{Align2, Color32, RichText, Ui};

use crate::app::{
    panel::widgets::style,
    state::AppState,
    window::shortcuts::{GESTURES, SHORTCUTS},
};

/// Two columns of keys while they are asked for; a click closes them.
pub(crate) fn show(ui: &Ui, state: &mut AppState) {
    if !state.keys {
        return;
    }
    let rows: Vec<(&str, &str)> = GESTURES
        .iter()
        .copied()
        .chain(SHORTCUTS.iter().map(|s| (s.keys, s.what)))
        .collect();
    let area = egui::Area::new(egui::Id::unique("keys"))
        .order(egui::Order::Foreground)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0]);
    let shown = area.show(ui.ctx(), |ui| {
        style::card(ui, Color32::from_gray(225), |ui| {
            ui.label(RichText::new("Keys").strong().color(style::ACCENT));
            ui.horizontal_top(|ui| {
                for (column, rows) in rows.chunks(rows.len().div_ceil(2)).enumerate() {
                    ui.push_id(column, |ui| table(ui, rows));
                    ui.add_space(14.0);
                }
            });
            ui.weak("Esc, F1 or a click closes this");
        })
    });
    if shown.inner.interact(egui::Sense::click()).clicked() {
        state.keys = false;
    }
}

fn table(ui: &mut Ui, rows: &[(&str, &str)]) {
    egui::Grid::new("keys")
        .num_columns(2)
        .spacing([12.0, 2.0])
        .show(ui, |ui| {
            for (keys, what) in rows {
                ui.label(RichText::new(*keys).monospace());
                ui.label(*what);
                ui.end_row();
            }
        });
}
