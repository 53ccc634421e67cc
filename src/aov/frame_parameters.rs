//! Camera and time of a picture.

use glam::{Mat4, Vec2, Vec3};

use crate::{
    config::Config,
    crowd::clock::Clock,
    render::FrameInput,
    scene::{Scene, SceneError},
    view::{Camera, Distortion},
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
    /// Lens with distortion, if any.
    pub lens: Option<Box<DistortedLens>>,
}

/// Lens of a picture that is drawn by a wider pinhole camera first, and distorted then.
#[derive(Clone, Debug)]
pub struct DistortedLens {
    /// Distortion from the pinhole camera to the picture.
    pub distortion: Distortion,
    /// Size of the pinhole camera's picture (px); its pixels are as large, and its middle is the same.
    pub size: (u32, u32),
    /// Frame parameters of the pinhole camera.
    pub pinhole: FrameParameters,
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
        Self::seen_in(config, camera, time, aspect(config))
    }

    fn seen_in(config: &Config, camera: Camera, time: f64, aspect: f32) -> Self {
        let input = FrameInput::new(&camera, aspect, Clock::from_seconds(time), &config.look).with_settings(config);
        Self {
            time,
            camera,
            roll: 0.0,
            input,
            lens: None,
        }
    }

    /// Sees through a lens that moves the corners of the picture by a share of their distance from its middle, -0.12 at
    /// least; negative: barrel. `widest` is the least share of all pictures that are drawn one after the other.
    #[must_use]
    pub fn through_lens(mut self, config: &Config, share: f32, widest: f32) -> Self {
        let size = Vec2::new(config.window.width as f32, config.window.height as f32);
        let corner = 0.5 * size.length() / self.focal_length(config.window.height);
        // A picture of one pixel more on each side holds what bilinear filters read.
        let reach = Distortion::of_corner(widest.min(share), 1.0)
            .undistorted(Vec2::X)
            .x
            .max(1.0);
        let wide = (0.5 * size * reach).ceil() * 2.0 + 4.0;
        let camera = Camera {
            fov: 2.0 * ((0.5 * self.camera.fov).tan() * wide.y / size.y).atan(),
            ..self.camera
        };
        let aspect = wide.x / wide.y;
        let pinhole = Self::seen_in(config, camera, self.time, aspect);
        self.lens = Some(Box::new(DistortedLens {
            distortion: Distortion::of_corner(share, corner),
            size: (wide.x as u32, wide.y as u32),
            pinhole: if self.roll == 0.0 {
                pinhole
            } else {
                pinhole.rolled(self.roll, aspect)
            },
        }));
        self
    }

    /// Returns the frame parameters of the picture that is drawn, and its size (px), for a picture of `size`: those of
    /// the pinhole camera of a lens, or these.
    #[must_use]
    pub fn drawn(&self, size: (u32, u32)) -> (&Self, (u32, u32)) {
        match &self.lens {
            Some(lens) => (&lens.pinhole, lens.size),
            None => (self, size),
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
        let mut pixel = self.camera.pixel_of(point, size)?;
        let middle = 0.5 * size;
        if self.roll != 0.0 {
            pixel = middle + Vec2::from_angle(self.roll).rotate(pixel - middle);
        }
        Some(match &self.lens {
            Some(lens) => {
                let focal = self.focal_length(size.y as u32);
                middle + focal * lens.distortion.distorted((pixel - middle) / focal)
            }
            None => pixel,
        })
    }

    /// Returns the direction into the world of a pixel position of a picture of `size` (px).
    #[must_use]
    pub fn ray(&self, pixel: Vec2, size: (u32, u32)) -> Vec3 {
        let whole = Vec2::new(size.0 as f32, size.1 as f32);
        let middle = 0.5 * whole;
        let mut from_middle = pixel - middle;
        if let Some(lens) = &self.lens {
            let focal = self.focal_length(size.1);
            from_middle = focal * lens.distortion.undistorted(from_middle / focal);
        }
        let upright = middle + Vec2::from_angle(-self.roll).rotate(from_middle);
        self.camera.ray(upright, whole).direction
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
        // Through a lens, rays and pixels are each other's inverse, and the pinhole camera's pixels are as large.
        let lens = moment.clone().through_lens(&config, -0.1, -0.12);
        let (pinhole, wide) = lens.drawn((640, 360));
        assert!(wide.0 > 640 && wide.1 > 360 && wide.0 < 900, "{wide:?}");
        assert!((pinhole.focal_length(wide.1) - moment.focal_length(360)).abs() < 0.01);
        for pixel in [Vec2::new(3.0, 5.0), Vec2::new(320.0, 20.0), Vec2::new(636.0, 350.0)] {
            let point = camera.eye + lens.ray(pixel, (640, 360)) * 7.0;
            let back = lens.pixel_of(point, (640, 360)).expect("in front");
            assert!(back.distance(pixel) < 0.05, "{back} {pixel}");
            let drawn = pinhole.pixel_of(point, wide).expect("in front");
            let inside = drawn.cmpge(Vec2::ZERO).all() && drawn.x < wide.0 as f32 && drawn.y < wide.1 as f32;
            assert!(inside, "{drawn} is outside {wide:?}");
        }
        // A point above the middle goes to the right.
        let above = moment
            .pixel_of(camera.target + Vec3::Y * 0.3, (640, 360))
            .expect("in front");
        assert!(above.x > 325.0, "{above}");
    }
}
