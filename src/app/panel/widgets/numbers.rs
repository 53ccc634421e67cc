//! Several numbers in a row.

use std::ops::RangeInclusive;

use egui::Ui;

use crate::{app::panel::widgets::style::number, config::limits::single};

/// How numbers of a kind are shown and dragged.
pub(crate) struct NumberFormat<'a> {
    /// Allowed range.
    pub range: &'a RangeInclusive<f64>,
    /// Behind each.
    pub unit: &'a str,
    /// Change per point of pointer movement.
    pub step: f64,
    /// Digits behind the point.
    pub decimals: usize,
}

impl NumberFormat<'_> {
    /// One of them; whether it was changed.
    pub(crate) fn show(&self, ui: &mut Ui, value: &mut f32, hint: &str) -> bool {
        let number = number(value).range(single(self.range)).speed(self.step);
        let number = number.suffix(self.unit).max_decimals(self.decimals);
        ui.add(number).on_hover_text(hint).changed()
    }

    /// The lowest and the highest of something.
    pub(crate) fn ends(&self, ui: &mut Ui, [low, high]: &mut [f32; 2], (least, most): (&str, &str)) {
        self.show(ui, low, least);
        ui.weak("to");
        self.show(ui, high, most);
    }

    /// Along or about three axes.
    pub(crate) fn axes(&self, ui: &mut Ui, values: &mut [f32; 3], hints: [&str; 3]) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for (value, hint) in values.iter_mut().zip(hints) {
                self.show(ui, value, hint);
            }
        });
    }
}
