//! Chooses format and frames within a budget: the smallest atlas below an error, or the smallest error below a size.
//! The stated error is measured on the result.

use serde::Serialize;

use std::collections::BTreeMap;

use crate::{
    atlas::{
        Atlas, AtlasFormat, VerifyOptions,
        placement::{encoding_bound, height},
        verify_atlases,
    },
    bake::{self, BakedClip, FrameBound, Palettes, memory},
    model::{Model, UnitSpace},
};

/// Error bounds that are tried (shares of the height): from the coarsest down in steps of a fiftieth.
const FINEST: f32 = 1e-5;
const COARSEST: f32 = 0.5;
const STEP: f32 = 0.98;
/// Neighbouring error bounds that are measured around the finest one that fits a size. The measured error grows with
/// the bound, but not evenly.
const MEASURED_STEPS: i32 = 3;
/// Attempts with a smaller frame error while the measured error exceeds the limit.
const TRIES: u32 = 4;

/// Limits of the result; at least one of the two should be set.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Limit of the error of any vertex at any time (m).
    pub max_error: Option<f32>,
    /// Limit of the size of the atlas (bytes).
    pub max_bytes: Option<u64>,
    /// Candidate formats.
    pub formats: Vec<AtlasFormat>,
}

/// Frames chosen for one clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClipChoice {
    /// Name of the clip.
    pub clip: String,
    /// Mean rate (Hz); 0 for a single pose.
    pub rate: f32,
    /// Number of frames.
    pub frames: u32,
    /// Bound of the error from blending frames (mm).
    pub resampling_mm: f32,
}

/// Best result of one format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Offer {
    /// Format.
    pub format: AtlasFormat,
    /// Bound of the encoding error (mm).
    pub encoding_mm: f32,
    /// Size (bytes) of the best atlas within the budget; absent where none fits.
    pub bytes: Option<u64>,
    /// Measured error of that atlas (mm).
    pub worst_mm: Option<f32>,
}

/// Best atlas within the budget, with the candidates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Format.
    pub format: AtlasFormat,
    /// Size of the atlas (bytes).
    pub bytes: u64,
    /// Measured total error at and between frames (mm).
    pub worst_mm: f32,
    /// Choice for each clip.
    pub clips: Vec<ClipChoice>,
    /// Results of all candidate formats.
    pub offers: Vec<Offer>,
}

/// Error: no choice fits the budget.
#[derive(Debug, thiserror::Error)]
#[error("no format and frames meet the limits: {closest}")]
pub struct NoPlan {
    /// Description of the nearest miss.
    closest: String,
}

/// Candidate: a format with frames, size and measured error.
struct SolverCandidate {
    format: AtlasFormat,
    palettes: Palettes,
    bytes: u64,
    /// Measured error (m).
    worst: f32,
}

/// Chooses the smallest atlas within `max_error` (and `max_bytes`), and bakes its frames. Without `max_error` it
/// chooses the most accurate atlas within `max_bytes`. The error is the total error, measured on the result at the
/// times that `options` gives.
///
/// # Errors
/// [`NoPlan`] if nothing fits.
pub fn solve(model: &Model, budget: &Budget, options: &VerifyOptions) -> Result<(Plan, Palettes), NoPlan> {
    memory::check_ends(model).map_err(|error| NoPlan {
        closest: error.to_string(),
    })?;
    let formats = budget.formats.iter();
    let tried: Vec<(AtlasFormat, f32, Result<SolverCandidate, String>)> = formats
        .map(|&format| {
            let encoding = encoding_bound(model, format);
            (format, encoding, candidate(model, budget, format, encoding, options))
        })
        .collect();
    let offer = |(format, encoding, candidate): &(AtlasFormat, f32, Result<SolverCandidate, String>)| Offer {
        format: *format,
        encoding_mm: encoding * 1000.0,
        bytes: candidate.as_ref().ok().map(|c| c.bytes),
        worst_mm: candidate.as_ref().ok().map(|c| c.worst * 1000.0),
    };
    let offers: Vec<Offer> = tried.iter().map(offer).collect();
    let key = |c: &SolverCandidate| match budget.max_error {
        Some(_) => c.bytes as f64,
        None => f64::from(c.worst),
    };
    let (found, missed): (Vec<_>, Vec<_>) = tried.into_iter().map(|(_, _, c)| c).partition(Result::is_ok);
    let best = found.into_iter().flatten().min_by(|a, b| key(a).total_cmp(&key(b)));
    let best = best.ok_or_else(|| NoPlan {
        closest: missed
            .into_iter()
            .filter_map(Result::err)
            .collect::<Vec<_>>()
            .join("; "),
    })?;
    Ok((plan(&best, offers), best.palettes))
}

/// Best candidate of a format; the error says why there is none.
fn candidate(
    model: &Model,
    budget: &Budget,
    format: AtlasFormat,
    encoding: f32,
    options: &VerifyOptions,
) -> Result<SolverCandidate, String> {
    match budget.max_error {
        Some(limit) => within_error(model, budget, format, encoding, limit, options),
        None => within_bytes(model, budget.max_bytes.unwrap_or(u64::MAX), format, options),
    }
}

/// Candidate with the fewest frames whose measured error is within the limit.
fn within_error(
    model: &Model,
    budget: &Budget,
    format: AtlasFormat,
    encoding: f32,
    limit: f32,
    options: &VerifyOptions,
) -> Result<SolverCandidate, String> {
    let name = format.name();
    let finest = FINEST * height(model);
    if limit < finest {
        let mm = finest * 1000.0;
        return Err(format!(
            "{name}: an error limit below {mm:.4} mm takes too many frames and bytes"
        ));
    }
    // The bound of the encoding error may be far above the true error: the measurement decides.
    let mut position = (limit - encoding).max(limit * 0.25);
    let mut closest = f32::INFINITY;
    for _ in 0..TRIES {
        let found = measured(model, format, on_step(model, position), options)?;
        if budget.max_bytes.is_some_and(|most| found.bytes > most) {
            return Err(format!("{name} needs {} bytes", found.bytes));
        }
        if found.worst <= limit {
            return Ok(found);
        }
        closest = closest.min(found.worst);
        position *= (limit / found.worst).clamp(0.3, 0.9);
    }
    Err(format!("{name} has an error of {:.4} mm", closest * 1000.0))
}

/// Candidate with the smallest error whose frames fit the size.
fn within_bytes(
    model: &Model,
    most: u64,
    format: AtlasFormat,
    options: &VerifyOptions,
) -> Result<SolverCandidate, String> {
    let mut tried: BTreeMap<i32, Palettes> = BTreeMap::new();
    let (mut fits, mut too_large) = (0, steps_to(FINEST));
    let coarsest = bake(model, position_of(model, fits))?;
    let bytes = byte_size(&coarsest, format);
    if bytes > most {
        return Err(format!("the smallest atlas in {} has {bytes} bytes", format.name()));
    }
    tried.insert(fits, coarsest);
    while too_large - fits > 1 {
        let step = fits.midpoint(too_large);
        match bake(model, position_of(model, step)) {
            Ok(palettes) if byte_size(&palettes, format) <= most => {
                fits = step;
                tried.insert(step, palettes);
            }
            _ => too_large = step,
        }
    }
    let palettes_of = |step: i32| match tried.remove(&step) {
        Some(palettes) => Ok(palettes),
        None => bake(model, position_of(model, step)),
    };
    let near: Result<Vec<Palettes>, String> = ((fits - MEASURED_STEPS + 1).max(0)..=fits)
        .rev()
        .map(palettes_of)
        .collect();
    let feasible = near?.into_iter().filter(|p| byte_size(p, format) <= most);
    let candidates = feasible.map(|palettes| measure(model, format, palettes, options));
    let best = candidates.min_by(|a, b| a.worst.total_cmp(&b.worst));
    best.ok_or_else(|| format!("{} has no frames of that size", format.name()))
}

/// Error bound of a step (m).
fn position_of(model: &Model, step: i32) -> f32 {
    COARSEST * height(model).max(f32::MIN_POSITIVE) * STEP.powi(step)
}

/// Number of steps from the coarsest error to a share of the height.
fn steps_to(share: f32) -> i32 {
    ((share / COARSEST).ln() / STEP.ln()).ceil() as i32
}

/// Largest error bound on a step that is at most `position` (m). Searches by size and by error then find the same
/// bakes.
fn on_step(model: &Model, position: f32) -> f32 {
    let share = position / height(model).max(f32::MIN_POSITIVE);
    position_of(model, steps_to(share).max(0)).min(position)
}

fn byte_size(palettes: &Palettes, format: AtlasFormat) -> u64 {
    (palettes.matrices.len() * format.matrix_bytes()) as u64
}

fn bake(model: &Model, position: f32) -> Result<Palettes, String> {
    let bound = FrameBound {
        position,
        optimized: true,
    };
    bake::bake_within(model, bound, &|_| ()).map_err(|error| error.to_string())
}

fn measured(
    model: &Model,
    format: AtlasFormat,
    position: f32,
    options: &VerifyOptions,
) -> Result<SolverCandidate, String> {
    Ok(measure(model, format, bake(model, position)?, options))
}

fn measure(model: &Model, format: AtlasFormat, palettes: Palettes, options: &VerifyOptions) -> SolverCandidate {
    let atlas = Atlas::encode(&palettes, &UnitSpace::around(model.rest_bounds()), format);
    let report = verify_atlases(model, &palettes, std::slice::from_ref(&atlas), options);
    let worst_mm = report.formats.first().map_or(f32::INFINITY, |f| f.worst_mm());
    SolverCandidate {
        format,
        bytes: byte_size(&palettes, format),
        palettes,
        worst: worst_mm / 1000.0,
    }
}

fn plan(best: &SolverCandidate, offers: Vec<Offer>) -> Plan {
    let resampling_mm = best.palettes.bound.map_or(0.0, |b| b.position * 1000.0);
    let clip = |clip: &BakedClip| ClipChoice {
        clip: clip.name.clone(),
        rate: clip.rate,
        frames: clip.frame_count,
        resampling_mm: if clip.frame_count > 1 { resampling_mm } else { 0.0 },
    };
    Plan {
        format: best.format,
        bytes: best.bytes,
        worst_mm: best.worst * 1000.0,
        clips: best.palettes.clips.iter().map(clip).collect(),
        offers,
    }
}
