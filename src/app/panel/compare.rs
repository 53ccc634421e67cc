//! Compare tab: both sides, their difference, and the table of all draw methods.

use egui::{Color32, RichText, Ui};

use crate::{
    app::{
        compare::{REPEATS, Table, TechniqueRow, TechniqueTiming},
        panel::{
            profiling::cpu_label,
            render::{format_warnings, method_choice},
            widgets::style::{self, grouped, row, slider},
        },
        state::{AppState, action::Action},
    },
    render::DrawMethod,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    style::section(ui, "Side by side", true, |ui| sides(ui, state));
    style::section(ui, "All techniques", true, |ui| table(ui, state));
}

fn sides(ui: &mut Ui, state: &mut AppState) {
    let mut on = state.compare.on;
    row(
        ui,
        "compare",
        "draw the crowd with two methods side by side (X)",
        |ui| {
            ui.checkbox(&mut on, "split view");
            if ui.button("swap").on_hover_text("swap sides").clicked() {
                state.actions.push(Action::SwapSides);
            }
        },
    );
    if on != state.compare.on {
        state.actions.push(Action::ToggleCompare);
    }
    ui.label(RichText::new("left").strong());
    ui.push_id("left", |ui| {
        let render = &mut state.config.render;
        let mut left = DrawMethod::new(render.technique, render.format, state.source);
        method_choice(ui, &mut left, [" (T)", " (B)"]);
        (render.technique, render.format, state.source) = (left.technique, left.format, left.source);
        format_warnings(ui, state.shown.scene.as_deref(), left);
    });
    ui.label(RichText::new("right").strong());
    let compare = &mut state.compare;
    ui.push_id("right", |ui| {
        method_choice(ui, &mut compare.right, [""; 2]);
        format_warnings(ui, state.shown.scene.as_deref().filter(|_| compare.on), compare.right);
    });
    ui.add_space(4.0);
    row(ui, "show", "both pictures, or a map of their difference (M)", |ui| {
        ui.selectable_value(&mut compare.heat, false, "pictures");
        ui.selectable_value(&mut compare.heat, true, "difference");
    });
    row(ui, "gain", "factor on the difference in the map", |ui| {
        let gain = slider(&mut compare.gain, 1.0..=256.0).logarithmic(true);
        ui.add_enabled(compare.heat, gain.suffix(" x").max_decimals(0))
    });
}

fn table(ui: &mut Ui, state: &mut AppState) {
    let repeats = &mut state.compare.repeats;
    row(
        ui,
        "rounds",
        "number of rounds; each measures every technique once",
        |ui| ui.add(slider(repeats, REPEATS).logarithmic(true)),
    );
    let table = &state.compare.table;
    ui.horizontal(|ui| {
        let busy = table.left > 0;
        let button = egui::Button::new("measure all techniques");
        let response = ui.add_enabled(!busy, button);
        if response
            .on_hover_text("at the current count, size and view; the first one is measured twice to show the noise")
            .clicked()
        {
            state.actions.push(Action::TechniqueSweep);
        }
        if busy {
            ui.spinner();
            ui.weak(format!("{} remaining", table.left));
        }
    });
    if table.rows.is_empty() {
        ui.weak("times, memory and worst error of all techniques");
        return;
    }
    ui.weak(format!("{}, submit to idle", style::people(table.instances)));
    let cpu = cpu_label(state.shown.stats.adapter.is_software());
    // Its columns are wider than a narrow panel.
    egui::ScrollArea::horizontal()
        .id_salt("techniques")
        .show(ui, |ui| technique_rows(ui, table, cpu));
    if let Some(noise) = table.noise() {
        let told = format!(
            "noise: {} took {noise:.2} times as long as itself",
            table.rows[0].name()
        );
        ui.weak(told)
            .on_hover_text("smaller differences are noise; more rounds reduce it");
    }
    for row in &table.rows {
        if let Err(reason) = &row.outcome {
            let told = format!("{}: {reason}", row.name());
            ui.label(RichText::new(told).small().color(style::ERROR));
        }
    }
}

fn technique_rows(ui: &mut Ui, table: &Table, cpu: (&str, &str)) {
    egui::Grid::new("techniques")
        .num_columns(7)
        .spacing([6.0, 3.0])
        .striped(true)
        .min_col_width(30.0)
        .show(ui, |ui| {
            for (name, hint) in [
                ("", ""),
                ("frame", "time from submit to idle (ms)"),
                cpu,
                ("crowd", "GPU time of the crowd pass (ms)"),
                ("MiB", "animation data on the GPU (MiB)"),
                (
                    "mm",
                    "total error (mm): worst vertex against the exact keys, at and between frames",
                ),
                ("encoding", "encoding error (mm): worst vertex against the baked frames"),
            ] {
                ui.label(RichText::new(name).small().weak()).on_hover_text(hint);
            }
            ui.end_row();
            table.rows.iter().for_each(|row| one(ui, table, row));
        });
}

fn one(ui: &mut Ui, table: &Table, row: &TechniqueRow) {
    let name = egui::Label::new(RichText::new(row.name()).small()).extend();
    ui.add(name).on_hover_text(row.method.name());
    match &row.outcome {
        Ok(measured) => cells(measured, table.relative(row))
            .into_iter()
            .for_each(|(text, hint)| {
                ui.label(RichText::new(text).monospace().size(10.5)).on_hover_text(hint);
            }),
        Err(reason) => {
            let told = RichText::new("does not fit").small().color(Color32::from_gray(140));
            ui.label(told).on_hover_text(reason);
        }
    }
    ui.end_row();
}

fn cells(measured: &TechniqueTiming, relative: Option<f64>) -> [(String, String); 6] {
    let crowd = measured.times.crowd_ms;
    let [error, encoding] = match &measured.error {
        Some(e) => {
            let told = |percent| format!("{percent:.4} % of the height; normals {:.2}°", e.normal_degrees);
            [
                (short(f64::from(e.worst_mm)), told(e.worst_percent)),
                (short(f64::from(e.encoding_mm)), told(e.encoding_percent)),
            ]
        }
        None => ["-", "-"].map(|dash| (dash.into(), "technique static shows the rest pose by design".into())),
    };
    [
        (short(measured.wall_ms), frame_hint(measured, relative)),
        (
            short(measured.times.cpu_ms),
            "CPU time of encode and submit (ms)".into(),
        ),
        (
            crowd.map_or("-".into(), short),
            "GPU time of the crowd pass (ms)".into(),
        ),
        (
            short(measured.bytes as f64 / 1_048_576.0),
            format!("{} bytes", grouped(measured.bytes)),
        ),
        error,
        encoding,
    ]
}

/// Tooltip of a frame time: definition, ratio to the first row, and times by round.
fn frame_hint(measured: &TechniqueTiming, relative: Option<f64>) -> String {
    let rounds: Vec<String> = measured.rounds.iter().map(|ms| short(*ms)).collect();
    let relative = relative.map_or_else(String::new, |ratio| format!("; {ratio:.2} times that of the first row"));
    format!(
        "time from submit to idle (ms){relative}; by round: {}",
        rounds.join(", ")
    )
}

/// Number with three significant digits.
fn short(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}
