//! Targets for CPU time, uploads and errors, which hold on any adapter.

use crate::{
    atlas::AtlasFormat,
    bench::{
        BenchReport, BenchRow,
        report::{FigureTarget, KeyFigure, QUIET, targets::place, text::thousands},
    },
    config::Technique,
};

/// CPU time at the largest count over that at the smallest. Evaluated if the counts differ by a factor of 1,000 and the
/// A/A controls of both are quiet.
pub(crate) fn cpu_growth(report: &BenchReport) -> Option<KeyFigure> {
    let measured = |r: &&BenchRow| r.entry.method.technique == Technique::Matrix && r.cpu_ms.is_some();
    let few = report.rows.iter().filter(measured).min_by_key(|r| r.count)?;
    let same = |r: &&BenchRow| r.name == few.name && r.view == few.view;
    let many = report
        .rows
        .iter()
        .filter(measured)
        .filter(same)
        .max_by_key(|r| r.count)?;
    if many.count < few.count.saturating_mul(10) {
        return None;
    }
    let (a, b) = (few.cpu_ms?, many.cpu_ms?);
    let controls: Vec<f64> = [few, many].iter().filter_map(|r| cpu_control(report, r)).collect();
    let quiet = controls.len() == 2 && controls.iter().all(|ratio| QUIET.contains(ratio));
    let target = if many.count >= few.count.saturating_mul(1000) && quiet {
        FigureTarget::AtMost(1.1)
    } else {
        FigureTarget::Stated
    };
    let noise: Vec<String> = controls.iter().map(|ratio| format!("{ratio:.2}")).collect();
    let note = format!(
        "{:.3} ms against {:.3} ms; {} and {} frames; A/A {}",
        b.median,
        a.median,
        b.count,
        a.count,
        if noise.is_empty() {
            "not measured".into()
        } else {
            noise.join(" and ")
        },
    );
    let thousands = |n: u32| thousands(u64::from(n));
    let places = format!("{} / {}", thousands(many.count), thousands(few.count));
    Some(KeyFigure::new(
        "CPU ms per frame, matrix",
        places,
        b.median / a.median,
        target,
        note,
    ))
}

fn cpu_control(report: &BenchReport, row: &BenchRow) -> Option<f64> {
    let mut controls = report.controls.iter();
    controls.find(|c| c.count == row.count && c.view == row.view)?.cpu_ratio
}

/// Bytes uploaded for one frame of the largest crowd.
pub(crate) fn upload(report: &BenchReport) -> Option<KeyFigure> {
    let matrix = report
        .rows
        .iter()
        .filter(|r| r.entry.method.technique == Technique::Matrix && r.wall_ms.is_some());
    let row = matrix.max_by_key(|r| r.count)?;
    let value = row.upload_bytes as f64;
    Some(KeyFigure::new(
        "upload per frame, matrix, bytes",
        place(row.count, row.view),
        value,
        FigureTarget::AtMost(1024.0),
        String::new(),
    ))
}

/// CPU cost of posing every frame, which the atlas saves.
pub(crate) fn live(report: &BenchReport) -> Option<KeyFigure> {
    let rows = report
        .rows
        .iter()
        .filter(|r| r.entry.method.technique == Technique::Live && r.cpu_ms.is_some());
    // The count nearest to 1,000 needs the least scaling.
    let row = rows.min_by_key(|r| r.count.abs_diff(1000))?;
    let value = row.cpu_ms?.median * 1000.0 / f64::from(row.count.max(1));
    let note = format!("{} cores; animators, upload, encode and submit", report.setup.cores);
    Some(KeyFigure::new(
        "live: CPU ms per 1,000 characters",
        place(row.count, row.view),
        value,
        FigureTarget::Stated,
        note,
    ))
}

/// Bake and animator times of every character.
pub(crate) fn characters(report: &BenchReport) -> Vec<KeyFigure> {
    let mut rows = Vec::new();
    for c in &report.characters {
        if let (Some(speed), Some(ms)) = (c.bake_speed, c.bake_ms) {
            let note = format!("{} clips, {:.1} s, in {:.1} ms", c.clips, c.play_seconds, ms.median);
            rows.push(KeyFigure::new(
                "baking all clips, times faster than real time",
                c.name.clone(),
                speed,
                FigureTarget::AtLeast(100.0),
                note,
            ));
        }
        if let Some(ms) = c.animator_ms_per_1000 {
            let note = format!("{} joints, {} cores; posing only", c.joints, report.setup.cores);
            rows.push(KeyFigure::new(
                "animator: CPU ms per 1,000 characters",
                c.name.clone(),
                ms.median,
                FigureTarget::Stated,
                note,
            ));
        }
    }
    rows
}

/// Encoding errors of the formats that promise a limit.
pub(crate) fn errors(report: &BenchReport) -> Vec<KeyFigure> {
    let of = |format: AtlasFormat| {
        let rows = report
            .rows
            .iter()
            .filter(|r| r.entry.method.technique == Technique::Matrix && r.entry.method.format == format);
        let errors: Vec<_> = rows.filter_map(|r| r.error).collect();
        let worst = errors
            .iter()
            .max_by(|a, b| a.encoding_percent.total_cmp(&b.encoding_percent))?;
        let promised = format.facts().promised_percent;
        let target = promised.map_or(FigureTarget::Stated, FigureTarget::AtMost);
        let what = format!("{} encoding, worst vertex, % of height", format.name());
        let note = format!("{:.3} mm; total error {:.3} mm", worst.encoding_mm, worst.worst_mm);
        Some(KeyFigure::new(
            &what,
            "all clips".into(),
            f64::from(worst.encoding_percent),
            target,
            note,
        ))
    };
    AtlasFormat::ALL.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bench::{AaControl, BenchEntry, BenchView},
        measure::Summary,
        render::{DrawMethod, resources::AtlasSource},
    };

    /// Report with matrix rows at 1,000 and 1,000,000 instances: given CPU times, and the CPU controls of both.
    fn report(ms: [f64; 2], controls: [f64; 2]) -> BenchReport {
        let mut report = BenchReport::default();
        for ((count, median), cpu_ratio) in [1000, 1_000_000].into_iter().zip(ms).zip(controls) {
            let entry = BenchEntry {
                method: DrawMethod::new(Technique::Matrix, AtlasFormat::F16, AtlasSource::Storage),
                control: false,
            };
            let cpu_ms = Some(Summary {
                median,
                count: 30,
                ..Summary::default()
            });
            report.rows.push(BenchRow {
                cpu_ms,
                ..BenchRow::new(entry, count, BenchView::Overview)
            });
            report.controls.push(AaControl {
                entry: "static (again)".into(),
                count,
                view: BenchView::Overview,
                ratio: 1.0,
                noisy: false,
                cpu_ratio: Some(cpu_ratio),
            });
        }
        report
    }

    #[test]
    fn cpu_growth_is_evaluated_only_with_quiet_controls() {
        let growth = |ms, controls| cpu_growth(&report(ms, controls)).expect("both were measured");
        assert_eq!(growth([0.10, 0.105], [1.01, 0.99]).reached, Some(true));
        assert_eq!(growth([0.10, 0.15], [1.01, 0.99]).reached, Some(false));
        let noisy = growth([0.10, 0.105], [1.45, 0.99]);
        assert_eq!(noisy.reached, None);
        assert!(noisy.note.contains("A/A 1.45 and 0.99") && noisy.note.contains("30 and 30 frames"));
    }
}
