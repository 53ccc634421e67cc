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
mod deviation;
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
    sync::atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use crate::{
    bake::{
        self, BakeError, BakeOptions, Palettes,
        lods::{
            crowd::{CrowdPictures, CrowdViews},
            deviation::{Deviation, Reference},
            evaluate::{CONTROLS, EvaluationEffort, Evaluator, FROZEN, Screen, Subject},
            gates::{counts_for_lods, largest_passed},
            mesh_maker::{MeshMaker, Morphing, as_packed},
            offset_surface::Areas,
            photometric_fit::Order,
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
pub const VERSION: u32 = 11;

/// Triangle counts of the coarsest LODs, which halve every two steps, as the counts above them do.
const LAST: [usize; 5] = [424, 300, 212, 150, 106];
/// Largest number of triangles of an LOD, as a share of the next finer one's, that is worth an LOD.
const MAX_SHARE_OF_FINER: f32 = 0.75;
/// Largest number of meshes that renderers accept; splats come on top.
const MOST_MESHES: usize = 9;
/// Number of meshes that are made at the same time, before coarser ones are tried.
const AT_ONCE: usize = 4;
/// Largest number of poses that compare results of simplification.
const CHOOSING: usize = 16;
/// Views of every pose for the photometric fit; and those for formations and splats.
const VIEWS: usize = 6;
const CAREFUL_VIEWS: usize = 9;
/// Largest number of poses over which the worst vertex error is stated.
const STATING: usize = 256;
/// Approximate number of posed vertices for either.
const MOST_POSED: usize = 2_000_000;

/// Makes the LODs of a character whose root motion is extracted, the finest first. They depend on the model alone.
/// `progress` is called with values in `0..=1` from any thread. A mesh that cannot be simplified, or that contains
/// not-a-number, gets no LODs.
///
/// # Errors
/// [`BakeError`] if the character cannot be baked.
pub fn make_lods(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, EvaluationEffort::FULL, progress)
}

/// Makes LODs of a character in formation, such as soldiers, where all have the same pose. Errors do not average out
/// there, so an LOD must be as bright as full detail in formation, too.
///
/// # Errors
/// [`BakeError`], as [`make_lods`].
pub fn make_lods_for_formations(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, EvaluationEffort::FORMATION, progress)
}

fn make(model: &Model, effort: EvaluationEffort, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
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
    let lods = from_palettes(model, &palettes, (&targets, effort), progress);
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
    (targets, effort): (&[usize], EvaluationEffort),
    progress: &(dyn Fn(f32) + Sync),
) -> Vec<Lod> {
    let building = poses::far_apart(model, palettes, POSES);
    let full = Shape::full(model);
    let posed_scale = model.largest_edge() / model.mesh.bounds().size().max_element();
    let choosing = poses::builders(palettes, posed_at_once(model, CHOOSING));
    let shader = Shader::new(model);
    let variants = VariantShaders::of(model);
    let order = match (model.clips.is_empty(), effort.formation) {
        (true, _) => Order::Carried,
        (false, true) => Order::Formation,
        (false, false) => Order::Anyhow,
    };
    let photometric_poses = poses::builders(palettes, effort.photometric_poses());
    let careful = CrowdViews {
        poses: &photometric_poses,
        sides: CAREFUL_VIEWS,
        elevations: order.elevations(),
        points: crowd::EVALUATION_POINTS,
        samples: crowd::EVALUATION_SAMPLES,
        turns: false,
    };
    // Errors of the pictures average out where everybody has another pose.
    let views = match order {
        Order::Formation => careful,
        Order::Anyhow | Order::Carried => CrowdViews {
            sides: VIEWS,
            points: crowd::FIT_POINTS,
            samples: crowd::FIT_SAMPLES,
            ..careful
        },
    };
    let maker = MeshMaker {
        full: &full,
        whole: Collapsible::new(Cow::Borrowed(&full), &building, posed_scale),
        shells: ProxyHulls::new(&full, &building, posed_scale),
        choosing: Reference::new(model, &choosing),
        morphing: Morphing::of(&full),
        areas: Areas::new(model, palettes),
        screen: Screen::new(model, palettes, effort),
        visibility: VisibilitySampling::new(model, &shader, &poses::builders(palettes, effort.moments)),
        crowd: CrowdPictures::new(model, &variants, views),
        order,
    };
    let done = AtomicUsize::new(0);
    let tell = || {
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(0.4 * count as f32 / targets.len() as f32);
    };
    let mut made: Vec<Shape> = Vec::new();
    for few in targets.chunks(AT_ONCE) {
        let shapes: Vec<Option<Shape>> = few
            .par_iter()
            .map(|&target| {
                let made = maker.make(target);
                tell();
                made
            })
            .collect();
        // What is coarser than a hopeless mesh is hopeless, too.
        let is_last = shapes.last().is_some_and(Option::is_none);
        made.extend(shapes.into_iter().flatten());
        if is_last {
            break;
        }
    }
    let splats = splats::make((model, &full), palettes, (&building, effort.fit_count()));
    progress(0.5);
    let count = model.mesh.triangle_count();
    let mut chain = coarser(made.into_iter(), count);
    if !splats.is_empty() {
        // Splats show people who are farthest away, under suns of any elevation. They have enough colours for twice as
        // many equations, and so few of them that careful pictures cost little.
        let turning = CrowdPictures::new(model, &variants, CrowdViews { turns: true, ..careful });
        let finished = |lod: Shape| {
            let coverage = &turning.cover(&lod);
            let lod = turning.relight(lod, coverage);
            let balanced = turning.photometric_fit(lod, coverage, order);
            as_packed(turning.relight(balanced, coverage))
        };
        let splats: Vec<Shape> = splats.into_par_iter().map(finished).collect();
        chain.extend(coarser(splats.into_iter(), count));
    }
    evaluated((model, palettes), chain, effort, &|part| progress(0.5 + 0.5 * part))
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
    (model, palettes): (&Model, &Palettes),
    chain: Vec<Shape>,
    effort: EvaluationEffort,
    progress: &(dyn Fn(f32) + Sync),
) -> Vec<Lod> {
    let found = measured((model, palettes), &chain, (effort, Extent::UntilFailed), progress);
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
    Ok(measured((model, &palettes), &shapes, (effort, Extent::Whole), progress))
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
    (model, palettes): (&Model, &Palettes),
    lods: &[Shape],
    (effort, extent): (EvaluationEffort, Extent),
    progress: &(dyn Fn(f32) + Sync),
) -> LodMeasurements {
    let of_controls = CONTROLS.map(|(_, control)| control);
    let evaluate = Evaluator::new(model, palettes, effort.of_controls());
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
    let stating = poses::all(palettes, posed_at_once(model, STATING));
    let stating = Reference::new(model, &stating);
    let found: Vec<Deviation> = lods.iter().map(|lod| stating.deviation(lod)).collect();
    // Larger heights do not matter after the first failure, nor those beyond what vertices are off by.
    let interesting_below = |lod: usize, heights: &[Height]| {
        if extent == Extent::Whole {
            return f32::INFINITY;
        }
        let failed = |height: &&Height| !height.passes() && counts_for_lods(height, of_controls());
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
    let heights = Evaluator::new(model, palettes, effort).evaluate(&subjects, &interesting_below, progress);
    let lod = |(found, heights): (&Deviation, Vec<Height>)| {
        let seen = largest_passed(&heights, of_controls());
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
