//! Stress section: search for the largest crowd within a frame time.

use egui::{Label, RichText, Ui};

use crate::app::{
    panel::widgets::style::{fact, grouped, people, reserved, row, slider},
    state::{AppState, action::Action},
    stress::SearchEnd,
};

/// Number of rows reserved for the result of a search.
const ROWS: usize = 2;

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    row(
        ui,
        "time limit",
        "longest time that a frame may take in the search (ms)",
        |ui| {
            let target = slider(&mut state.stress.target_ms, 2.0..=200.0).logarithmic(true);
            ui.add(target.suffix(" ms").max_decimals(1))
        },
    );
    let trying = state.stress.trying();
    row(ui, "", "", |ui| {
        let (label, hint) = match trying {
            Some(_) => ("stop", "stop the search and restore the crowd (Esc)"),
            None => (
                "find the largest crowd",
                "raises the number of people until a frame takes the target time, without vsync (K)",
            ),
        };
        if ui.button(label).on_hover_text(hint).clicked() {
            state.actions.push(Action::Stress);
        }
        if let Some(count) = trying {
            ui.spinner();
            ui.weak(grouped(count.into()));
        } else if !state.stress.curve.is_empty() {
            let hint = "plot of measured frame time against number of people";
            ui.toggle_value(&mut state.stress.shows_curve, "curve")
                .on_hover_text(hint);
        }
    });
    reserved(ui, ROWS, |ui| outcome(ui, state));
}

/// Limitation of the running search, or the result of the last one.
fn outcome(ui: &mut Ui, state: &AppState) {
    let running = state.stress.trying().is_some();
    if let Some(why) = state.shown.vsync_fixed.as_ref().filter(|_| running) {
        ui.weak(format!("vsync cannot be disabled: {why}"));
    }
    if let Some(max_crowd) = state
        .stress
        .max_crowd
        .filter(|max_crowd| max_crowd.end == SearchEnd::Least)
    {
        let told = max_crowd.sentence(state.stress.target_ms);
        ui.add(Label::new(RichText::new(format!("not met: {told}")).color(ui.visuals().warn_fg_color)).wrap());
    } else if let Some(max_crowd) = state.stress.max_crowd {
        fact(
            ui,
            "maximum",
            "largest crowd within the frame time",
            people(max_crowd.count.into()),
        );
        fact(
            ui,
            "",
            "median frame time (ms); throughput (million triangles per second)",
            format!("{:.1} ms, {:.0} Mtri/s", max_crowd.ms, max_crowd.mtris),
        );
    }
}
