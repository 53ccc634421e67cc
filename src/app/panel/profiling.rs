//! Profiling section: times, counts and memory of a frame.

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

/// Number of rows in the table of times: head, frame, CPU, panel, GPU, and all passes.
const TIMES: usize = 5 + Pass::ALL.len();

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    plot::show(ui, &state.history);
    reserved(ui, TIMES, |ui| {
        egui::ScrollArea::horizontal()
            .id_salt("times")
            .show(ui, |ui| times(ui, state));
    });
    ui.add_space(3.0);
    amounts(ui, state);
    adapter(ui, state);
    if ui
        .button("copy statistics as JSON")
        .on_hover_text("in the format of throng shot --stats (C)")
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
            time(ui, plot::FRAME, "frame", "time between frames (ms)", summary.frame);
            let (cpu, hint) = cpu_label(state.shown.stats.adapter.is_software());
            time(ui, plot::CPU, cpu, hint, summary.cpu);
            time(
                ui,
                Color32::from_gray(80),
                "panel",
                "CPU time of this panel (ms)",
                summary.panel,
            );
            if summary.gpu.is_empty() {
                no_gpu_times(ui, state);
                return;
            }
            time(
                ui,
                Color32::TRANSPARENT,
                "GPU total",
                "GPU time of all passes below (ms)",
                summary.gpu_total,
            );
            for (&pass, summary) in &summary.gpu {
                time(
                    ui,
                    plot::pass_color(pass),
                    pass.name(),
                    "GPU time of the pass (ms)",
                    *summary,
                );
            }
        });
}

/// Name and tooltip of the CPU time. A software rasterizer draws inside submit, so its work is part of that time.
pub(crate) const fn cpu_label(software: bool) -> (&'static str, &'static str) {
    match software {
        true => (
            "CPU + drawing",
            "CPU time of encode and submit (ms); this adapter draws on the CPU, inside submit",
        ),
        false => ("CPU", "CPU time of encode and submit (ms)"),
    }
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
        // No zeros before the first measurement.
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
    // Counts of people and triangles are those of the left picture.
    let both = if state.compare.on { ", both pictures" } else { "" };
    fact(ui, "people", "number of people in the scene", grouped(stats.instances));
    fact(
        ui,
        "visible",
        "people after frustum and occlusion culling, a few frames ago",
        grouped(stats.visible),
    );
    fact(
        ui,
        "occluded",
        "people in the view, removed by occlusion culling",
        grouped(stats.hidden),
    );
    fact(
        ui,
        "outside",
        "people outside the view, removed by frustum culling",
        grouped(stats.instances.saturating_sub(stats.visible + stats.hidden)),
    );
    if let Some(poses) = &stats.poses {
        let told = format!(
            "{} of {}, {:.1} % reused",
            grouped(poses.counts.skinned),
            grouped(poses.counts.asked),
            100.0 * poses.hit_rate
        );
        let hint = format!(
            "distinct poses skinned, of the poses that people show: {}",
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
        let hint = "people × triangles at each level of detail in use, finest first";
        fact(ui, "LODs", hint, lods.join(", "));
    }
    let calls: Vec<String> = stats.draw_calls.iter().map(|(pass, n)| format!("{pass} {n}")).collect();
    short_fact(
        ui,
        "draw calls",
        "draw calls per pass; the crowd pass has one per character, two with triangle culling",
        calls.join(", "),
    );
    fact(
        ui,
        "triangles",
        "triangles of the people drawn",
        grouped(stats.triangles),
    );
    if let Some(surviving) = stats.surviving_triangles {
        let hint = "triangles after triangle culling, for the hardware rasterizer; the others are back faces, cover no \
                    sample or are occluded";
        fact(ui, "after culling", hint, grouped(surviving));
    }
    fact(
        ui,
        "vertices",
        "distinct vertices × people drawn",
        grouped(stats.vertices),
    );
    let atlas = animation_data("", stats.atlas_bytes, stats.frame_data_bytes);
    fact(ui, "atlas", "animation data on the GPU", atlas);
    fact(
        ui,
        "GPU memory",
        match stats.vram_source {
            MemorySource::Allocator => "all buffers and textures, without the window's swapchain and driver memory",
            MemorySource::Estimate => "characters, instances and render targets; this backend does not count the rest",
        },
        memory(stats.vram_bytes, stats.vram_source) + both,
    );
    let purposes = stats.upload_by_purpose.iter();
    let purposes: Vec<String> = purposes.map(|(what, n)| format!("{what} {}", grouped(*n))).collect();
    fact(
        ui,
        "upload",
        &format!(
            "uploaded to the GPU for the newest frame (bytes): {}",
            purposes.join(", ")
        ),
        format!("{} B/frame{both}", grouped(stats.upload_bytes)),
    );
    let start = &stats.startup_ms;
    let parts = format!(
        "device {:.0}, import {:.0}, bake {:.0}, crowd {:.0}, upload {:.0}, pipelines {:.0}",
        start.device, start.import, start.bake, start.crowd, start.upload, start.pipelines
    );
    fact(
        ui,
        "startup",
        &format!("time until the first frame (ms): {parts}"),
        format!("{:.0} ms", start.total),
    );
}

fn adapter(ui: &mut Ui, state: &AppState) {
    let stats = &state.shown.stats;
    let adapter = &stats.adapter;
    fact(ui, "adapter", adapter.kind.name(), &adapter.name);
    fact(ui, "backend", "graphics API", adapter.backend.name());
    fact(ui, "driver", "name and version of the driver", &adapter.driver);
    for missing in &adapter.switched_off {
        fact(ui, "disabled", "not supported by this adapter", missing);
    }
}

/// Unsupported or assumed settings. This section is last because its length varies.
pub(crate) fn notes(ui: &mut Ui, state: &AppState) {
    let notes = state.shown.stats.notes.iter();
    // Warnings that other sections show.
    let elsewhere = |n: &Warning| matches!(n, Warning::FromWindow { .. } | Warning::RasterChosen { .. });
    let mut notes = notes.filter(|n| !elsewhere(n)).peekable();
    if notes.peek().is_none() {
        ui.weak("none");
    }
    notes.for_each(|note| fact(ui, "note", "", note.to_string()));
}
