//! LODs: coarser meshes of a character, and the sizes at which they do.
//!
//! Every level is made of the full mesh, in several ways (`simplify`); the one whose worst vertex over all poses is
//! least off is kept (`deviation`), moved out until it covers what the full mesh covers (`offset_surface`), shows what
//! that shows (`transfer_attributes`, `seen`), is as bright in crowds (`photometric_fit`), and is evaluated by pictures
//! (`evaluate`, `crowd`). Poses that evaluate are not those that build. Below the coarsest meshes are `splats`.

mod crowd;
mod deviation;
mod evaluate;
mod fingerprint;
mod gates;
mod highlight;
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
            crowd::CrowdPictures,
            deviation::{Deviation, Reference},
            evaluate::{CONTROLS, Effort, Evaluator, FROZEN, Subject},
            gates::{is_evaluated, largest_passed},
            offset_surface::Areas,
            photometric_fit::{FEW_ROUNDS, Order, ROUNDS},
            proxy_hull::ProxyHulls,
            seen::VisibilitySampling,
            shape::Shape,
            simplify::{Collapsible, POSES, SIMPLIFY_SETTINGS},
            surface::Surface,
            surface_color::{Shader, VariantShaders},
            transfer_attributes::transfer_attributes,
        },
    },
    model::{Lod, Model, PackedMesh},
};

/// Counts changes of what is made of the same character: levels of another version are not what would be made now.
pub const VERSION: u32 = 9;

/// Fewer triangles lose too much of what they cover.
const FEWEST_TRIANGLES: usize = 100;
/// The last levels; of two steps above them one halves.
const LAST: [usize; 5] = [424, 300, 212, 150, 106];
/// Largest share of the next finer LOD's triangles that is worth an LOD.
const MAX_SHARE_OF_FINER: f32 = 0.75;
/// Factor above the requested triangle count that a method may leave.
const NEAR_ENOUGH: f32 = 1.15;
/// Meshes that renderers take, at most; splats come on top.
const MOST_MESHES: usize = 9;
/// Poses that tell one way from another, at most.
const CHOOSING: usize = 32;
/// Views of every moment in which crowds are balanced.
const VIEWS: usize = 9;
/// Poses over which the worst vertex is stated, at most.
const STATING: usize = 256;
/// Vertices that are posed for either, about.
const MOST_POSED: usize = 2_000_000;

/// Makes the levels of a character whose root motion is extracted, the finest first. What they are depends on the
/// model alone. `progress` is called with values in `0..=1` from any thread. A mesh that cannot be simplified, or
/// one that has numbers that are none, gets no levels.
///
/// # Errors
/// The character cannot be baked.
pub fn make_lods(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, Effort::FULL, progress)
}

/// LODs of a character who stands in ranks, as soldiers do, all in one pose. Errors do not average out there, so that
/// an LOD must be as bright as full detail in ranks, too.
///
/// # Errors
/// As [`make_lods`].
pub fn make_lods_for_ranks(model: &Model, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
    make(model, Effort::RANKS, progress)
}

fn make(model: &Model, effort: Effort, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<Lod>, BakeError> {
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

/// Numbers of triangles to try, descending by about the square root of two: whoever is too tall for a level is drawn
/// with at most half as many triangles again as would do.
fn targets(triangles: usize) -> Vec<usize> {
    let mut targets = Vec::new();
    let finer = |step: i32| (triangles as f32 * FRAC_1_SQRT_2.powi(step)) as usize;
    // Not nearer to the last levels than these are to each other.
    targets.extend((1..).map(finer).take_while(|&next| next * 5 > LAST[0] * 6));
    let last = LAST
        .into_iter()
        .filter(|&n| n as f32 <= MAX_SHARE_OF_FINER * triangles as f32);
    targets.extend(last);
    targets
}

/// Whether a model has so many triangles that levels are tried.
#[must_use]
pub fn are_worth_making(model: &Model) -> bool {
    !targets(model.mesh.triangle_count()).is_empty()
}

/// Whether all that takes part in skinning is finite, and the mesh larger than a point.
fn is_sound(model: &Model) -> bool {
    let slots = model.skeleton.slots.len();
    let extent = model.mesh.bounds().size().max_element();
    let has_extent = extent.is_normal();
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
    (targets, effort): (&[usize], Effort),
    progress: &(dyn Fn(f32) + Sync),
) -> Vec<Lod> {
    let building = poses::far_apart(model, palettes, POSES);
    let full = Shape::full(model);
    let whole = Collapsible::new(Cow::Borrowed(&full), &building);
    let shells = ProxyHulls::new(&full, &building);
    let choosing = poses::builders(palettes, posed_at_once(model, CHOOSING));
    let choosing = Reference::new(model, &choosing);
    let areas = Areas::new(model, palettes);
    let shader = Shader::new(model);
    let seen = poses::builders(palettes, effort.moments);
    let variants = VariantShaders::of(model);
    let order = match (model.clips.is_empty(), effort.ranks) {
        (true, _) => Order::Carried,
        (false, true) => Order::Ranks,
        (false, false) => Order::Anyhow,
    };
    let photometric_poses = poses::builders(palettes, effort.photometric_poses());
    let photometric_poses = (&photometric_poses[..], VIEWS, order.elevations());
    let crowd = CrowdPictures::new(model, &variants, photometric_poses);
    let balanced = |lod: Shape, rounds: usize| crowd.photometric_fit(lod, (order, rounds));
    let visibility = VisibilitySampling::new(model, &shader, &seen);
    let done = AtomicUsize::new(0);
    let morphing = Morphing::of(&full);
    let made: Vec<Option<Shape>> = targets
        .par_iter()
        .map(|&target| {
            let best = best_of((&whole, &shells), target, &choosing);
            let best = best.map(|lod| {
                let Shape { mesh, morphs, .. } = morphing.best(lod, &choosing);
                let mesh = transfer_attributes(&full.mesh, mesh);
                let lod = areas.offset_surface(Shape {
                    mesh,
                    morphs,
                    radii: Vec::new(),
                    normal_bias: 0.0,
                });
                // By how much normals lean depends on what they are, which depends on that.
                let lod = (0..2).fold(lod, |lod, _| crowd.with_normal_bias(visibility.turned(lod)));
                let lod = areas.relight(visibility.colored(lod));
                // Balance turns normals, too.
                let lod = (0..2).fold(lod, |lod, _| crowd.with_normal_bias(balanced(lod, FEW_ROUNDS)));
                as_packed(crowd.relight(balanced(lod, ROUNDS)))
            });
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(0.4 * count as f32 / targets.len() as f32);
            best
        })
        .collect();
    let splats = splats::make((model, &full), palettes, (&building, effort.fit_count()));
    progress(0.5);
    let count = model.mesh.triangle_count();
    let mut chain = coarser(made.into_iter().flatten(), count);
    if !splats.is_empty() {
        // Splats show whoever is farthest, under a sun of any height: they have colours to spare for twice as many
        // equations.
        let turning = CrowdPictures::turning(model, &variants, photometric_poses);
        let balanced = |lod: Shape, rounds: usize| turning.photometric_fit(lod, (order, rounds));
        let finished = |lod: Shape| {
            let lod = (0..2).fold(turning.relight(lod), |lod, _| balanced(lod, FEW_ROUNDS));
            as_packed(turning.relight(balanced(lod, ROUNDS)))
        };
        let splats: Vec<Shape> = splats.into_par_iter().map(finished).collect();
        chain.extend(coarser(splats.into_iter(), count));
    }
    evaluated((model, palettes), chain, effort, &|part| progress(0.5 + 0.5 * part))
}

/// Shapes, the finest first, that have far fewer triangles than the one before.
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

/// Where levels of a character with morph targets take their deltas from.
struct Morphing<'a> {
    full: &'a Shape,
    /// The full mesh's, where it has targets.
    surface: Option<Surface>,
}

impl<'a> Morphing<'a> {
    fn of(full: &'a Shape) -> Self {
        let positions = || full.mesh.vertices.iter().map(|v| v.position).collect::<Vec<_>>();
        let has_targets = !full.morphs.is_empty();
        let surface = has_targets.then(|| Surface::new(&full.mesh.indices, &positions()));
        Self { full, surface }
    }

    /// The level as it is, its vertices moved as those that were left over, or as the points of the full surface to
    /// which these have come: whichever leaves its worst vertex less off.
    fn best(&self, lod: Shape, choosing: &Reference<'_>) -> Shape {
        let Some(surface) = &self.surface else {
            return lod;
        };
        let mut ways = vec![lod.moved_as(self.full, surface), lod];
        let best = choosing.best(&ways).map_or(1, |(best, _)| best);
        ways.swap_remove(best)
    }
}

/// The levels that pass somewhere, with the heights up to which they do.
fn evaluated(
    (model, palettes): (&Model, &Palettes),
    chain: Vec<Shape>,
    effort: Effort,
    progress: &(dyn Fn(f32) + Sync),
) -> Vec<Lod> {
    let found = measured((model, palettes), &chain, (effort, Extent::UntilFailed), progress);
    let mut lods: Vec<Lod> = Vec::new();
    for (shape, lod) in chain.into_iter().zip(found.lods).rev() {
        // The hardware rasterizer draws no splats: meshes are chosen without looking at these.
        let alike = lods.last().filter(|l| l.is_splats() != shape.radii.is_empty());
        let coarser = alike.map_or(0.0, |l| l.max_sample_rows);
        // One that does no longer than a coarser one is never drawn.
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

/// Leaves out meshes, while there are more than renderers take, in whose place the next finer one costs least.
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
    /// One entry a level, in order.
    pub lods: Vec<MeasuredLod>,
    /// Name of each control and what was found of it, the largest height first; without those that do not apply (a
    /// character that hardly moves cannot freeze).
    pub controls: Vec<(&'static str, Vec<Height>)>,
}

/// Measurements of one LOD.
#[derive(Clone, Debug)]
pub struct MeasuredLod {
    /// Every height that was looked at, the largest first.
    pub heights: Vec<Height>,
    /// The largest height that passes every gate; none where it fails everywhere.
    pub max_sample_rows: Option<f32>,
    /// Distance of the worst vertex of either surface from the other, over the clips, millimetres.
    pub worst_mm: f32,
    /// The distance that 95 % of the vertices keep within, millimetres.
    pub p95_mm: f32,
}

/// Measures levels of a character against it, whoever made them. As in [`make_lods`], its root motion is extracted.
///
/// # Errors
/// The character cannot be baked.
pub fn measure_lods(
    model: &Model,
    lods: &[Lod],
    progress: &(dyn Fn(f32) + Sync),
) -> Result<LodMeasurements, BakeError> {
    let palettes = bake::bake(model, &BakeOptions::default(), &|_| ())?;
    let shapes: Vec<Shape> = lods.iter().map(Shape::from).collect();
    Ok(measured(
        (model, &palettes),
        &shapes,
        (Effort::FULL, Extent::Whole),
        progress,
    ))
}

/// How much of a level is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Extent {
    /// Every height.
    Whole,
    /// Heights up to those that cannot matter any more.
    UntilFailed,
}

fn measured(
    (model, palettes): (&Model, &Palettes),
    lods: &[Shape],
    (effort, extent): (Effort, Extent),
    progress: &(dyn Fn(f32) + Sync),
) -> LodMeasurements {
    let of_controls = CONTROLS.map(|(_, control)| control);
    let evaluate = Evaluator::new(model, palettes, effort.of_controls());
    let controls = evaluate.evaluate(&of_controls, &|_, _| true, &|_| ());
    let controls: Vec<(&str, Vec<Height>)> = (CONTROLS.iter().map(|(name, _)| *name).zip(controls))
        .filter(|(name, heights)| *name != FROZEN || heights.first().is_some_and(|largest| !largest.passes()))
        .collect();
    let of_controls = || controls.iter().map(|(_, heights)| &heights[..]);
    let stating = poses::all(palettes, posed_at_once(model, STATING));
    let stating = Reference::new(model, &stating);
    let found: Vec<Deviation> = lods.iter().map(|lod| stating.deviation(lod)).collect();
    let goes_on = |lod: usize, heights: &[Height]| {
        let failed = |height: &Height| !height.passes() && is_evaluated(height, of_controls());
        let tallest = heights.first().map_or(0.0, |height| height.rows);
        extent == Extent::Whole || (!heights.iter().any(failed) && tallest < rows(model, found[lod]))
    };
    let subjects: Vec<Subject<'_>> = lods.iter().map(Subject::Lod).collect();
    let heights = Evaluator::new(model, palettes, effort).evaluate(&subjects, &goes_on, progress);
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

/// Poses of a model, so few that their vertices are not too many.
fn posed_at_once(model: &Model, most: usize) -> usize {
    (MOST_POSED / model.mesh.vertices.len().max(1)).clamp(8, most)
}

/// A mesh with four influences as it comes back from being packed, so that packing it again changes nothing.
fn as_packed(lod: Shape) -> Shape {
    // More would hardly be seen in so few rows; what it costs is measured with everything else.
    let mut mesh = lod.mesh.narrowed().into_owned();
    for _ in 0..4 {
        let again = PackedMesh::new(&mesh).unpacked();
        let is_stable = again == mesh;
        mesh = again;
        if is_stable {
            break;
        }
    }
    Shape { mesh, ..lod }
}

/// The largest height in rows at which 95 % of the vertices are off by less than half a row.
fn rows(model: &Model, found: Deviation) -> f32 {
    0.5 * model.mesh.bounds().size().max_element() / found.p95
}

/// Result with the least worst vertex among all methods.
fn best_of(
    (whole, shells): (&Collapsible<'_>, &ProxyHulls<'_>),
    target: usize,
    choosing: &Reference<'_>,
) -> Option<Shape> {
    let fits = |lod: &Shape| {
        let triangles = lod.mesh.triangle_count();
        triangles >= FEWEST_TRIANGLES && triangles as f32 <= NEAR_ENOUGH * target as f32
    };
    let collapsed = |of: &Collapsible<'_>| -> Vec<Shape> {
        let made: Vec<Shape> = (SIMPLIFY_SETTINGS.par_iter())
            .map(|recipe| of.collapse(target, *recipe))
            .collect();
        made.into_iter().filter(fits).collect()
    };
    let mut made = collapsed(whole);
    // Loose and seamed parts do not collapse far, or vanish.
    if made.is_empty() || target <= LAST[0] {
        made.extend(collapsed(shells.of(target)));
    }
    let (best, _) = choosing.best(&made)?;
    Some(made.swap_remove(best))
}
