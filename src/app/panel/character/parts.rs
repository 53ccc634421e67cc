//! Meshes and nodes of the character, each with a switch: some files wear every weapon at once.

use std::sync::Arc;

use egui::Ui;

use crate::{app::state::AppState, character::Character};

pub(super) fn show(ui: &mut Ui, state: &mut AppState, character: &Arc<Character>) {
    let hide = &state.config.scene.hide;
    let is_hidden = |name: &str| hide.iter().any(|own| own.eq_ignore_ascii_case(name));
    let mut changed = None;
    for part in &character.model.parts {
        let mut shown = !is_hidden(&part.name);
        let text = "draw this mesh or node and all below it; the character is read again";
        if ui.checkbox(&mut shown, &part.name).on_hover_text(text).changed() {
            changed = Some((part.name.clone(), shown));
        }
    }
    if let Some((name, shown)) = changed {
        let hide = &mut state.config.scene.hide;
        hide.retain(|own| !own.eq_ignore_ascii_case(&name));
        if !shown {
            hide.push(name);
        }
    }
}
