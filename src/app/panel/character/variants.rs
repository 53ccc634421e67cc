//! Material variants of the character's file: one of them, or each as a character of its own.

use std::path::{Path, PathBuf};

use egui::Ui;

use crate::{
    app::state::AppState,
    character::Character,
    file::{CharacterPath, with_variant},
};

pub(super) fn show(ui: &mut Ui, state: &mut AppState, character: &Character) {
    let index = state.character.index;
    let Some(path) = state.config.scene.characters.get(index).cloned() else {
        return;
    };
    let CharacterPath { file, variant } = CharacterPath::of(&path);
    let mut chosen = None;
    if ui
        .selectable_label(variant.is_none(), "default")
        .on_hover_text("the materials that the file itself names")
        .clicked()
    {
        chosen = Some(file.to_owned());
    }
    for name in &character.model.variants {
        let own = variant.is_some_and(|variant| variant.to_lowercase() == name.to_lowercase());
        let label = egui::Button::selectable(own, name).truncate();
        if ui
            .add(label)
            .on_hover_text("the file's materials of this variant")
            .clicked()
        {
            chosen = Some(with_variant(file, name));
        }
    }
    if let Some(path) = chosen {
        state.config.scene.characters[index] = path;
    }
    let hint = "add the variants that are not in the scene, each as a character of its own";
    if !state.character.viewer.is_on() && ui.small_button("add all").on_hover_text(hint).clicked() {
        add_all(&mut state.config.scene.characters, file, &character.model.variants);
    }
}

/// Adds the variants of a file that are not among the characters.
fn add_all(characters: &mut Vec<PathBuf>, file: &Path, names: &[String]) {
    for name in names {
        let path = with_variant(file, name);
        if !characters.contains(&path) {
            characters.push(path);
        }
    }
}
