//! Boxes of people in the world.

use glam::{Affine3A, Quat, Vec3};

use crate::scene::PosedPerson;

/// Box around a person as posed, upright and turned to their heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Middle of the lower face in the world (m).
    pub foot: Vec3,
    /// Width, height and length (m): across, up and along the heading.
    pub size: Vec3,
    /// Heading (radians): 0 faces +Z, positive turns towards +X.
    pub heading: f32,
}

impl Box3 {
    /// Returns the smallest box around the vertices of a person, in the world (m); `None` without vertices.
    #[must_use]
    pub(super) fn around(vertices: &[Vec3], person: &PosedPerson<'_>) -> Option<Self> {
        Self::around_points(vertices, person.pose.yaw)
    }

    /// Returns the smallest upright box with a heading (radians) around points of the world (m).
    #[must_use]
    pub fn around_points(points: &[Vec3], heading: f32) -> Option<Self> {
        let world_from_box = Affine3A::from_quat(Quat::from_rotation_y(heading));
        let box_from_world = world_from_box.inverse();
        let turned = points.iter().map(|&point| box_from_world.transform_point3(point));
        let (mut least, mut most) = (Vec3::MAX, Vec3::MIN);
        for point in turned.filter(|point| point.is_finite()) {
            (least, most) = (least.min(point), most.max(point));
        }
        if !least.cmple(most).all() {
            return None;
        }
        let middle = 0.5 * (least + most);
        Some(Self {
            foot: world_from_box.transform_point3(Vec3::new(middle.x, least.y, middle.z)),
            size: most - least,
            heading,
        })
    }

    /// Returns the eight corners in the world (m): four of the lower face, then those above them.
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        let turn = Quat::from_rotation_y(self.heading);
        std::array::from_fn(|corner| {
            let side = |bit: usize| if corner >> bit & 1 == 0 { -0.5 } else { 0.5 };
            let across = Vec3::new(side(0) * self.size.x, 0.0, side(1) * self.size.z);
            let up = if corner < 4 { 0.0 } else { self.size.y };
            self.foot + turn * across + Vec3::Y * up
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Property: a box holds its points and touches them on every side.
        #[test]
        fn box_holds_its_points(heading in -3.0..3.0_f32, seeds in proptest::collection::vec((-2.0..2.0_f32, 0.0..2.0_f32, -2.0..2.0_f32), 3..20)) {
            let points: Vec<Vec3> = seeds.into_iter().map(Vec3::from).collect();
            let found = Box3::around_points(&points, heading).expect("points");
            let turn = Quat::from_rotation_y(-heading);
            let own: Vec<Vec3> = points.iter().map(|&point| turn * (point - found.foot)).collect();
            let half = Vec3::new(0.5 * found.size.x, 0.0, 0.5 * found.size.z);
            for point in &own {
                proptest::prop_assert!(point.x.abs() < half.x + 1e-4 && point.z.abs() < half.z + 1e-4);
                proptest::prop_assert!(point.y > -1e-4 && point.y < found.size.y + 1e-4);
            }
            let widest = own.iter().map(|point| point.x).fold(f32::MIN, f32::max);
            proptest::prop_assert!((widest - half.x).abs() < 1e-4);
        }
    }

    #[test]
    fn corners_face_the_heading() {
        let own = Box3 {
            foot: Vec3::ZERO,
            size: Vec3::new(0.5, 1.8, 0.3),
            heading: std::f32::consts::FRAC_PI_2,
        };
        let [_, _, _, corner, ..] = own.corners();
        // Left of somebody who faces +X is -Z.
        assert!(corner.distance(Vec3::new(0.15, 0.0, -0.25)) < 1e-5, "{corner}");
        assert!(Box3::around_points(&[], 0.0).is_none());
    }
}
