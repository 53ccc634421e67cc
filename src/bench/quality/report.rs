//! What `quality.json` holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bench::{
    BenchSetup, SceneMethod,
    quality::{gates::Gate, popping::Popping},
};

/// Everything that `--quality` measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QualityReport {
    /// [`SCHEMA`](crate::bench::SCHEMA).
    pub schema: u32,
    /// Where and how it was measured.
    pub setup: BenchSetup,
    /// One per scene and count.
    pub scenes: Vec<SceneQuality>,
    /// Why scenes, views or moments are missing; absent for a complete run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// A scene, over all of its views and moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneQuality {
    /// Scene.
    pub scene: String,
    /// People in it.
    pub count: u64,
    /// Samples per pixel of single pictures.
    pub samples: u32,
    /// Views that were looked at, whole or in part.
    pub views: Vec<String>,
    /// Scene times, seconds.
    pub moments: Vec<f64>,
    /// Quality by height of people, all bands.
    pub bands: Vec<BandQuality>,
    /// Methods that were compared with full detail.
    pub ways: Vec<MethodQuality>,
}

/// People of similar heights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandQuality {
    /// Smallest height, rows: pixels times the square root of the samples.
    pub from_rows: f32,
    /// Height that is too large, rows; none for the last band.
    pub to_rows: Option<f32>,
    /// Area that full detail covers, pixels, over all pictures.
    pub covered: f64,
    /// Mean error of full detail at the scene's samples: display luminance, 0..1.
    pub full_luminance_error: Option<f64>,
    /// Mean LDR-FLIP error of full detail.
    pub full_flip: Option<f64>,
    /// Controls: faults that gates must reject.
    pub controls: Vec<ControlQuality>,
    /// Why nothing is evaluated here; none where every control was rejected.
    pub unjudged: Option<String>,
}

/// A control in a band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlQuality {
    /// Name of the fault.
    pub name: String,
    /// Values by gate.
    pub values: BTreeMap<Gate, f64>,
    /// Gates that reject it; it is accepted where there are none.
    pub rejected_by: Vec<Gate>,
}

/// A way to draw a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodQuality {
    /// How.
    pub way: SceneMethod,
    /// Why it was not drawn.
    pub unavailable: Option<String>,
    /// Every gate that applies, in every band that it is told of.
    pub verdicts: Vec<GateResult>,
    /// Values of gates by band, whether evaluated or not.
    pub bands: Vec<BTreeMap<Gate, f64>>,
    /// Values of all evaluated bands, by view.
    pub views: BTreeMap<String, BTreeMap<Gate, f64>>,
    /// The largest difference of a tile's mean display luminance, 0..1.
    pub worst_tile: f64,
    /// How much brighter tiles of people are on average, display luminance, 0..1; those of evaluated bands.
    pub brighter: Option<f64>,
    /// Changes from frame to frame.
    pub popping: Option<Popping>,
    /// Where it differs most.
    pub worst_spot: Option<WorstSpot>,
}

/// Result of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// Which.
    pub gate: Gate,
    /// Number of the band; none for all evaluated ones together.
    pub band: Option<usize>,
    /// None where nothing could be evaluated.
    pub value: Option<f64>,
    /// Largest value that passes.
    pub limit: f64,
    /// None where nothing could be evaluated.
    pub passed: Option<bool>,
}

/// The tile of people that differs most from full detail at 64 samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstSpot {
    /// Truth, full detail and this way side by side, in the report's folder.
    pub file: String,
    /// View.
    pub view: String,
    /// Scene time, seconds.
    pub time: f64,
    /// First column and row of the tile, pixels.
    pub corner: [usize; 2],
    /// Mean difference of display luminance, 0..1.
    pub difference: f64,
}

impl GateResult {
    /// Result of a value.
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
    /// Whether a gate failed anywhere.
    #[must_use]
    pub fn failed(&self) -> bool {
        let ways = self.scenes.iter().flat_map(|scene| &scene.ways);
        ways.flat_map(|way| &way.verdicts).any(|v| v.passed == Some(false))
    }
}
