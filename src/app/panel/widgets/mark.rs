//! Rows with a mark where a value differs from the preset; a click on the mark resets it.

use clap::ValueEnum;
use egui::{Align2, Rect, Sense, Ui, vec2};

use crate::app::panel::widgets::style::{self, ACCENT, choice, name_of};

/// Width reserved for a mark (points).
pub(crate) const WIDTH: f32 = 13.0;

/// Row with a mark while the value differs from the preset; a click on the mark resets it. `tell` writes a value as
/// text.
pub(crate) fn marked<T: PartialEq + Clone, R>(
    ui: &mut Ui,
    label: &str,
    hint: &str,
    value: &mut T,
    preset: &T,
    tell: impl Fn(&T) -> String,
    widget: impl FnOnce(&mut Ui, &mut T) -> R,
) -> R {
    let differs = value != preset;
    let (cell, result) = style::row_and_label(ui, label, hint, |ui| widget(ui, value));
    // A mark appears in the frame after the change, when its position is known for clicks.
    if differs {
        let place = Align2::RIGHT_CENTER.anchor_size(cell.right_center(), vec2(WIDTH, cell.height()));
        if dot(ui, place, label, &tell(preset)) {
            value.clone_from(preset);
        }
    }
    result
}

/// Mark of the setting `name`; true if it was clicked. `usual` is the value of the preset.
pub(crate) fn dot(ui: &Ui, place: Rect, name: &str, usual: &str) -> bool {
    let mark = ui.interact(place, ui.scope_id().with(("mark", name)), Sense::click());
    let radius = if mark.hovered() { 4.5 } else { 3.0 };
    ui.painter().circle_filled(place.center(), radius, ACCENT);
    let told = format!("{usual} in the preset or scene file; click to reset");
    mark.on_hover_text(told).clicked()
}

/// Drop-down list like [`style::choose`], with a mark.
pub(crate) fn choose<T: ValueEnum + PartialEq>(ui: &mut Ui, label: &str, hint: &str, value: &mut T, preset: &T) {
    marked(ui, label, hint, value, preset, name_of, |ui, value| {
        choice(ui, label, value)
    });
}
