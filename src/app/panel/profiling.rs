//! What a frame costs and occupies.

use egui::{Color32, RichText, Ui};

use crate::{
    app::{
        panel::widgets::{
            plot,
            style::{fact, grouped, reserved, short_fact},
        },
        state::{AppState, action::Action},
    },
    gpu::MemorySource,
    measure::Summary,
    render::{
        Pass,
        stats::{animation_data, memory},
    },
    scene::Warning,
};

/// Rows of the table of times, those of passes that do not run included: head, frame, CPU, panel, GPU.
const TIMES: usize = 5 + Pass::ALL.len();

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    plot::show(ui, &state.history);
    reserved(ui, TIMES, |ui| times(ui, state));
    ui.add_space(3.0);
    amounts(ui, state);
    adapter(ui, state);
    if ui
        .button("copy statistics as JSON")
        .on_hover_text("as written by shot --stats (C)")
        .clicked()
    {
        state.actions.push(Action::CopyStats);
    }
}

fn times(ui: &mut Ui, state: &AppState) {
    let summary = &state.shown.summary;
    egui::Grid::new("summary")
        .num_columns(3)
        .min_col_width(70.0)
        .spacing([8.0, 2.0])
        .show(ui, |ui| {
            ui.weak("ms");
            ui.weak("median").on_hover_text("median of the last 240 frames");
            ui.weak("p95").on_hover_text("95th percentile of the last 240 frames");
            ui.end_row();
            time(ui, plot::FRAME, "frame", "time between frames", summary.frame);
            time(ui, plot::CPU, "CPU", "encoding and submitting the frame", summary.cpu);
            time(
                ui,
                Color32::from_gray(80),
                "panel",
                "CPU time of this panel",
                summary.panel,
            );
            if summary.gpu.is_empty() {
                no_gpu_times(ui, state);
                return;
            }
            time(
                ui,
                Color32::TRANSPARENT,
                "GPU, all",
                "all passes below",
                summary.gpu_total,
            );
            for (&pass, summary) in &summary.gpu {
                time(
                    ui,
                    plot::pass_color(pass),
                    pass.name(),
                    "GPU time of the pass",
                    *summary,
                );
            }
        });
}

fn no_gpu_times(ui: &mut Ui, state: &AppState) {
    let lacking = state
        .shown
        .stats
        .adapter
        .switched_off
        .iter()
        .find(|off| off.starts_with("GPU time"));
    ui.weak("GPU");
    match lacking {
        Some(why) => ui
            .weak("not measured")
            .on_hover_text(format!("not supported by this adapter: {why}")),
        // Timestamps arrive a few frames late.
        None => ui.weak("..."),
    };
    ui.end_row();
}

fn time(ui: &mut Ui, color: Color32, name: &str, hint: &str, summary: Summary) {
    ui.horizontal(|ui| {
        let (dot, _) = ui.allocate_exact_size(egui::vec2(8.0, 8.0), egui::Sense::hover());
        ui.painter().rect_filled(dot, 2.0, color);
        ui.label(name).on_hover_text(hint);
    });
    for ms in [summary.median, summary.p95] {
        // Nothing is told before it is measured.
        let told = match summary.count {
            0 => format!("{:>8}", "…"),
            _ => format!("{ms:>8.3}"),
        };
        ui.label(RichText::new(told).monospace());
    }
    ui.end_row();
}

fn amounts(ui: &mut Ui, state: &AppState) {
    let stats = &state.shown.stats;
    // Of people and triangles, the left picture's are told.
    let both = if state.compare.on { ", both pictures" } else { "" };
    fact(ui, "instances", "in the scene", grouped(stats.instances));
    fact(
        ui,
        "drawn",
        "people in the view whom nobody hides, a few frames ago",
        grouped(stats.visible),
    );
    fact(ui, "hidden", "people in the view behind others", grouped(stats.hidden));
    fact(
        ui,
        "outside",
        "people outside the view",
        grouped(stats.instances.saturating_sub(stats.visible + stats.hidden)),
    );
    if let Some(poses) = &stats.poses {
        let told = format!(
            "{} of {}, {:.1} % found",
            grouped(poses.counts.skinned),
            grouped(poses.counts.asked),
            100.0 * poses.hit_rate
        );
        let hint = format!(
            "distinct poses skinned, of those that people show: {}",
            poses.counts.tiers()
        );
        fact(ui, "poses", &hint, told);
    }
    let lods: Vec<String> = (stats.lods.iter().filter(|lod| lod.people > 0))
        .map(|lod| {
            format!(
                "{} × {}",
                grouped(lod.people),
                lod.triangles.checked_div(lod.people).unwrap_or(0)
            )
        })
        .collect();
    if !lods.is_empty() {
        let hint = "people × triangles at each level of detail that somebody is at, finest first";
        fact(ui, "levels", hint, lods.join(", "));
    }
    let calls: Vec<String> = stats.draw_calls.iter().map(|(pass, n)| format!("{pass} {n}")).collect();
    short_fact(
        ui,
        "draw calls",
        "per pass; the crowd pass has one per character, two where triangles that are not seen are left out",
        calls.join(", "),
    );
    fact(ui, "triangles", "of people, as drawn", grouped(stats.triangles));
    if let Some(surviving) = stats.surviving_triangles {
        let hint = "triangles that the graphics pipe had to see: the others show their back, hold no sample or lie behind others";
        fact(ui, "of these seen", hint, grouped(surviving));
    }
    fact(ui, "vertices", "distinct vertices × instances", grouped(stats.vertices));
    let atlas = animation_data("", stats.atlas_bytes, stats.frame_data_bytes);
    fact(ui, "atlas", "animation data on the GPU", atlas);
    fact(
        ui,
        "GPU memory",
        match stats.vram_source {
            MemorySource::Allocator => "all buffers and textures; without the window's images and the driver's own",
            MemorySource::Estimate => "characters, instances and targets; nothing counts the rest here",
        },
        memory(stats.vram_bytes, stats.vram_source) + both,
    );
    let purposes = stats.upload_by_purpose.iter();
    let purposes: Vec<String> = purposes.map(|(what, n)| format!("{what} {}", grouped(*n))).collect();
    fact(
        ui,
        "upload",
        &format!("sent to the GPU for the newest frame, bytes: {}", purposes.join(", ")),
        format!("{} B/frame{both}", grouped(stats.upload_bytes)),
    );
    let start = &stats.startup_ms;
    let parts = format!(
        "device {:.0}, import {:.0}, bake {:.0}, crowd {:.0}, upload {:.0}, pipelines {:.0}",
        start.device, start.import, start.bake, start.crowd, start.upload, start.pipelines
    );
    fact(
        ui,
        "start",
        &format!("until the first frame: {parts} ms"),
        format!("{:.0} ms", start.total),
    );
}

fn adapter(ui: &mut Ui, state: &AppState) {
    let stats = &state.shown.stats;
    let adapter = &stats.adapter;
    fact(ui, "adapter", adapter.kind.name(), &adapter.name);
    fact(ui, "backend", "graphics interface", adapter.backend.name());
    fact(ui, "driver", "name and version", &adapter.driver);
    for missing in &adapter.switched_off {
        fact(ui, "off", "not supported by this adapter", missing);
    }
}

/// Requests that were dropped or assumed. The last section, since its length varies.
pub(crate) fn notes(ui: &mut Ui, state: &AppState) {
    let notes = state.shown.stats.notes.iter();
    // What is told elsewhere in the panel.
    let elsewhere = |n: &Warning| matches!(n, Warning::FromWindow { .. } | Warning::RasterChosen { .. });
    let mut notes = notes.filter(|n| !elsewhere(n)).peekable();
    if notes.peek().is_none() {
        ui.weak("none");
    }
    notes.for_each(|note| fact(ui, "note", "", note.to_string()));
}
