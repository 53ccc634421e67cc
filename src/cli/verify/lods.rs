//! `throng verify --levels`: every LOD against every quality gate at every height, and the controls that the gates must
//! reject.

use std::fmt;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{
    bake::{
        BakeError,
        lods::{Height, LodMeasurements, MeasuredLod, measure_lods},
    },
    model::{Lod, Model},
};

/// Measurement of an LOD or a control at one height.
#[derive(Debug, Serialize)]
struct HeightReport {
    rows: f32,
    coverage_bias: f64,
    tiles: f64,
    coverage: f64,
    coverage_allowed: f64,
    color: f64,
    color_allowed: f64,
    worst_pose: f64,
    /// 95th percentile of the difference in display luminance over picture tiles full of people.
    crowd: f64,
    /// Names of the gates that fail.
    failed: Vec<&'static str>,
}

/// Report about an LOD.
#[derive(Debug, Serialize)]
struct LodReport {
    /// Number of triangles or splats.
    triangles: usize,
    /// Kind: "triangles" or "splats".
    kind: &'static str,
    vertices: usize,
    /// Largest height in the file (sample rows).
    #[serde(rename = "max_rows")]
    max_sample_rows: f32,
    /// Largest height at which it passes (sample rows); `None` if it fails everywhere.
    measured_max_rows: Option<f32>,
    worst_mm: f32,
    p95_mm: f32,
    /// Error of the worst vertex at `max_sample_rows` (sample rows).
    worst_rows: f32,
    heights: Vec<HeightReport>,
}

/// Report about a control: a picture that the gates must reject.
#[derive(Debug, Serialize)]
struct ControlReport {
    name: &'static str,
    /// Heights (sample rows) at which every gate accepts it; LODs are not evaluated there.
    accepted_at: Vec<f32>,
    heights: Vec<HeightReport>,
}

/// Report about all LODs and controls of a character.
#[derive(Debug, Serialize)]
pub(super) struct LodsReport {
    character: String,
    triangles: usize,
    /// Largest extent in the rest pose (mm), whose height in rows is meant.
    height_mm: f32,
    #[serde(rename = "levels")]
    lods: Vec<LodReport>,
    controls: Vec<ControlReport>,
}

impl LodsReport {
    /// Measures the LODs of a model.
    ///
    /// # Errors
    /// The model cannot be baked.
    pub(super) fn measure(model: &Model) -> Result<Self, BakeError> {
        let bar = ProgressBar::new(1000);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  levels of detail") {
            bar.set_style(style);
        }
        let progress = |part: f32| bar.set_position((1000.0 * part) as u64);
        let LodMeasurements { lods, controls } = measure_lods(model, &model.lods, &progress)?;
        bar.finish_and_clear();
        let height_mm = 1000.0 * model.largest_edge();
        let lod = |(lod, found)| LodReport::new(lod, found, height_mm);
        Ok(Self {
            character: model.name.clone(),
            triangles: model.mesh.triangle_count(),
            height_mm,
            lods: model.lods.iter().zip(lods).map(lod).collect(),
            controls: { controls.into_iter() }
                .map(|(name, heights)| ControlReport::new(name, &heights))
                .collect(),
        })
    }

    /// Messages about LODs that pass only up to a lower height than the file states.
    pub(super) fn broken(&self) -> impl Iterator<Item = String> {
        let broken = |l: &&LodReport| l.measured_max_rows.is_none_or(|rows| rows < 0.99 * l.max_sample_rows);
        self.lods.iter().filter(broken).map(|l| {
            let measured = l.measured_max_rows.unwrap_or(0.0);
            format!(
                "{}: the LOD of {} {} is used up to {:.0} rows, but passes up to {measured:.0}",
                self.character, l.triangles, l.kind, l.max_sample_rows
            )
        })
    }
}

impl LodReport {
    fn new(lod: &Lod, found: MeasuredLod, height_mm: f32) -> Self {
        Self {
            triangles: lod.triangles(),
            kind: lod.kind(),
            vertices: lod.mesh.vertices.len(),
            max_sample_rows: lod.max_sample_rows,
            measured_max_rows: found.max_sample_rows,
            worst_mm: found.worst_mm,
            p95_mm: found.p95_mm,
            worst_rows: found.worst_mm / height_mm * lod.max_sample_rows,
            heights: found.heights.iter().map(HeightReport::new).collect(),
        }
    }
}

impl ControlReport {
    fn new(name: &'static str, heights: &[Height]) -> Self {
        Self {
            name,
            accepted_at: heights.iter().filter(|h| h.passes()).map(|h| h.rows).collect(),
            heights: heights.iter().map(HeightReport::new).collect(),
        }
    }
}

impl HeightReport {
    fn new(height: &Height) -> Self {
        Self {
            rows: height.rows,
            coverage_bias: height.coverage_bias,
            tiles: height.tiles,
            coverage: height.coverage,
            coverage_allowed: height.coverage_allowed,
            color: height.color,
            color_allowed: height.color_allowed,
            worst_pose: height.worst_pose,
            crowd: height.crowd,
            failed: height.failed().collect(),
        }
    }
}

impl fmt::Display for LodsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} triangles at full detail, {:.0} mm",
            self.character, self.triangles, self.height_mm
        )?;
        if self.lods.is_empty() {
            writeln!(f, "  no levels of detail")?;
        }
        for lod in &self.lods {
            writeln!(
                f,
                "\n  {} {}, {} vertices: up to {:.0} rows; error of the worst vertex {:.1} mm ({:.2} rows), 95th \
                 percentile {:.1} mm",
                lod.triangles, lod.kind, lod.vertices, lod.max_sample_rows, lod.worst_mm, lod.worst_rows, lod.p95_mm
            )?;
            table(f, &lod.heights)?;
        }
        for control in &self.controls {
            let accepted = match control.accepted_at[..] {
                [] => "rejected at every height".to_owned(),
                _ => format!(
                    "not rejected at {:.0?} rows, where LODs are not evaluated",
                    control.accepted_at
                ),
            };
            writeln!(f, "\n  control \"{}\": {accepted}", control.name)?;
            table(f, &control.heights)?;
        }
        Ok(())
    }
}

fn table(f: &mut fmt::Formatter<'_>, heights: &[HeightReport]) -> fmt::Result {
    writeln!(
        f,
        "    {:>6}  {:>13}  {:>10}  {:>17}  {:>17}  {:>10}  {:>10}  fails",
        "rows", "coverage bias", "tiles off", "coverage/allowed", "colour/allowed", "worst pose", "crowd/255"
    )?;
    for h in heights {
        let failed = if h.failed.is_empty() {
            "-".to_owned()
        } else {
            h.failed.join(", ")
        };
        writeln!(
            f,
            "    {:>6.1}  {:>11.2} %  {:>8.2} %  {:>7.2}/{:>5.2} %    {:>7.2}/{:>5.2} %    {:>8.2}    {:>8.2}    {failed}",
            h.rows,
            100.0 * h.coverage_bias,
            100.0 * h.tiles,
            100.0 * h.coverage,
            100.0 * h.coverage_allowed,
            100.0 * h.color,
            100.0 * h.color_allowed,
            h.worst_pose,
            255.0 * h.crowd,
        )?;
    }
    Ok(())
}
