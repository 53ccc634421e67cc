//! Notices, questions and progress in the top left corner of the picture.

use egui::{Align2, Area, Color32, Id, Label, Order, Rect, Sense, Ui};

use crate::{
    app::{
        panel::{character, naming, widgets::style},
        state::{AppState, action::Action},
    },
    render::stats::{bytes, counted},
};

/// Distance from the edges of the picture (points).
const MARGIN: f32 = 10.0;
/// Maximum width of a card (points).
const WIDEST: f32 = 460.0;

/// Notices and progress in the top left corner of the picture.
pub(super) fn show(ui: &Ui, state: &mut AppState, picture: Rect) {
    // Below the labels of the compare view.
    let top = if state.compare.on { 58.0 } else { 10.0 };
    let area = Area::new(Id::unique("notices"))
        .order(Order::Middle)
        .anchor(Align2::LEFT_TOP, [picture.left() + MARGIN, top]);
    let mut dismissed = None;
    area.show(ui.ctx(), |ui| {
        // A wider card would be moved over the panel and its menu.
        ui.set_max_width((picture.width() - 2.0 * MARGIN).clamp(0.0, WIDEST));
        loading(ui, state);
        expensive(ui, state);
        refused(ui, state);
        character::offer(ui, state);
        naming::show(ui, state);
        converting(ui, state);
        filming(ui, state);
        if let Some(count) = state.stress.trying() {
            style::card(ui, Color32::from_gray(235), |ui| {
                ui.horizontal_wrapped(|ui| {
                    ui.spinner();
                    let people = style::people(count.into());
                    ui.label(format!("finding the largest crowd: {people} (Esc: stop)"));
                });
            });
        }
        for notice in state.notices.current() {
            let color = if notice.is_error {
                style::ERROR
            } else {
                Color32::from_gray(235)
            };
            let response = style::card(ui, color, |ui| ui.add(Label::new(&notice.text).wrap()));
            if response
                .interact(Sense::click())
                .on_hover_text("click to dismiss")
                .clicked()
            {
                dismissed = Some(notice.text.clone());
            }
        }
    });
    if let Some(text) = dismissed {
        state.notices.dismiss(&text);
    }
}

/// Progress of the scene being built, and a button to stop it.
fn loading(ui: &mut Ui, state: &mut AppState) {
    let Some(loading) = &state.load.loading else { return };
    // People are placed first: at the last of them, the scene is not on the screen yet.
    let told = match loading.share {
        Some(share) => format!("loading {}: {}", loading.what, style::percent(share.min(0.99))),
        None => format!("loading {}", loading.what),
    };
    let can_stop = state.shown.scene.is_some();
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spinner();
            ui.label(told);
            if can_stop
                && ui
                    .button("cancel")
                    .on_hover_text("keep the present scene (Esc)")
                    .clicked()
            {
                state.actions.push(Action::StopLoading);
            }
        });
    });
}

/// Progress of a character being baked or exported, and a button to stop it.
fn converting(ui: &mut Ui, state: &mut AppState) {
    let Some(conversion) = &state.files.converting else {
        return;
    };
    let told = format!("{}: {}", conversion.what, style::percent(conversion.share()));
    let mut cancelled = false;
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spinner();
            ui.label(told);
            cancelled = ui.button("cancel").on_hover_text("write no file (Esc)").clicked();
        });
    });
    if cancelled {
        state.cancel_conversion();
    }
}

/// Progress of a film being recorded.
fn filming(ui: &mut Ui, state: &AppState) {
    let Some(film) = &state.files.filming else { return };
    let (name, frames, seconds) = (&film.name, counted(film.frames, "frame"), film.seconds);
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(style::ERROR, "REC");
            ui.label(format!("{name}: {frames}, {seconds:.1} s (F10 ends it, Esc cancels)"));
        });
    });
}

/// Question whether to build a crowd whose frames would take seconds.
fn expensive(ui: &mut Ui, state: &mut AppState) {
    let Some(expensive) = state.load.expensive else { return };
    let people = style::people(expensive.count.into());
    let adapter = &state.shown.stats.adapter.name;
    let memory = bytes(expensive.bytes);
    let time = match expensive.seconds {
        short if short < 100.0 => format!("{short:.0} s"),
        long => format!("{:.0} min", long / 60.0),
    };
    let told = format!("{people}: about {time} per frame on {adapter}, and {memory} of GPU memory");
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.add(Label::new(told).wrap());
        ui.horizontal_wrapped(|ui| {
            if ui.button("build it").clicked() {
                state.actions.push(Action::Agree);
            }
            if ui
                .button("keep")
                .on_hover_text("keep the present crowd (Esc)")
                .clicked()
            {
                state.actions.push(Action::Cancel);
            }
        });
    });
}

/// Error of invalid settings; the picture still shows the previous ones.
fn refused(ui: &mut Ui, state: &mut AppState) {
    let Some(invalid_setting) = state.invalid_setting() else {
        return;
    };
    let told = format!("not applied: `{}` is {}", invalid_setting.key, invalid_setting.why);
    style::card(ui, style::ERROR, |ui| {
        ui.add(Label::new(told).wrap());
        if ui.button("undo").on_hover_text("undo the change (Ctrl+Z)").clicked() {
            state.actions.push(Action::Undo);
        }
    });
}
