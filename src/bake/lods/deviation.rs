//! Two-sided Hausdorff distance between an LOD and the full mesh, pose by pose, sampled at the vertices of both. Splats
//! count as balls, see [`splats`].

mod splats;

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
};

use glam::Vec3;
use rayon::prelude::*;

use crate::{
    bake::lods::{poses::LodPose, shape::Shape, surface::Surface},
    model::{Mesh, Model},
};

/// Distances (m) over all vertices and poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deviation {
    /// Largest distance.
    pub worst: f32,
    /// Distance that 95 % of the vertices keep within, over [`Reference::percentile`] of the poses.
    pub p95: f32,
}

/// Poses that one thread handles in a row: the nearest triangle of a vertex changes little from one to the next.
const RUN: usize = 8;
/// Step that keeps no distances.
const NONE: usize = usize::MAX;
/// Percentile of the distances.
const PERCENT: usize = 95;
/// Percent of the vertices whose distances are bounded from above only, in turn until the percentile is certain.
const BOUNDED: [usize; 3] = [85, 50, 0];

/// Full mesh in poses: the reference for every LOD.
pub(super) struct Reference<'a> {
    poses: &'a [LodPose],
    /// Positions by pose.
    full: Vec<Vec<Vec3>>,
    surface: Surface,
    /// Positions at rest.
    rest: Vec<Vec3>,
    /// Approximate number of poses for the percentile.
    percentile: usize,
}

/// Distance of a vertex from the other surface in one pose.
#[derive(Clone, Copy)]
struct KeptDistance {
    /// Distance (m) that the vertex keeps within.
    at_most: f32,
    /// Triangle at that distance; `None` if none is nearer.
    guess: Option<u32>,
}

impl KeptDistance {
    fn exact(at_most: f32) -> Self {
        Self { at_most, guess: None }
    }
}

/// Poses in which an LOD is measured, and what is kept of them.
struct Measuring<'m> {
    lod: &'m Shape,
    /// Surface of the LOD, to be fitted to poses.
    coarse: Surface,
    /// Triangle nearest to every vertex at rest: those of the full mesh first, then those of the LOD.
    guesses: Vec<Option<u32>>,
    poses: Range<usize>,
    /// Distances are kept in every pose whose number is a multiple of this.
    every: usize,
    /// Bits of the largest distance so far: those of positive floats sort like their values.
    worst: AtomicU32,
    /// Bits of the distance beyond which nothing else matters.
    bound: &'m AtomicU32,
}

impl<'a> Reference<'a> {
    pub(super) fn new(model: &Model, poses: &'a [LodPose], percentile: usize) -> Self {
        Self {
            poses,
            full: poses.par_iter().map(|pose| pose.full_positions(model)).collect(),
            surface: Surface::new(&model.mesh.indices, &rest(&model.mesh)),
            rest: rest(&model.mesh),
            percentile,
        }
    }

    /// Measures an LOD. Infinite if it, or the full mesh, cannot be measured.
    pub(super) fn deviation(&self, lod: &Shape) -> Deviation {
        let unbounded = AtomicU32::new(f32::INFINITY.to_bits());
        let every = (self.poses.len() / self.percentile).max(1);
        let found = if lod.radii.is_empty() {
            let measuring = self.measuring(lod, 0..self.poses.len(), every, &unbounded);
            let bounds = self.runs(&measuring);
            bounds.map(|bounds| (measuring.worst_so_far(), self.percentile_of(&measuring, &bounds)))
        } else {
            let (worst, mut kept) = self.of_splats(lod, every);
            Some((worst, quantile(&mut kept, PERCENT)))
        };
        let beyond = Deviation {
            worst: f32::INFINITY,
            p95: f32::INFINITY,
        };
        let measured = found.and_then(|(worst, p95)| Some(Deviation { worst, p95: p95? }));
        measured.filter(|found| found.worst.is_finite()).unwrap_or(beyond)
    }

    /// Index and worst distance of the LOD with the smallest worst distance, the first of equals. `None` if no LOD can
    /// be measured.
    pub(super) fn best(&self, lods: &[Shape]) -> Option<(usize, f32)> {
        // A few poses decide whom to measure first; an LOD worse than the best one is abandoned early.
        let first = self.poses.len().min(RUN);
        let unbounded = AtomicU32::new(f32::INFINITY.to_bits());
        let measured = |lod: &Shape, poses: Range<usize>, bound: &AtomicU32| {
            let measuring = self.measuring(lod, poses, NONE, bound);
            self.runs(&measuring).map(|_| measuring.worst_so_far())
        };
        let rough = |lod: &Shape| measured(lod, 0..first, &unbounded);
        let rough: Vec<Option<f32>> = lods.par_iter().map(rough).collect();
        let mut order: Vec<(usize, f32)> = (0..).zip(rough).filter_map(|(i, off)| Some((i, off?))).collect();
        order.retain(|(_, off)| off.is_finite());
        order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let bound = AtomicU32::new(f32::INFINITY.to_bits());
        let mut best: Option<(usize, f32)> = None;
        for (index, off) in order {
            if best.is_some_and(|(_, least)| off > least) {
                break;
            }
            let Some(worst) = measured(&lods[index], first..self.poses.len(), &bound) else {
                continue;
            };
            let worst = worst.max(off);
            let is_better = best.is_none_or(|(i, least)| worst < least || (worst == least && index < i));
            if worst.is_finite() && is_better {
                best = Some((index, worst));
                bound.store(worst.to_bits(), Ordering::Relaxed);
            }
        }
        best
    }

    fn measuring<'m>(&self, lod: &'m Shape, poses: Range<usize>, every: usize, bound: &'m AtomicU32) -> Measuring<'m> {
        let at_rest = rest(&lod.mesh);
        let coarse = Surface::new(&lod.mesh.indices, &at_rest);
        let nearest = |surface: &Surface, points: &[Vec3]| -> Vec<Option<u32>> {
            let nearest = points.par_iter().map(|point| surface.nearest(*point, None));
            nearest.map(|nearest| Some(nearest?.triangle)).collect()
        };
        let guesses = [nearest(&coarse, &self.rest), nearest(&self.surface, &at_rest)].concat();
        Measuring {
            lod,
            coarse,
            guesses,
            poses,
            every,
            worst: AtomicU32::new(0),
            bound,
        }
    }

    /// Measures the largest distance over the poses, and returns bounds of the distances that are kept, pose by pose.
    /// `None` if the largest distance exceeds the bound.
    fn runs(&self, measuring: &Measuring<'_>) -> Option<Vec<Vec<KeptDistance>>> {
        let poses: Vec<usize> = measuring.poses.clone().collect();
        let runs: Option<Vec<Vec<Vec<KeptDistance>>>> =
            poses.par_chunks(RUN).map(|run| self.run(measuring, run)).collect();
        Some(runs?.into_iter().flatten().collect())
    }

    /// Measures the poses of a run. Only distances above the largest one so far are exact: the triangle that was nearest
    /// in the previous pose rules out most vertices.
    fn run(&self, measuring: &Measuring<'_>, poses: &[usize]) -> Option<Vec<Vec<KeptDistance>>> {
        let Measuring { lod, every, worst, .. } = measuring;
        let (mut full, mut coarse) = (self.surface.clone(), measuring.coarse.clone());
        let mut guesses = measuring.guesses.clone();
        let mut kept = Vec::new();
        for &pose in poses {
            let (full_at, lod_at) = (&self.full[pose], self.poses[pose].positions(lod));
            full.fit(full_at);
            coarse.fit(&lod_at);
            let mut most = f32::from_bits(worst.load(Ordering::Relaxed));
            if most > f32::from_bits(measuring.bound.load(Ordering::Relaxed)) {
                return None;
            }
            let points = points(&full, &coarse, full_at, &lod_at);
            let mut bound = |((surface, point), guess): ((&Surface, Vec3), &mut Option<u32>)| {
                let near = guess.and_then(|guess| surface.distance(point, guess));
                if let Some(at_most) = near.filter(|&near| near <= most) {
                    return KeptDistance { at_most, guess: *guess };
                }
                let nearest = surface.nearest(point, *guess);
                *guess = nearest.map(|n| n.triangle);
                let distance = nearest.map_or(f32::INFINITY, |n| n.squared.sqrt());
                // Not-a-number counts as the worst distance.
                most = if distance <= most { most } else { distance.max(most) };
                KeptDistance::exact(distance)
            };
            let bounds = points.zip(&mut guesses);
            if pose.is_multiple_of(*every) {
                kept.push(bounds.map(&mut bound).collect());
            } else {
                bounds.for_each(|pair| _ = bound(pair));
            }
            let most = if most.is_nan() { f32::INFINITY } else { most };
            worst.fetch_max(most.to_bits(), Ordering::Relaxed);
        }
        Some(kept)
    }

    /// Distance that 95 % of the vertices keep within. Distances that are bounded by less than it need not be exact.
    fn percentile_of(&self, measuring: &Measuring<'_>, bounds: &[Vec<KeptDistance>]) -> Option<f32> {
        let mut all: Vec<f32> = bounds.iter().flatten().map(|kept| kept.at_most).collect();
        for percent in BOUNDED {
            let bounded = quantile(&mut all, percent)?;
            let below = if percent > 0 { bounded } else { f32::NEG_INFINITY };
            let mut exact = self.exact_beyond(below, measuring, bounds);
            let found = quantile(&mut exact, PERCENT)?;
            // Whatever is not exact is smaller than that, and would be if it were exact.
            if found > below {
                return Some(found);
            }
        }
        None
    }

    /// Distances that are kept; those that may exceed `below` are exact, others are bounds.
    fn exact_beyond(&self, below: f32, measuring: &Measuring<'_>, bounds: &[Vec<KeptDistance>]) -> Vec<f32> {
        let exact = bounds.par_iter().enumerate().flat_map_iter(|(number, bounds)| {
            let pose = number * measuring.every;
            let (full_at, lod_at) = (&self.full[pose], self.poses[pose].positions(measuring.lod));
            let (mut full, mut coarse) = (self.surface.clone(), measuring.coarse.clone());
            full.fit(full_at);
            coarse.fit(&lod_at);
            let exact = |((surface, point), kept): ((&Surface, Vec3), &KeptDistance)| {
                if kept.guess.is_none() || kept.at_most <= below {
                    return kept.at_most;
                }
                let nearest = surface.nearest(point, kept.guess);
                nearest.map_or(f32::INFINITY, |nearest| nearest.squared.sqrt())
            };
            let pairs = points(&full, &coarse, full_at, &lod_at).zip(bounds);
            pairs.map(exact).collect::<Vec<f32>>()
        });
        exact.collect()
    }
}

impl Measuring<'_> {
    fn worst_so_far(&self) -> f32 {
        f32::from_bits(self.worst.load(Ordering::Relaxed))
    }
}

/// Vertices of both meshes in a pose, each with the other surface.
fn points<'p>(
    full: &'p Surface,
    coarse: &'p Surface,
    full_at: &'p [Vec3],
    lod_at: &'p [Vec3],
) -> impl Iterator<Item = (&'p Surface, Vec3)> {
    let of_full = full_at.iter().map(move |point| (coarse, *point));
    of_full.chain(lod_at.iter().map(move |point| (full, *point)))
}

/// Value that a percentage of all keep within; `None` if there are none.
fn quantile(values: &mut [f32], percent: usize) -> Option<f32> {
    let at = values.len() * percent / 100;
    if at >= values.len() {
        return None;
    }
    let (_, value, _) = values.select_nth_unstable_by(at, f32::total_cmp);
    Some(*value)
}

fn rest(mesh: &Mesh) -> Vec<Vec3> {
    mesh.vertices.iter().map(|v| v.position).collect()
}
