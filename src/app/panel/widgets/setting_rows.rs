//! Rows of the panel that follow from the declarations of settings.

use std::fmt::Display;

use clap::ValueEnum;
use egui::{Ui, emath::Numeric};

use crate::{
    app::panel::widgets::{
        mark::{self, marked},
        style::slider,
    },
    config::{
        Kind,
        row::{Choice, Setting, ShowRow, Slider, Switch},
    },
};

/// Rows in a part of the panel, each with a mark while its value differs from the preset.
pub(crate) struct SettingRows<'a> {
    /// Part of the panel.
    pub(crate) ui: &'a mut Ui,
}

impl<N: Numeric + Display> ShowRow<Slider, N> for SettingRows<'_> {
    fn show(&mut self, control: Slider, setting: Setting<'_, N>) {
        let (min, max) = match setting.kind {
            Kind::Number(min, max) => (N::from_f64(min), N::from_f64(max)),
            Kind::Integer(min, max) => (N::from_f64(min as f64), N::from_f64(max as f64)),
            _ => (N::MIN, N::MAX),
        };
        let tell = |value: &N| match (control.suffix, setting.unit) {
            ("", "") => value.to_string(),
            ("", unit) => format!("{value} {unit}"),
            (suffix, _) => format!("{value}{suffix}"),
        };
        let (label, hint) = (setting.label, setting.hint);
        marked(
            self.ui,
            label,
            hint,
            setting.value,
            setting.preset,
            tell,
            |ui, value| {
                let slider = slider(value, min..=max).suffix(control.suffix);
                ui.add(slider.max_decimals(control.decimals))
            },
        );
    }
}

impl ShowRow<Switch, bool> for SettingRows<'_> {
    fn show(&mut self, control: Switch, setting: Setting<'_, bool>) {
        let tell = |on: &bool| if *on { "on" } else { "off" }.to_owned();
        let (label, hint) = (setting.label, setting.hint);
        marked(self.ui, label, hint, setting.value, setting.preset, tell, |ui, on| {
            ui.checkbox(on, control.caption)
        });
    }
}

impl<T: ValueEnum + PartialEq> ShowRow<Choice, T> for SettingRows<'_> {
    fn show(&mut self, Choice: Choice, setting: Setting<'_, T>) {
        mark::choose(self.ui, setting.label, setting.hint, setting.value, setting.preset);
    }
}
