//! Groups section: people of the layout's groups, with their clips, behaviour, colours and props.

mod behaviour;
mod clips;
mod known;
mod props;
#[cfg(test)]
mod tests;
mod tints;

use std::collections::BTreeMap;

use egui::Ui;

use crate::{
    app::{
        panel::{
            groups::known::SceneNames,
            widgets::{
                fold::{Fold, FoldClick, fold},
                mark::marked,
                style,
            },
        },
        state::{AppState, action::Action, open::FileRequest},
    },
    config::{Group, GroupConfig, Phase},
    model::MATERIAL_VARIANTS,
};

/// Key prefix of all group settings.
const GROUPS: &str = "scene.groups";

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let known = SceneNames::of(state);
    everyone(ui, state, &known);
    for (group, people) in listed(state) {
        one(ui, state, group, people, &known);
    }
}

/// Part with the colours of all groups that have none of their own.
fn everyone(ui: &mut Ui, state: &mut AppState, known: &SceneNames) {
    let (scene, preset) = (&mut state.config.scene, &state.preset.scene);
    let line = Fold {
        title: "everyone",
        summary: "colours",
        hint: "colours of all groups that have none of their own",
        is_wrong: known.is_wrong_within("scene.tints"),
        usual: (scene.tints != preset.tints).then(|| "other colours".to_owned()),
        remove: None,
    };
    let asked = fold(ui, "everyone", &line, |ui| {
        tints::show(ui, &mut scene.tints, &preset.tints, None, "scene.tints", known);
    });
    if asked == FoldClick::Reset {
        state.config.scene.tints.clone_from(&state.preset.scene.tints);
    }
}

/// Groups with people, then groups that only have settings.
fn listed(state: &AppState) -> Vec<(Group, usize)> {
    let mut listed = state.shown.groups.clone();
    let said = [&state.config, &state.preset];
    let said = said.into_iter().flat_map(|config| config.scene.groups.keys());
    for group in said.filter_map(|name| Group::from_name(name)) {
        if listed.iter().all(|(other, _)| *other != group) {
            listed.push((group, 0));
        }
    }
    listed
}

fn one(ui: &mut Ui, state: &mut AppState, group: Group, people: usize, known: &SceneNames) {
    let (name, none) = (group.name(), GroupConfig::default());
    let key = format!("{GROUPS}.{name}");
    let preset = state.preset.scene.groups.get(name).unwrap_or(&none);
    let before = state.config.scene.groups.get(name).unwrap_or(&none);
    let summary = match people {
        0 => "nobody in this scene".to_owned(),
        some => style::people(some as u64),
    };
    let line = Fold {
        title: name,
        summary: &summary,
        hint: "group of the layout: clips, behaviour, colours and props of its people",
        is_wrong: known.is_wrong_within(&key),
        usual: (before != preset).then(|| "other settings of this group".to_owned()),
        remove: None,
    };
    let mut own = before.clone();
    let mut of_file = None;
    let asked = fold(ui, name, &line, |ui| {
        of_file = edit(ui, &mut own, preset, group, state, &key, known);
    });
    if asked == FoldClick::Reset {
        own.clone_from(preset);
    }
    if own != *before {
        let preset_has_it = state.preset.scene.groups.contains_key(name);
        put(&mut state.config.scene.groups, name, own, preset_has_it);
    }
    if let Some(prop) = of_file {
        state.actions.push(Action::AskForFiles(FileRequest::Prop(group, prop)));
    }
}

/// Stores the settings of a group; default settings are removed unless the preset has an entry.
fn put(groups: &mut BTreeMap<String, GroupConfig>, name: &str, own: GroupConfig, preset_has_it: bool) {
    if own == GroupConfig::default() && !preset_has_it {
        groups.remove(name);
    } else {
        groups.insert(name.to_owned(), own);
    }
}

/// Editors of a group; returns the index of a prop whose mesh file should be chosen.
fn edit(
    ui: &mut Ui,
    own: &mut GroupConfig,
    preset: &GroupConfig,
    group: Group,
    state: &AppState,
    key: &str,
    known: &SceneNames,
) -> Option<usize> {
    phase(ui, own, preset, group);
    known.tell_within(ui, &format!("{key}.phase"));
    let (scene, usual) = (&state.config.scene, &state.preset.scene);
    let mixes = [scene, usual].map(|scene| clips::inherited(scene, group));
    clips::show(ui, own, preset, &mixes, key, known);
    behaviour::show(ui, own, preset, &mixes[0], key, known);
    material_variant(ui, own, preset);
    known.tell_within(ui, &format!("{key}.material_variant"));
    tints::part(ui, own, preset, &scene.tints, key, known);
    props::show(ui, own, preset, key, known)
}

fn phase(ui: &mut Ui, own: &mut GroupConfig, preset: &GroupConfig, group: Group) {
    let usual = format!("default ({})", word(group.phase()));
    let tell = |phase: &Option<Phase>| phase.map_or_else(|| usual.clone(), |phase| word(phase).to_owned());
    let hint = "start of clips: random, all together, or as a wave along the layout (`phase` in scene files)";
    marked(ui, "timing", hint, &mut own.phase, &preset.phase, tell, |ui, phase| {
        let list = egui::ComboBox::from_id_salt("phase").selected_text(tell(phase));
        list.show_ui(ui, |ui| {
            for value in [None, Some(Phase::Random), Some(Phase::Together), Some(Phase::Wave)] {
                ui.selectable_value(phase, value, tell(&value));
            }
        });
    });
}

fn material_variant(ui: &mut Ui, own: &mut GroupConfig, preset: &GroupConfig) {
    let tell = |material_variant: &Option<u8>| {
        material_variant.map_or_else(
            || "random".to_owned(),
            |material_variant| format!("variant {material_variant}"),
        )
    };
    let hint = "material variant: which garments take which colours, for characters that have variants";
    marked(
        ui,
        "variant",
        hint,
        &mut own.material_variant,
        &preset.material_variant,
        tell,
        |ui, material_variant| {
            let list = egui::ComboBox::from_id_salt("dress").selected_text(tell(material_variant));
            list.show_ui(ui, |ui| {
                for value in std::iter::once(None).chain((0..MATERIAL_VARIANTS as u8).map(Some)) {
                    ui.selectable_value(material_variant, value, tell(&value));
                }
            });
        },
    );
}

const fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Random => "random",
        Phase::Together => "together",
        Phase::Wave => "wave",
    }
}
