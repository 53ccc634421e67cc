//! Rows of the panel as sections of settings declare them. The panel knows how to draw each kind of control.

use crate::config::Kind;

/// Setting of a row: its value, and all that its declaration says of it.
pub(crate) struct Setting<'a, T> {
    /// Name in the panel.
    pub(crate) label: &'static str,
    /// Tooltip.
    pub(crate) hint: &'static str,
    /// Values that it accepts.
    pub(crate) kind: Kind,
    /// Unit, empty for plain numbers.
    pub(crate) unit: &'static str,
    /// Value now.
    pub(crate) value: &'a mut T,
    /// Value of the preset or scene file.
    pub(crate) preset: &'a T,
}

/// Slider over the range of the setting.
pub(crate) struct Slider {
    /// Unit after the number; empty: none.
    pub(crate) suffix: &'static str,
    /// Maximum number of decimals.
    pub(crate) decimals: usize,
}

/// Checkbox.
pub(crate) struct Switch {
    /// Text beside it.
    pub(crate) caption: &'static str,
}

/// Drop-down list of all words.
pub(crate) struct Choice;

/// Panel that draws a control for a type of value.
pub(crate) trait ShowRow<Control, Value> {
    /// Draws the row of a setting, which the user may change.
    fn show(&mut self, control: Control, setting: Setting<'_, Value>);
}
