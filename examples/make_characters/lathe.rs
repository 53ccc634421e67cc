//! Surfaces of revolution, for stonework that needs crisp edges.

use crate::mesh::{Primitive, Vertex};
use crate::parts::Slot;
use glam::{Vec3, vec3};
use std::f32::consts::TAU;

/// Ring of the profile: radius and height (m), and received light (0..1).
#[derive(Clone, Copy, Debug)]
pub struct Knot {
    pub r: f32,
    pub y: f32,
    pub light: f32,
}

pub fn knot(r: f32, y: f32, light: f32) -> Knot {
    Knot { r, y, light }
}

/// Appends the profile turned about the Y axis; the solid is to the left of the direction of travel.
///
/// Every band has its own normals, so that edges between bands stay sharp.
pub fn turn(out: &mut Primitive, profile: &[Knot], sides: usize, color: Vec3) {
    for band in profile.windows(2) {
        let (a, b) = (band[0], band[1]);
        let slope = vec3(b.y - a.y, a.r - b.r, 0.0).normalize_or(Vec3::Y);
        let base = out.vertices.len() as u32;
        for i in 0..=sides {
            let (sin, cos) = (i as f32 / sides as f32 * TAU).sin_cos();
            let normal = vec3(slope.x * sin, slope.y, slope.x * cos);
            for k in [a, b] {
                let pos = vec3(k.r * sin, k.y, k.r * cos);
                let influences = [(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
                out.vertices.push(Vertex {
                    pos,
                    normal,
                    color: color * k.light,
                    influences,
                });
            }
        }
        for i in 0..sides as u32 {
            let q = base + i * 2;
            if a.r > 0.0 {
                out.indices.extend([q, q + 2, q + 1]);
            }
            if b.r > 0.0 {
                out.indices.extend([q + 2, q + 3, q + 1]);
            }
        }
    }
}

pub fn empty(slot: Slot) -> Primitive {
    Primitive {
        slot,
        vertices: Vec::new(),
        indices: Vec::new(),
    }
}
