//! Line of sight between a camera and a person: scenery must not stand between them.

use glam::{Affine3A, Quat, Vec3};

use crate::{crowd::Instance, scene::Scene};

/// True if no scenery stands between two points (m).
pub(super) fn is_unobstructed(scene: &Scene, eye: Vec3, target: Vec3) -> bool {
    scene.props.iter().all(|placed| {
        let mesh = &placed.character.model.mesh;
        let bounds = mesh.bounds();
        placed.instances.iter().all(|instance| {
            let model_from_world = world_from_model(instance).inverse();
            let from = model_from_world.transform_point3(eye);
            let way = model_from_world.transform_point3(target) - from;
            if !crosses_box(from, way, bounds.min, bounds.max) {
                return true;
            }
            let corner = |index: u32| mesh.vertices.get(index as usize).map(|vertex| vertex.position);
            !mesh.indices.chunks_exact(3).any(|triangle| {
                let corners = [corner(triangle[0]), corner(triangle[1]), corner(triangle[2])];
                matches!(corners, [Some(a), Some(b), Some(c)] if crosses_triangle(from, way, [a, b, c]))
            })
        })
    })
}

fn world_from_model(instance: &Instance) -> Affine3A {
    let turn = Quat::from_rotation_y(instance.yaw());
    Affine3A::from_scale_rotation_translation(instance.shape(), turn, Vec3::from(instance.position))
}

/// True if the way from a point crosses a box, or lies in it.
fn crosses_box(from: Vec3, way: Vec3, min: Vec3, max: Vec3) -> bool {
    let inverse = way.recip();
    let (a, b) = ((min - from) * inverse, (max - from) * inverse);
    let enters = a.min(b).max_element().max(0.0);
    let leaves = a.max(b).min_element().min(1.0);
    // NaN, of a way along a face, counts as crossing.
    enters <= leaves || enters.is_nan() || leaves.is_nan()
}

/// True if the way from a point crosses a triangle (Möller and Trumbore 1997).
fn crosses_triangle(from: Vec3, way: Vec3, triangle: [Vec3; 3]) -> bool {
    let [a, b, c] = triangle;
    let (ab, ac) = (b - a, c - a);
    let across = way.cross(ac);
    let determinant = ab.dot(across);
    if determinant.abs() < 1e-12 {
        return false;
    }
    let to = from - a;
    let u = to.dot(across) / determinant;
    let other = to.cross(ab);
    let v = way.dot(other) / determinant;
    let at = ac.dot(other) / determinant;
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_hide_points_beyond_them_alone() {
        let wall = [
            Vec3::new(-1.0, 0.0, 0.0),
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(0.0, 3.0, 0.0),
        ];
        let crosses = |from: Vec3, to: Vec3| crosses_triangle(from, to - from, wall);
        assert!(crosses(Vec3::new(0.0, 1.0, -2.0), Vec3::new(0.0, 1.0, 2.0)));
        assert!(!crosses(Vec3::new(0.0, 1.0, 1.0), Vec3::new(0.0, 1.0, 2.0)));
        assert!(!crosses(Vec3::new(2.0, 1.0, -2.0), Vec3::new(2.0, 1.0, 2.0)));
        let (min, max) = (Vec3::splat(-1.0), Vec3::ONE);
        assert!(crosses_box(Vec3::new(-3.0, 0.0, 0.0), Vec3::X * 6.0, min, max));
        assert!(!crosses_box(Vec3::new(-3.0, 2.0, 0.0), Vec3::X * 6.0, min, max));
        assert!(crosses_box(Vec3::ZERO, Vec3::Y * 0.1, min, max));
    }
}
