//! Contents of `quality.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bench::{
    BenchSetup, SceneMethod,
    quality::{gates::Gate, page, popping::Popping},
    report::frame_report::FrameReport,
};

/// Everything that `--quality` measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QualityReport {
    /// [`SCHEMA`](crate::bench::SCHEMA).
    pub schema: u32,
    /// Where and how it was measured.
    pub setup: BenchSetup,
    /// Scenes, one per scene and count.
    pub scenes: Vec<SceneQuality>,
    /// Reason for missing scenes, views or scene times; absent for a complete run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Quality of a scene over all of its views and scene times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneQuality {
    /// Scene.
    pub scene: String,
    /// Number of people.
    pub count: u64,
    /// Samples per pixel of single pictures.
    pub samples: u32,
    /// Views that were compared, completely or in part.
    pub views: Vec<String>,
    /// Scene times (s).
    pub moments: Vec<f64>,
    /// Quality by height of people, all bands.
    pub bands: Vec<BandQuality>,
    /// Methods that were compared with full detail.
    pub ways: Vec<MethodQuality>,
}

/// Band of people of similar heights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandQuality {
    /// Smallest height (sample rows: pixels times the square root of the samples per pixel).
    pub from_rows: f32,
    /// Exclusive upper height (sample rows); none for the last band.
    pub to_rows: Option<f32>,
    /// Area that full detail covers (px), over all pictures.
    pub covered: f64,
    /// Mean error of full detail at the scene's samples: display luminance, 0..1.
    pub full_luminance_error: Option<f64>,
    /// Mean LDR-FLIP error of full detail.
    pub full_flip: Option<f64>,
    /// Controls: planted faults that gates must reject.
    pub controls: Vec<ControlQuality>,
    /// Reason why the band is not evaluated; none if every control was rejected.
    pub unjudged: Option<String>,
}

/// Control in a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlQuality {
    /// Name of the fault.
    pub name: String,
    /// Values by gate.
    pub values: BTreeMap<Gate, f64>,
    /// Gates that reject it; empty if it is accepted.
    pub rejected_by: Vec<Gate>,
}

/// Quality of one method to draw a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodQuality {
    /// Method that draws the scene.
    pub way: SceneMethod,
    /// Reason why it was not drawn.
    pub unavailable: Option<String>,
    /// Results of every gate that applies, by band where it has bands.
    pub verdicts: Vec<GateResult>,
    /// Values of gates by band, whether evaluated or not.
    pub bands: Vec<BTreeMap<Gate, f64>>,
    /// Values of all evaluated bands, by view.
    pub views: BTreeMap<String, BTreeMap<Gate, f64>>,
    /// Largest difference of a tile's mean display luminance, 0..1.
    pub worst_tile: f64,
    /// Mean excess brightness of tiles of people (display luminance, -1..1), in evaluated bands.
    pub brighter: Option<f64>,
    /// Changes from frame to frame.
    pub popping: Option<Popping>,
    /// Tile that differs most.
    pub worst_spot: Option<WorstSpot>,
}

/// Result of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// Gate that was evaluated.
    pub gate: Gate,
    /// Index of the band; none for all evaluated bands together.
    pub band: Option<usize>,
    /// Value; none if nothing could be evaluated.
    pub value: Option<f64>,
    /// Largest value that passes.
    pub limit: f64,
    /// True if the value passes; none if nothing could be evaluated.
    pub passed: Option<bool>,
}

/// Tile of people that differs most from full detail at 64 samples per pixel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstSpot {
    /// File in the report's folder with reference, full detail and this method side by side.
    pub file: String,
    /// View.
    pub view: String,
    /// Scene time (s).
    pub time: f64,
    /// First column and row of the tile (px).
    pub corner: [usize; 2],
    /// Mean difference of display luminance, 0..1.
    pub difference: f64,
}

impl GateResult {
    /// Makes the result of a value.
    #[must_use]
    pub fn of(gate: Gate, band: Option<usize>, value: Option<f64>) -> Self {
        Self {
            gate,
            band,
            value,
            limit: gate.limit(),
            passed: value.map(|value| gate.passes(value)),
        }
    }
}

impl QualityReport {
    /// True if any gate failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        let ways = self.scenes.iter().flat_map(|scene| &scene.ways);
        ways.flat_map(|way| &way.verdicts).any(|v| v.passed == Some(false))
    }
}

impl FrameReport for QualityReport {
    const NAME: &'static str = "quality";

    fn is_empty(&self) -> bool {
        self.scenes.is_empty()
    }

    fn page(&self) -> String {
        page::page(self)
    }

    fn summary(&self) -> String {
        page::summary(self)
    }
}
