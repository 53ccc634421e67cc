//! `scenes.json` and `scenes.md`: whole frames by method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    bench::{
        BenchSetup,
        report::{
            frame_report::{FrameReport, heading},
            markdown::table,
            text::{or_dash, ratio, significant, thousands},
        },
        scenes::{
            growth::{self, GrowthRow},
            plan::SceneMethod,
        },
    },
    measure::{PictureDifference, Summary},
    render::{
        Pass,
        crowd::LodCount,
        stats::{PoseShare, bytes, counted},
    },
};

/// Everything that `--scenes` measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SceneReport {
    /// [`SCHEMA`](crate::bench::SCHEMA).
    pub schema: u32,
    /// Where and how it was measured; each row states its samples per pixel.
    pub setup: BenchSetup,
    /// Rows, one per scene view, count and method.
    pub rows: Vec<SceneRow>,
    /// CPU cost of more people, one row per scene view and method, if several counts were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<GrowthRow>,
    /// Reason for missing rows; absent for a complete run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Results of one method for a scene view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneRow {
    /// Scene.
    pub scene: String,
    /// View.
    pub view: String,
    /// Instances in the scene.
    pub count: u64,
    /// Samples per pixel.
    pub samples: u32,
    /// True if shadows are drawn.
    pub shadows: bool,
    /// Method that draws the scene.
    pub way: SceneMethod,
    /// True for the second measurement of a method (A/A control).
    pub control: bool,
    /// Wall time from the start of encoding until the device is idle (ms).
    pub wall_ms: Option<Summary>,
    /// GPU time of all passes (ms); none on software rasterizers, whose timestamps do not cover compute.
    pub gpu_ms: Option<Summary>,
    /// Median GPU time by pass (ms).
    pub pass_ms: BTreeMap<Pass, f64>,
    /// CPU time to encode and submit (ms).
    pub cpu_ms: Option<Summary>,
    /// Bytes uploaded per frame.
    pub upload_bytes: u64,
    /// Bytes of this method on the device.
    pub gpu_bytes: u64,
    /// Rasterizer of people.
    pub raster: String,
    /// People drawn.
    pub visible: u64,
    /// People inside the view who are occluded.
    pub hidden: u64,
    /// Triangles of people that were drawn.
    pub triangles: u64,
    /// Triangles that survived triangle culling; `None` if it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(alias = "sifted_triangles")]
    pub surviving_triangles: Option<u64>,
    /// Counts by LOD, full detail first.
    #[serde(alias = "levels")]
    pub lods: Vec<LodCount>,
    /// Pose sharing; none if every instance is posed on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<PoseShare>,
    /// `wall_ms` relative to full detail.
    pub ratio_to_full: Option<f64>,
    /// Difference from the picture of full detail at the same time.
    pub picture: Option<PictureDifference>,
    /// Reason why it was not drawn.
    pub skipped: Option<String>,
}

impl SceneRow {
    /// Returns the name of the row: `auto`, `auto (again)`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}{}", self.way.name(), if self.control { " (again)" } else { "" })
    }

    fn group(&self) -> (&str, &str, u64, u32, bool) {
        (&self.scene, &self.view, self.count, self.samples, self.shadows)
    }

    fn title(&self) -> String {
        format!(
            "{}, {}, view {}, {}, shadows {}",
            self.scene,
            counted_people(self.count),
            self.view,
            counted(self.samples.into(), "sample"),
            if self.shadows { "on" } else { "off" }
        )
    }
}

/// Column of the tables of the page and of the terminal.
struct Column {
    heading: &'static str,
    /// Characters on the terminal; 0 for a column of the page alone.
    width: usize,
    content: Content,
}

/// Content of a column's cells.
enum Content {
    /// Time (ms), which says nothing on a software rasterizer.
    Milliseconds(fn(&SceneRow) -> Option<f64>),
    Text(fn(&SceneRow) -> String),
}

impl Column {
    const fn time(heading: &'static str, of: fn(&SceneRow) -> Option<f64>) -> Self {
        Self {
            heading,
            width: 9,
            content: Content::Milliseconds(of),
        }
    }

    const fn text(heading: &'static str, width: usize, of: fn(&SceneRow) -> String) -> Self {
        Self {
            heading,
            width,
            content: Content::Text(of),
        }
    }

    fn cell(&self, row: &SceneRow, software: bool) -> String {
        match self.content {
            Content::Milliseconds(_) if software => "-".into(),
            Content::Milliseconds(of) => or_dash(of(row)),
            Content::Text(of) => of(row),
        }
    }
}

/// Columns after the method.
const COLUMNS: [Column; 12] = [
    Column::time("frame ms", |row| row.wall_ms.map(|ms| ms.median)),
    Column::time("p95", |row| row.wall_ms.map(|ms| ms.p95)),
    Column::time("GPU ms", |row| row.gpu_ms.map(|ms| ms.median)),
    Column::time("CPU ms", |row| row.cpu_ms.map(|ms| ms.median)),
    Column::text("x full", 8, |row| ratio(row.ratio_to_full)),
    Column::text("triangles", 12, |row| thousands(row.triangles)),
    Column::text("of these visible", 0, |row| {
        row.surviving_triangles.map_or_else(|| "all".to_owned(), thousands)
    }),
    Column::text("visible", 10, |row| thousands(row.visible)),
    Column::text("hidden", 10, |row| thousands(row.hidden)),
    Column::text("upload", 0, |row| bytes(row.upload_bytes)),
    Column::text("memory", 0, |row| bytes(row.gpu_bytes)),
    Column::text("picture, mean % (max)", 21, |row| {
        row.picture.map_or("-".into(), |p| {
            format!("{} ({})", significant(p.mean_percent), significant(p.max_percent))
        })
    }),
];

fn counted_people(count: u64) -> String {
    format!("{} people", thousands(count))
}

impl SceneReport {
    /// Computes the ratios between rows.
    pub(super) fn conclude(&mut self) {
        let full: Vec<SceneRow> = self
            .rows
            .iter()
            .filter(|r| r.way == SceneMethod::Full)
            .cloned()
            .collect();
        for row in &mut self.rows {
            let full = full.iter().find(|f| f.group() == row.group()).and_then(|f| f.wall_ms);
            let ratio = row.wall_ms.zip(full).map(|(own, full)| own.median / full.median);
            row.ratio_to_full = ratio.filter(|r| r.is_finite());
        }
    }

    /// Groups the rows by scene view and count, in their order.
    fn groups(&self) -> Vec<&[SceneRow]> {
        self.rows.chunk_by(|a, b| a.group() == b.group()).collect()
    }

    /// Returns the A/A ratio, `auto (again)` over `auto`.
    fn control(rows: &[SceneRow]) -> Option<f64> {
        let again = rows.iter().find(|r| r.control)?;
        let first = rows.iter().find(|r| r.way == again.way && !r.control)?;
        Some(again.wall_ms?.median / first.wall_ms?.median)
    }

    fn section(page: &mut String, rows: &[SceneRow], software: bool) {
        let Some(first) = rows.first() else { return };
        *page += &format!("## {}\n\n", first.title());
        let header: Vec<&str> = std::iter::once("method")
            .chain(COLUMNS.iter().map(|column| column.heading))
            .collect();
        let cells = rows.iter().filter(|r| r.skipped.is_none()).map(|row| {
            let own = COLUMNS.iter().map(|column| column.cell(row, software));
            std::iter::once(row.name()).chain(own).collect()
        });
        table(page, &header, cells);
        for row in rows {
            if let Some(why) = &row.skipped {
                *page += &format!("`{}` was not drawn: {why}\n\n", row.name());
            }
        }
        let timed = Pass::ALL.iter().copied();
        let passes: Vec<Pass> = timed
            .filter(|pass| !software && rows.iter().any(|r| r.pass_ms.contains_key(pass)))
            .collect();
        if !passes.is_empty() {
            let header: Vec<&str> = std::iter::once("GPU ms by pass")
                .chain(passes.iter().map(|p| p.name()))
                .collect();
            let cells = rows.iter().filter(|r| r.skipped.is_none()).map(|row| {
                let own = passes.iter().map(|pass| or_dash(row.pass_ms.get(pass).copied()));
                std::iter::once(row.name()).chain(own).collect()
            });
            table(page, &header, cells);
        }
        Self::poses(page, rows, software);
        if let Some(control) = Self::control(rows) {
            *page += &format!("A/A control: {control:.3}\n\n");
        }
    }
}

impl FrameReport for SceneReport {
    const NAME: &'static str = "scenes";

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn summary(&self) -> String {
        let software = self.setup.adapter.is_software();
        let line = |name: &str, cell: &dyn Fn(&Column) -> String| {
            let shown = COLUMNS.iter().filter(|column| column.width > 0);
            let cells: String = shown
                .map(|column| format!(" {:>1$}", cell(column), column.width))
                .collect();
            format!("  {name:<14}{cells}")
        };
        let mut lines = vec![self.setup.adapter.summary()];
        for rows in self.groups() {
            lines.push(rows.first().map_or_else(String::new, SceneRow::title));
            lines.push(line("", &|column| column.heading.to_owned()));
            for row in rows {
                lines.push(match &row.skipped {
                    Some(why) => format!("  {:<14} {why}", row.name()),
                    None => line(&row.name(), &|column| column.cell(row, software)),
                });
            }
            if let Some(control) = Self::control(rows) {
                lines.push(format!("  control        A/A ratio {control:.3}"));
            }
        }
        lines.extend(growth::lines(&self.growth));
        lines.join("\n")
    }

    fn page(&self) -> String {
        let (setup, software) = (&self.setup, self.setup.adapter.is_software());
        let method = format!(
            "whole frames, from the start of encoding until the device is idle; methods interleaved, up to {} frames \
             each, every one at another moment; medians",
            setup.repeats
        );
        let mut page = heading("scenes", setup, &method);
        if software {
            page += "> A software rasterizer: ratios only.\n\n";
        }
        for rows in self.groups() {
            Self::section(&mut page, rows, software);
        }
        growth::section(&mut page, &self.growth);
        page
    }
}

impl SceneReport {
    /// Adds pose sharing, and the time compared with posing every instance on its own.
    fn poses(page: &mut String, rows: &[SceneRow], software: bool) {
        let auto = rows.iter().find(|row| row.way == SceneMethod::Auto && !row.control);
        let times = |of: fn(&SceneRow) -> Option<Summary>, row: &SceneRow| {
            let (own, auto) = (of(row)?.median, of(auto?)?.median);
            Some(own / auto).filter(|ratio| !software && ratio.is_finite())
        };
        let shared = rows.iter().filter_map(|row| Some((row, row.poses.as_ref()?)));
        let cells: Vec<Vec<String>> = shared
            .map(|(row, poses)| {
                vec![
                    row.name(),
                    thousands(poses.counts.asked),
                    thousands(poses.counts.skinned),
                    poses.counts.tiers(),
                    format!("{:.1} %", 100.0 * poses.hit_rate),
                    ratio(times(|row| row.gpu_ms, row)),
                    ratio(times(|row| row.wall_ms, row)),
                ]
            })
            .collect();
        if cells.is_empty() {
            return;
        }
        *page += "Every distinct pose (time, LOD) was skinned once; `hit rate` is the share that another instance shows, \
                  too. `x auto` compares with `auto` (technique `matrix`), by GPU time with skinning included, then by frame: \
                  faster below 1, slower above.\n\n";
        let header = [
            "method",
            "poses",
            "skinned",
            "of these",
            "hit rate",
            "GPU x auto",
            "frame x auto",
        ];
        table(page, &header, cells.into_iter());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::resources::PoseCounts;

    fn row(way: SceneMethod, control: bool, ms: f64) -> SceneRow {
        SceneRow {
            scene: "plaza".into(),
            view: "overview".into(),
            count: 2000,
            samples: 4,
            shadows: true,
            way,
            control,
            wall_ms: Summary::of(&[ms]),
            gpu_ms: None,
            pass_ms: BTreeMap::from([(Pass::Crowd, ms)]),
            cpu_ms: None,
            upload_bytes: 384,
            gpu_bytes: 0,
            raster: "hardware".into(),
            visible: 100,
            hidden: 20,
            triangles: 12_345,
            surviving_triangles: None,
            lods: Vec::new(),
            poses: None,
            ratio_to_full: None,
            picture: None,
            skipped: None,
        }
    }

    #[test]
    fn ratios_compare_rows_of_one_scene_view() {
        let mut elsewhere = row(SceneMethod::Auto, false, 1.0);
        elsewhere.scene = "army".into();
        let mut report = SceneReport {
            rows: vec![
                row(SceneMethod::Full, false, 8.0),
                row(SceneMethod::Auto, false, 2.0),
                row(SceneMethod::Auto, true, 2.1),
                elsewhere,
            ],
            ..SceneReport::default()
        };
        report.conclude();
        let ratios: Vec<Option<f64>> = report.rows.iter().map(|r| r.ratio_to_full).collect();
        assert_eq!(ratios, [Some(1.0), Some(0.25), Some(2.1 / 8.0), None]);
        assert_eq!(report.groups().len(), 2);
        let page = report.page();
        assert!(
            page.contains("## plaza, 2,000 people, view overview, 4 samples, shadows on"),
            "{page}"
        );
        assert!(page.contains("A/A control: 1.050"), "{page}");
        assert!(report.summary().contains("auto (again)"));
        assert!(!page.contains("skinned"), "nobody shares a pose: {page}");
        let back: SceneReport = serde_json::from_str(&serde_json::to_string(&report).expect("JSON")).expect("reads");
        assert_eq!(back, report);
    }

    #[test]
    fn pose_sharing_is_reported_with_the_time_without_it() {
        let counts = PoseCounts {
            asked: 2_100,
            skinned: 525,
            skinned_by_influences: [0, 25, 500, 0],
            ..PoseCounts::default()
        };
        let of_gpu = |way: SceneMethod, ms: f64| SceneRow {
            gpu_ms: Summary::of(&[ms]),
            ..row(way, false, 2.0 * ms)
        };
        let preskinned = SceneRow {
            poses: Some(counts.into()),
            ..of_gpu(SceneMethod::Preskinned, 0.9)
        };
        let mut report = SceneReport {
            rows: vec![of_gpu(SceneMethod::Auto, 1.2), preskinned],
            ..SceneReport::default()
        };
        report.conclude();
        let page = report.page();
        let told = "| preskinned | 2,100 | 525 | 500 with 4 influences, 25 with 2 | 75.0 % | 0.75 | 0.75 |";
        assert!(page.contains(told), "{page}");
        let back: SceneReport = serde_json::from_str(&serde_json::to_string(&report).expect("JSON")).expect("reads");
        assert_eq!(back, report);
        // Without `auto` there is nothing to compare with.
        report.rows.remove(0);
        assert!(report.page().contains("| 75.0 % | - | - |"));
    }
}
