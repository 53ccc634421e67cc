//! The panel: sections of widgets that change [`AppState`] and show measurements.

mod camera;
mod character;
mod compare;
mod corner;
mod groups;
mod hero;
mod naming;
mod overlay;
mod person;
mod profiling;
mod render;
mod scene;
mod shortcuts;
mod stress;
mod time;
mod top;
mod trajectories;
pub(super) mod widgets;

use std::ops::RangeInclusive;

use egui::{Align2, Color32, RichText, Ui, UiBuilder};

use crate::app::{
    panel::widgets::style,
    state::{AppState, action::Tab},
};

/// Allowed widths of the panel (points) in a wide window; the narrowest fits every row.
pub(super) const WIDTHS: RangeInclusive<f32> = 320.0..=620.0;
/// Largest share of the window that the panel takes.
const LARGEST_SHARE: f32 = 0.4;
/// Width of the panel's contents (points) below which labels stand above their widgets.
const NARROW: f32 = 300.0;

/// Lays out panel, notices and overlays; returns the width of the picture covered by the panel (points).
pub(super) fn show(ui: &mut Ui, state: &mut AppState) -> f32 {
    state.check_scene();
    let mut covered = 0.0;
    if state.ui.panel {
        let widths = widths_in(ui.ctx().content_rect().width());
        let panel = egui::Panel::left("panel")
            .default_size(state.ui.panel_width.clamp(*widths.start(), *widths.end()))
            .size_range(widths)
            .resizable(true);
        let shown = panel.show(ui, |ui| {
            bounded(ui, |ui| sections(ui, state));
        });
        covered = shown.response.rect.right();
        state.ui.panel_width = shown.response.rect.width();
    }
    let picture = ui.ctx().content_rect().with_min_x(covered);
    overlay::frame::show(ui, state, picture);
    overlay::annotations::show(ui, state, picture);
    overlay::way::show(ui, state, picture);
    overlay::joints::show(ui, state, picture);
    person::mark(ui, state, picture);
    overlay::sides::show(ui, state, picture);
    overlay::timeline::show(ui, state, picture);
    overlay::curve::show(ui, state, picture);
    corner::show(ui, state, picture);
    paused(ui, state, picture);
    drop_hint(ui, state);
    overlay::keys::show(ui, state, picture);
    covered
}

/// Allowed widths of the panel in a window of a width (points): at most [`LARGEST_SHARE`] of it.
fn widths_in(window: f32) -> RangeInclusive<f32> {
    let most = (LARGEST_SHARE * window).floor().min(*WIDTHS.end());
    WIDTHS.start().min(most)..=most
}

/// Contents that fill the room of `ui` and never make it wider.
fn bounded(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    let room = ui.available_rect_before_wrap();
    let mut inside = ui.new_child(UiBuilder::new().max_rect(room));
    inside.shrink_clip_rect(room);
    contents(&mut inside);
    ui.advance_cursor_after_rect(room);
}

fn sections(ui: &mut Ui, state: &mut AppState) {
    header(ui, state);
    top::show(ui, state);
    tabs(ui, state);
    // Sliders grow and shrink with the panel.
    let room = ui.available_width();
    style::set_narrow(ui, room < NARROW);
    ui.spacing_mut().slider_width += match room < NARROW {
        true => (room - NARROW + style::LABEL).min(0.0),
        false => (room - WIDTHS.start()).max(0.0),
    };
    let area = egui::ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt(state.ui.tab as u8);
    area.show(ui, |ui| match state.ui.tab {
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
    style::section(ui, "Shortcuts", false, |ui| {
        shortcuts::show(ui, state.files.takes_drops)
    });
    style::section(ui, "Notes", true, |ui| profiling::notes(ui, state));
}

fn tabs(ui: &mut Ui, state: &mut AppState) {
    ui.horizontal_wrapped(|ui| {
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
            ui.selectable_value(&mut state.ui.tab, tab, name).on_hover_text(hint);
        }
    });
    ui.separator();
}

fn header(ui: &mut Ui, state: &mut AppState) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("throng").size(18.0).strong().color(style::ACCENT));
        let stats = &state.shown.stats;
        let format = stats.format.as_deref().unwrap_or_default();
        ui.weak(format!("{} {format}", stats.technique))
            .on_hover_text("technique and atlas format");
        render::light_switch(ui, &mut state.config.render, state.shown.stats.adapter.is_software());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if state.shown.scene.is_none() {
                return;
            }
            let (frame, people) = (state.shown.summary.frame.median, state.shown.stats.instances);
            if people == 0 || frame == 0.0 {
                ui.weak("…");
                return;
            }
            if state.rests {
                // The frame rate is that of frames drawn before.
                let hint = "nothing moves, so no frames are drawn; resume with Space";
                ui.weak("at rest").on_hover_text(hint);
            } else {
                ui.label(RichText::new(style::rate(frame)).strong())
                    .on_hover_text("frames per second (fps), median of the newest frames");
            }
            ui.weak(style::people(people));
        });
    });
    ui.add_space(2.0);
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
    let Some(path) = &state.files.hovering else { return };
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
mod first_use;
#[cfg(test)]
mod tests;
