//! Number fields, also several in a row.

use std::ops::RangeInclusive;

use egui::Ui;

use crate::{app::panel::widgets::style::number, config::limits::single};

/// Format of number fields.
pub(crate) struct NumberFormat<'a> {
    /// Allowed range.
    pub range: &'a RangeInclusive<f64>,
    /// Unit shown after each number.
    pub unit: &'a str,
    /// Change per point of pointer movement.
    pub step: f64,
    /// Maximum number of decimals.
    pub decimals: usize,
}

impl NumberFormat<'_> {
    /// Number field; true if its value was changed.
    pub(crate) fn show(&self, ui: &mut Ui, value: &mut f32, hint: &str) -> bool {
        let number = number(value).range(single(self.range)).speed(self.step);
        let number = number.suffix(self.unit).max_decimals(self.decimals);
        ui.add(number).on_hover_text(hint).changed()
    }

    /// Two number fields for a range.
    pub(crate) fn ends(&self, ui: &mut Ui, range: &mut [f32; 2], least: &str, most: &str) {
        let [low, high] = range;
        self.show(ui, low, least);
        ui.weak("to");
        self.show(ui, high, most);
    }

    /// Three number fields for three axes.
    pub(crate) fn axes(&self, ui: &mut Ui, values: &mut [f32; 3], hints: [&str; 3]) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for (value, hint) in values.iter_mut().zip(hints) {
                self.show(ui, value, hint);
            }
        });
    }
}
