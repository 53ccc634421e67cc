//! Editor of the behaviour of a group: a state machine of clips.

mod name;
mod next;
mod state;
#[cfg(test)]
mod tests;

use egui::Ui;

use crate::{
    app::panel::{
        groups::{
            clips::{Mix, effective},
            known::SceneNames,
        },
        widgets::{
            fold::{Fold, FoldClick, fold, open},
            list,
            mark::marked,
            numbers::NumberFormat,
        },
    },
    config::{BehaviourConfig, GroupConfig, StateConfig, limits},
    render::stats::counted,
};

/// Number format of times in seconds.
const fn seconds(range: &std::ops::RangeInclusive<f64>) -> NumberFormat<'_> {
    NumberFormat {
        range,
        unit: " s",
        step: 0.05,
        decimals: 2,
    }
}

/// Folded part with the states of a group; `mix` are its inherited clips.
pub(super) fn show(ui: &mut Ui, own: &mut GroupConfig, preset: &GroupConfig, mix: &Mix, key: &str, known: &SceneNames) {
    let key = format!("{key}.behaviour");
    let told = |behaviour: &Option<BehaviourConfig>| match behaviour {
        None => "none: one clip for each person".to_owned(),
        Some(behaviour) => counted(behaviour.states.len() as u64, "state"),
    };
    let summary = told(&own.behaviour);
    let line = Fold {
        title: "behaviour",
        summary: &summary,
        hint: "states that people go through: clips, durations and transitions",
        is_wrong: known.is_wrong_within(&key),
        usual: (own.behaviour != preset.behaviour).then(|| told(&preset.behaviour)),
        remove: own
            .behaviour
            .is_some()
            .then_some("remove the behaviour; each person then plays one clip"),
    };
    let first = states_of_mix(effective(&own.clips, mix), known);
    let asked = fold(ui, "behaviour", &line, |ui| match &mut own.behaviour {
        Some(behaviour) => edit(ui, behaviour, preset.behaviour.as_ref(), &key, known),
        None => {
            let begin = ui.add_enabled(!first.states.is_empty(), egui::Button::new("add a behaviour").small());
            let hint = "add a state for each clip of the group, with transitions to all others";
            if begin.on_hover_text(hint).clicked() {
                own.behaviour = Some(first);
            }
        }
    });
    match asked {
        FoldClick::Nothing => {}
        FoldClick::Reset => own.behaviour.clone_from(&preset.behaviour),
        FoldClick::Removal => own.behaviour = None,
    }
}

/// Behaviour with a state for every clip of a mix. Home weights are those of the mix, and every state can follow every
/// other.
fn states_of_mix(mix: &Mix, known: &SceneNames) -> BehaviourConfig {
    let played = || {
        mix.iter()
            .filter(|(name, weight)| **weight > 0.0 && known.has_clip(name))
    };
    let state = |name: &String, weight: f32| StateConfig {
        home: weight,
        next: played()
            .filter(|(other, _)| *other != name)
            .map(|(other, weight)| (other.clone(), *weight))
            .collect(),
        ..StateConfig::default()
    };
    BehaviourConfig {
        states: played()
            .map(|(name, weight)| (name.clone(), state(name, *weight)))
            .collect(),
        ..BehaviourConfig::default()
    }
}

fn edit(ui: &mut Ui, own: &mut BehaviourConfig, preset: Option<&BehaviourConfig>, key: &str, known: &SceneNames) {
    let block = preset.map_or(own.block, |preset| preset.block);
    let tell = |[low, high]: &[f32; 2]| format!("{low} to {high} s");
    let hint = "time after which people start anew, in a state with a start weight (s), shortest and longest (`block` in scene files)";
    marked(
        ui,
        "start anew after",
        hint,
        &mut own.block,
        &block,
        tell,
        |ui, block| {
            let numbers = NumberFormat {
                step: 0.25,
                ..seconds(&limits::BLOCK)
            };
            numbers.ends(ui, block, "shortest time (s)", "longest time (s)");
        },
    );
    known.tell_within(ui, &format!("{key}.block"));
    let names: Vec<String> = own.states.keys().cloned().collect();
    let (mut removed, mut renamed) = (None, None);
    for name in &names {
        let usual = preset.and_then(|preset| preset.states.get(name));
        let key = format!("{key}.states.{name}");
        let mut state = own.states[name].clone();
        let (asked, new) = state::show(ui, name, &mut state, usual, own, &key, known);
        match asked {
            FoldClick::Removal => removed = Some(name.as_str()),
            FoldClick::Nothing | FoldClick::Reset => drop(own.states.insert(name.clone(), state)),
        }
        renamed = renamed.or(new.map(|new| (name, new)));
    }
    if let Some(name) = removed {
        remove(own, name);
    } else if let Some((name, new)) = renamed {
        rename(own, name, &new);
        open(ui, state::key(&new));
    }
    known.tell_at(ui, &format!("{key}.states"));
    let free: Vec<&str> = known
        .clips
        .iter()
        .map(String::as_str)
        .filter(|clip| !own.states.contains_key(*clip))
        .collect();
    let hint = "add a state that plays this clip, with home weight 1";
    if let Some(clip) = list::add(ui, "add a state", hint, &free) {
        let state = StateConfig {
            home: 1.0,
            ..StateConfig::default()
        };
        own.states.insert(clip, state);
    }
}

/// Renames a state and the transitions to it; its clip stays.
fn rename(behaviour: &mut BehaviourConfig, from: &str, to: &str) {
    let Some(mut state) = behaviour.states.remove(from) else {
        return;
    };
    // An empty clip means the clip named like the state.
    if state.clip.is_empty() {
        from.clone_into(&mut state.clip);
    } else if state.clip == to {
        state.clip.clear();
    }
    behaviour.states.insert(to.to_owned(), state);
    for state in behaviour.states.values_mut() {
        for ways in [&mut state.next, &mut state.fades] {
            if let Some(way) = ways.remove(from) {
                ways.insert(to.to_owned(), way);
            }
        }
    }
}

/// Removes a state and the transitions to it.
fn remove(behaviour: &mut BehaviourConfig, name: &str) {
    behaviour.states.remove(name);
    for state in behaviour.states.values_mut() {
        state.next.remove(name);
        state.fades.remove(name);
    }
}
