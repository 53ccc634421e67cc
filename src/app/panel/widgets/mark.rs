//! Rows that show where a value is not the preset's, and bring that back.

use clap::ValueEnum;
use egui::{Align2, Sense, Ui, vec2};

use crate::app::panel::widgets::style::{self, ACCENT, choice, name_of};

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
        let place = Align2::RIGHT_CENTER.anchor_size(cell.right_center(), vec2(13.0, cell.height()));
        let mark = ui.interact(place, ui.scope_id().with(("mark", label)), Sense::click());
        let radius = if mark.hovered() { 4.5 } else { 3.0 };
        ui.painter().circle_filled(place.center(), radius, ACCENT);
        let told = format!("{} in the scene's preset or file: click to bring it back", tell(preset));
        if mark.on_hover_text(told).clicked() {
            value.clone_from(preset);
        }
    }
    result
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
