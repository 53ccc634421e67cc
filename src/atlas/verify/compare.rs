//! Frames placed by the motion beside frames at even steps: bytes and total error.

use std::{fmt, time::Instant};

use serde::{Deserialize, Serialize};

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

/// Rates of even steps along a plot, Hz.
const RATES: [f32; 6] = [7.5, 15.0, 30.0, 60.0, 120.0, 240.0];
/// Errors of frames placed by the motion along a plot, percent of the height.
const PERCENTS: [f32; 6] = [1.6, 0.8, 0.4, 0.2, 0.1, 0.05];

/// One way of placing frames in one format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacementCost {
    /// `even 30 Hz`, `even, as many` (frames at even steps, no more than the motion takes), `motion`.
    pub frames_by: String,
    /// Format of the matrices.
    pub format: AtlasFormat,
    /// Frames of all clips.
    pub frames: u32,
    /// Bytes of the matrices.
    pub bytes: u64,
    /// Bytes in parts of those of f16 at even 30 Hz.
    pub bytes_ratio: f64,
    /// Everything together, at any moment.
    pub total: Statistics,
    /// The format alone.
    pub encoding_percent: f32,
    /// Worst normal, degrees.
    pub normal_degrees: f32,
    /// Milliseconds that baking took, on all cores; none where the same question must have the same answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bake_ms: Option<f64>,
    /// Seconds of clips baked per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bake_speed: Option<f64>,
}

/// Ways of placing a character's frames, in several formats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the model.
    pub character: String,
    /// Seconds of all clips.
    pub seconds: f32,
    /// Error that the motion's frames are to keep, percent of the height.
    pub percent: f32,
    /// Format by format.
    pub ways: Vec<PlacementCost>,
    /// Index of the smallest way that keeps the error; absent where none does.
    pub smallest: Option<usize>,
}

/// Bakes and measures each format with frames at even 30 Hz, with as many even frames as the motion
/// needs, and with the frames that keep `percent` of the height.
///
/// # Errors
/// [`BakeError`].
pub fn compare(
    model: &Model,
    formats: &[AtlasFormat],
    percent: f32,
    options: &VerifyOptions,
) -> Result<Comparison, BakeError> {
    let mut ways = Vec::new();
    for &format in formats {
        let motion = FramePlacement::Within { percent, format };
        let motion = way(model, ("motion", motion, format), options)?;
        ways.extend(even_ways(model, format, motion.frames.into(), options)?);
        ways.push(motion);
    }
    let within = ways
        .iter()
        .enumerate()
        .filter(|(_, way)| way.total.worst_percent <= percent);
    let smallest = within.min_by_key(|(_, way)| way.bytes).map(|(index, _)| index);
    Ok(Comparison {
        character: model.name.clone(),
        seconds: model.clips.iter().map(|clip| clip.duration).sum(),
        percent,
        smallest,
        ways,
    })
}

/// Skinned vertices that frames at even steps are measured on: where frames are skipped, the corners that even steps
/// miss are missed once more.
pub const COMPARED: u64 = 4_000_000;

/// Frames at even steps of a format: of 30 Hz, and no more than `frames`.
///
/// # Errors
/// [`BakeError`].
pub fn even_steps(model: &Model, format: AtlasFormat, frames: u64) -> Result<[PlacementCost; 2], BakeError> {
    let options = VerifyOptions {
        max_samples: COMPARED,
        ..VerifyOptions::default()
    };
    let untimed = |way| PlacementCost {
        bake_ms: None,
        bake_speed: None,
        ..way
    };
    Ok(even_ways(model, format, frames, &options)?.map(untimed))
}

fn even_ways(
    model: &Model,
    format: AtlasFormat,
    frames: u64,
    options: &VerifyOptions,
) -> Result<[PlacementCost; 2], BakeError> {
    let usual = (&BakeOptions::default()).into();
    let as_many = FramePlacement::Even {
        rate: rate_of(model, frames),
    };
    Ok([
        way(model, ("even 30 Hz", usual, format), options)?,
        way(model, ("even, as many", as_many, format), options)?,
    ])
}

/// Cost of frames at even steps instead, in one line.
#[must_use]
pub fn told(even: &[PlacementCost; 2]) -> String {
    let [usual, as_many] = even.each_ref().map(|way| {
        let Statistics {
            worst_mm,
            worst_percent,
            ..
        } = way.total;
        let (frames, bytes) = (way.frames, way.bytes);
        format!("{frames} frames, {bytes} bytes, off by {worst_mm:.2} mm ({worst_percent:.3} %)")
    });
    format!("30 Hz: {usual}; as many as by motion: {as_many}")
}

/// Bytes and worst error, millimetres, of a format at several even rates and at several errors kept
/// by the motion's frames.
///
/// # Errors
/// [`BakeError`].
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

fn way(
    model: &Model,
    (frames_by, placement, format): (&str, FramePlacement, AtlasFormat),
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

/// The errors of a bake, and the seconds that it took.
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

/// The largest rate of even steps that takes no more frames.
fn rate_of(model: &Model, frames: u64) -> f32 {
    let mut rates = (10..=2400).rev().map(|tenths| tenths as f32 / 10.0);
    let fits = |rate: &f32| bake::frame_count(model, &BakeOptions { rate: *rate }) <= frames;
    rates.find(fits).unwrap_or(1.0)
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
        for (index, way) in self.ways.iter().enumerate() {
            let Statistics {
                worst_mm,
                p99_mm,
                worst_percent,
                p99_percent,
                ..
            } = way.total;
            let smallest = if self.smallest == Some(index) { "  smallest" } else { "" };
            writeln!(
                f,
                "{:<8}{:<15}{:>7}{:>10}{:>7.3}{worst_mm:>11.4}{p99_mm:>11.4}{worst_percent:>10.4}{p99_percent:>10.4}{:>11.4}\
                 {:>8.2}°{:>9.1}{smallest}",
                way.format.name(),
                way.frames_by,
                way.frames,
                way.bytes,
                way.bytes_ratio,
                way.encoding_percent,
                way.normal_degrees,
                way.bake_ms.unwrap_or(f64::NAN)
            )?;
        }
        if self.smallest.is_none() {
            writeln!(f, "no format keeps {} % of the height", self.percent)?;
        }
        Ok(())
    }
}
