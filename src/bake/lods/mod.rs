//! LODs: coarser meshes of a character, and the largest heights at which each replaces full detail.
//!
//! Every LOD is made from the full mesh in these steps:
//!
//! - Edge collapse with several settings simplifies it (`simplify`, `proxy_hull`). The result with the smallest worst
//!   vertex error over all poses is kept (`deviation`).
//! - An offset makes it cover as much as the full mesh (`offset_surface`).
//! - It takes colours and normals from the full mesh (`transfer_attributes`, `seen`).
//! - A fit makes it as bright as the full mesh in crowds (`photometric_fit`, `crowd`).
//! - Pictures evaluate it (`evaluate`), in other poses than those it was made from.
//!
//! Below the coarsest meshes are `splats`.

mod crowd;
mod crowd_fit;
mod deviation;
mod effort;
mod evaluate;
mod fingerprint;
mod gates;
mod highlight;
mod mesh_maker;
mod offset_surface;
mod photometric_fit;
mod poses;
mod proxy_hull;
mod raster;
mod seen;
mod shape;
mod simplify;
mod splats;
mod sums;
mod surface;
mod surface_color;
#[cfg(test)]
mod tests;
mod transfer_attributes;

pub use fingerprint::fingerprint;
pub use gates::Height;

use std::{
    borrow::Cow,
    f32::consts::FRAC_1_SQRT_2,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;

use crate::{
    bake::{
        self, BakeError, BakeOptions, Palettes,
        lods::{
            crowd_fit::CrowdFit,
            deviation::{Deviation, Reference},
            effort::{EvaluationEffort, MakingEffort},
            evaluate::{CONTROLS, Evaluator, FROZEN, Screen, Subject},
            gates::{counts_for_lods, largest_passed},
            mesh_maker::{Fits, MeshMaker, Morphing, as_packed},
            offset_surface::Areas,
            proxy_hull::ProxyHulls,
            seen::VisibilitySampling,
            shape::Shape,
            simplify::{Collapsible, POSES},
            surface_color::{Shader, VariantShaders},
        },
    },
    model::{Lod, Model},
};

/// Version of the LODs made of a character; LODs of other versions are made again.
pub const VERSION: u32 = 12;

/// Triangle counts of the coarsest LODs, which halve every two steps, as the counts above them do.
const LAST: [usize; 5] = [424, 300, 212, 150, 106];
/// Largest number of triangles of an LOD, as a share of the next finer one's, that is worth an LOD.
const MAX_SHARE_OF_FINER: f32 = 0.75;
/// Largest number of meshes that renderers accept; splats come on top.
const MOST_MESHES: usize = 9;
/// Largest number of poses that compare results of simplification.
const CHOOSING: usize = 16;
/// Approximate number of posed vertices for either.
const MOST_POSED: usize = 2_000_000;

/// Makes the LODs of a character whose root motion is extracted, the finest first. They depend on the model alone.
/// `progress` is called with values in `0..=1` from any thread. A mesh that cannot be simplified, or that contains
/// not-a-number, gets no LODs.
///
/// # Errors
/// [`BakeError`] if the character cannot be baked.
pub fn make_lods(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, MakingEffort::careful(EvaluationEffort::FULL), progress)
}

/// Makes LODs in a quarter of the time: simplified meshes and splats whose areas and materials are matched to full
/// detail, but whose normals and colours are not fitted. Their heights are taken from the smallest pictures of
/// [`make_lods`], up to 48 sample rows and with a margin, so that [`measure_lods`] confirms them. They depend on the
/// model alone.
///
/// # Errors
/// [`BakeError`], as [`make_lods`].
pub fn make_quick_lods(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, MakingEffort::QUICK, progress)
}

/// Makes LODs of a character in formation, such as soldiers, where all have the same pose. Errors do not average out
/// there, so an LOD must be as bright as full detail in formation, too.
///
/// # Errors
/// [`BakeError`], as [`make_lods`].
pub fn make_lods_for_formations(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, MakingEffort::careful(EvaluationEffort::FORMATION), progress)
}

fn make(model: &Model, effort: MakingEffort, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    let targets = targets(model.mesh.triangle_count());
    if targets.is_empty() || !is_sound(model) {
        progress(1.0);
        return Ok(Vec::new());
    }
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ())?;
    let weights = palettes.morph_weights.iter();
    if !palettes.matrices.iter().all(|m| m.is_finite()) || !weights.copied().all(f32::is_finite) {
        progress(1.0);
        return Ok(Vec::new());
    }
    let lods = from_palettes(model, &palettes, &targets, effort, progress);
    progress(1.0);
    Ok(lods)
}

/// Triangle counts to try, descending by a factor of about the square root of two. A character too tall for an LOD is
/// then drawn with at most half as many triangles again as it needs.
fn targets(triangles: usize) -> Vec<usize> {
    let mut targets = Vec::new();
    let finer = |step: i32| (triangles as f32 * FRAC_1_SQRT_2.powi(step)) as usize;
    // The finer counts keep the distance that the last counts have from each other.
    targets.extend((1..).map(finer).take_while(|&next| next * 5 > LAST[0] * 6));
    let last = LAST
        .into_iter()
        .filter(|&n| n as f32 <= MAX_SHARE_OF_FINER * triangles as f32);
    targets.extend(last);
    targets
}

/// True if a model has so many triangles that LODs are tried.
#[must_use]
pub fn are_worth_making(model: &Model) -> bool {
    !targets(model.mesh.triangle_count()).is_empty()
}

/// True if all inputs of skinning are finite, and the mesh is larger than a point.
fn is_sound(model: &Model) -> bool {
    let slots = model.skeleton.slots.len();
    let has_extent = model.largest_edge().is_normal() && model.mesh.bounds().size().max_element().is_normal();
    has_extent
        && model.mesh.vertices.iter().all(|v| {
            let numbers = v.weights.into_iter().chain(v.normal.to_array()).chain(v.uv.to_array());
            v.position.is_finite()
                && v.color.is_finite()
                && numbers.into_iter().all(f32::is_finite)
                && v.joints.iter().all(|&j| usize::from(j) < slots)
        })
        && model
            .morphs
            .iter()
            .flat_map(|morph| &morph.deltas)
            .all(|delta| delta.is_sound(model.mesh.vertices.len()))
}

fn from_palettes(
    model: &Model,
    palettes: &Palettes,
    targets: &[usize],
    effort: MakingEffort,
    progress: &(dyn Fn(f32) + Sync),
) -> Vec<Lod> {
    let building = poses::far_apart(model, palettes, POSES);
    let full = Shape::full(model);
    let posed_scale = model.largest_edge() / model.mesh.bounds().size().max_element();
    let choosing = poses::builders(palettes, posed_at_once(model, CHOOSING.min(effort.stating)));
    let shader = Shader::new(model);
    let variants = VariantShaders::of(model);
    let photometric_poses = poses::builders(palettes, effort.evaluation.photometric_poses());
    let crowds = CrowdFit::new(model, &variants, &photometric_poses, effort);
    let maker = MeshMaker {
        full: &full,
        whole: Collapsible::new(Cow::Borrowed(&full), &building, posed_scale),
        shells: ProxyHulls::new(&full, &building, posed_scale),
        choosing: Reference::new(model, &choosing, effort.percentile),
        morphing: Morphing::of(&full),
        areas: Areas::new(model, palettes, effort.area_poses),
        settings: effort.settings,
        fits: effort.fits.then(|| Fits {
            screen: Screen::new(model, palettes, effort.evaluation),
            visibility: VisibilitySampling::new(model, &shader, &poses::builders(palettes, effort.evaluation.moments)),
            crowd: crowds.of_meshes(),
            order: crowds.order,
        }),
    };
    let (made, splats) = rayon::join(
        || meshes(&maker, targets, effort.batch, &|part| progress(0.4 * part)),
        || {
            let splats = splats::make(model, &full, palettes, &building, effort.splats);
            match effort.fits {
                true => crowds.finished(splats),
                false => splats.into_iter().map(as_packed).collect(),
            }
        },
    );
    progress(0.5);
    let count = model.mesh.triangle_count();
    let mut chain = coarser(made.into_iter(), count);
    chain.extend(coarser(splats.into_iter(), count));
    evaluated(model, palettes, chain, effort, &|part| progress(0.5 + 0.5 * part))
}

/// Meshes of as many triangles as can be made, the finest first. If the last of `few` meshes is hopeless, so is whatever
/// is coarser.
fn meshes(maker: &MeshMaker<'_>, targets: &[usize], few: usize, progress: &(dyn Fn(f32) + Sync)) -> Vec<Shape> {
    let made: Vec<OnceLock<Option<Shape>>> = targets.iter().map(|_| OnceLock::new()).collect();
    let is_hopeless = |few: &[OnceLock<Option<Shape>>]| matches!(few.last().and_then(OnceLock::get), Some(None));
    let [next, done] = [(); 2].map(|()| AtomicUsize::new(0));
    rayon::scope_fifo(|scope| {
        for _ in targets {
            // Finer meshes take longer: they come first.
            scope.spawn_fifo(|_| {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let finer = &made[..number / few * few];
                if !finer.chunks(few).any(is_hopeless) {
                    _ = made[number].set(maker.make(targets[number]));
                }
                progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / targets.len() as f32);
            });
        }
    });
    let hopeless = made.chunks(few).position(is_hopeless).unwrap_or(usize::MAX);
    let useful = hopeless.saturating_add(1).saturating_mul(few);
    let made = made.into_iter().take(useful);
    made.filter_map(|made| made.into_inner()?).collect()
}

/// Shapes, the finest first, each with far fewer triangles than the one before.
fn coarser(made: impl Iterator<Item = Shape>, triangles: usize) -> Vec<Shape> {
    let mut most = MAX_SHARE_OF_FINER * triangles as f32;
    let mut chain = Vec::new();
    for lod in made {
        let triangles = lod.mesh.triangle_count() as f32;
        if triangles <= most {
            most = MAX_SHARE_OF_FINER * triangles;
            chain.push(lod);
        }
    }
    chain
}

/// LODs that pass at some height, with the largest height that each passes.
fn evaluated(
    model: &Model,
    palettes: &Palettes,
    chain: Vec<Shape>,
    effort: MakingEffort,
    progress: &(dyn Fn(f32) + Sync),
) -> Vec<Lod> {
    let found = measured(model, palettes, &chain, effort, Extent::UntilFailed, progress);
    let mut lods: Vec<Lod> = Vec::new();
    for (shape, lod) in chain.into_iter().zip(found.lods).rev() {
        // The hardware rasterizer draws no splats: meshes are chosen independently of them.
        let alike = lods.last().filter(|l| l.is_splats() != shape.radii.is_empty());
        let coarser = alike.map_or(0.0, |l| l.max_sample_rows);
        // An LOD that passes no larger heights than a coarser one is never drawn.
        if let Some(max_sample_rows) = lod.max_sample_rows.filter(|&rows| rows > coarser) {
            lods.push(Lod {
                mesh: shape.mesh,
                morphs: shape.morphs,
                max_sample_rows,
                worst_mm: lod.worst_mm,
                radii: shape.radii,
                normal_bias: shape.normal_bias,
            });
        }
    }
    lods.reverse();
    thin_out(&mut lods, model.mesh.triangle_count());
    lods
}

/// Removes meshes until renderers accept their number, each time the mesh whose replacement by the next finer one costs
/// least.
fn thin_out(lods: &mut Vec<Lod>, full: usize) {
    while lods.iter().filter(|lod| !lod.is_splats()).count() > MOST_MESHES {
        let finer = std::iter::once(full).chain(lods.iter().map(Lod::triangles));
        let costs = finer.zip(&*lods).map(|(finer, lod)| {
            let cost = finer as f32 / lod.triangles() as f32;
            if lod.is_splats() { f32::INFINITY } else { cost }
        });
        let Some((cheapest, _)) = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        lods.remove(cheapest);
    }
}

/// Measurements of LODs, and of the controls that must fail.
#[derive(Clone, Debug)]
pub struct LodMeasurements {
    /// Measurements of every LOD, in order.
    pub lods: Vec<MeasuredLod>,
    /// Name and measurements of each control, the largest height first. Controls that do not apply are omitted: a
    /// character that hardly moves cannot freeze.
    pub controls: Vec<(&'static str, Vec<Height>)>,
}

/// Measurements of one LOD.
#[derive(Clone, Debug)]
pub struct MeasuredLod {
    /// Measurements at every evaluated height, the largest first.
    pub heights: Vec<Height>,
    /// Largest height (sample rows) that passes every gate; `None` if it fails everywhere.
    pub max_sample_rows: Option<f32>,
    /// Distance of the worst vertex of either surface from the other, over the clips (mm).
    pub worst_mm: f32,
    /// Distance that 95 % of the vertices keep within (mm).
    pub p95_mm: f32,
}

/// Measures LODs of a character against it, from any source. As in [`make_lods`], its root motion is extracted.
///
/// # Errors
/// [`BakeError`] if the character cannot be baked.
pub fn measure_lods(
    model: &Model,
    lods: &[Lod],
    progress: &(dyn Fn(f32) + Sync),
) -> Result<LodMeasurements, BakeError> {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ())?;
    let shapes: Vec<Shape> = lods.iter().map(Shape::from).collect();
    let effort = EvaluationEffort {
        reports_crowds: true,
        ..EvaluationEffort::FULL
    };
    let effort = MakingEffort::careful(effort);
    Ok(measured(model, &palettes, &shapes, effort, Extent::Whole, progress))
}

/// Range of heights that are evaluated.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// All heights.
    Whole,
    /// Heights until the first failure, as larger ones cannot matter.
    UntilFailed,
}

fn measured(
    model: &Model,
    palettes: &Palettes,
    lods: &[Shape],
    effort: MakingEffort,
    extent: Extent,
    progress: &(dyn Fn(f32) + Sync),
) -> LodMeasurements {
    let of_controls = CONTROLS.map(|(_, control)| control);
    let evaluate = Evaluator::new(model, palettes, effort.evaluation.of_controls());
    // Gates that reject a control at one height reject it at larger ones, too.
    let until_rejected = |_: usize, heights: &[Height]| match heights.first() {
        Some(largest) if !largest.passes() => 0.0,
        _ => f32::INFINITY,
    };
    let controls = evaluate.evaluate(&of_controls, &until_rejected, &|_| ());
    let controls: Vec<(&str, Vec<Height>)> = (CONTROLS.iter().map(|(name, _)| *name).zip(controls))
        .filter(|(name, heights)| *name != FROZEN || heights.first().is_some_and(|largest| !largest.passes()))
        .collect();
    let of_controls = || controls.iter().map(|(_, heights)| &heights[..]);
    let share = effort.evaluation.share;
    let stating = poses::all(palettes, posed_at_once(model, effort.stating));
    let stating = Reference::new(model, &stating, effort.percentile);
    let found: Vec<Deviation> = lods.par_iter().map(|lod| stating.deviation(lod)).collect();
    // Larger heights do not matter after the first failure, nor those beyond what vertices are off by.
    let interesting_below = |lod: usize, heights: &[Height]| {
        if extent == Extent::Whole {
            return f32::INFINITY;
        }
        let failed = |height: &&Height| !height.passes_within(share) && counts_for_lods(height, of_controls());
        let failed = heights.iter().rev().find(failed).map(|height| height.rows);
        let near = rows(model, found[lod]);
        let beyond = heights
            .iter()
            .rev()
            .map(|height| height.rows)
            .find(|&rows| rows >= near);
        failed.unwrap_or(f32::INFINITY).min(beyond.unwrap_or(f32::INFINITY))
    };
    let subjects: Vec<Subject<'_>> = lods.iter().map(Subject::Lod).collect();
    let heights = Evaluator::new(model, palettes, effort.evaluation).evaluate(&subjects, &interesting_below, progress);
    let lod = |(found, heights): (&Deviation, Vec<Height>)| {
        let seen = largest_passed(&heights, of_controls(), effort.evaluation);
        let max_sample_rows = seen.map(|seen| seen.min(rows(model, *found)));
        MeasuredLod {
            heights,
            max_sample_rows: max_sample_rows.filter(|rows| rows.is_finite() && *rows > 0.0),
            worst_mm: found.worst * 1000.0,
            p95_mm: found.p95 * 1000.0,
        }
    };
    let lods = found.iter().zip(heights).map(lod).collect();
    LodMeasurements { lods, controls }
}

/// Number of poses of a model, at most `most`, that keeps the number of posed vertices low.
fn posed_at_once(model: &Model, most: usize) -> usize {
    (MOST_POSED / model.mesh.vertices.len().max(1)).clamp(8, most)
}

/// Largest height (sample rows) at which 95 % of the vertices are off by less than half a row.
fn rows(model: &Model, found: Deviation) -> f32 {
    0.5 * model.largest_edge() / found.p95
}
