//! Editor of the clips of a group and their weights.

use std::collections::BTreeMap;

use egui::{SliderClamping, Ui};

use crate::{
    app::panel::{
        groups::known::SceneNames,
        widgets::{
            filter::filter,
            fold::{Fold, FoldClick, fold},
            mark::marked,
            style::slider,
        },
    },
    config::{Group, GroupConfig, SceneConfig},
};

/// Weights by clip name.
pub(super) type Mix = BTreeMap<String, f32>;

/// Clips of a group without clips of its own: the scene's, else its defaults.
pub(super) fn inherited(scene: &SceneConfig, group: Group) -> Mix {
    match scene.clips.is_empty() {
        true => group.clip_weights(),
        false => scene.clips.clone(),
    }
}

/// Clips that a group plays.
pub(super) fn effective<'a>(own: &'a Mix, inherited: &'a Mix) -> &'a Mix {
    if own.is_empty() { inherited } else { own }
}

/// Folded part with a weight for every clip. `mixes` are the inherited clips, of the settings and of the preset.
pub(super) fn show(
    ui: &mut Ui,
    own: &mut GroupConfig,
    preset: &GroupConfig,
    mixes: &[Mix; 2],
    key: &str,
    known: &SceneNames,
) {
    let key = format!("{key}.clips");
    let summary = match (&own.behaviour, own.clips.is_empty()) {
        (Some(_), _) => "set by the behaviour".to_owned(),
        (None, true) => "default".to_owned(),
        (None, false) => names(&own.clips),
    };
    let line = Fold {
        title: "clips",
        summary: &summary,
        hint: "clips of a group without a behaviour; each person plays one of them",
        is_wrong: known.is_wrong_within(&key),
        usual: (own.clips != preset.clips).then(|| match preset.clips.is_empty() {
            true => "the default clips".to_owned(),
            false => names(&preset.clips),
        }),
        remove: None,
    };
    let mut mix = effective(&own.clips, &mixes[0]).clone();
    let usual = effective(&preset.clips, &mixes[1]);
    let asked = fold(ui, "clips", &line, |ui| {
        let others = mix.keys().filter(|name| !known.has_clip(name));
        let all: Vec<String> = known.clips.iter().chain(others).cloned().collect();
        let shown = filter(ui, "clips of the group", all.len());
        { all.iter() }
            .filter(|name| shown.matches(name))
            .for_each(|name| weight(ui, name, &mut mix, usual));
        known.tell_within(ui, &key);
    });
    if asked == FoldClick::Reset {
        own.clips.clone_from(&preset.clips);
    } else if mix != *effective(&own.clips, &mixes[0]) {
        own.clips = if same(&mix, usual) { preset.clips.clone() } else { mix };
    }
}

fn weight(ui: &mut Ui, name: &str, mix: &mut Mix, usual: &Mix) {
    let before = weight_of(mix, name);
    let mut weight = before;
    let hint = "weight of this clip relative to the others, 0 to 1000";
    let usual = weight_of(usual, name);
    let tell = |weight: &f32| format!("weight {weight}");
    marked(ui, name, hint, &mut weight, &usual, tell, |ui, weight| {
        let slider = slider(weight, 0.0..=10.0).clamping(SliderClamping::Edits);
        ui.add(slider.max_decimals(2)).on_hover_text(hint);
    });
    if weight != before {
        mix.retain(|other, _| !other.eq_ignore_ascii_case(name));
        mix.insert(name.to_owned(), weight);
    }
}

fn weight_of(mix: &Mix, name: &str) -> f32 {
    let found = mix.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map_or(0.0, |(_, weight)| *weight)
}

/// True if two mixes play the same clips equally often.
fn same(a: &Mix, b: &Mix) -> bool {
    let mut names = a.keys().chain(b.keys());
    names.all(|name| weight_of(a, name) == weight_of(b, name))
}

fn names(mix: &Mix) -> String {
    let played = mix.iter().filter(|(_, weight)| **weight > 0.0);
    let names: Vec<&str> = played.map(|(name, _)| name.as_str()).collect();
    names.join(", ")
}
