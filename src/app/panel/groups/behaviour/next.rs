//! Editor of the transitions from one state to others.

use std::collections::BTreeMap;

use egui::{RichText, Ui};

use crate::{
    app::panel::{
        groups::{behaviour::seconds, known::SceneNames},
        widgets::{fold::keyed, mark::marked, numbers::NumberFormat},
    },
    config::{BehaviourConfig, StateConfig, limits},
};

/// Transition: its weight, and its fade (s) if it differs from that of the target state.
type Transition = (f32, Option<f32>);

/// Row for every state that may follow.
pub(super) fn show(
    ui: &mut Ui,
    name: &str,
    own: &mut StateConfig,
    preset: &StateConfig,
    behaviour: &BehaviourConfig,
    key: &str,
    known: &SceneNames,
) {
    let title = ui.label(RichText::new("next, by weight").small().weak());
    title.on_hover_text("states that may follow, each with its weight and cross-fade");
    for (to, state) in &behaviour.states {
        let before = way(own, to);
        let mut edited = before;
        keyed(ui, ("next", to), |ui| {
            row(ui, name, to, &mut edited, &way(preset, to), state.fade)
        });
        if edited != before {
            set(&mut own.next, to, (edited.0 > 0.0).then_some(edited.0), &preset.next);
            set(&mut own.fades, to, edited.1, &preset.fades);
        }
    }
    known.tell_within(ui, &format!("{key}.next"));
    known.tell_within(ui, &format!("{key}.fades"));
}

fn row(ui: &mut Ui, name: &str, to: &str, way: &mut Transition, preset: &Transition, fade: f32) {
    let tell = |(weight, fade): &Transition| match fade {
        Some(fade) => format!("weight {weight}, fade {fade} s"),
        None => format!("weight {weight}"),
    };
    let hint = match name == to {
        true => format!("weight of repeating {to}, 0 to 1000; 0: never"),
        false => format!("weight of {to} as the next state, 0 to 1000; 0: never"),
    };
    let weights = NumberFormat {
        range: &limits::WEIGHT,
        unit: "",
        step: 0.02,
        decimals: 2,
    };
    marked(ui, to, &hint, way, preset, tell, |ui, (weight, own_fade)| {
        weights.show(ui, weight, &hint);
        if *weight <= 0.0 {
            return;
        }
        ui.weak("fade");
        let fades = NumberFormat {
            step: 0.01,
            ..seconds(&limits::FADE)
        };
        let mut seconds = own_fade.unwrap_or(fade);
        let hint = format!("duration of the cross-fade of this transition (s); default {fade} s, that of {to}");
        if fades.show(ui, &mut seconds, &hint) {
            *own_fade = (seconds != fade).then_some(seconds);
        }
    });
}

fn way(state: &StateConfig, to: &str) -> Transition {
    let weight = state.next.get(to).copied().unwrap_or_default();
    (weight, state.fades.get(to).copied())
}

/// Sets or removes an entry; one that the preset has at 0 stays at 0 instead of being removed.
fn set(entries: &mut BTreeMap<String, f32>, to: &str, value: Option<f32>, preset: &BTreeMap<String, f32>) {
    match value.or_else(|| preset.get(to).copied().filter(|usual| *usual == 0.0)) {
        Some(value) => entries.insert(to.to_owned(), value),
        None => entries.remove(to),
    };
}
