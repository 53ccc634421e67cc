//! Comparison of frames placed by the motion with frames at even steps: size and total error.

use std::fmt;

use serde::{Deserialize, Serialize};
use web_time::Instant;

use crate::{
    atlas::{
        AtlasFormat, FramePlacement,
        verify::{
            VerifyOptions,
            report::{FormatReport, Statistics},
            verify,
        },
    },
    bake::{self, BakeError, BakeOptions},
    model::Model,
};

/// Rates (Hz) of even steps in a plot.
const RATES: [f32; 6] = [7.5, 15.0, 30.0, 60.0, 120.0, 240.0];
/// Error bounds (percent of the height) of frames placed by the motion in a plot.
const PERCENTS: [f32; 6] = [1.6, 0.8, 0.4, 0.2, 0.1, 0.05];

/// Result of one placement of frames in one format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacementCost {
    /// Name of the placement: `even 30 Hz`, `even, as many` (even steps with at most as many frames as the motion
    /// takes), `motion`.
    pub frames_by: String,
    /// Format of the matrices.
    pub format: AtlasFormat,
    /// Frames of all clips.
    pub frames: u32,
    /// Size of the matrices (bytes).
    pub bytes: u64,
    /// Size relative to that of f16 at even 30 Hz.
    pub bytes_ratio: f64,
    /// Total error at any time.
    pub total: Statistics,
    /// Encoding error alone (percent of the height).
    pub encoding_percent: f32,
    /// Largest error of a normal (degrees).
    pub normal_degrees: f32,
    /// Time that baking took on all cores (ms); `None` where output must be reproducible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bake_ms: Option<f64>,
    /// Length of clips (s) baked per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bake_speed: Option<f64>,
}

/// Placements of a character's frames in several formats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the model.
    pub character: String,
    /// Length of all clips (s).
    pub seconds: f32,
    /// Error bound of the frames placed by the motion (percent of the height).
    pub percent: f32,
    /// Placements, format by format.
    pub ways: Vec<PlacementCost>,
    /// Index of the smallest placement that keeps the error; absent where none does.
    pub smallest: Option<usize>,
}

/// Bakes and measures each format with three placements. These are even 30 Hz, as many even frames as the motion needs,
/// and frames that keep `percent` of the height.
///
/// # Errors
/// [`BakeError`] if a placement cannot be baked.
pub fn compare(
    model: &Model,
    formats: &[AtlasFormat],
    percent: f32,
    options: &VerifyOptions,
) -> Result<Comparison, BakeError> {
    let mut ways = Vec::new();
    for &format in formats {
        let motion = FramePlacement::Within { percent, format };
        let motion = placement_cost(model, "motion", motion, format, options)?;
        ways.extend(even_step_costs(model, format, motion.frames.into(), options)?);
        ways.push(motion);
    }
    let within = ways
        .iter()
        .enumerate()
        .filter(|(_, placement_cost)| placement_cost.total.worst_percent <= percent);
    let smallest = within
        .min_by_key(|(_, placement_cost)| placement_cost.bytes)
        .map(|(index, _)| index);
    Ok(Comparison {
        character: model.name.clone(),
        seconds: model.clips.iter().map(|clip| clip.duration).sum(),
        percent,
        smallest,
        ways,
    })
}

/// Limit of skinned vertices on which frames at even steps are measured. Measuring fewer frames misses some of the
/// peaks that even steps miss.
pub const MAX_COMPARED_SAMPLES: u64 = 4_000_000;
/// Limit of those for the line of [`even_steps`], so that it takes less time than the bake that it accompanies.
const MAX_EVEN_STEP_SAMPLES: u64 = 1_000_000;

/// Costs of frames at even steps in a format: at 30 Hz, and with at most `frames` frames.
///
/// # Errors
/// [`BakeError`] if a placement cannot be baked.
pub fn even_steps(model: &Model, format: AtlasFormat, frames: u64) -> Result<[PlacementCost; 2], BakeError> {
    let options = VerifyOptions {
        max_samples: MAX_EVEN_STEP_SAMPLES,
        ..VerifyOptions::default()
    };
    let untimed = |placement_cost| PlacementCost {
        bake_ms: None,
        bake_speed: None,
        ..placement_cost
    };
    Ok(even_step_costs(model, format, frames, &options)?.map(untimed))
}

fn even_step_costs(
    model: &Model,
    format: AtlasFormat,
    frames: u64,
    options: &VerifyOptions,
) -> Result<[PlacementCost; 2], BakeError> {
    let usual = (&BakeOptions::default()).into();
    let as_many = FramePlacement::Even {
        rate: bake::largest_rate(model, frames),
    };
    Ok([
        placement_cost(model, "even 30 Hz", usual, format, options)?,
        placement_cost(model, "even, as many", as_many, format, options)?,
    ])
}

/// Cost of frames at even steps, in one line.
#[must_use]
pub fn even_steps_line(even: &[PlacementCost; 2]) -> String {
    let [usual, as_many] = even.each_ref().map(|placement_cost| {
        let Statistics {
            worst_mm,
            worst_percent,
            ..
        } = placement_cost.total;
        let (frames, bytes) = (placement_cost.frames, placement_cost.bytes);
        format!("{frames} frames, {bytes} bytes, error {worst_mm:.2} mm ({worst_percent:.3} %)")
    });
    format!("30 Hz: {usual}; as many as by motion: {as_many}")
}

/// Size (bytes) and worst error (mm) of a format, at several even rates and at several error bounds of frames placed by
/// the motion.
///
/// # Errors
/// [`BakeError`] if a placement cannot be baked.
pub fn frontier(
    model: &Model,
    format: AtlasFormat,
    options: &VerifyOptions,
) -> Result<[Vec<(f64, f64)>; 2], BakeError> {
    let point = |placement: FramePlacement| {
        let (report, _) = measured(model, placement, format, options)?;
        Ok((report.bytes as f64, f64::from(report.worst_mm())))
    };
    let even = RATES.iter().map(|&rate| point(FramePlacement::Even { rate }));
    let motion = PERCENTS
        .iter()
        .map(|&percent| point(FramePlacement::Within { percent, format }));
    Ok([even.collect::<Result<_, _>>()?, motion.collect::<Result<_, _>>()?])
}

fn placement_cost(
    model: &Model,
    frames_by: &str,
    placement: FramePlacement,
    format: AtlasFormat,
    options: &VerifyOptions,
) -> Result<PlacementCost, BakeError> {
    let (report, seconds) = measured(model, placement, format, options)?;
    let played: f32 = model.clips.iter().map(|clip| clip.duration).sum();
    let usual = bake::frame_count(model, &BakeOptions::default());
    let reference = bytes(model, usual, AtlasFormat::F16);
    Ok(PlacementCost {
        frames_by: frames_by.to_owned(),
        format,
        frames: report.frames,
        bytes: report.bytes,
        bytes_ratio: report.bytes as f64 / reference.max(1) as f64,
        encoding_percent: report.encoding_at_frames.map_or(0.0, |encoding| encoding.worst_percent),
        normal_degrees: report
            .normal_at_frames_degrees
            .max(report.normal_between_frames_degrees),
        total: report.total,
        bake_ms: Some(seconds * 1000.0),
        bake_speed: Some(f64::from(played) / seconds.max(1e-9)),
    })
}

/// Errors of a bake, and the time that it took (s).
fn measured(
    model: &Model,
    placement: FramePlacement,
    format: AtlasFormat,
    options: &VerifyOptions,
) -> Result<(FormatReport, f64), BakeError> {
    let start = Instant::now();
    let palettes = placement.bake(model, &|_| ())?;
    let seconds = start.elapsed().as_secs_f64();
    let report = verify(model, &palettes, &[format], options).formats.remove(0);
    Ok((report, seconds))
}

fn bytes(model: &Model, frames: u64, format: AtlasFormat) -> u64 {
    frames * (model.skeleton.slots.len() * format.matrix_bytes()) as u64
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {:.1} s of clips", self.character, self.seconds)?;
        writeln!(
            f,
            "{:<8}{:<15}{:>7}{:>10}{:>7}{:>11}{:>11}{:>10}{:>10}{:>11}{:>9}{:>9}",
            "format",
            "frames",
            "",
            "bytes",
            "ratio",
            "worst mm",
            "p99 mm",
            "worst %",
            "p99 %",
            "encoding %",
            "normal",
            "bake ms"
        )?;
        for (index, placement_cost) in self.ways.iter().enumerate() {
            let Statistics {
                worst_mm,
                p99_mm,
                worst_percent,
                p99_percent,
                ..
            } = placement_cost.total;
            let smallest = if self.smallest == Some(index) { "  smallest" } else { "" };
            writeln!(
                f,
                "{:<8}{:<15}{:>7}{:>10}{:>7.3}{worst_mm:>11.4}{p99_mm:>11.4}{worst_percent:>10.4}{p99_percent:>10.4}{:>11.4}\
                 {:>8.2}°{:>9.1}{smallest}",
                placement_cost.format.name(),
                placement_cost.frames_by,
                placement_cost.frames,
                placement_cost.bytes,
                placement_cost.bytes_ratio,
                placement_cost.encoding_percent,
                placement_cost.normal_degrees,
                placement_cost.bake_ms.unwrap_or(f64::NAN)
            )?;
        }
        if self.smallest.is_none() {
            writeln!(f, "no format keeps {} % of the height", self.percent)?;
        }
        Ok(())
    }
}
