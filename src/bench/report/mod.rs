//! What `report.json` holds.

mod analysis;
mod axis;
pub(crate) mod baseline;
mod cpu_targets;
mod csv;
pub(crate) mod files;
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

/// Changes when a reader of an older report would misread a newer one.
pub const SCHEMA: u32 = 1;

/// An A/A ratio outside this is flagged: the machine was busy, the figures are rough.
pub const QUIET: std::ops::RangeInclusive<f64> = 0.95..=1.05;

/// Everything one run measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Where and how it was measured.
    pub setup: BenchSetup,
    /// Ratios that the project sets itself, with what was reached.
    pub headline: Vec<KeyFigure>,
    /// One per group of rows that were measured in turn.
    pub controls: Vec<AaControl>,
    /// Characters with bake and animator times.
    pub characters: Vec<CharacterCosts>,
    /// One per entry, count and view.
    pub rows: Vec<BenchRow>,
    /// Finding who is under the pointer, by count and view; empty on software adapters.
    #[serde(default)]
    pub picking: Vec<PickLatency>,
    /// Why rows are missing; absent for a complete run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Where and how a report was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchSetup {
    /// Version of throng.
    pub throng: String,
    /// Commit it was built from; `unknown` outside of a checkout and in debug builds.
    pub commit: Option<String>,
    /// `release` or `debug`; CPU times of a debug build mean little.
    pub build: String,
    /// `--label`.
    pub label: Option<String>,
    /// `--contribute`.
    pub contributed_by: Option<String>,
    /// UTC, unless given by `--date`.
    pub date: String,
    /// Arguments after the program's name.
    pub command: String,
    /// Adapter that drew.
    pub adapter: AdapterFacts,
    /// Operating system and architecture; empty in older reports.
    #[serde(default)]
    pub os: String,
    /// Logical cores.
    pub cores: u32,
    /// Pixels.
    pub size: [u32; 2],
    /// Samples per pixel.
    pub samples: u32,
    /// `--quick`: too few frames and people for figures of time.
    #[serde(default)]
    pub quick: bool,
    /// Seed of the crowd.
    pub seed: u64,
    /// Timed frames per row, at most.
    pub repeats: u32,
    /// Which time the ratios are made of.
    pub basis: TimeBasis,
    /// Source of `gpu_bytes`.
    #[serde(default)]
    pub memory_source: MemorySource,
}

/// Which of the measured times compares rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeBasis {
    /// Timestamps around the crowd pass.
    Gpu,
    /// From the start of encoding until the device is idle.
    #[default]
    Wall,
}

/// One entry measured twice in one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AaControl {
    /// Which entry.
    pub entry: String,
    /// Instances.
    pub count: u32,
    /// View.
    pub view: BenchView,
    /// Second over first, of the time that compares rows.
    pub ratio: f64,
    /// Outside `QUIET`.
    pub noisy: bool,
    /// Second over first, of CPU times; absent where those were not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ratio: Option<f64>,
}

/// A character and what preparing and animating it costs the CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CharacterCosts {
    /// Name.
    pub name: String,
    /// Metres.
    pub height_m: f32,
    /// Vertices of the merged mesh.
    pub vertices: u32,
    /// Triangles of the merged mesh.
    pub triangles: u32,
    /// Influences of a vertex at most: four, or eight.
    #[serde(default)]
    pub influences: u32,
    /// Matrices per frame.
    pub slots: u32,
    /// Joints of the skeleton.
    pub joints: u32,
    /// Clips.
    pub clips: u32,
    /// Baked frames of all clips.
    pub frames: u32,
    /// Length of all clips, seconds.
    pub play_seconds: f64,
    /// Baking all clips, all cores, milliseconds.
    pub bake_ms: Option<Summary>,
    /// `play_seconds` over the median bake time.
    pub bake_speed: Option<f64>,
    /// Frames by motion beside frames at even steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_placement: Option<verify::Comparison>,
    /// Posing 1,000 instances on all cores, as the live technique does every frame, milliseconds.
    pub animator_ms_per_1000: Option<Summary>,
}

/// One entry, count and view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchRow {
    /// Entry that was measured.
    pub entry: BenchEntry,
    /// [`BenchEntry::name`].
    pub name: String,
    /// Instances.
    pub count: u32,
    /// View.
    pub view: BenchView,
    /// Why there are no figures: what would be needed and which limit forbids it.
    pub skipped: Option<String>,
    /// Crowd pass by timestamps, and what is skinned for it before, milliseconds.
    pub gpu_ms: Option<Summary>,
    /// All passes by timestamps, milliseconds; absent on software adapters, whose timestamps do
    /// not cover compute.
    pub gpu_frame_ms: Option<Summary>,
    /// From the start of encoding until the device is idle, milliseconds.
    pub wall_ms: Option<Summary>,
    /// Encode and submit of frames that run ahead of the GPU, in the first view of a count: at least
    /// 30 of each entry, bursts in turn. For `live`, animators included, and on software rasterisers:
    /// of the frames of `wall_ms`. Milliseconds.
    pub cpu_ms: Option<Summary>,
    /// Time over that of `static` in the same group.
    pub ratio_to_static: Option<f64>,
    /// Sent to the device per frame.
    pub upload_bytes: u64,
    /// Animation data on the device that stays there.
    pub atlas_bytes: u64,
    /// Animation data that is sent anew for every frame: technique `live`.
    #[serde(default)]
    pub frame_data_bytes: u64,
    /// Everything that the entry has on the device, as far as `BenchSetup::memory_source` sees.
    pub gpu_bytes: u64,
    /// Submitted.
    pub triangles: u64,
    /// Distinct vertices times instances.
    pub vertices: u64,
    /// Runs of the vertex shader in the crowd pass.
    pub vertex_invocations: Option<u64>,
    /// Triangles left after clipping and culling.
    pub visible_triangles: Option<u64>,
    /// Runs of the fragment shader in the crowd pass.
    pub fragment_invocations: Option<u64>,
    /// Fragment invocations over pixels of the picture.
    pub overdraw: Option<f64>,
    /// How poses were shared in the frame that was counted: technique `preskinned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<PoseCounts>,
    /// Worst vertex over all clips, at and between frames.
    pub error: Option<Accuracy>,
    /// Against the picture of `matrix f32` at the same time.
    pub picture: Option<PictureDifference>,
}

impl BenchRow {
    /// A row without figures yet.
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

    /// The time that compares rows, milliseconds.
    #[must_use]
    pub fn time(&self, basis: TimeBasis) -> Option<Summary> {
        match basis {
            TimeBasis::Gpu => self.gpu_ms,
            TimeBasis::Wall => self.wall_ms,
        }
    }

    /// Worst vertex against the baked frames, millimetres.
    #[must_use]
    pub fn error_mm(&self) -> Option<f32> {
        self.error.map(|e| e.encoding_mm)
    }

    /// Median of [`Self::time`], milliseconds.
    #[must_use]
    pub fn median(&self, basis: TimeBasis) -> Option<f64> {
        self.time(basis).map(|t| t.median)
    }
}

impl BenchReport {
    /// Rows of one count and view, in the order of the plan.
    pub fn group(&self, count: u32, view: BenchView) -> impl Iterator<Item = &BenchRow> {
        self.rows.iter().filter(move |r| r.count == count && r.view == view)
    }

    /// The row of a name.
    #[must_use]
    pub fn row(&self, name: &str, count: u32, view: BenchView) -> Option<&BenchRow> {
        self.group(count, view).find(|r| r.name == name)
    }

    /// Counts and views that have rows, in the order measured.
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

    /// Fills in everything that follows from the rows: ratios, controls, headline.
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
    /// The second measurement of an entry against the first.
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
