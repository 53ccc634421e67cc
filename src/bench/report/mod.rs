//! Contents of `report.json`.

mod analysis;
mod axis;
pub(crate) mod baseline;
mod cpu_targets;
mod csv;
pub(crate) mod files;
pub(in crate::bench) mod frame_report;
mod frontier;
pub(crate) mod markdown;
mod plot_entries;
mod plots;
mod poses;
mod sections;
pub(crate) mod targets;
pub(crate) mod text;

pub use baseline::{BaselineChange, BaselineComparison, ReadError, compare};
pub use files::WouldOverwrite;
pub use frontier::frontier_svg;
pub use targets::{FigureTarget, KeyFigure};

use serde::{Deserialize, Serialize};

use crate::{
    atlas::verify,
    bench::{BenchEntry, BenchView, run::picking::PickLatency},
    gpu::{MemorySource, adapter::AdapterFacts},
    measure::{Accuracy, PictureDifference, Summary},
    render::resources::PoseCounts,
};

/// Schema version. Changes when a reader of an older report would misread a newer one.
pub const SCHEMA: u32 = 1;

/// A/A ratios outside this range are flagged: the machine was busy, and the figures are rough.
pub const QUIET: std::ops::RangeInclusive<f64> = 0.95..=1.05;

/// Everything that one run measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Where and how it was measured.
    pub setup: BenchSetup,
    /// Targets of the project, with the values that were reached.
    pub headline: Vec<KeyFigure>,
    /// A/A controls, one per group of rows that were measured in turn.
    pub controls: Vec<AaControl>,
    /// Characters with bake and animator times.
    pub characters: Vec<CharacterCosts>,
    /// Rows, one per entry, count and view.
    pub rows: Vec<BenchRow>,
    /// Picking latencies by count and view; empty on software adapters.
    #[serde(default)]
    pub picking: Vec<PickLatency>,
    /// Reason for missing rows; absent for a complete run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Where and how a report was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchSetup {
    /// Version of throng.
    pub throng: String,
    /// Commit of the build; `unknown` outside of a checkout and in debug builds.
    pub commit: Option<String>,
    /// `release` or `debug`; CPU times of a debug build are not representative.
    pub build: String,
    /// Text of `--label`.
    pub label: Option<String>,
    /// Name given with `--contribute`.
    pub contributed_by: Option<String>,
    /// Date of the run in UTC, unless given by `--date`.
    pub date: String,
    /// Arguments after the name of the program.
    pub command: String,
    /// Adapter that drew.
    pub adapter: AdapterFacts,
    /// Operating system and architecture; empty in older reports.
    #[serde(default)]
    pub os: String,
    /// Logical cores.
    pub cores: u32,
    /// Picture size (px).
    pub size: [u32; 2],
    /// Samples per pixel.
    pub samples: u32,
    /// True with `--quick`: too few frames and people for meaningful times.
    #[serde(default)]
    pub quick: bool,
    /// Seed of the crowd.
    pub seed: u64,
    /// Largest number of timed frames per row.
    pub repeats: u32,
    /// Time that the ratios are made of.
    pub basis: TimeBasis,
    /// Source of `gpu_bytes`.
    #[serde(default)]
    pub memory_source: MemorySource,
}

/// Measured time that compares rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeBasis {
    /// GPU timestamps around the crowd pass.
    Gpu,
    /// Wall time from the start of encoding until the device is idle.
    #[default]
    Wall,
}

/// A/A control: one entry measured twice in one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AaControl {
    /// Name of the entry.
    pub entry: String,
    /// Instances.
    pub count: u32,
    /// View.
    pub view: BenchView,
    /// Second over first measurement, of the time that compares rows.
    pub ratio: f64,
    /// True if the ratio is outside `QUIET`.
    pub noisy: bool,
    /// Second over first CPU time; absent if CPU times were not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ratio: Option<f64>,
}

/// Character, and the CPU cost of preparing and animating it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CharacterCosts {
    /// Name.
    pub name: String,
    /// Height (m).
    pub height_m: f32,
    /// Vertices of the merged mesh.
    pub vertices: u32,
    /// Triangles of the merged mesh.
    pub triangles: u32,
    /// Largest number of influences per vertex: four or eight.
    #[serde(default)]
    pub influences: u32,
    /// Slots: matrices per frame.
    pub slots: u32,
    /// Number of joints of the skeleton.
    pub joints: u32,
    /// Number of clips.
    pub clips: u32,
    /// Number of baked frames of all clips.
    pub frames: u32,
    /// Duration of all clips (s).
    pub play_seconds: f64,
    /// Time to bake all clips on all cores (ms).
    pub bake_ms: Option<Summary>,
    /// `play_seconds` over the median bake time.
    pub bake_speed: Option<f64>,
    /// Comparison of frames placed by motion with frames at even steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_placement: Option<verify::Comparison>,
    /// Time to pose 1,000 instances on all cores (ms), as technique `live` does every frame.
    pub animator_ms_per_1000: Option<Summary>,
}

/// Results of one entry, count and view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// Entry that was measured.
    pub entry: BenchEntry,
    /// Name of the entry: [`BenchEntry::name`].
    pub name: String,
    /// Instances.
    pub count: u32,
    /// View.
    pub view: BenchView,
    /// Reason for missing figures: the requirement, and the limit that it exceeds.
    pub skipped: Option<String>,
    /// GPU time of the crowd pass, and of the skinning pass before it (ms).
    pub gpu_ms: Option<Summary>,
    /// GPU time of all passes (ms); absent on software adapters, whose timestamps do not cover compute.
    pub gpu_frame_ms: Option<Summary>,
    /// Wall time from the start of encoding until the device is idle (ms).
    pub wall_ms: Option<Summary>,
    /// CPU time to encode and submit a frame that runs ahead of the GPU (ms). Measured in the first view of a count, at
    /// least 30 frames per entry, bursts in turn. For `live` it includes animators; for `live` and on software
    /// rasterizers it comes from the frames of `wall_ms`.
    pub cpu_ms: Option<Summary>,
    /// Time over that of `static` in the same group.
    pub ratio_to_static: Option<f64>,
    /// Bytes uploaded per frame.
    pub upload_bytes: u64,
    /// Bytes of animation data that stay on the device.
    pub atlas_bytes: u64,
    /// Bytes of animation data that technique `live` uploads for every frame.
    #[serde(default)]
    pub frame_data_bytes: u64,
    /// Bytes of the entry on the device, as far as `Setup::memory_source` knows.
    pub gpu_bytes: u64,
    /// Triangles that were submitted.
    pub triangles: u64,
    /// Distinct vertices times instances.
    pub vertices: u64,
    /// Invocations of the vertex shader in the crowd pass.
    pub vertex_invocations: Option<u64>,
    /// Triangles left after clipping and culling.
    pub visible_triangles: Option<u64>,
    /// Invocations of the fragment shader in the crowd pass.
    pub fragment_invocations: Option<u64>,
    /// Fragment invocations per pixel of the picture.
    pub overdraw: Option<f64>,
    /// Pose sharing in the counted frame: technique `preskinned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<PoseCounts>,
    /// Worst error of a vertex over all clips, at and between frames.
    pub error: Option<Accuracy>,
    /// Difference from the picture of `matrix f32` at the same time.
    pub picture: Option<PictureDifference>,
}

impl BenchRow {
    /// Makes a row without figures.
    #[must_use]
    pub fn new(entry: BenchEntry, count: u32, view: BenchView) -> Self {
        Self {
            entry,
            name: entry.name(),
            count,
            view,
            skipped: None,
            gpu_ms: None,
            gpu_frame_ms: None,
            wall_ms: None,
            cpu_ms: None,
            ratio_to_static: None,
            upload_bytes: 0,
            atlas_bytes: 0,
            frame_data_bytes: 0,
            gpu_bytes: 0,
            triangles: 0,
            vertices: 0,
            vertex_invocations: None,
            visible_triangles: None,
            fragment_invocations: None,
            overdraw: None,
            poses: None,
            error: None,
            picture: None,
        }
    }

    /// Returns the time that compares rows (ms).
    #[must_use]
    pub fn time(&self, basis: TimeBasis) -> Option<Summary> {
        match basis {
            TimeBasis::Gpu => self.gpu_ms,
            TimeBasis::Wall => self.wall_ms,
        }
    }

    /// Returns the worst error of a vertex against the baked frames (mm).
    #[must_use]
    pub fn error_mm(&self) -> Option<f32> {
        self.error.map(|e| e.encoding_mm)
    }

    /// Returns the median of [`Self::time`] (ms).
    #[must_use]
    pub fn median(&self, basis: TimeBasis) -> Option<f64> {
        self.time(basis).map(|t| t.median)
    }
}

impl BenchReport {
    /// Returns the rows of one count and view, in the order of the plan.
    pub fn group(&self, count: u32, view: BenchView) -> impl Iterator<Item = &BenchRow> {
        self.rows.iter().filter(move |r| r.count == count && r.view == view)
    }

    /// Returns the row of a name.
    #[must_use]
    pub fn row(&self, name: &str, count: u32, view: BenchView) -> Option<&BenchRow> {
        self.group(count, view).find(|r| r.name == name)
    }

    /// Returns the counts and views that have rows, in the order of measurement.
    #[must_use]
    pub fn groups(&self) -> Vec<(u32, BenchView)> {
        let mut groups = Vec::new();
        for row in &self.rows {
            if !groups.contains(&(row.count, row.view)) {
                groups.push((row.count, row.view));
            }
        }
        groups
    }

    /// Fills in everything that follows from the rows: ratios, controls, key figures.
    pub fn conclude(&mut self) {
        let basis = self.setup.basis;
        self.controls.clear();
        for (count, view) in self.groups() {
            let anchor = self.row("static", count, view).and_then(|r| r.median(basis));
            for row in self.rows.iter_mut().filter(|r| r.count == count && r.view == view) {
                row.ratio_to_static = row.median(basis).zip(anchor).map(|(time, anchor)| time / anchor);
            }
            self.controls.extend(self.control(count, view));
        }
        self.headline = targets::of(self);
    }
    /// Compares the second measurement of an entry with the first.
    fn control(&self, count: u32, view: BenchView) -> Option<AaControl> {
        let second = self.group(count, view).find(|r| r.entry.control)?;
        let ratio = second.ratio_to_static?;
        let cpu = |row: &BenchRow| row.cpu_ms.map(|s| s.median);
        let first = self.row("static", count, view).and_then(cpu).filter(|&ms| ms > 0.0);
        Some(AaControl {
            entry: second.name.clone(),
            count,
            view,
            ratio,
            noisy: !QUIET.contains(&ratio),
            cpu_ratio: cpu(second).zip(first).map(|(second, first)| second / first),
        })
    }
}
