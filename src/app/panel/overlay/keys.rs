//! Overlay: list of all shortcuts.

use egui::{Align2, Area, Color32, Frame, Id, Margin, Order, Rect, RichText, ScrollArea, Sense, Ui};

use crate::app::{
    panel::widgets::style,
    state::AppState,
    window::shortcuts::{SHORTCUTS, gestures},
};

/// Margin above and below (points).
const MARGIN: f32 = 70.0;

/// Shows the shortcuts in two columns in the middle of the picture; a click closes them.
pub(crate) fn show(ui: &Ui, state: &mut AppState, picture: Rect) {
    if !state.ui.keys {
        return;
    }
    let keys = SHORTCUTS.iter().map(|s| (s.keys, s.what));
    let rows: Vec<(&str, &str)> = gestures(state.files.takes_drops).chain(keys).collect();
    let aside = picture.center() - ui.ctx().content_rect().center();
    let area = Area::new(Id::unique("keys"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_CENTER, aside);
    let height = (picture.height() - 2.0 * MARGIN).max(MARGIN);
    let shown = area.show(ui.ctx(), |ui| {
        // An area keeps its previous height, which would cut the list off.
        ui.set_max_height(height + MARGIN);
        let frame = Frame::new()
            .fill(Color32::from_rgb(22, 23, 26))
            .corner_radius(5)
            .inner_margin(Margin::symmetric(14, 10));
        let inside = frame.show(ui, |ui| {
            ui.label(RichText::new("Keys").strong().color(style::ACCENT));
            ScrollArea::vertical()
                .max_height(height)
                .show(ui, |ui| columns(ui, &rows));
            ui.weak("Esc, F1 or a click closes this");
        });
        inside.response
    });
    if shown.inner.interact(Sense::click()).clicked() {
        state.ui.keys = false;
    }
}

fn columns(ui: &mut Ui, rows: &[(&str, &str)]) {
    ui.horizontal_top(|ui| {
        for (column, rows) in rows.chunks(rows.len().div_ceil(2)).enumerate() {
            ui.push_id(column, |ui| table(ui, rows));
            ui.add_space(14.0);
        }
    });
}

fn table(ui: &mut Ui, rows: &[(&str, &str)]) {
    egui::Grid::new("table")
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
