//! Style of the panel: colours, spacing, and basic rows.

use std::ops::RangeInclusive;

use clap::ValueEnum;
use egui::{
    Color32, CornerRadius, DragValue, Frame, Margin, Rect, Response, RichText, Slider, Stroke, TextStyle, Ui,
    emath::Numeric,
};

/// Accent colour of titles and of the filled part of sliders.
pub(crate) const ACCENT: Color32 = Color32::from_rgb(238, 160, 84);
/// Colour of errors.
pub(crate) const ERROR: Color32 = Color32::from_rgb(255, 138, 120);

/// Width of the labels to the left of widgets (points).
pub(crate) const LABEL: f32 = 84.0;

/// Key of [`is_narrow`] in the panel's data.
fn narrow_key() -> egui::Id {
    egui::Id::unique("narrow panel")
}

/// Says whether the panel is too narrow for labels beside widgets.
pub(crate) fn set_narrow(ui: &Ui, narrow: bool) {
    ui.data_mut(|data| data.insert_temp(narrow_key(), narrow));
}

/// True if labels stand above their widgets, because the panel is narrow.
#[must_use]
pub(crate) fn is_narrow(ui: &Ui) -> bool {
    ui.data(|data| data.get_temp(narrow_key())).unwrap_or(false)
}

/// Sets fonts, spacing and colours.
pub(crate) fn apply(context: &egui::Context) {
    context.set_theme(egui::Theme::Dark);
    context.all_styles_mut(|style| {
        for (text, size) in [
            (TextStyle::Body, 13.0),
            (TextStyle::Button, 13.0),
            (TextStyle::Small, 11.0),
            (TextStyle::Monospace, 12.0),
            (TextStyle::Heading, 16.0),
        ] {
            if let Some(font) = style.text_styles.get_mut(&text) {
                font.size = size;
            }
        }
        style.spacing.item_spacing = egui::vec2(6.0, 4.0);
        style.spacing.slider_width = 120.0;
        style.spacing.interact_size.y = 19.0;
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        let visuals = &mut style.visuals;
        visuals.panel_fill = Color32::from_rgb(28, 29, 33);
        visuals.extreme_bg_color = Color32::from_rgb(18, 19, 22);
        visuals.selection.bg_fill = Color32::from_rgb(122, 78, 34);
        visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(255, 226, 196));
        visuals.override_text_color = Some(Color32::from_gray(212));
        visuals.slider_trailing_fill = true;
    });
}

/// Collapsible section of the panel with a title.
pub(crate) fn section(ui: &mut Ui, title: &str, open: bool, body: impl FnOnce(&mut Ui)) {
    ui.add_space(3.0);
    let title = RichText::new(title).strong().color(ACCENT);
    egui::CollapsingHeader::new(title)
        .default_open(open)
        .show_unindented(ui, |ui| {
            body(ui);
            ui.add_space(4.0);
        });
    ui.separator();
}

/// Row with a label, its tooltip and a widget.
pub(crate) fn row<R>(ui: &mut Ui, label: &str, hint: &str, widget: impl FnOnce(&mut Ui) -> R) -> R {
    labelled(ui, label_of(label), hint, widget).1
}

/// Row like [`row`] that also returns the rectangle of the label.
pub(crate) fn row_and_label<R>(ui: &mut Ui, label: &str, hint: &str, widget: impl FnOnce(&mut Ui) -> R) -> (Rect, R) {
    labelled(ui, label_of(label), hint, widget)
}

fn label_of(text: &str) -> egui::Label {
    let text = RichText::new(text).color(Color32::from_gray(160));
    egui::Label::new(text).selectable(false).truncate()
}

fn labelled<R>(ui: &mut Ui, text: egui::Label, hint: &str, widget: impl FnOnce(&mut Ui) -> R) -> (Rect, R) {
    if is_narrow(ui) {
        let place = ui.horizontal(|ui| label_cell(ui, text, hint)).inner;
        return (place, ui.horizontal_wrapped(widget).inner);
    }
    ui.horizontal(|ui| (label_cell(ui, text, hint), widget(ui))).inner
}

/// Label in a cell of one width; returns the cell.
fn label_cell(ui: &mut Ui, text: egui::Label, hint: &str) -> Rect {
    let size = egui::vec2(LABEL, ui.spacing().interact_size.y);
    let left = egui::Layout::left_to_right(egui::Align::Center);
    let shown = ui.allocate_ui_with_layout(size, left, |ui| {
        ui.set_min_width(LABEL);
        ui.add(text)
    });
    shown.inner.on_hover_text(hint).on_disabled_hover_text(hint);
    shown.response.rect
}

/// Slider whose typed number applies only once complete, so that typing 1000 does not pass through 1, 10 and 100.
pub(crate) fn slider<N: Numeric>(value: &mut N, range: RangeInclusive<N>) -> Slider<'_> {
    Slider::new(value, range).update_while_editing(false)
}

/// Number field to drag or type; typed numbers apply once complete, as in [`slider`].
pub(crate) fn number<N: Numeric>(value: &mut N) -> DragValue<'_> {
    DragValue::new(value).update_while_editing(false)
}

/// Reserves the height of `rows` rows, so that widgets below do not move when these appear.
pub(crate) fn reserved<R>(ui: &mut Ui, rows: usize, body: impl FnOnce(&mut Ui) -> R) -> R {
    let row = ui.spacing().interact_size.y + ui.spacing().item_spacing.y;
    let inner = ui.scope(|ui| {
        ui.set_min_height(rows as f32 * row);
        body(ui)
    });
    inner.inner
}

/// Name and value on a single line, shortened; the tooltip has the full value.
pub(crate) fn short_fact(ui: &mut Ui, label: &str, hint: &str, value: impl Into<String>) {
    row(ui, label, hint, |ui| {
        ui.add(egui::Label::new(RichText::new(value).monospace()).truncate());
    });
}

/// Name and value, for read-only facts.
pub(crate) fn fact(ui: &mut Ui, label: &str, hint: &str, value: impl Into<String>) {
    row(ui, label, hint, |ui| {
        ui.add(egui::Label::new(RichText::new(value).monospace()).wrap());
    });
}

/// Drop-down list of all values of an enumeration, with their documentation as tooltips.
pub(crate) fn choose<T: ValueEnum + PartialEq>(ui: &mut Ui, label: &str, hint: &str, value: &mut T) {
    row(ui, label, hint, |ui| choice(ui, label, value));
}

/// Small text, bright while its setting is on.
#[must_use]
pub(crate) fn quiet(text: &str, on: bool) -> RichText {
    RichText::new(text).color(Color32::from_gray(if on { 212 } else { 110 }))
}

/// Largest number of characters of a name on a button.
const LONGEST: usize = 24;

/// Name for a button, cut if it is long; its tooltip should have the whole name.
#[must_use]
pub(crate) fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Progress as text; `100 %` only once all is done.
#[must_use]
pub(crate) fn percent(share: f32) -> String {
    format!("{:.0} %", (100.0 * share.clamp(0.0, 1.0)).floor())
}

/// Name of an enumeration's value.
pub(crate) fn name_of<T: ValueEnum>(value: &T) -> String {
    let possible = value.to_possible_value();
    possible.map_or_else(String::new, |p| p.get_name().to_owned())
}

/// Drop-down list of [`choose`] without the row; `label` identifies the list.
pub(crate) fn choice<T: ValueEnum + PartialEq>(ui: &mut Ui, label: &str, value: &mut T) {
    egui::ComboBox::from_id_salt(label)
        .selected_text(name_of(value))
        .show_ui(ui, |ui| {
            for variant in T::value_variants() {
                let help = variant
                    .to_possible_value()
                    .and_then(|p| p.get_help().map(ToString::to_string));
                let response = ui.selectable_value(value, variant.clone(), name_of(variant));
                if let Some(help) = help {
                    response.on_hover_text(help);
                }
            }
        });
}

/// Drop-down list like [`choose`], disabled and without a value if there is nothing to choose.
pub(crate) fn choose_if<T: ValueEnum + PartialEq>(ui: &mut Ui, there: bool, label: &str, hint: &str, value: &mut T) {
    if there {
        return choose(ui, label, hint, value);
    }
    row(ui, label, hint, |ui| {
        ui.add_enabled_ui(false, |ui| {
            egui::ComboBox::from_id_salt(label)
                .selected_text("-")
                .show_ui(ui, |_| ());
        });
    });
}

/// Dark box over the picture.
pub(crate) fn card<R>(ui: &mut Ui, text: Color32, body: impl FnOnce(&mut Ui) -> R) -> Response {
    let frame = Frame::new()
        .fill(Color32::from_black_alpha(190))
        .corner_radius(CornerRadius::same(5))
        .inner_margin(Margin::symmetric(9, 6));
    let shown = frame.show(ui, |ui| {
        ui.visuals_mut().override_text_color = Some(text);
        body(ui);
    });
    shown.response
}

/// Frame rate as text, such as `60 fps` for 16.7 ms.
#[must_use]
pub(crate) fn rate(milliseconds: f64) -> String {
    match 1e3 / milliseconds.max(1e-3) {
        slow if slow < 9.95 => format!("{slow:.1} fps"),
        fast => format!("{fast:.0} fps"),
    }
}

/// Number with grouped digits, such as `1 234 567`.
#[must_use]
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Number of people as text, such as `1 person` or `2 000 people`.
#[must_use]
pub(crate) fn people(count: u64) -> String {
    match count {
        1 => "1 person".to_owned(),
        many => format!("{} people", grouped(many)),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, percent, rate, shortened};

    #[test]
    fn only_what_is_done_is_a_hundred_percent() {
        assert_eq!([0.0, 0.431, 0.9999, 1.0].map(percent), ["0 %", "43 %", "99 %", "100 %"]);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shortened("top"), "top");
        let cut = shortened(&"ä".repeat(99));
        assert!(cut.chars().count() == 25 && cut.ends_with('…'), "{cut}");
    }

    #[test]
    fn slow_rates_keep_a_decimal() {
        assert_eq!([rate(16.7), rate(400.0)], ["60 fps", "2.5 fps"]);
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        let plain = |n| grouped(n).replace('\u{202f}', " ");
        assert_eq!([plain(7), plain(1234), plain(1_000_000)], ["7", "1 234", "1 000 000"]);
    }
}
