//! The panel: sections of widgets that change [`AppState`] and show measurements.

mod camera;
mod character;
mod compare;
mod groups;
mod hero;
mod overlay;
mod person;
mod profiling;
mod render;
mod scene;
mod shortcuts;
mod stress;
mod time;
mod top;
pub(super) mod widgets;

use egui::{Align2, Color32, RichText, Ui};

use crate::{
    app::{
        panel::widgets::style,
        state::{
            AppState,
            action::{Action, Tab},
        },
    },
    render::stats::{bytes, counted},
};

/// Allowed widths of the panel (points); the narrowest fits every row.
pub(super) const WIDTHS: std::ops::RangeInclusive<f32> = 320.0..=620.0;

/// Lays out panel, notices and overlays; returns the width of the picture covered by the panel (points).
pub(super) fn show(ui: &mut Ui, state: &mut AppState) -> f32 {
    state.check_scene();
    let mut covered = 0.0;
    if state.panel {
        let panel = egui::Panel::left("panel")
            .default_size(state.panel_width)
            .size_range(WIDTHS)
            .resizable(true);
        let shown = panel.show(ui, |ui| sections(ui, state));
        covered = shown.response.rect.right();
        state.panel_width = shown.response.rect.width();
    }
    let picture = ui.ctx().content_rect().with_min_x(covered);
    overlay::way::show(ui, state, picture);
    overlay::joints::show(ui, state, picture);
    person::mark(ui, state, picture);
    overlay::sides::show(ui, state, picture);
    overlay::curve::show(ui, state, picture);
    corner(ui, state, covered);
    paused(ui, state, picture);
    drop_hint(ui, state);
    overlay::keys::show(ui, state, picture);
    covered
}

fn sections(ui: &mut Ui, state: &mut AppState) {
    header(ui, state);
    top::show(ui, state);
    tabs(ui, state);
    // Sliders grow with the panel.
    ui.spacing_mut().slider_width += (ui.available_width() - WIDTHS.start()).max(0.0);
    let area = egui::ScrollArea::vertical().auto_shrink(false).id_salt(state.tab as u8);
    area.show(ui, |ui| match state.tab {
        Tab::Crowd => crowd(ui, state),
        Tab::Compare => compare::show(ui, state),
        Tab::Character => character::show(ui, state),
        Tab::Person => person::show(ui, state),
    });
}

fn crowd(ui: &mut Ui, state: &mut AppState) {
    top::views::show(ui, state);
    ui.separator();
    style::section(ui, "Scene", true, |ui| scene::show(ui, state));
    style::section(ui, "Time", true, |ui| time::show(ui, state));
    style::section(ui, "Light", true, |ui| render::light(ui, state));
    style::section(ui, "Groups", false, |ui| groups::show(ui, state));
    style::section(ui, "Profiling", true, |ui| profiling::show(ui, state));
    style::section(ui, "Stress", true, |ui| stress::show(ui, state));
    style::section(ui, "Render", true, |ui| render::show(ui, state));
    style::section(ui, "Camera", false, |ui| camera::show(ui, state));
    style::section(ui, "Shortcuts", false, |ui| shortcuts::show(ui, state.takes_drops));
    style::section(ui, "Notes", true, |ui| profiling::notes(ui, state));
}

fn tabs(ui: &mut Ui, state: &mut AppState) {
    ui.horizontal(|ui| {
        for (tab, name, hint) in [
            (Tab::Crowd, "Crowd", "crowd, rendering and profiling"),
            (Tab::Compare, "Compare", "two techniques side by side (X)"),
            (
                Tab::Character,
                "Character",
                "mesh, skeleton, clips and atlas of a character",
            ),
            (Tab::Person, "Person", "the selected person; click one in the crowd"),
        ] {
            ui.selectable_value(&mut state.tab, tab, name).on_hover_text(hint);
        }
    });
    ui.separator();
}

fn header(ui: &mut Ui, state: &AppState) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("throng").size(18.0).strong().color(style::ACCENT));
        let stats = &state.shown.stats;
        let format = stats.format.as_deref().unwrap_or_default();
        ui.weak(format!("{} {format}", stats.technique))
            .on_hover_text("technique and atlas format");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if state.shown.scene.is_none() {
                return;
            }
            let (frame, people) = (state.shown.summary.frame.median, state.shown.stats.instances);
            if people == 0 || frame == 0.0 {
                ui.weak("…");
                return;
            }
            ui.label(RichText::new(style::rate(frame)).strong());
            let noun = if people == 1 { "person" } else { "people" };
            ui.weak(format!("{} {noun}", style::grouped(people)));
        });
    });
    ui.add_space(2.0);
}

/// Notices and progress in the top left corner of the picture.
fn corner(ui: &mut Ui, state: &mut AppState, covered: f32) {
    // Below the labels of the compare view.
    let top = if state.compare.on { 58.0 } else { 10.0 };
    let area = egui::Area::new(egui::Id::unique("notices")).anchor(Align2::LEFT_TOP, [covered + 10.0, top]);
    let mut dismissed = None;
    area.show(ui.ctx(), |ui| {
        ui.set_max_width(460.0);
        loading(ui, state);
        expensive(ui, state);
        refused(ui, state);
        character::offer(ui, state);
        filming(ui, state);
        if let Some(count) = state.stress.trying() {
            style::card(ui, Color32::from_gray(235), |ui| {
                ui.horizontal(|ui| {
                    ui.spinner();
                    let people = style::grouped(count.into());
                    ui.label(format!("finding the largest crowd: {people} people (Esc: stop)"));
                });
            });
        }
        for notice in state.notices.current() {
            let color = if notice.is_error {
                style::ERROR
            } else {
                Color32::from_gray(235)
            };
            let response = style::card(ui, color, |ui| ui.add(egui::Label::new(&notice.text).wrap()));
            if response
                .interact(egui::Sense::click())
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
    let Some(loading) = &state.loading else { return };
    let told = match loading.share {
        Some(share) => format!("loading {}: {:.0} %", loading.what, 100.0 * share),
        None => format!("loading {}", loading.what),
    };
    let can_stop = state.shown.scene.is_some();
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.horizontal(|ui| {
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

/// Progress of a film being recorded.
fn filming(ui: &mut Ui, state: &AppState) {
    let Some(film) = &state.filming else { return };
    let (name, frames, seconds) = (&film.name, counted(film.frames, "frame"), film.seconds);
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.horizontal(|ui| {
            ui.colored_label(style::ERROR, "REC");
            ui.label(format!("{name}: {frames}, {seconds:.1} s (F10 ends it, Esc cancels)"));
        });
    });
}

/// Question whether to build a crowd whose frames would take seconds.
fn expensive(ui: &mut Ui, state: &mut AppState) {
    let Some(expensive) = state.expensive else { return };
    let people = style::grouped(expensive.count.into());
    let adapter = &state.shown.stats.adapter.name;
    let memory = bytes(expensive.bytes);
    let time = match expensive.seconds {
        short if short < 100.0 => format!("{short:.0} s"),
        long => format!("{:.0} min", long / 60.0),
    };
    let told = format!("{people} people: about {time} per frame on {adapter}, and {memory} of GPU memory");
    style::card(ui, Color32::from_gray(235), |ui| {
        ui.label(told);
        ui.horizontal(|ui| {
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
        ui.add(egui::Label::new(told).wrap());
        if ui.button("undo").on_hover_text("undo the change (Ctrl+Z)").clicked() {
            state.actions.push(Action::Undo);
        }
    });
}

/// Pause symbol in the top right corner of the picture.
fn paused(ui: &Ui, state: &AppState, picture: egui::Rect) {
    if !state.clock.paused || state.shown.scene.is_none() {
        return;
    }
    let corner = picture.right_top() + egui::vec2(-12.0, 12.0);
    let card = Align2::RIGHT_TOP.anchor_size(corner, egui::vec2(30.0, 30.0));
    let painter = ui.painter();
    painter.rect_filled(card, 5.0, Color32::from_black_alpha(190));
    for side in [-4.5, 4.5] {
        let bar = egui::Rect::from_center_size(card.center() + egui::vec2(side, 0.0), egui::vec2(4.5, 14.0));
        painter.rect_filled(bar, 1.0, Color32::from_gray(235));
    }
}

/// Hint while a file is dragged over the window.
fn drop_hint(ui: &Ui, state: &AppState) {
    let Some(path) = &state.hovering else { return };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let area = egui::Area::new(egui::Id::unique("drop")).anchor(Align2::CENTER_CENTER, [0.0, 0.0]);
    area.show(ui.ctx(), |ui| {
        style::card(ui, Color32::from_gray(235), |ui| {
            ui.heading(format!("drop to open {name}"));
        });
    });
}

#[cfg(test)]
mod each_control;
#[cfg(test)]
mod tests;
