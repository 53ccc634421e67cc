//! The search for the largest crowd in time.

use egui::{Slider, Ui};

use crate::app::{
    panel::style::{fact, grouped, row},
    state::{AppState, action::Action},
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    row(ui, "frame time", "the search ends where frames take longer", |ui| {
        let target = Slider::new(&mut state.stress.target_ms, 2.0..=200.0).logarithmic(true);
        ui.add(target.suffix(" ms").max_decimals(1))
    });
    let trying = state.stress.trying();
    row(ui, "", "", |ui| {
        let (label, hint) = match trying {
            Some(_) => ("stop", "back to the crowd before (Esc)"),
            None => (
                "search the largest crowd",
                "raises the count until a frame takes longer, without vsync (K)",
            ),
        };
        if ui.button(label).on_hover_text(hint).clicked() {
            state.actions.push(Action::Stress);
        }
        if let Some(count) = trying {
            ui.spinner();
            ui.weak(grouped(count.into()));
        }
    });
    if let Some(why) = state.shown.vsync_fixed.as_ref().filter(|_| trying.is_some()) {
        ui.weak(format!("frames wait for the display: {why}"));
    }
    if let Some(knee) = state.stress.knee {
        fact(
            ui,
            "knee",
            "the largest crowd in time",
            format!("{} people", grouped(knee.count.into())),
        );
        fact(
            ui,
            "",
            "median frame; million triangles a second",
            format!("{:.1} ms, {:.0} Mtri/s", knee.ms, knee.mtris),
        );
    }
}
