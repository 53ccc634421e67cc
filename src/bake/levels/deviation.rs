//! How far a level is from the full mesh, pose by pose: every vertex of either to the other's surface.

use rayon::prelude::*;

use crate::{
    bake::levels::{poses::Pose, surface::Surface},
    model::{Mesh, Model},
};

/// Distances in metres, over vertices and poses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deviation {
    /// Largest.
    pub worst: f32,
    /// That 95 % keep within.
    pub p95: f32,
}

/// Poses that one thread goes through; a vertex is near the same triangle from one to the next.
const RUN: usize = 8;

/// Measures a level over poses of the full mesh. Infinite where either cannot be measured.
pub(super) fn deviation(model: &Model, level: &Mesh, poses: &[Pose]) -> Deviation {
    let full_surface = Surface::new(&model.mesh.indices, &rest(&model.mesh));
    let level_surface = Surface::new(&level.indices, &rest(level));
    let runs: Vec<Vec<f32>> = poses
        .par_chunks(RUN)
        .map(|run| distances(model, level, run, (full_surface.clone(), level_surface.clone())))
        .collect();
    let mut distances: Vec<f32> = runs.into_iter().flatten().collect();
    if distances.is_empty() || distances.iter().any(|d| !d.is_finite()) {
        return Deviation {
            worst: f32::INFINITY,
            p95: f32::INFINITY,
        };
    }
    let worst = distances.iter().copied().fold(0.0, f32::max);
    let at = distances.len() * 95 / 100;
    let (_, p95, _) = distances.select_nth_unstable_by(at, f32::total_cmp);
    Deviation { worst, p95: *p95 }
}

fn rest(mesh: &Mesh) -> Vec<glam::Vec3> {
    mesh.vertices.iter().map(|v| v.position).collect()
}

fn distances(model: &Model, level: &Mesh, poses: &[Pose], (mut full, mut coarse): (Surface, Surface)) -> Vec<f32> {
    let mut guesses = vec![None; model.mesh.vertices.len() + level.vertices.len()];
    let mut found = Vec::with_capacity(guesses.len() * poses.len());
    for pose in poses {
        let (full_at, level_at) = (pose.full_positions(model), pose.positions(level));
        full.fit(&full_at);
        coarse.fit(&level_at);
        let (of_full, of_level) = guesses.split_at_mut(full_at.len());
        let to_level = full_at.iter().zip(of_full).map(|pair| (&coarse, pair));
        let to_full = level_at.iter().zip(of_level).map(|pair| (&full, pair));
        for (surface, (point, guess)) in to_level.chain(to_full) {
            let nearest = surface.nearest(*point, *guess);
            *guess = nearest.map(|n| n.triangle);
            found.push(nearest.map_or(f32::INFINITY, |n| n.squared.sqrt()));
        }
    }
    found
}
