//! Signed distance shapes: a list of primitives folded with smooth operators (smooth minimum: Quilez).
//!
//! Distances are metres, negative inside. Lofts and ellipsoids are only approximately distances,
//! so users of the field divide by the gradient length when they step along it.

pub use crate::prim::*;
use glam::{Vec3, vec3};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Add,
    Cut,
    Keep,
}

#[derive(Clone, Debug)]
struct Step {
    op: Op,
    /// Blend radius (m); 0 is a hard edge.
    k: f32,
    prim: Prim,
}

/// Primitives applied one after the other to an initially empty space.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    steps: Vec<Step>,
}

impl Shape {
    pub fn new() -> Self {
        Self::default()
    }

    fn push(mut self, op: Op, k: f32, prim: Prim) -> Self {
        self.steps.push(Step { op, k, prim });
        self
    }

    pub fn add(self, k: f32, prim: Prim) -> Self {
        self.push(Op::Add, k, prim)
    }

    /// Adds the primitive and its mirror image across the plane x = 0.
    pub fn add2(self, k: f32, prim: Prim) -> Self {
        let twin = prim.mirrored();
        self.add(k, prim).add(k, twin)
    }

    pub fn cut(self, k: f32, prim: Prim) -> Self {
        self.push(Op::Cut, k, prim)
    }

    pub fn keep(self, k: f32, prim: Prim) -> Self {
        self.push(Op::Keep, k, prim)
    }

    /// This shape and its mirror image, as two separate bodies.
    pub fn and_mirror(&self) -> Self {
        self.and_mirror_blend(0.0)
    }

    /// This shape joined with its mirror image with blend radius `k`.
    ///
    /// Evaluated on the nearer side, so cuts on one side never reach the other.
    pub fn and_mirror_blend(&self, k: f32) -> Self {
        Self {
            steps: vec![Step {
                op: Op::Add,
                k: 0.0,
                prim: Prim::Twin(self.clone(), k),
            }],
        }
    }

    pub fn dist(&self, p: Vec3) -> f32 {
        self.steps.iter().fold(1e3, |d, s| match s.op {
            Op::Add => smooth_min(d, s.prim.dist(p), s.k),
            Op::Cut => -smooth_min(-d, s.prim.dist(p), s.k),
            Op::Keep => -smooth_min(-d, -s.prim.dist(p), s.k),
        })
    }

    /// Gradient by central differences (not normalised).
    pub fn grad(&self, p: Vec3) -> Vec3 {
        const E: f32 = 1.5e-3;
        let along = |d: Vec3| (self.dist(p + d) - self.dist(p - d)) / (2.0 * E);
        vec3(along(Vec3::X * E), along(Vec3::Y * E), along(Vec3::Z * E))
    }

    pub fn normal(&self, p: Vec3) -> Vec3 {
        self.grad(p).try_normalize().unwrap_or(Vec3::Y)
    }

    /// Moves `p` onto the surface; steps are clamped so that thin shapes are not jumped across.
    pub fn project(&self, mut p: Vec3, max_step: f32) -> Vec3 {
        for _ in 0..4 {
            let g = self.grad(p);
            let step = self.dist(p) / g.length_squared().max(0.05);
            p -= (g * step).clamp_length_max(max_step);
        }
        p
    }

    /// First surface point along a ray that starts outside; `None` after a metre.
    pub fn hit(&self, from: Vec3, dir: Vec3) -> Option<Vec3> {
        let mut t = 0.0;
        while t < 1.0 {
            let d = self.dist(from + dir * t);
            if d < 2e-4 {
                return Some(from + dir * t);
            }
            t += (d * 0.6).max(1e-4);
        }
        None
    }

    /// Axis-aligned bounds of everything added.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let empty = (Vec3::splat(1e3), Vec3::splat(-1e3));
        let added = self.steps.iter().filter(|s| s.op == Op::Add);
        added.fold(empty, |(lo, hi), s| {
            let (a, b) = s.prim.bounds();
            (lo.min(a), hi.max(b))
        })
    }
}

/// Polynomial smooth minimum with blend radius `k`.
pub fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    if k <= 0.0 {
        return a.min(b);
    }
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_and_keeping_carve_a_ball() {
        let half_ball = Shape::new()
            .add(0.0, ball(Vec3::ZERO, 1.0))
            .keep(0.0, half(Vec3::ZERO, Vec3::Y));
        assert!(half_ball.dist(Vec3::NEG_Y * 0.5) < 0.0);
        assert!((half_ball.dist(Vec3::Y * 0.5) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn projection_lands_on_the_surface() {
        let shape = Shape::new().add(0.0, ellipsoid(Vec3::ZERO, vec3(0.3, 0.2, 0.1)));
        let p = shape.project(vec3(0.25, 0.1, 0.05), 0.05);
        assert!(shape.dist(p).abs() < 1e-4);
    }
}
