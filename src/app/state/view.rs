//! Projection of the picture on the screen, for overlays and picking.

use glam::{Mat4, UVec2, Vec2, Vec3};

use crate::{render::FrameInput, view::Ray};

/// Projection of the newest frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PictureView {
    /// Clip space from world space, with reversed depth.
    pub projection_from_world: Mat4,
    /// Camera position (m).
    pub eye: Vec3,
    /// Size (px).
    pub size: Vec2,
}

impl PictureView {
    /// Projection of a picture of `size` (px).
    #[must_use]
    pub(crate) fn of(input: &FrameInput, size: (u32, u32)) -> Self {
        Self {
            projection_from_world: input.projection_from_world,
            eye: input.eye,
            size: UVec2::from(size).as_vec2(),
        }
    }

    /// Pixel of a point in world space; `None` behind the camera.
    #[must_use]
    pub(crate) fn pixel_of(&self, point: Vec3) -> Option<Vec2> {
        let clip = self.projection_from_world * point.extend(1.0);
        let ndc = clip.truncate() / clip.w;
        let unit = Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y);
        (clip.w > 1e-3).then_some(unit * self.size)
    }

    /// Ray through a pixel, in world space.
    #[must_use]
    pub(crate) fn ray(&self, pixel: Vec2) -> Ray {
        let unit = pixel / self.size.max(Vec2::ONE);
        let near = Vec3::new(2.0 * unit.x - 1.0, 1.0 - 2.0 * unit.y, 1.0);
        let point = self.projection_from_world.inverse().project_point3(near);
        Ray {
            origin: self.eye,
            direction: (point - self.eye).normalize_or(Vec3::NEG_Z),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Camera;

    #[test]
    fn rays_and_pixels_agree() {
        let camera = Camera {
            eye: Vec3::new(3.0, 4.0, 12.0),
            target: Vec3::Y,
            fov: 0.8,
        };
        let size = Vec2::new(1200.0, 700.0);
        let aside = Mat4::from_translation(Vec3::X * 0.2);
        let view = PictureView {
            projection_from_world: aside * camera.projection_from_world(size.x / size.y),
            eye: camera.eye,
            size,
        };
        let pixel = Vec2::new(320.0, 210.0);
        let ray = view.ray(pixel);
        let back = view.pixel_of(ray.origin + ray.direction * 9.0).expect("in front");
        assert!(back.distance(pixel) < 0.1, "{back}");
    }
}
