//! Rows for people who follow a file of trajectories: file, colours, texts over the picture.

use egui::{Button, TextEdit, Ui};

use crate::{
    app::{
        panel::widgets::{
            mark::{choose, marked},
            style::{grouped, row, short_fact, slider},
        },
        person::pick::LineDrawing,
        state::AppState,
    },
    config::{TrajectoryColor, TrajectoryConfig},
};

/// Longest trails that the slider offers (s); settings allow longer ones.
const TRAILS: f64 = 30.0;

/// Rows in place of count and layout.
pub(super) fn show(ui: &mut Ui, state: &mut AppState) {
    let people = state.shown.scene.as_ref().map(|scene| scene.crowd.count());
    let people = people.map_or_else(|| "-".to_owned(), |people| grouped(people as u64));
    short_fact(ui, "people", "people of the file, at any time", people);
    let (own, preset) = (&mut state.config.scene.trajectories, &state.preset.scene.trajectories);
    let name = own.file.file_name().unwrap_or(own.file.as_os_str());
    short_fact(
        ui,
        "file",
        "file of trajectories that people follow",
        name.to_string_lossy(),
    );
    let hint = "meaning of the colour of clothes";
    choose(ui, "color by", hint, &mut own.color, &preset.color);
    if own.color == TrajectoryColor::Column {
        column(ui, own, preset);
    }
    annotations(ui, own, preset);
    let tell = |seconds: &f64| format!("{seconds} s");
    marked(
        ui,
        "trails",
        "seconds of the trails on the ground; 0 draws none",
        &mut own.trails,
        &preset.trails,
        tell,
        |ui, trails| ui.add(slider(trails, 0.0..=TRAILS).suffix(" s").max_decimals(1)),
    );
    flow(ui, state);
}

/// Line whose crossings are counted.
fn flow(ui: &mut Ui, state: &mut AppState) {
    row(ui, "flow", "people who cross a line, to either side", |ui| {
        if state.person.pick.line != LineDrawing::Off {
            ui.weak("click its two ends (Esc: stop)");
            return;
        }
        let has_line = !state.config.scene.trajectories.flow.is_empty();
        let draw = ui.button("draw line").on_hover_text("click two places on the ground");
        if draw.clicked() {
            state.begin_line();
        }
        let save = ui.add_enabled(has_line, Button::new("save CSV"));
        if save.on_hover_text("write all crossings to a file").clicked() {
            state.save_crossings();
        }
        if ui.add_enabled(has_line, Button::new("remove")).clicked() {
            state.config.scene.trajectories.flow.clear();
        }
    });
}

/// Name of the column whose values colour clothes. It takes effect once it is typed.
fn column(ui: &mut Ui, own: &mut TrajectoryConfig, preset: &TrajectoryConfig) {
    marked(
        ui,
        "column",
        "column of the file whose values colour clothes",
        &mut own.color_column,
        &preset.color_column,
        String::clone,
        |ui, column| {
            let mut typed = ui
                .data_mut(|data| data.get_temp(ui.scope_id()))
                .unwrap_or_else(|| column.clone());
            let field = ui.add(TextEdit::singleline(&mut typed).hint_text("name").desired_width(90.0));
            if field.lost_focus() {
                column.clone_from(&typed);
            }
            ui.data_mut(|data| data.insert_temp(ui.scope_id(), typed));
        },
    );
}

/// Texts over the picture.
fn annotations(ui: &mut Ui, own: &mut TrajectoryConfig, preset: &TrajectoryConfig) {
    let mut shown = [own.clock, own.legend, own.ids];
    let usual = [preset.clock, preset.legend, preset.ids];
    let tell = |shown: &[bool; 3]| {
        let names = ["clock", "legend", "ids"].into_iter().zip(shown);
        let names: Vec<&str> = names.filter(|(_, shown)| **shown).map(|(name, _)| name).collect();
        names.join(", ")
    };
    let hint = "texts over the picture, also over saved pictures and films";
    marked(
        ui,
        "show",
        hint,
        &mut shown,
        &usual,
        tell,
        |ui, [clock, legend, ids]| {
            ui.checkbox(clock, "clock").on_hover_text("time since the first sample");
            ui.checkbox(legend, "legend")
                .on_hover_text("meaning of the colours of clothes");
            ui.checkbox(ids, "ids").on_hover_text("ids of the file above heads");
        },
    );
    [own.clock, own.legend, own.ids] = shown;
}

#[cfg(test)]
mod tests {
    use egui_kittest::{Harness, kittest::Queryable};

    use super::*;
    use crate::app::state::playback::tests::walk;

    #[test]
    fn switches_and_sliders_change_what_pictures_show() {
        let mut hand = Harness::builder()
            .with_accessibility_check(false)
            .build_ui_state(show, walk());
        hand.run_steps(3);
        assert!(hand.query_by_label("walk.csv").is_some() && hand.query_by_label("1").is_some());
        let of = |hand: &Harness<'_, AppState>| hand.state().config.scene.trajectories.clone();
        for (label, is_on) in [
            ("clock", (|config| config.clock) as fn(&TrajectoryConfig) -> bool),
            ("legend", |config| config.legend),
            ("ids", |config| config.ids),
        ] {
            let before = is_on(&of(&hand));
            hand.get_by_label(label).click();
            hand.run_steps(2);
            assert_eq!(is_on(&of(&hand)), !before, "{label}");
        }
    }
}
