//! Headlines about the CPU, uploads and errors: they hold on any adapter.

use crate::{
    atlas::AtlasFormat,
    bench::{
        Report, View,
        report::{
            Headline, Target,
            targets::{best_matrix, place},
            text::thousands,
        },
    },
    config::Technique,
};

/// The CPU's cost at the largest count over that at the smallest, a thousandfold apart.
pub(crate) fn cpu_growth(report: &Report) -> Option<Headline> {
    let groups = report.groups();
    let counts: Vec<u32> = groups
        .iter()
        .filter(|(_, v)| *v == View::Overview)
        .map(|(c, _)| *c)
        .collect();
    let (few, many) = (*counts.iter().min()?, *counts.iter().max()?);
    if many < few.saturating_mul(10) {
        return None;
    }
    let row = best_matrix(report, few, View::Overview)?;
    let (a, b) = (
        row.cpu_ms?.median,
        report.row(&row.name, many, View::Overview)?.cpu_ms?.median,
    );
    let target = if many >= few.saturating_mul(1000) {
        Target::AtMost(1.1)
    } else {
        Target::Stated
    };
    let places = format!("{} / {}", thousands(u64::from(many)), thousands(u64::from(few)));
    Some(Headline::new(
        "CPU ms per frame, matrix",
        places,
        b / a,
        target,
        format!("{b:.3} ms against {a:.3} ms"),
    ))
}

/// Bytes sent for one frame of the largest crowd.
pub(crate) fn upload(report: &Report) -> Option<Headline> {
    let matrix = report
        .rows
        .iter()
        .filter(|r| r.entry.technique == Technique::Matrix && r.wall_ms.is_some());
    let row = matrix.max_by_key(|r| r.count)?;
    let value = row.upload_bytes as f64;
    Some(Headline::new(
        "upload per frame, matrix, bytes",
        place(row.count, row.view),
        value,
        Target::AtMost(1024.0),
        String::new(),
    ))
}

/// What posing every frame costs the CPU: what the atlas saves.
pub(crate) fn live(report: &Report) -> Option<Headline> {
    let rows = report
        .rows
        .iter()
        .filter(|r| r.entry.technique == Technique::Live && r.cpu_ms.is_some());
    // The count nearest to a thousand says it best.
    let row = rows.min_by_key(|r| r.count.abs_diff(1000))?;
    let value = row.cpu_ms?.median * 1000.0 / f64::from(row.count.max(1));
    let note = format!("{} cores; animators, upload, encode and submit", report.setup.cores);
    Some(Headline::new(
        "live: CPU ms per 1,000 characters",
        place(row.count, row.view),
        value,
        Target::Stated,
        note,
    ))
}

/// Bake and animator of every character.
pub(crate) fn characters(report: &Report) -> Vec<Headline> {
    let mut rows = Vec::new();
    for c in &report.characters {
        if let (Some(speed), Some(ms)) = (c.bake_speed, c.bake_ms) {
            let note = format!("{} clips, {:.1} s, in {:.1} ms", c.clips, c.play_seconds, ms.median);
            rows.push(Headline::new(
                "baking all clips, times faster than real time",
                c.name.clone(),
                speed,
                Target::AtLeast(100.0),
                note,
            ));
        }
        if let Some(ms) = c.animator_ms_per_1000 {
            let note = format!("{} joints, {} cores; posing only", c.joints, report.setup.cores);
            rows.push(Headline::new(
                "animator: CPU ms per 1,000 characters",
                c.name.clone(),
                ms.median,
                Target::Stated,
                note,
            ));
        }
    }
    rows
}

/// The encoding's error of the formats that promise one.
pub(crate) fn errors(report: &Report) -> Vec<Headline> {
    let of = |format: AtlasFormat| {
        let rows = report
            .rows
            .iter()
            .filter(|r| r.entry.technique == Technique::Matrix && r.entry.format == format);
        let errors: Vec<_> = rows.filter_map(|r| r.error).collect();
        let worst = errors
            .iter()
            .max_by(|a, b| a.encoding_percent.total_cmp(&b.encoding_percent))?;
        let target = match format {
            AtlasFormat::F16 | AtlasFormat::Trs16 => Target::AtMost(0.1),
            _ => Target::Stated,
        };
        let what = format!("{} encoding, worst vertex, % of height", format.name());
        let note = format!("{:.3} mm; total error {:.3} mm", worst.encoding_mm, worst.worst_mm);
        Some(Headline::new(
            &what,
            "all clips".into(),
            f64::from(worst.encoding_percent),
            target,
            note,
        ))
    };
    AtlasFormat::ALL.into_iter().filter_map(of).collect()
}
