//! Editor of a state's name.

use std::collections::BTreeMap;

use egui::{Key, TextEdit, Ui};

use crate::{
    app::panel::{groups::known::wrong, widgets::style::row},
    config::StateConfig,
};

/// Width of the text field (points).
const WIDTH: f32 = 130.0;

/// Row for the name; returns a new name once it is typed completely and free.
pub(super) fn show(ui: &mut Ui, name: &str, states: &BTreeMap<String, StateConfig>) -> Option<String> {
    let typed = ui.scope_id().with("typed name");
    let kept = ui.data_mut(|data| data.get_temp::<String>(typed));
    let mut text = kept.unwrap_or_else(|| name.to_owned());
    let hint = "name of the state, which transitions refer to; renaming keeps its clip";
    let field = row(ui, "name", hint, |ui| {
        ui.add(TextEdit::singleline(&mut text).desired_width(WIDTH))
    });
    let new = text.trim().to_owned();
    let taken = new != name && states.contains_key(&new);
    if taken {
        wrong(ui, "another state has this name");
    } else {
        ui.skip_ahead_auto_ids(1);
    }
    if field.has_focus() {
        ui.data_mut(|data| data.insert_temp(typed, text));
        return None;
    }
    // The field lost the focus: apply the typed name, or discard it.
    ui.data_mut(|data| data.remove::<String>(typed));
    let given_up = ui.input(|input| input.key_pressed(Key::Escape));
    let is_free = !new.is_empty() && !taken && new != name;
    (field.lost_focus() && !given_up && is_free).then_some(new)
}
