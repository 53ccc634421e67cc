//! Models that never move, made of boxes and panels of plain colours.

use glam::{Mat4, Vec2, Vec3, Vec4};

use crate::model::{Joint, Material, Mesh, Model, PaletteSlot, Skeleton, Transform, Vertex, padded};

/// A model under construction.
#[derive(Default)]
pub(in crate::scene) struct Solid {
    mesh: Mesh,
}

/// Coordinate frame of an object on the ground: X to its left, Y up, Z ahead of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::scene) struct SolidStance {
    origin: Vec3,
    left: Vec3,
    ahead: Vec3,
}

impl SolidStance {
    /// Frame at a point on the ground, with Z along `yaw` (radians; 0 is +Z, positive towards +X).
    pub(in crate::scene) fn new(ground: Vec2, yaw: f32) -> Self {
        let (sin, cos) = yaw.sin_cos();
        Self {
            origin: Vec3::new(ground.x, 0.0, ground.y),
            left: Vec3::new(cos, 0.0, -sin),
            ahead: Vec3::new(sin, 0.0, cos),
        }
    }

    /// World position of a point of the frame.
    pub(in crate::scene) fn at(&self, x: f32, y: f32, z: f32) -> Vec3 {
        self.origin + self.left * x + Vec3::Y * y + self.ahead * z
    }
}

impl Solid {
    /// Adds two triangles, visible from where the corners go round counter-clockwise; `color` is linear.
    pub(in crate::scene) fn quad(&mut self, corners: [Vec3; 4], color: Vec3, material: u8) {
        let normal = (corners[1] - corners[0])
            .cross(corners[3] - corners[0])
            .normalize_or(Vec3::Y);
        let first = self.mesh.vertices.len() as u32;
        self.mesh.vertices.extend(corners.map(|position| Vertex {
            position,
            normal,
            color: color.extend(1.0),
            material,
            weights: padded([1.0], 0.0),
            ..Vertex::default()
        }));
        self.mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| first + i));
    }

    /// Adds a panel in the plane of a frame's X and Y, `z` ahead of its origin and facing ahead. `extent` is its lowest
    /// and its highest corner.
    pub(in crate::scene) fn panel(
        &mut self,
        stance: &SolidStance,
        z: f32,
        extent: [Vec2; 2],
        color: Vec3,
        material: u8,
    ) {
        let [low, high] = extent;
        let corner = |x: f32, y: f32| stance.at(x, y, z);
        let corners = [
            corner(low.x, low.y),
            corner(high.x, low.y),
            corner(high.x, high.y),
            corner(low.x, high.y),
        ];
        self.quad(corners, color, material);
    }

    /// Adds a box in a frame, without its underside. `extent` is its lowest and its highest corner.
    pub(in crate::scene) fn block(&mut self, stance: &SolidStance, extent: [Vec3; 2], color: Vec3, material: u8) {
        let [low, high] = extent;
        let at = |x: usize, y: usize, z: usize| {
            let pick = |i: usize, low: f32, high: f32| if i == 0 { low } else { high };
            stance.at(pick(x, low.x, high.x), pick(y, low.y, high.y), pick(z, low.z, high.z))
        };
        let faces = [
            [at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)],
            [at(1, 0, 0), at(0, 0, 0), at(0, 1, 0), at(1, 1, 0)],
            [at(1, 0, 1), at(1, 0, 0), at(1, 1, 0), at(1, 1, 1)],
            [at(0, 0, 0), at(0, 0, 1), at(0, 1, 1), at(0, 1, 0)],
            [at(0, 1, 1), at(1, 1, 1), at(1, 1, 0), at(0, 1, 0)],
        ];
        for face in faces {
            self.quad(face, color, material);
        }
    }

    /// Finishes the model; all of it is on one joint.
    pub(in crate::scene) fn model(self, name: &str, materials: Vec<Material>) -> Model {
        Model {
            name: name.into(),
            skeleton: still_skeleton(),
            mesh: self.mesh,
            materials,
            ..Model::default()
        }
    }
}

fn still_skeleton() -> Skeleton {
    Skeleton {
        joints: vec![Joint {
            name: "root".into(),
            parent: None,
            rest: Transform::IDENTITY,
        }],
        slots: vec![PaletteSlot {
            joint: 0,
            inverse_bind: Mat4::IDENTITY,
        }],
        ..Skeleton::default()
    }
}

/// Material of one linear colour and a roughness.
pub(in crate::scene) fn material(name: &str, base_color: Vec4, roughness: f32) -> Material {
    Material {
        name: name.into(),
        base_color,
        roughness,
        ..Material::default()
    }
}

/// Consecutive pairs of a closed line.
pub(in crate::scene) fn around<T: Copy>(points: &[T]) -> impl Iterator<Item = (T, T)> + '_ {
    points.iter().copied().zip(points.iter().copied().cycle().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faces point outwards: shading and back-face culling depend on that.
    #[test]
    fn boxes_are_seen_from_outside() {
        let mut solid = Solid::default();
        let stance = SolidStance::new(Vec2::new(3.0, -2.0), 0.7);
        solid.block(
            &stance,
            [Vec3::new(-1.0, 0.0, -2.0), Vec3::new(1.0, 3.0, 2.0)],
            Vec3::ONE,
            0,
        );
        let middle = stance.at(0.0, 1.5, 0.0);
        let mesh = &solid.mesh;
        for triangle in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| mesh.vertices[triangle[i] as usize].position);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot((a + b + c) / 3.0 - middle) > 0.0, "{a} {b} {c}");
            assert!(normal.dot(mesh.vertices[triangle[0] as usize].normal) > 0.0);
        }
        assert_eq!(mesh.indices.len(), 5 * 6);
        solid.panel(&stance, 2.0, [Vec2::ZERO, Vec2::ONE], Vec3::ONE, 0);
        let last = solid.mesh.vertices.last().expect("a panel").normal;
        assert!(last.dot(stance.ahead) > 0.99);
    }
}
