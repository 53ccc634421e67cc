//! Pose sharing of technique `preskinned`, and where skinning each pose once is faster than technique `matrix`.

use crate::{
    bench::{
        BenchReport, BenchRow,
        report::{
            markdown::table,
            targets::best_matrix,
            text::{ratio, thousands},
        },
    },
    config::Technique,
};

/// Adds a table with a row for every crowd and view of `preskinned`; adds nothing without any.
pub(crate) fn section(page: &mut String, report: &BenchReport) {
    let shared = |r: &&BenchRow| r.poses.is_some() && !r.entry.control;
    if !report.rows.iter().any(|r| shared(&r)) {
        return;
    }
    *page += "## Shared poses\n\n`preskinned` skins every distinct pose of a frame once. `poses` counts the poses \
              that instances show, two while they fade; `hit rate` is the share that another instance shows, too. `x \
              matrix` is the time, skinning included, over that of the fastest `matrix`: faster below 1, slower above. \
              Not measured on software rasterizers.\n\n";
    let header = ["people", "view", "poses", "skinned", "of these", "hit rate", "x matrix"];
    table(
        page,
        &header,
        report.rows.iter().filter(shared).map(|r| cells(report, r)),
    );
}

fn cells(report: &BenchReport, row: &BenchRow) -> Vec<String> {
    let poses = row.poses.clone().unwrap_or_default();
    vec![
        thousands(u64::from(row.count)),
        row.view.name().to_owned(),
        thousands(poses.asked),
        thousands(poses.skinned),
        poses.tiers(),
        format!("{:.1} %", 100.0 * poses.hit_rate()),
        ratio(over_matrix(report, row)),
    ]
}

/// Returns the time of a row over that of the fastest `matrix` row of the same crowd and view.
fn over_matrix(report: &BenchReport, row: &BenchRow) -> Option<f64> {
    if report.setup.adapter.is_software() || row.entry.method.technique != Technique::Preskinned {
        return None;
    }
    let matrix = best_matrix(report, row.count, row.view)?;
    let basis = report.setup.basis;
    Some(row.median(basis)? / matrix.median(basis)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        atlas::AtlasFormat,
        bench::{BenchEntry, BenchView},
        render::{
            DrawMethod,
            resources::{AtlasSource, PoseCounts},
        },
    };

    #[test]
    fn report_has_pose_cache_hits_only_with_a_cache() {
        let method = DrawMethod::new(Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage);
        let mut row = BenchRow::new(BenchEntry { method, control: false }, 2_000, BenchView::Overview);
        let told = |row: &BenchRow| {
            let report = BenchReport {
                rows: vec![row.clone()],
                ..BenchReport::default()
            };
            let mut page = String::new();
            section(&mut page, &report);
            page
        };
        assert_eq!(told(&row), "");
        row.poses = Some(PoseCounts {
            asked: 2_100,
            skinned: 525,
            skinned_by_influences: [0, 25, 500, 0],
            ..PoseCounts::default()
        });
        let page = told(&row);
        assert!(
            page.contains("75.0 %") && page.contains("| 525 | 500 with 4 influences, 25 with 2 |"),
            "{page}"
        );
    }
}
