//! Scene section: preset, layout, number of people, seed, playback and clips.

use egui::{RichText, SliderClamping, Ui};

use crate::{
    app::{
        panel::{
            trajectories,
            widgets::{
                filter::filter,
                icons::{self, Icon},
                mark::{choose, marked},
                style::{grouped, number, reserved, row, slider},
            },
        },
        state::{AppState, COUNT, action::Action},
    },
    config::{
        Config,
        limits::{SPACING, single},
    },
    file::extensions_text,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    presets(ui, state);
    if state.config.scene.trajectories.is_on() {
        trajectories::show(ui, state);
    } else {
        count(ui, state);
        layout(ui, state);
    }
    seed(ui, state);
    playback(ui, state);
    characters(ui, state);
    clips(ui, state);
}

/// Layout and the spacing of its people.
fn layout(ui: &mut Ui, state: &mut AppState) {
    let (scene, preset) = (&mut state.config.scene, &state.preset.scene);
    let hint = "how people are placed on the ground";
    choose(ui, "layout", hint, &mut scene.layout, &preset.layout);
    let metres = |metres: &f32| format!("{metres:.2} m");
    let hint = "distance between neighbours (m)";
    let (spacing, usual) = (&mut scene.spacing, &preset.spacing);
    marked(ui, "spacing", hint, spacing, usual, metres, |ui, spacing| {
        let spacing = slider(spacing, single(&SPACING));
        ui.add(spacing.logarithmic(true).suffix(" m").max_decimals(2))
    });
}

/// Playback speed and random variation between people.
fn playback(ui: &mut Ui, state: &mut AppState) {
    let (scene, preset) = (&mut state.config.scene, &state.preset.scene);
    let hint = "playback speed of all clips (factor); negative plays backwards";
    let tell = |speed: &f32| format!("{speed} x");
    let (speed, usual) = (&mut scene.speed, &preset.speed);
    marked(ui, "clip speed", hint, speed, usual, tell, |ui, speed| {
        let speed = slider(speed, -2.0..=4.0).clamping(SliderClamping::Edits);
        ui.add(speed.suffix(" x").max_decimals(2))
    });
    let tell = |spread: &f32| format!("± {:.0} %", spread * 100.0);
    let hint = "random variation of clip speed between people (± %)";
    let (spread, usual) = (&mut scene.speed_spread, &preset.speed_spread);
    marked(ui, "vary speed", hint, spread, usual, tell, |ui, spread| {
        percent(ui, spread, 1.0).on_hover_text(hint)
    });
    let tell = |[size, width]: &[f32; 2]| format!("size {}, width {}", tell(size), tell(width));
    let mut spreads = [scene.scale_spread, scene.width_scale_spread];
    let usual = [preset.scale_spread, preset.width_scale_spread];
    let hint = "random variation of size between people (± %)";
    marked(
        ui,
        "vary size",
        hint,
        &mut spreads,
        &usual,
        tell,
        |ui, [size, width]| {
            percent(ui, size, 0.5).on_hover_text(hint);
            ui.weak("width");
            percent(ui, width, 0.2).on_hover_text("random variation of width between people, at constant height (± %)");
        },
    );
    [scene.scale_spread, scene.width_scale_spread] = spreads;
}

fn presets(ui: &mut Ui, state: &mut AppState) {
    let now = state.config.scene.name.clone();
    let mut chosen = None;
    row(ui, "scene", "scene preset; your own characters are kept", |ui| {
        egui::ComboBox::from_id_salt("preset")
            .selected_text(&now)
            .width(ui.spacing().slider_width)
            .truncate()
            .show_ui(ui, |ui| {
                for name in Config::preset_names() {
                    if ui.selectable_label(name == now, name).clicked() {
                        chosen = Some(name);
                    }
                }
            });
    });
    reserved(ui, 1, |ui| {
        ui.label(RichText::new(&state.config.scene.caption).small().weak())
    });
    if let Some(name) = chosen {
        state.open_preset(name);
    }
}

fn count(ui: &mut Ui, state: &mut AppState) {
    let hint = "number of people, 1 to 10,000,000 (+ - Page Up Page Down)";
    let usual = state.preset.scene.count;
    let tell = |count: &u32| grouped((*count).into());
    let count = &mut state.config.scene.count;
    marked(ui, "people", hint, count, &usual, tell, |ui, count| {
        let count = slider(count, COUNT).logarithmic(true).smallest_positive(1.0);
        ui.add(count.drag_value_speed(0.0))
    });
    row(ui, "", "", |ui| {
        // Six buttons fit the narrowest panel.
        ui.spacing_mut().item_spacing.x = 3.0;
        ui.spacing_mut().button_padding.x = 3.0;
        for (label, count) in [
            ("1", 1),
            ("1k", 1000),
            ("10k", 10_000),
            ("100k", 100_000),
            ("1M", 1_000_000),
            ("10M", 10_000_000),
        ] {
            if ui.small_button(label).clicked() {
                state.config.scene.count = count;
            }
        }
    });
}

fn seed(ui: &mut Ui, state: &mut AppState) {
    let (seed, usual) = (&mut state.config.scene.seed, &state.preset.scene.seed);
    let actions = &mut state.actions;
    let hint = "seed of all random choices; the same seed gives the same crowd";
    marked(ui, "seed", hint, seed, usual, u64::to_string, |ui, seed| {
        ui.add(number(seed).range(0..=i64::MAX as u64));
        if icons::button(ui, Icon::Die, "next seed (R)").clicked() {
            actions.push(Action::NextSeed);
        }
    });
}

fn percent(ui: &mut Ui, share: &mut f32, most: f32) -> egui::Response {
    let mut value = *share * 100.0;
    let response = ui.add(
        number(&mut value)
            .range(0.0..=most * 100.0)
            .prefix("± ")
            .suffix(" %")
            .max_decimals(0),
    );
    if response.changed() {
        *share = value / 100.0;
    }
    response
}

fn characters(ui: &mut Ui, state: &mut AppState) {
    let names = state.shown.stats.characters.join(", ");
    let hint = if state.files.takes_drops {
        format!(
            "characters of the scene; drop {} files or folders on the window to open others",
            extensions_text()
        )
    } else {
        "characters of the scene; the Character tab opens others".to_owned()
    };
    row(ui, "characters", &hint, |ui| {
        let own = !state.config.scene.characters.is_empty();
        let back = egui::Button::new("embedded").small();
        let back = ui.add_enabled(own, back).on_hover_text("use the embedded characters");
        if back.clicked() {
            state.config.scene.characters.clear();
        }
        ui.add(egui::Label::new(names).truncate());
    });
}

fn clips(ui: &mut Ui, state: &mut AppState) {
    let mixed = !state.config.scene.clips.is_empty();
    let title = if mixed {
        "clips: custom mix"
    } else {
        "clips: scene default"
    };
    egui::CollapsingHeader::new(title)
        .id_salt("clips")
        .show_unindented(ui, |ui| {
            if ui
                .add_enabled(mixed, egui::Button::new("scene default").small())
                .clicked()
            {
                use_default_clips(state);
            }
            let names = state.shown.clips.clone();
            let shown = filter(ui, "clips of the scene", names.len());
            for name in names.iter().filter(|name| shown.matches(name)) {
                clip(ui, state, name);
            }
        });
}

fn clip(ui: &mut Ui, state: &mut AppState, name: &str) {
    row(ui, name, "relative frequency of this clip", |ui| {
        let suggested = state.config.scene.clips.is_empty();
        let mut weight = state
            .config
            .scene
            .clips
            .get(name)
            .copied()
            .unwrap_or(if suggested { 1.0 } else { 0.0 });
        if ui
            .add(
                slider(&mut weight, 0.0..=10.0)
                    .clamping(SliderClamping::Edits)
                    .max_decimals(1),
            )
            .changed()
        {
            make_custom_mix(state);
            state.config.scene.clips.insert(name.to_owned(), weight);
        }
        if ui
            .small_button("only")
            .on_hover_text("everyone plays this clip")
            .clicked()
        {
            play_only(state, name);
        }
    });
}

/// Makes everyone play one clip.
pub(crate) fn play_only(state: &mut AppState, name: &str) {
    make_custom_mix(state);
    state.config.scene.clips.values_mut().for_each(|w| *w = 0.0);
    state.config.scene.clips.insert(name.to_owned(), 1.0);
}

/// Restores the clips of the preset.
pub(crate) fn use_default_clips(state: &mut AppState) {
    state.config.scene.clips = state.preset.scene.clips.clone();
    state.config.scene.groups = state.preset.scene.groups.clone();
}

/// Replaces the default clips by one mix for everyone.
fn make_custom_mix(state: &mut AppState) {
    let scene = &mut state.config.scene;
    if scene.clips.is_empty() {
        scene.clips = state.shown.clips.iter().map(|name| (name.clone(), 1.0)).collect();
    }
    for group in scene.groups.values_mut() {
        group.clips.clear();
        group.behaviour = None;
    }
}
