//! Time section: pause, step, scrub and time scale.

use egui::Ui;

use crate::{
    app::{
        panel::widgets::{
            icons::{self, Icon},
            style::{number, row, slider},
        },
        state::{AppState, action::Action, playback::Playback},
    },
    config::limits,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    row(ui, "time", "scene time (s)", |ui| {
        let (icon, hint) = if state.clock.paused {
            (Icon::Play, "resume (Space)")
        } else {
            (Icon::Pause, "pause (Space)")
        };
        for (icon, hint, action) in [
            (Icon::Back, "step back (,)", Action::Play(Playback::Step(-1))),
            (icon, hint, Action::Play(Playback::TogglePause)),
            (Icon::Forward, "step forward (.)", Action::Play(Playback::Step(1))),
        ] {
            if icons::button(ui, icon, hint).clicked() {
                state.actions.push(action);
            }
        }
        ui.add(
            number(&mut state.clock.seconds)
                .range(limits::TIME)
                .speed(0.02)
                .suffix(" s")
                .fixed_decimals(2),
        );
    });
    row(
        ui,
        "position",
        "seconds within the current minute, or of all trajectories; every frame is a function of scene time",
        |ui| {
            if let Some(end) = state.end_of_trajectories() {
                ui.add(slider(&mut state.clock.seconds, 0.0..=end.max(0.1)).show_value(false));
                return;
            }
            let minute = (state.clock.seconds / 60.0).floor() * 60.0;
            let mut within = state.clock.seconds - minute;
            if ui.add(slider(&mut within, 0.0..=60.0).show_value(false)).changed() {
                // Stay below 60, which would be the next minute.
                state.clock.seconds = minute + within.min(59.99);
            }
        },
    );
    row(ui, "time scale", "scene seconds per second of real time", |ui| {
        ui.add(slider(&mut state.clock.scale, 0.0..=4.0).suffix(" x").max_decimals(2));
        if ui.small_button("1").on_hover_text("real time").clicked() {
            state.clock.scale = 1.0;
        }
    });
}
