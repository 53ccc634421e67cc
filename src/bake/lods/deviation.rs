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

/// Full mesh in poses: the reference for every LOD.
pub(super) struct Reference<'a> {
    poses: &'a [LodPose],
    /// Positions by pose.
    full: Vec<Vec<Vec3>>,
    surface: Surface,
    /// Approximate number of poses for the percentile.
    percentile: usize,
}

impl<'a> Reference<'a> {
    pub(super) fn new(model: &Model, poses: &'a [LodPose], percentile: usize) -> Self {
        Self {
            poses,
            full: poses.par_iter().map(|pose| pose.full_positions(model)).collect(),
            surface: Surface::new(&model.mesh.indices, &rest(&model.mesh)),
            percentile,
        }
    }

    /// Measures an LOD. Infinite if it, or the full mesh, cannot be measured.
    pub(super) fn deviation(&self, lod: &Shape) -> Deviation {
        let unbounded = AtomicU32::new(f32::INFINITY.to_bits());
        let every = (self.poses.len() / self.percentile).max(1);
        let found = if lod.radii.is_empty() {
            self.runs(lod, 0..self.poses.len(), every, &unbounded)
        } else {
            Some(self.of_splats(lod, every))
        };
        let (worst, mut kept) = found.unwrap_or((f32::INFINITY, Vec::new()));
        if kept.is_empty() || !worst.is_finite() {
            return Deviation {
                worst: f32::INFINITY,
                p95: f32::INFINITY,
            };
        }
        let at = kept.len() * 95 / 100;
        let (_, p95, _) = kept.select_nth_unstable_by(at, f32::total_cmp);
        Deviation { worst, p95: *p95 }
    }

    /// Index and worst distance of the LOD with the smallest worst distance, the first of equals. `None` if no LOD can
    /// be measured.
    pub(super) fn best(&self, lods: &[Shape]) -> Option<(usize, f32)> {
        // A few poses decide whom to measure first; an LOD worse than the best one is abandoned early.
        let first = self.poses.len().min(RUN);
        let unbounded = AtomicU32::new(f32::INFINITY.to_bits());
        let rough = |lod: &Shape| Some(self.runs(lod, 0..first, NONE, &unbounded)?.0);
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
            let rest = first..self.poses.len();
            let Some((worst, _)) = self.runs(&lods[index], rest, NONE, &bound) else {
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

    /// Largest distance over a range of poses, and all distances in every `every`-th of them. `None` if the largest
    /// distance exceeds a bound.
    fn runs(&self, lod: &Shape, poses: Range<usize>, every: usize, bound: &AtomicU32) -> Option<(f32, Vec<f32>)> {
        let surface = Surface::new(&lod.mesh.indices, &rest(&lod.mesh));
        // The bits of positive floats sort like their values.
        let worst = AtomicU32::new(0);
        let poses: Vec<usize> = poses.collect();
        let runs: Option<Vec<Vec<f32>>> = poses
            .par_chunks(RUN)
            .map(|run| self.run(lod, surface.clone(), run, every, &worst, bound))
            .collect();
        let kept = runs?.into_iter().flatten().collect();
        Some((f32::from_bits(worst.into_inner()), kept))
    }

    /// Measures the poses of a run. Poses whose distances are not kept only need distances above the maximum so far.
    /// The triangle that was nearest in the previous pose rules out most vertices.
    fn run(
        &self,
        lod: &Shape,
        mut coarse: Surface,
        poses: &[usize],
        every: usize,
        worst: &AtomicU32,
        bound: &AtomicU32,
    ) -> Option<Vec<f32>> {
        let mut full = self.surface.clone();
        let mut guesses = vec![None; self.full.first().map_or(0, Vec::len) + lod.mesh.vertices.len()];
        let mut kept = Vec::new();
        for &pose in poses {
            let keeps = pose.is_multiple_of(every);
            let (full_at, lod_at) = (&self.full[pose], self.poses[pose].positions(lod));
            full.fit(full_at);
            coarse.fit(&lod_at);
            let mut most = f32::from_bits(worst.load(Ordering::Relaxed));
            if most > f32::from_bits(bound.load(Ordering::Relaxed)) {
                return None;
            }
            let (of_full, of_lod) = guesses.split_at_mut(full_at.len());
            let to_lod = full_at.iter().zip(of_full).map(|pair| (&coarse, pair));
            let to_full = lod_at.iter().zip(of_lod).map(|pair| (&full, pair));
            for (surface, (point, guess)) in to_lod.chain(to_full) {
                let is_near = |guess| surface.distance(*point, guess).is_some_and(|d| d <= most);
                if !keeps && guess.is_some_and(is_near) {
                    continue;
                }
                let nearest = surface.nearest(*point, *guess);
                *guess = nearest.map(|n| n.triangle);
                let distance = nearest.map_or(f32::INFINITY, |n| n.squared.sqrt());
                if keeps {
                    kept.push(distance);
                }
                // Not-a-number counts as the worst distance.
                most = if distance <= most { most } else { distance.max(most) };
            }
            let most = if most.is_nan() { f32::INFINITY } else { most };
            worst.fetch_max(most.to_bits(), Ordering::Relaxed);
        }
        Some(kept)
    }
}

fn rest(mesh: &Mesh) -> Vec<Vec3> {
    mesh.vertices.iter().map(|v| v.position).collect()
}
