//! Editor of one state of a behaviour.

use egui::Ui;

use crate::{
    app::panel::{
        groups::{
            behaviour::{name, next, seconds},
            known::{SceneNames, wrong},
        },
        widgets::{
            fold::{Fold, FoldClick, fold},
            list,
            mark::marked,
            numbers::NumberFormat,
        },
    },
    config::{BehaviourConfig, StateConfig, limits},
    model::Wrap,
};

const WRAPS: [Option<Wrap>; 4] = [None, Some(Wrap::Once), Some(Wrap::PingPong), Some(Wrap::Clamp)];

/// Widget key of the part of a state.
pub(super) const fn key(name: &str) -> (&str, &str) {
    ("state", name)
}

/// Folded part of a state; returns a new name if one was typed. A state missing in the preset has no marks.
pub(super) fn show(
    ui: &mut Ui,
    name: &str,
    own: &mut StateConfig,
    preset: Option<&StateConfig>,
    behaviour: &BehaviourConfig,
    path: &str,
    known: &SceneNames,
) -> (FoldClick, Option<String>) {
    let preset = preset.unwrap_or(own).clone();
    let summary = in_short(own);
    let line = Fold {
        title: name,
        summary: &summary,
        hint: "state of the behaviour: its clip, duration and transitions",
        is_wrong: known.is_wrong_within(path),
        usual: (*own != preset).then(|| in_short(&preset)),
        remove: Some("remove this state and the transitions to it"),
    };
    let mut renamed = None;
    let asked = fold(ui, key(name), &line, |ui| {
        renamed = name::show(ui, name, &behaviour.states);
        rows(ui, name, own, &preset, path, known);
        next::show(ui, name, own, &preset, behaviour, path, known);
    });
    known.tell_at(ui, path);
    if asked == FoldClick::Reset {
        *own = preset;
    }
    (asked, renamed)
}

/// Summary: start weight, duration and next states.
fn in_short(state: &StateConfig) -> String {
    let [least, most] = state.dwell;
    let home = match state.home > 0.0 {
        true => format!("start weight {}, ", state.home),
        false => String::new(),
    };
    let mut next: Vec<(&String, &f32)> = state.next.iter().filter(|(_, weight)| **weight > 0.0).collect();
    next.sort_by(|a, b| b.1.total_cmp(a.1));
    let names: Vec<&str> = next.iter().map(|(name, _)| name.as_str()).collect();
    let then = if names.is_empty() {
        "stay".to_owned()
    } else {
        names.join(", ")
    };
    format!("{home}{least} to {most} s, then {then}")
}

fn rows(ui: &mut Ui, name: &str, own: &mut StateConfig, preset: &StateConfig, key: &str, known: &SceneNames) {
    clip(ui, name, own, preset, known);
    let weight = NumberFormat {
        range: &limits::WEIGHT,
        unit: "",
        step: 0.02,
        decimals: 2,
    };
    let hint = "weight of this state when people start anew, 0 to 1000; 0: never (`home` in scene files)";
    let (home, usual) = (&mut own.home, &preset.home);
    marked(ui, "start weight", hint, home, usual, f32::to_string, |ui, home| {
        weight.show(ui, home, hint)
    });
    known.tell_within(ui, &format!("{key}.home"));
    let hint = "time in this state (s), shortest and longest (`dwell` in scene files)";
    let tell = |[low, high]: &[f32; 2]| format!("{low} to {high} s");
    marked(
        ui,
        "duration",
        hint,
        &mut own.dwell,
        &preset.dwell,
        tell,
        |ui, dwell| {
            seconds(&limits::DWELL).ends(ui, dwell, "shortest time (s)", "longest time (s)");
        },
    );
    known.tell_within(ui, &format!("{key}.dwell"));
    let hint = "duration of the cross-fade into this state (s)";
    let tell = |fade: &f32| format!("{fade} s");
    let fades = NumberFormat {
        step: 0.01,
        ..seconds(&limits::FADE)
    };
    let (fade, usual) = (&mut own.fade, &preset.fade);
    marked(ui, "fade", hint, fade, usual, tell, |ui, fade| {
        fades.show(ui, fade, hint)
    });
    known.tell_within(ui, &format!("{key}.fade"));
    let hint = "playback speed (factor), slowest and fastest; negative plays backwards";
    let tell = |[low, high]: &[f32; 2]| format!("{low} to {high} x");
    let speeds = NumberFormat {
        range: &limits::PLAYBACK,
        unit: " x",
        step: 0.01,
        decimals: 2,
    };
    marked(
        ui,
        "clip speed",
        hint,
        &mut own.speed,
        &preset.speed,
        tell,
        |ui, speed| {
            speeds.ends(ui, speed, "slowest speed (factor)", "fastest speed (factor)");
        },
    );
    known.tell_within(ui, &format!("{key}.speed"));
    wrap(ui, &mut own.wrap, &preset.wrap);
}

/// Clip of a state; `clip` stays empty if the state has the name of its clip.
fn clip(ui: &mut Ui, name: &str, own: &mut StateConfig, preset: &StateConfig, known: &SceneNames) {
    let played = |clip: &str| {
        if clip.is_empty() {
            name.to_owned()
        } else {
            clip.to_owned()
        }
    };
    let (before, usual) = (played(&own.clip), played(&preset.clip));
    let mut clip = before.clone();
    let clips: Vec<&str> = known.clips.iter().map(String::as_str).collect();
    marked(
        ui,
        "clip",
        "clip played in this state",
        &mut clip,
        &usual,
        String::clone,
        |ui, clip| list::pick(ui, "clip", clip, &clips),
    );
    if clip != before {
        own.clip = match clip {
            clip if clip == usual => preset.clip.clone(),
            clip if clip == name => String::new(),
            clip => clip,
        };
    }
    match known.has_clip(&before) {
        true => ui.skip_ahead_auto_ids(1),
        false => wrong(
            ui,
            "no character has this clip; people play idle or their first clip instead",
        ),
    }
}

fn wrap(ui: &mut Ui, own: &mut Option<Wrap>, preset: &Option<Wrap>) {
    let hint = "what happens at the end of the clip before the time in this state is over";
    marked(ui, "wrap", hint, own, preset, word, |ui, own| {
        let list = egui::ComboBox::from_id_salt("wrap").selected_text(word(own));
        list.show_ui(ui, |ui| {
            for value in WRAPS {
                let is_same = own.unwrap_or_default() == value.unwrap_or_default();
                if ui.selectable_label(is_same, word(&value)).clicked() && !is_same {
                    *own = value;
                }
            }
        });
    });
}

fn word(wrap: &Option<Wrap>) -> String {
    let word = match wrap.unwrap_or_default() {
        Wrap::Loop => "loop",
        Wrap::Once => "once, then hold",
        Wrap::PingPong => "back and forth",
        Wrap::Clamp => "hold at either end",
    };
    word.to_owned()
}
