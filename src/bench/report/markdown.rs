//! `report.md`: the results for a reader.

use std::fmt::Write;

use crate::{
    bench::{
        BenchReport,
        report::{
            analysis, plots, poses, sections,
            text::{or_dash, ratio, significant, target, thousands},
        },
    },
    render::stats::{animation_data, bytes},
};

/// Returns the page.
#[must_use]
pub(crate) fn page(report: &BenchReport) -> String {
    let mut page = String::from("# throng bench\n\n");
    setup(&mut page, report);
    headline(&mut page, report);
    analysis_section(&mut page, report);
    plot_links(&mut page);
    page += "## Time\n\n";
    page += &sections::time_note(report);
    for (count, view) in report.groups() {
        sections::times(&mut page, report, count, view);
    }
    poses::section(&mut page, report);
    sections::memory(&mut page, report);
    sections::errors(&mut page, report);
    sections::characters(&mut page, report);
    sections::frame_placement(&mut page, report);
    sections::picking(&mut page, report);
    sections::skipped(&mut page, report);
    sections::controls(&mut page, report);
    page
}

/// Returns a summary of a run for an issue: adapter, times, memory and errors, no links.
#[must_use]
pub(crate) fn contribution(report: &BenchReport) -> String {
    let mut block = format!("### throng bench: {}\n\n", report.setup.adapter.name);
    setup(&mut block, report);
    block += &sections::time_note(report);
    for (count, view) in report.groups() {
        sections::times(&mut block, report, count, view);
    }
    poses::section(&mut block, report);
    sections::memory(&mut block, report);
    sections::errors(&mut block, report);
    sections::skipped(&mut block, report);
    sections::controls(&mut block, report);
    block
}

/// Returns a summary for a terminal: the targets, if they can be evaluated, and the table of techniques.
#[must_use]
pub(crate) fn summary(report: &BenchReport) -> String {
    let mut lines = vec![report.setup.adapter.summary()];
    lines.extend(analysis::caveats(report).into_iter().map(|c| format!("caveat     {c}")));
    // Few frames, few people or a software rasterizer say nothing about targets.
    let evaluated = !report.setup.quick && !report.setup.adapter.is_software();
    let targets = report.headline.iter().filter(|_| evaluated);
    for h in targets {
        let conclusion = match h.reached {
            Some(true) => "reached",
            Some(false) => "MISSED ",
            None => "       ",
        };
        let what = format!("{} ({})", h.what, h.place);
        lines.push(format!(
            "{conclusion}    {what:<62} {:>8}   {:<8} {}",
            significant(h.value),
            target(h.target),
            h.note
        ));
    }
    let ratios: Vec<f64> = report.controls.iter().map(|c| c.ratio).collect();
    if let Some((least, most)) = range(&ratios) {
        let cpu: Vec<f64> = report.controls.iter().filter_map(|c| c.cpu_ratio).collect();
        let cpu = range(&cpu).map_or(String::new(), |(least, most)| format!("; CPU {least:.3} to {most:.3}"));
        lines.push(format!("control    A/A ratios {least:.3} to {most:.3}{cpu}"));
    }
    lines.extend(techniques(report));
    lines.join("\n")
}

/// Lists every entry of the largest crowd in the first view, for a terminal.
fn techniques(report: &BenchReport) -> Vec<String> {
    let groups = report.groups();
    let Some(&(_, view)) = groups.first() else {
        return Vec::new();
    };
    let counts = groups.iter().filter(|(_, v)| *v == view).map(|(count, _)| *count);
    let count = counts.max().unwrap_or(0);
    let software = report.setup.adapter.is_software();
    let millisecond = |ms: Option<f64>| if software { "-".into() } else { or_dash(ms) };
    let mut lines = vec![
        format!("{} instances, {}", thousands(u64::from(count)), view.name()),
        format!(
            "{:<24} {:>9} {:>9} {:>9} {:>22} {:>12} {:>10}",
            "", "x static", "time ms", "CPU ms", "animation data", "upload/frame", "error mm"
        ),
    ];
    lines.extend(report.group(count, view).filter(|r| !r.entry.control).map(|r| {
        format!(
            "{:<24} {:>9} {:>9} {:>9} {:>22} {:>12} {:>10}",
            r.name,
            ratio(r.ratio_to_static),
            millisecond(r.median(report.setup.basis)),
            millisecond(r.cpu_ms.map(|s| s.median)),
            animation_data("", r.atlas_bytes, r.frame_data_bytes),
            bytes(r.upload_bytes),
            or_dash(r.error.map(|e| f64::from(e.worst_mm))),
        )
    }));
    lines
}

fn range(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    Some((least, values.iter().copied().reduce(f64::max)?))
}

pub(crate) fn table(page: &mut String, header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    *page += &format!("| {} |\n|{}\n", header.join(" | "), "---|".repeat(header.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        *page += &format!("| {} |\n", cells.join(" | "));
    }
    page.push('\n');
}

fn setup(page: &mut String, report: &BenchReport) {
    let s = &report.setup;
    let of = |c: &super::CharacterCosts| {
        format!(
            "{} ({} vertices, {} triangles, {} joints, {} clips, {} frames; {} influences, two frames blended)",
            c.name,
            thousands(u64::from(c.vertices)),
            thousands(u64::from(c.triangles)),
            c.joints,
            c.clips,
            thousands(u64::from(c.frames)),
            if c.influences > 4 { "up to eight" } else { "four" },
        )
    };
    let characters: Vec<String> = report.characters.iter().map(of).collect();
    let commit = s.commit.as_ref().map_or(String::new(), |c| format!(", commit {c}"));
    let mut rows = vec![
        (
            "adapter",
            format!(
                "{} ({}, {})",
                s.adapter.name,
                s.adapter.kind.name(),
                s.adapter.backend.name()
            ),
        ),
        ("driver", s.adapter.driver.clone()),
        ("system", s.os.clone()),
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
        ("date", no_tags(&s.date)),
        (
            "method",
            format!(
                "up to {} timed frames per row, entries interleaved, medians; indirect validation off",
                s.repeats
            ),
        ),
    ];
    rows.extend(s.label.iter().map(|l| ("label", no_tags(l))));
    rows.extend(s.contributed_by.iter().map(|c| ("contributed by", no_tags(c))));
    table(page, &["", ""], rows.into_iter().map(|(k, v)| vec![k.to_owned(), v]));
    for caveat in analysis::caveats(report) {
        let _ = writeln!(page, "> {caveat}\n");
    }
}

/// Escapes a user's text, so that nothing in it is HTML.
fn no_tags(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn headline(page: &mut String, report: &BenchReport) {
    *page += "## Targets\n\n";
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

fn analysis_section(page: &mut String, report: &BenchReport) {
    list(page, "## Bottlenecks\n\n", &analysis::binding(report));
    let losses = analysis::losses(report);
    *page += "## Where the matrix atlas is slower\n\n";
    if losses.is_empty() {
        *page += "In this run, no technique except `static` was faster beyond the noise.\n\n";
    } else {
        list(page, "", &losses);
    }
}

pub(crate) fn list(page: &mut String, title: &str, lines: &[String]) {
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
