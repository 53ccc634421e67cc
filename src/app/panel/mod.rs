//! The panel: sections of widgets that change [`AppState`] and show what was measured.

mod atlas;
mod camera;
mod character;
mod compare;
mod hero;
mod overlay;
mod person;
mod profiling;
mod render;
mod scene;
mod shortcuts;
mod stress;
mod time;
pub(super) mod widgets;

use egui::{Align2, Color32, RichText, Ui};

use crate::app::{
    panel::widgets::style,
    state::{AppState, action::Tab},
};

/// Width of the panel, points.
const WIDTH: f32 = 312.0;

/// Lays out panel, notices and hints; returns how many points of the picture's left they cover.
pub(super) fn show(ui: &mut Ui, state: &mut AppState) -> f32 {
    let mut covered = 0.0;
    if state.panel {
        let panel = egui::Panel::left("panel").exact_size(WIDTH).resizable(false);
        let shown = panel.show(ui, |ui| sections(ui, state));
        covered = shown.response.rect.right();
    }
    let picture = ui.ctx().content_rect().with_min_x(covered);
    overlay::joints::show(ui, state, picture);
    person::mark(ui, state, picture);
    overlay::sides::show(ui, state, picture);
    corner(ui, state, covered);
    drop_hint(ui, state);
    covered
}

fn sections(ui: &mut Ui, state: &mut AppState) {
    header(ui, state);
    tabs(ui, state);
    let area = egui::ScrollArea::vertical().auto_shrink(false).id_salt(state.tab as u8);
    area.show(ui, |ui| match state.tab {
        Tab::Crowd => crowd(ui, state),
        Tab::Compare => compare::show(ui, state),
        Tab::Character => character::show(ui, state),
        Tab::Person => person::show(ui, state),
    });
}

fn crowd(ui: &mut Ui, state: &mut AppState) {
    style::section(ui, "Scene", true, |ui| scene::show(ui, state));
    style::section(ui, "Time", true, |ui| time::show(ui, state));
    style::section(ui, "Profiling", true, |ui| profiling::show(ui, state));
    style::section(ui, "Stress", true, |ui| stress::show(ui, state));
    style::section(ui, "Render", true, |ui| render::show(ui, state));
    style::section(ui, "Camera", false, |ui| camera::show(ui, state));
    style::section(ui, "Shortcuts", false, shortcuts::show);
}

fn tabs(ui: &mut Ui, state: &mut AppState) {
    ui.horizontal(|ui| {
        for (tab, name, hint) in [
            (Tab::Crowd, "Crowd", "crowd, rendering and profiling"),
            (Tab::Compare, "Compare", "two techniques side by side (X)"),
            (Tab::Character, "Character", "skeleton, clips and atlas of a character"),
            (Tab::Person, "Person", "a selected person: click in the crowd"),
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
        ui.weak(format!("{} {}", stats.technique, stats.format))
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

/// Notices and progress, in the top left corner of the picture.
fn corner(ui: &mut Ui, state: &mut AppState, covered: f32) {
    // Below the labels of the compare view.
    let top = if state.compare.on { 58.0 } else { 10.0 };
    let area = egui::Area::new(egui::Id::unique("notices")).anchor(Align2::LEFT_TOP, [covered + 10.0, top]);
    let mut dismissed = None;
    area.show(ui.ctx(), |ui| {
        ui.set_max_width(460.0);
        if let Some(what) = &state.loading {
            style::card(ui, Color32::from_gray(235), |ui| {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label(format!("loading {what}"));
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

/// While a file is dragged over the window.
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
