//! `report.md`: the run for a reader.

use std::fmt::Write;

use super::{
    findings,
    plan::View,
    plots,
    report::{Basis, Report, Row},
    text::{bytes, or_dash, ratio, significant, target, thousands},
};
use crate::config::Technique;

/// The whole page.
#[must_use]
pub fn page(report: &Report) -> String {
    let mut page = String::from("# throng bench\n\n");
    setup(&mut page, report);
    headline(&mut page, report);
    findings_section(&mut page, report);
    plot_links(&mut page);
    page += "## Time\n\n";
    page += &time_note(report);
    for (count, view) in report.groups() {
        times(&mut page, report, count, view);
    }
    memory(&mut page, report);
    errors(&mut page, report);
    characters(&mut page, report);
    skipped(&mut page, report);
    controls(&mut page, report);
    page
}

/// The headline alone, for a terminal.
#[must_use]
pub fn summary(report: &Report) -> String {
    let mut lines = vec![report.setup.adapter.summary()];
    lines.extend(findings::caveats(report).into_iter().map(|c| format!("beware     {c}")));
    for h in &report.headline {
        let verdict = match h.reached {
            Some(true) => "reached",
            Some(false) => "MISSED ",
            None => "       ",
        };
        let what = format!("{} ({})", h.what, h.place);
        lines.push(format!(
            "{verdict}    {what:<62} {:>8}   {:<8} {}",
            significant(h.value),
            target(h.target),
            h.note
        ));
    }
    let (least, most) = report
        .controls
        .iter()
        .fold((f64::MAX, 0.0_f64), |(a, b), c| (a.min(c.ratio), b.max(c.ratio)));
    if most > 0.0 {
        lines.push(format!(
            "control    the same entry measured twice differs by factors of {least:.3} to {most:.3}"
        ));
    }
    lines.join("\n")
}

fn table(page: &mut String, header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    *page += &format!("| {} |\n|{}\n", header.join(" | "), "---|".repeat(header.len()));
    for row in rows {
        *page += &format!("| {} |\n", row.join(" | "));
    }
    page.push('\n');
}

fn setup(page: &mut String, report: &Report) {
    let s = &report.setup;
    let of = |c: &super::report::CharacterFacts| {
        format!(
            "{} ({} vertices, {} triangles, {} joints, {} clips, {} frames; four influences, two frames blended)",
            c.name,
            thousands(u64::from(c.vertices)),
            thousands(u64::from(c.triangles)),
            c.joints,
            c.clips,
            thousands(u64::from(c.frames)),
        )
    };
    let characters: Vec<String> = report.characters.iter().map(of).collect();
    let commit = s.commit.as_ref().map_or(String::new(), |c| format!(", commit {c}"));
    let mut rows = vec![
        (
            "adapter",
            format!("{} ({}, {})", s.adapter.name, s.adapter.kind, s.adapter.backend),
        ),
        ("driver", s.adapter.driver.clone()),
        ("CPU", format!("{} logical cores", s.cores)),
        (
            "picture",
            format!(
                "{} x {}, {} sample per pixel, no shadows, no LOD",
                s.size[0], s.size[1], s.samples
            ),
        ),
        ("characters", characters.join("; ")),
        ("throng", format!("{} {}{commit}", s.throng, s.build)),
        ("command", format!("`throng {}`", s.command)),
        ("date", s.date.clone()),
        (
            "method",
            format!(
                "up to {} timed frames per row, entries in turn, medians; indirect validation off",
                s.repeats
            ),
        ),
    ];
    rows.extend(s.label.iter().map(|l| ("label", l.clone())));
    rows.extend(s.contributed_by.iter().map(|c| ("contributed by", c.clone())));
    table(page, &["", ""], rows.into_iter().map(|(k, v)| vec![k.to_owned(), v]));
    for caveat in findings::caveats(report) {
        let _ = writeln!(page, "> {caveat}\n");
    }
}

fn headline(page: &mut String, report: &Report) {
    *page += "## What was to be reached\n\n";
    let rows = report.headline.iter().map(|h| {
        let reached = h.reached.map_or("", |r| if r { "yes" } else { "**no**" });
        vec![
            h.what.clone(),
            h.place.clone(),
            significant(h.value),
            target(h.target),
            reached.into(),
            h.note.clone(),
        ]
    });
    table(page, &["figure", "where", "measured", "target", "reached", ""], rows);
}

fn findings_section(page: &mut String, report: &Report) {
    list(page, "## What binds\n\n", &findings::binding(report));
    let losses = findings::losses(report);
    *page += "## Where the matrix atlas loses\n\n";
    if losses.is_empty() {
        *page += "In no group of this run was a technique other than `static` faster, beyond the noise.\n\n";
    } else {
        list(page, "", &losses);
    }
}

fn list(page: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        *page += title;
        for line in lines {
            let _ = writeln!(page, "- {line}");
        }
        page.push('\n');
    }
}

fn plot_links(page: &mut String) {
    for (file, title) in plots::FILES {
        let _ = writeln!(page, "![{title}]({file})");
    }
    page.push('\n');
}

fn time_note(report: &Report) -> String {
    let basis = match report.setup.basis {
        Basis::Gpu => {
            "Ratios compare the crowd pass by GPU timestamps; `wall` is from the start of encoding until the device is idle"
        }
        Basis::Wall => "Ratios compare the wall time from the start of encoding until the device is idle",
    };
    format!("{basis}. CPU is encode and submit, for `live` the animators too.\n\n")
}

fn times(page: &mut String, report: &Report, count: u32, view: View) {
    let _ = writeln!(page, "### {} instances, {}\n", thousands(u64::from(count)), view.name());
    let software = report.setup.adapter.is_software();
    let measured = || report.group(count, view).filter(|r| r.skipped.is_none());
    if software {
        let cells = |r: &Row| {
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
    let cells = |r: &Row| {
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

fn upload(row: &Row) -> String {
    bytes(row.upload_bytes)
}

fn invocations(row: &Row) -> String {
    row.vertex_invocations
        .map_or_else(|| "-".into(), |n| format!("{} M", significant(n as f64 / 1e6)))
}

fn overdraw(row: &Row) -> String {
    or_dash(row.overdraw)
}

/// Rows of the last group, which is the largest crowd: one per entry.
fn entries(report: &Report) -> impl Iterator<Item = &Row> {
    let last = report.groups().last().copied();
    last.into_iter()
        .flat_map(|(count, view)| report.group(count, view))
        .filter(|r| !r.entry.control)
}

fn memory(page: &mut String, report: &Report) {
    let Some((count, _)) = report.groups().last().copied() else {
        return;
    };
    let _ = writeln!(page, "## Memory, {} instances\n", thousands(u64::from(count)));
    let rows = entries(report).filter(|r| r.skipped.is_none());
    let cells = |r: &Row| vec![r.name.clone(), bytes(r.atlas_bytes), bytes(r.gpu_bytes)];
    table(
        page,
        &["", "animation data", "everything on the device"],
        rows.map(cells),
    );
}

fn errors(page: &mut String, report: &Report) {
    *page += "## Error\n\n`shown` is against the clip's keys sampled exactly, `encoding` against the baked frames in full \
              precision; worst vertex and normal of all clips, at and between frames. The picture is compared with that of \
              `matrix f32`, in percent of full scale; worst of all groups.\n\n";
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
    let rows = entries(report).filter(|r| r.entry.technique != Technique::Static);
    let cells = |r: &Row| {
        let error = |f: fn(&super::accuracy::Accuracy) -> f32| or_dash(r.error.as_ref().map(|e| f64::from(f(e))));
        let pictures: Vec<_> = report
            .rows
            .iter()
            .filter(|o| o.name == r.name)
            .filter_map(|o| o.picture)
            .collect();
        let worst = |f: fn(&super::picture::PictureDifference) -> f64| or_dash(pictures.iter().map(f).reduce(f64::max));
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

fn characters(page: &mut String, report: &Report) {
    *page += "## Bake and animate, on the CPU\n\n";
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
            "playing all clips",
            "baking them, ms",
            "times faster",
            "animator, ms per 1,000",
        ],
        rows,
    );
}

fn skipped(page: &mut String, report: &Report) {
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

fn controls(page: &mut String, report: &Report) {
    *page += "## A/A\n\nThe same entry measured twice in each group, each time with buffers of its own.\n\n";
    let rows = report.controls.iter().map(|c| {
        let verdict = if c.noisy { "**noisy**" } else { "quiet" };
        vec![
            thousands(u64::from(c.count)),
            c.view.name().into(),
            c.entry.clone(),
            format!("{:.3}", c.ratio),
            verdict.into(),
        ]
    });
    table(page, &["instances", "view", "entry", "second / first", ""], rows);
}
