//! Distance between splats and the full mesh. A splat faces every viewer, so it counts as a ball of its radius.
//! Vertices of the full mesh are off by their distance outside the nearest ball, balls by how far they reach outside
//! the full surface.

use glam::Vec3;
use rayon::prelude::*;

use crate::bake::lods::{deviation::Reference, shape::Shape, surface::Surface};

impl Reference<'_> {
    /// Largest distance over all poses, and all distances in every `every`-th of them.
    pub(super) fn of_splats(&self, splats: &Shape, every: usize) -> (f32, Vec<f32>) {
        let poses: Vec<usize> = (0..self.poses.len()).collect();
        let found: Vec<(f32, Vec<f32>)> = poses
            .par_iter()
            .map(|&pose| self.splats_in_pose(splats, pose))
            .collect();
        let worst = found.iter().fold(0.0, |worst: f32, (off, _)| worst.max(*off));
        let kept = found.into_iter().step_by(every).flat_map(|(_, distances)| distances);
        (worst, kept.collect())
    }

    fn splats_in_pose(&self, splats: &Shape, pose: usize) -> (f32, Vec<f32>) {
        let full = &self.full[pose];
        let mut surface = self.surface.clone();
        surface.fit(full);
        let placed = self.poses[pose].positions(splats);
        let (triangles, _) = splats.mesh.indices.as_chunks::<3>();
        let balls: Vec<(Vec3, f32)> = (triangles.iter().zip(&splats.radii))
            .map(|(triangle, radius)| (placed[triangle[0] as usize], *radius))
            .collect();
        let outside = |point: &Vec3| {
            let distances = balls.iter().map(|(middle, radius)| point.distance(*middle) - radius);
            distances.fold(f32::INFINITY, f32::min).max(0.0)
        };
        let reach = |(middle, radius): &(Vec3, f32)| (height(&surface, *middle) + radius).max(0.0);
        let distances: Vec<f32> = full.iter().map(outside).chain(balls.iter().map(reach)).collect();
        // Not-a-number counts as the worst distance.
        let worse = |worst: f32, off: &f32| {
            if off.is_finite() {
                worst.max(*off)
            } else {
                f32::INFINITY
            }
        };
        (distances.iter().fold(0.0, worse), distances)
    }
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
