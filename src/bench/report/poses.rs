//! How people shared poses, and where skinning each pose once before it is drawn wins and where it loses.

use crate::{
    bench::{
        Report, Row,
        report::{
            markdown::table,
            targets::best_matrix,
            text::{ratio, thousands},
        },
    },
    config::Technique,
};

/// A row for every crowd and view that was drawn so; nothing where none was.
pub(crate) fn section(page: &mut String, report: &Report) {
    let shared = |r: &&Row| r.poses.is_some() && !r.entry.control;
    if !report.rows.iter().any(|r| shared(&r)) {
        return;
    }
    *page += "## Poses that people share\n\n`preskinned` skins every distinct pose of a frame once. Poses are those that \
              people show, two for whoever fades; found are those that somebody else shows too. `x matrix` is its time, \
              skinning included, over that of the fastest `matrix`: it wins below 1 and loses above. A software \
              rasteriser is not asked.\n\n";
    let header = ["people", "view", "poses", "skinned", "of these", "found", "x matrix"];
    table(
        page,
        &header,
        report.rows.iter().filter(shared).map(|r| cells(report, r)),
    );
}

fn cells(report: &Report, row: &Row) -> Vec<String> {
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

/// Its time over that of the fastest `matrix` of the same crowd and view.
fn over_matrix(report: &Report, row: &Row) -> Option<f64> {
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
        bench::{Entry, View},
        render::{
            DrawMethod,
            resources::{AtlasSource, PoseCounts},
        },
    };

    #[test]
    fn a_report_tells_how_often_the_cache_was_hit_and_is_silent_without_one() {
        let method = DrawMethod::new(Technique::Preskinned, AtlasFormat::F32, AtlasSource::Storage);
        let mut row = Row::new(Entry { method, control: false }, 2_000, View::Overview);
        let told = |row: &Row| {
            let report = Report {
                rows: vec![row.clone()],
                ..Report::default()
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
