//! Camera and time of a picture.

use glam::{Mat4, Vec2, Vec3};

use crate::{
    config::Config,
    crowd::clock::Clock,
    render::{Culling, FrameInput},
    scene::{Scene, SceneError},
    view::Camera,
};

/// Frame parameters of a picture.
#[derive(Clone, Debug)]
pub struct FrameParameters {
    /// Scene time (s).
    pub time: f64,
    /// Camera of the picture, upright.
    pub camera: Camera,
    /// Turn of the picture's content about its middle, clockwise (radians): the camera rolls the other way.
    pub roll: f32,
    /// Input of the renderer.
    pub input: FrameInput,
}

impl FrameParameters {
    /// Makes frame parameters of the view that a configuration starts with, at a scene time (s).
    ///
    /// # Errors
    /// An unknown view.
    pub fn of(config: &Config, scene: &Scene, time: f64) -> Result<Self, SceneError> {
        let extent = scene.extent_at(time);
        let aspect = aspect(config);
        let camera = Camera::preset_at(&config.camera.start, time, &config.camera, &extent, aspect)?;
        Ok(Self::seen_by(config, camera, time))
    }

    /// Makes frame parameters with another camera than the scene's.
    #[must_use]
    pub fn seen_by(config: &Config, camera: Camera, time: f64) -> Self {
        let input = FrameInput {
            interpolate: config.render.interpolate,
            detail: config.render.effective_detail(),
            splats: config.render.splats,
            culling: Culling::of(config),
            sw_raster_max_rows: config.render.sw_raster_max_rows,
            ..FrameInput::new(&camera, aspect(config), Clock::from_seconds(time), &config.look)
        };
        Self {
            time,
            camera,
            roll: 0.0,
            input,
        }
    }

    /// Turns the picture's content by `roll`, clockwise (radians), in a picture of this aspect ratio.
    #[must_use]
    pub fn rolled(mut self, roll: f32, aspect: f32) -> Self {
        let turned = turn_about_z(roll);
        let wide = Mat4::from_scale(Vec3::new(aspect, 1.0, 1.0));
        let narrow = Mat4::from_scale(Vec3::new(aspect.recip(), 1.0, 1.0));
        self.input.projection_from_world = narrow * turned * wide * self.input.projection_from_world;
        self.roll += roll;
        self
    }

    /// Returns the pixel position of a point in a picture of `size` (px), inside it or not; `None` behind the eye.
    #[must_use]
    pub fn pixel_of(&self, point: Vec3, size: (u32, u32)) -> Option<Vec2> {
        let size = Vec2::new(size.0 as f32, size.1 as f32);
        let pixel = self.camera.pixel_of(point, size)?;
        if self.roll == 0.0 {
            return Some(pixel);
        }
        let middle = 0.5 * size;
        Some(middle + Vec2::from_angle(self.roll).rotate(pixel - middle))
    }

    /// Returns the distance of a point along the camera's axis (m).
    #[must_use]
    pub fn depth_of(&self, point: Vec3) -> f32 {
        (point - self.camera.eye).dot(self.camera.forward())
    }

    /// Returns the focal length (px) of a picture of `height` rows. Pixels are square, and the axis meets the middle.
    #[must_use]
    pub fn focal_length(&self, height: u32) -> f32 {
        0.5 * height as f32 / (0.5 * self.camera.fov).tan()
    }

    /// Returns the transform from the world to the camera: -Z into the picture, +Y to its top.
    #[must_use]
    pub fn view_from_world(&self) -> Mat4 {
        if self.roll == 0.0 {
            return self.camera.view_from_world();
        }
        turn_about_z(self.roll) * self.camera.view_from_world()
    }
}

/// Turns about the camera's axis, clockwise in the picture.
fn turn_about_z(angle: f32) -> Mat4 {
    Mat4::from_rotation_z(-angle)
}

/// Returns width over height.
fn aspect(config: &Config) -> f32 {
    config.window.width as f32 / config.window.height as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolled_pictures_project_points_where_they_are_drawn() {
        let mut config = Config::default();
        (config.window.width, config.window.height) = (640, 360);
        let camera = Camera {
            eye: Vec3::new(1.0, 2.0, 5.0),
            target: Vec3::new(0.5, 1.0, 0.0),
            fov: 0.8,
        };
        let moment = FrameParameters::seen_by(&config, camera, 0.0).rolled(0.3, 640.0 / 360.0);
        for point in [Vec3::ZERO, Vec3::new(1.5, 2.0, -3.0), Vec3::new(-0.4, 0.3, 1.0)] {
            let clip = moment.input.projection_from_world * point.extend(1.0);
            let ndc = clip.truncate() / clip.w;
            let drawn = Vec2::new(320.0 + 320.0 * ndc.x, 180.0 - 180.0 * ndc.y);
            let pixel = moment.pixel_of(point, (640, 360)).expect("in front");
            assert!(pixel.distance(drawn) < 0.01, "{pixel} {drawn}");
            let view = moment.view_from_world().transform_point3(point);
            let focal = moment.focal_length(360);
            let projected = Vec2::new(320.0 + focal * view.x / -view.z, 180.0 - focal * view.y / -view.z);
            assert!(pixel.distance(projected) < 0.01, "{pixel} {projected}");
        }
        // A point above the middle goes to the right.
        let above = moment
            .pixel_of(camera.target + Vec3::Y * 0.3, (640, 360))
            .expect("in front");
        assert!(above.x > 325.0, "{above}");
    }
}
