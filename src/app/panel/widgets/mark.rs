//! Rows that show where a value is not the preset's, and bring that back.

use clap::ValueEnum;
use egui::{Align2, Rect, Sense, Ui, vec2};

use crate::app::panel::widgets::style::{self, ACCENT, choice, name_of};

/// Width of a mark's place, points.
pub(crate) const WIDTH: f32 = 13.0;

/// A row whose label has a mark while the value is not the preset's; a click on the mark brings that back.
pub(crate) fn marked<T: PartialEq + Clone, R>(
    ui: &mut Ui,
    (label, hint): (&str, &str),
    (value, preset, tell): (&mut T, &T, impl Fn(&T) -> String),
    widget: impl FnOnce(&mut Ui, &mut T) -> R,
) -> R {
    let differs = value != preset;
    let (cell, result) = style::row_and_label(ui, label, hint, |ui| widget(ui, value));
    // A value that has just been changed has its mark from the next frame on, when its place is known to be clicked.
    if differs {
        let place = Align2::RIGHT_CENTER.anchor_size(cell.right_center(), vec2(WIDTH, cell.height()));
        if dot(ui, place, label, &tell(preset)) {
            value.clone_from(preset);
        }
    }
    result
}

/// The mark of what is called `name`, at a place; whether it was clicked. `usual` is what the preset has.
pub(crate) fn dot(ui: &Ui, place: Rect, name: &str, usual: &str) -> bool {
    let mark = ui.interact(place, ui.scope_id().with(("mark", name)), Sense::click());
    let radius = if mark.hovered() { 4.5 } else { 3.0 };
    ui.painter().circle_filled(place.center(), radius, ACCENT);
    let told = format!("{usual} in the scene's preset or file: click to bring it back");
    mark.on_hover_text(told).clicked()
}

/// As [`style::choose`], marked.
pub(crate) fn choose<T: ValueEnum + PartialEq>(
    ui: &mut Ui,
    (label, hint): (&str, &str),
    (value, preset): (&mut T, &T),
) {
    marked(ui, (label, hint), (value, preset, name_of), |ui, value| {
        choice(ui, label, value)
    });
}
