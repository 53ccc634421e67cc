//! Tables of `report.md`.

use std::fmt::Write;

use crate::{
    atlas::verify,
    bench::{
        BenchReport, BenchRow, BenchView, TimeBasis,
        report::{
            markdown::{list, table},
            text::{or_dash, ratio, significant, thousands},
        },
    },
    gpu::MemorySource,
    render::{
        stats::{animation_data, bytes},
        technique::ErrorSource,
    },
};

pub(crate) fn time_note(report: &BenchReport) -> String {
    let basis = match report.setup.basis {
        TimeBasis::Gpu => {
            "Ratios compare GPU times of the crowd pass; `wall` is from the start of encoding until the device is \
             idle"
        }
        TimeBasis::Wall => "Ratios compare wall times from the start of encoding until the device is idle",
    };
    format!("{basis}. CPU is encode and submit, and for `live` also the animators: compare `live` by wall time.\n\n")
}

pub(crate) fn times(page: &mut String, report: &BenchReport, count: u32, view: BenchView) {
    let _ = writeln!(page, "### {} instances, {}\n", thousands(u64::from(count)), view.name());
    let software = report.setup.adapter.is_software();
    let measured = || report.group(count, view).filter(|r| r.skipped.is_none());
    if software {
        let cells = |r: &BenchRow| {
            vec![
                r.name.clone(),
                ratio(r.ratio_to_static),
                upload(r),
                invocations(r),
                overdraw(r),
            ]
        };
        table(
            page,
            &["", "x static", "upload/frame", "vertex invocations", "overdraw"],
            measured().map(cells),
        );
        return;
    }
    let header = [
        "",
        "GPU ms",
        "p95",
        "x static",
        "all passes",
        "wall ms",
        "CPU ms",
        "upload/frame",
        "vertex invocations",
        "overdraw",
    ];
    let cells = |r: &BenchRow| {
        vec![
            r.name.clone(),
            or_dash(r.gpu_ms.map(|s| s.median)),
            or_dash(r.gpu_ms.map(|s| s.p95)),
            ratio(r.ratio_to_static),
            or_dash(r.gpu_frame_ms.map(|s| s.median)),
            or_dash(r.wall_ms.map(|s| s.median)),
            or_dash(r.cpu_ms.map(|s| s.median)),
            upload(r),
            invocations(r),
            overdraw(r),
        ]
    };
    table(page, &header, measured().map(cells));
}

fn upload(row: &BenchRow) -> String {
    bytes(row.upload_bytes)
}

fn invocations(row: &BenchRow) -> String {
    row.vertex_invocations
        .map_or_else(|| "-".into(), |n| format!("{} M", significant(n as f64 / 1e6)))
}

fn overdraw(row: &BenchRow) -> String {
    or_dash(row.overdraw)
}

/// Returns the rows of the last group, which is the largest crowd: one per entry.
fn entries(report: &BenchReport) -> impl Iterator<Item = &BenchRow> {
    let last = report.groups().last().copied();
    last.into_iter()
        .flat_map(|(count, view)| report.group(count, view))
        .filter(|r| !r.entry.control)
}

pub(crate) fn memory(page: &mut String, report: &BenchReport) {
    let Some((count, _)) = report.groups().last().copied() else {
        return;
    };
    let _ = writeln!(page, "## Memory, {} instances\n", thousands(u64::from(count)));
    let rows = entries(report).filter(|r| r.skipped.is_none());
    let cells = |r: &BenchRow| {
        vec![
            r.name.clone(),
            animation_data("", r.atlas_bytes, r.frame_data_bytes),
            bytes(r.gpu_bytes),
        ]
    };
    let memory = match report.setup.memory_source {
        MemorySource::Allocator => "total GPU memory",
        MemorySource::Estimate => "GPU memory (estimate)",
    };
    table(page, &["", "animation data", memory], rows.map(cells));
}

pub(crate) fn errors(page: &mut String, report: &BenchReport) {
    *page += "## Error\n\n`shown` is the total error against the exact keys, `encoding` the error against the \
              baked frames in full precision: worst vertex and normal of all clips, at and between frames. \
              Pictures are compared with `matrix f32`, in percent of full scale; worst of all groups.\n\n";
    let header = [
        "",
        "shown mm",
        "% height",
        "normal °",
        "encoding mm",
        "% height",
        "normal °",
        "picture mean %",
        "max %",
    ];
    let rows = entries(report).filter(|r| r.entry.method.technique.facts().error != ErrorSource::NotComparable);
    let cells = |r: &BenchRow| {
        let error =
            |f: fn(&crate::measure::accuracy::Accuracy) -> f32| or_dash(r.error.as_ref().map(|e| f64::from(f(e))));
        let pictures: Vec<_> = report
            .rows
            .iter()
            .filter(|o| o.name == r.name)
            .filter_map(|o| o.picture)
            .collect();
        let worst = |f: fn(&crate::measure::image_difference::PictureDifference) -> f64| {
            or_dash(pictures.iter().map(f).reduce(f64::max))
        };
        vec![
            r.name.clone(),
            error(|e| e.worst_mm),
            error(|e| e.worst_percent),
            error(|e| e.normal_degrees),
            error(|e| e.encoding_mm),
            error(|e| e.encoding_percent),
            error(|e| e.encoding_normal_degrees),
            worst(|p| p.mean_percent),
            worst(|p| p.max_percent),
        ]
    };
    table(page, &header, rows.map(cells));
}

pub(crate) fn characters(page: &mut String, report: &BenchReport) {
    *page += "## Baking and animating on the CPU\n\n";
    let rows = report.characters.iter().map(|c| {
        vec![
            c.name.clone(),
            format!("{:.1} s", c.play_seconds),
            or_dash(c.bake_ms.map(|s| s.median)),
            or_dash(c.bake_speed),
            or_dash(c.animator_ms_per_1000.map(|s| s.median)),
        ]
    });
    table(
        page,
        &[
            "",
            "duration of all clips",
            "bake, ms",
            "× real time",
            "animator, ms per 1,000",
        ],
        rows,
    );
}

/// Adds a table of total errors and bytes of frames placed by motion and at even steps.
pub(crate) fn frame_placement(page: &mut String, report: &BenchReport) {
    let compared: Vec<_> = report
        .characters
        .iter()
        .filter_map(|c| c.frame_placement.as_ref())
        .collect();
    if compared.is_empty() {
        return;
    }
    *page += "## Frames by motion and at even steps\n\nTotal error at any moment against the exact keys, worst vertex and \
              99th percentile, with frames at even 30 Hz, with no more even frames than the motion takes, and with those \
              of the motion. Ratios are of the bytes of f16 at even 30 Hz.\n\n";
    let rows = compared
        .into_iter()
        .flat_map(|c| c.ways.iter().map(move |way| (c, way)));
    let cells = |(c, way): (&verify::Comparison, &verify::PlacementCost)| {
        let millimetres = [way.total.worst_mm, way.total.p99_mm].map(|mm| significant(f64::from(mm)));
        let [worst, p99] = millimetres;
        vec![
            c.character.clone(),
            way.format.name().into(),
            way.frames_by.clone(),
            thousands(u64::from(way.frames)),
            thousands(way.bytes),
            format!("{:.2}", way.bytes_ratio),
            worst,
            p99,
            format!("{:.3}", way.total.worst_percent),
            format!("{:.3}", way.encoding_percent),
        ]
    };
    let header = [
        "",
        "format",
        "frames",
        "",
        "bytes",
        "ratio",
        "worst mm",
        "p99 mm",
        "% height",
        "encoding %",
    ];
    table(page, &header, rows.map(cells));
}

pub(crate) fn picking(page: &mut String, report: &BenchReport) {
    if report.picking.is_empty() {
        return;
    }
    *page += "## Picking\n\nLatency from query to answer: bounding boxes on the GPU, triangles of the nearest \
              candidates on the CPU.\n\n";
    let rows = report.picking.iter().map(|p| {
        vec![
            thousands(u64::from(p.count)),
            p.view.name().into(),
            significant(p.ms.median),
            significant(p.ms.p95),
            format!("{} of {}", p.hits, p.asked),
        ]
    });
    table(page, &["instances", "view", "ms", "p95", "rays that hit someone"], rows);
}

pub(crate) fn skipped(page: &mut String, report: &BenchReport) {
    let skipped = report.rows.iter().filter_map(|r| Some((r, r.skipped.as_ref()?)));
    let lines: Vec<String> = skipped
        .map(|(r, why)| {
            format!(
                "{} at {} {}: {why}",
                r.name,
                thousands(u64::from(r.count)),
                r.view.name()
            )
        })
        .collect();
    list(page, "## Not measured\n\n", &lines);
}

pub(crate) fn controls(page: &mut String, report: &BenchReport) {
    *page += "## A/A\n\nThe same entry measured twice in each group, with separate buffers: second over first. CPU times \
              are measured in the first view of a count.\n\n";
    let rows = report.controls.iter().map(|c| {
        let conclusion = if c.noisy { "**noisy**" } else { "quiet" };
        vec![
            thousands(u64::from(c.count)),
            c.view.name().into(),
            c.entry.clone(),
            format!("{:.3}", c.ratio),
            c.cpu_ratio.map_or("-".into(), |r| format!("{r:.3}")),
            conclusion.into(),
        ]
    });
    table(page, &["instances", "view", "entry", "time", "CPU time", ""], rows);
}
