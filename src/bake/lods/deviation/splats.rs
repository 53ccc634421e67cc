//! Distance between splats and the full mesh. A splat faces every viewer, so it counts as a ball of its radius.
//! Vertices of the full mesh are off by their distance outside the nearest ball, balls by how far they reach outside
//! the full surface.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use crate::bake::lods::{
    deviation::{RUN, Reference},
    shape::Shape,
    surface::Surface,
};

impl Reference<'_> {
    /// Largest distance over all poses, and all distances in every `every`-th of them.
    pub(super) fn of_splats(&self, splats: &Shape, every: usize) -> (f32, Vec<f32>) {
        let poses: Vec<usize> = (0..self.poses.len()).collect();
        let worst = AtomicU32::new(0);
        let kept: Vec<f32> = poses
            .par_chunks(RUN)
            .flat_map_iter(|run| self.splats_in_poses(splats, run, every, &worst))
            .collect();
        (f32::from_bits(worst.into_inner()), kept)
    }

    /// Measures poses in a row, and returns the distances that are kept. Others need only be exact above the largest one
    /// so far: the ball that was nearest in the previous pose rules out most vertices.
    fn splats_in_poses(&self, splats: &Shape, poses: &[usize], every: usize, worst: &AtomicU32) -> Vec<f32> {
        let (triangles, _) = splats.mesh.indices.as_chunks::<3>();
        let mut surface = self.surface.clone();
        let mut nearest = vec![0; self.rest.len()];
        let mut kept = Vec::new();
        for &pose in poses {
            let full = &self.full[pose];
            surface.fit(full);
            let placed = self.poses[pose].positions(splats);
            let balls: Vec<(Vec3, f32)> = (triangles.iter().zip(&splats.radii))
                .map(|(triangle, radius)| (placed[triangle[0] as usize], *radius))
                .collect();
            let mut most = f32::from_bits(worst.load(Ordering::Relaxed));
            let keeps = pose.is_multiple_of(every);
            for (point, nearest) in full.iter().zip(&mut nearest) {
                let is_near = |ball| beyond(ball, *point) <= most;
                if !keeps && balls.get(*nearest).is_some_and(is_near) {
                    continue;
                }
                let (ball, off) = outside(&balls, *point);
                *nearest = ball;
                most = worse(most, off);
                kept.extend(keeps.then_some(off));
            }
            for (middle, radius) in &balls {
                let reach = (height(&surface, *middle) + radius).max(0.0);
                most = worse(most, reach);
                kept.extend(keeps.then_some(reach));
            }
            worst.fetch_max(most.to_bits(), Ordering::Relaxed);
        }
        kept
    }
}

/// Distance of a point outside a ball (m), negative inside.
fn beyond((middle, radius): &(Vec3, f32), point: Vec3) -> f32 {
    point.distance(*middle) - radius
}

/// The nearest ball, and the distance of a point outside it (m); infinite if there is none.
fn outside(balls: &[(Vec3, f32)], point: Vec3) -> (usize, f32) {
    let distances = balls.iter().map(|ball| beyond(ball, point)).enumerate();
    let nearer = |best: (usize, f32), next: (usize, f32)| if next.1 < best.1 { next } else { best };
    let (ball, distance) = distances.fold((0, f32::INFINITY), nearer);
    (ball, distance.max(0.0))
}

/// The larger of two distances. Not-a-number counts as the worst distance.
fn worse(most: f32, off: f32) -> f32 {
    if off.is_finite() { most.max(off) } else { f32::INFINITY }
}

/// Signed distance of a point from a surface (m), negative inside.
fn height(surface: &Surface, point: Vec3) -> f32 {
    let Some(nearest) = surface.nearest(point, None) else {
        return f32::INFINITY;
    };
    let side = surface.side(point, nearest.triangle);
    nearest.squared.sqrt() * side
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_below_a_surface_are_inside() {
        let surface = Surface::new(&[0, 1, 2], &[Vec3::ZERO, Vec3::X, Vec3::Y]);
        let at = |z: f32| height(&surface, Vec3::new(0.25, 0.25, z));
        assert!((at(0.5) - 0.5).abs() < 1e-6 && (at(-0.5) + 0.5).abs() < 1e-6);
        assert_eq!(height(&Surface::new(&[], &[]), Vec3::ZERO), f32::INFINITY);
    }
}
