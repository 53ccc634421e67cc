//! Camera. World space is right-handed, Y up. Depth is reversed (1 at the near plane, 0 at infinity), which keeps f32
//! depth precise to the horizon.

pub(crate) mod clearance;
mod distortion;
pub(crate) mod framing;
mod path;
mod rig;

pub use distortion::Distortion;
pub use framing::{BUILT_IN_VIEWS, PLAN_FOV};
pub use path::{CameraKey, camera_along};
pub use rig::CameraRig;

use glam::{
    Mat4, Vec2, Vec3, Vec4,
    camera::rh::{proj::directx::perspective_infinite_reverse, view::look_to_mat4},
};

/// Distance of the near plane (m); for a target nearer than 1 m, a share of the target's distance.
pub const NEAR: f32 = 0.1;

/// Pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position (m).
    pub eye: Vec3,
    /// Point (m) in the middle of the picture; never the eye.
    pub target: Vec3,
    /// Vertical field of view (radians).
    pub fov: f32,
}

/// Ray: a half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start (m).
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}

impl Ray {
    /// Distance along the ray to a triangle, in lengths of its direction (Möller and Trumbore 1997), from either side;
    /// `None` if it misses it.
    #[must_use]
    pub fn distance_to_triangle(self, triangle: [Vec3; 3]) -> Option<f32> {
        let [a, b, c] = triangle;
        let (ab, ac) = (b - a, c - a);
        let across = self.direction.cross(ac);
        let determinant = ab.dot(across);
        let from = self.origin - a;
        let u = from.dot(across) / determinant;
        let beside = from.cross(ab);
        let v = self.direction.dot(beside) / determinant;
        let distance = ac.dot(beside) / determinant;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
    }
}

impl Camera {
    /// Viewing direction (unit vector).
    #[must_use]
    pub fn forward(&self) -> Vec3 {
        (self.target - self.eye).normalize_or(Vec3::NEG_Z)
    }

    /// Unit vector to the right of the picture.
    #[must_use]
    pub fn right(&self) -> Vec3 {
        self.forward().cross(self.pole()).normalize_or(Vec3::X)
    }

    /// Unit vector to the top of the picture.
    #[must_use]
    pub fn up(&self) -> Vec3 {
        self.right().cross(self.forward())
    }

    /// Up direction before perspective: +Y, or north if the camera looks straight down or up.
    fn pole(&self) -> Vec3 {
        if self.forward().y.abs() > 0.9999 {
            Vec3::NEG_Z
        } else {
            Vec3::Y
        }
    }

    /// Camera from world: -Z into the picture, +Y up.
    #[must_use]
    pub fn view_from_world(&self) -> Mat4 {
        look_to_mat4(self.eye, self.forward(), self.pole())
    }

    /// Clip space from camera, for `aspect` = width / height.
    #[must_use]
    pub fn projection_from_view(&self, aspect: f32) -> Mat4 {
        let near = NEAR * self.distance().clamp(1e-3, 1.0);
        perspective_infinite_reverse(self.fov, aspect.max(1e-3), near)
    }

    /// Clip space from world. After division x and y are in -1..1 (y up), and depth in 0..1 with 1 near.
    #[must_use]
    pub fn projection_from_world(&self, aspect: f32) -> Mat4 {
        self.projection_from_view(aspect) * self.view_from_world()
    }

    /// Ray through a pixel position (origin top left) of a picture of `size` (px).
    #[must_use]
    pub fn ray(&self, pixel: Vec2, size: Vec2) -> Ray {
        let size = size.max(Vec2::ONE);
        let half = (0.5 * self.fov).tan();
        let x = (2.0 * pixel.x / size.x - 1.0) * half * size.x / size.y;
        let y = (1.0 - 2.0 * pixel.y / size.y) * half;
        Ray {
            origin: self.eye,
            direction: (self.forward() + self.right() * x + self.up() * y).normalize(),
        }
    }

    /// Pixel position of a point in a picture of `size` (px); `None` behind the eye.
    #[must_use]
    pub fn pixel_of(&self, point: Vec3, size: Vec2) -> Option<Vec2> {
        let clip: Vec4 = self.projection_from_world(size.x / size.y) * point.extend(1.0);
        let ndc = clip.truncate() / clip.w;
        let unit = Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y);
        (clip.w > 0.0).then_some(unit * size)
    }

    /// Camera with another vertical field of view (radians) that shows its target as large as before.
    #[must_use]
    pub fn at_fov(&self, fov: f32) -> Self {
        let distance = self.distance() * (0.5 * self.fov).tan() / (0.5 * fov).tan();
        Self {
            eye: self.target - self.forward() * distance,
            fov,
            ..*self
        }
    }

    /// True for the camera of a plan, also in narrow pictures.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        self.fov < 2.5 * PLAN_FOV
    }

    /// Distance (m) from the eye to the target.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.eye.distance(self.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        (-100.0..100.0_f32, 0.1..80.0_f32, -100.0..100.0_f32).prop_map(Vec3::from)
    }

    proptest! {
        #[test]
        fn a_ray_through_a_pixel_comes_back_to_it(
            eye in point(), target in point(), x in 1.0..1599.0_f32, y in 1.0..899.0_f32, far in 1.0..500.0_f32,
        ) {
            prop_assume!(eye.distance(target) > 0.1);
            let camera = Camera { eye, target, fov: 0.8 };
            let size = Vec2::new(1600.0, 900.0);
            let ray = camera.ray(Vec2::new(x, y), size);
            let back = camera.pixel_of(ray.origin + ray.direction * far, size);
            let error = back.map_or(f32::MAX, |back| back.distance(Vec2::new(x, y)));
            prop_assert!(error < 0.25, "{error}");
        }
    }

    #[test]
    fn depth_is_one_at_the_near_plane_and_falls() {
        let camera = Camera {
            eye: Vec3::ZERO,
            target: Vec3::NEG_Z,
            fov: 1.0,
        };
        let depth = |z: f32| {
            let clip = camera.projection_from_world(1.5) * Vec4::new(0.0, 0.0, -z, 1.0);
            clip.z / clip.w
        };
        assert!((depth(NEAR) - 1.0).abs() < 1e-6);
        assert!(depth(1.0) > depth(1000.0) && depth(1000.0) > 0.0);
    }

    #[test]
    fn looking_straight_down_keeps_north_up() {
        let camera = Camera {
            eye: Vec3::Y * 10.0,
            target: Vec3::ZERO,
            fov: 1.0,
        };
        assert!(camera.up().distance(Vec3::NEG_Z) < 1e-5);
        assert!(camera.view_from_world().is_finite());
    }
}
