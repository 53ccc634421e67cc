//! Camera: the scene's own view until the visitor moves it.

use std::f32::consts::{FRAC_PI_2, PI};

use glam::Vec3;
use throng::{
    config::CameraConfig,
    scene::{Scene, ViewError},
    view::{Camera, CameraRig},
};
use wasm_bindgen::prelude::*;

use crate::Viewer;

/// Farthest coordinate (m) of a camera in a link.
const FARTHEST: f32 = 1e6;
/// Nearest distance (m) of eye and target in a link.
const NEAREST: f32 = 0.02;

/// Camera of the visitor.
pub(crate) struct Look {
    rig: CameraRig,
    /// True once the visitor moved it.
    moved: bool,
    /// True if the next frame takes the field of view of its picture at once.
    jumps: bool,
}

impl Default for Look {
    fn default() -> Self {
        let camera = Camera {
            eye: Vec3::new(0.0, 1.7, 8.0),
            target: Vec3::Y,
            fov: 0.8,
        };
        Self {
            rig: CameraRig::new(camera),
            moved: false,
            jumps: false,
        }
    }
}

impl Look {
    /// Camera of this frame.
    pub(crate) fn camera(&self) -> &Camera {
        self.rig.camera()
    }

    /// True if it needs further frames to arrive.
    pub(crate) fn is_moving(&self) -> bool {
        self.moved && !self.rig.at_rest()
    }

    /// Returns to the scene's own view.
    pub(crate) fn home(&mut self) {
        self.moved = false;
    }

    /// Moves to its place at a scene time (s), `dt` seconds after the frame before.
    ///
    /// # Errors
    /// The scene starts with a view that it lacks.
    pub(crate) fn follow(
        &mut self,
        config: &CameraConfig,
        scene: &Scene,
        time: f64,
        dt: f32,
        aspect: f32,
    ) -> Result<(), ViewError> {
        if self.moved {
            let fov = config.fov.to_radians();
            let composed = Camera { fov, ..*self.camera() };
            let composed = composed.widened(config.min_aspect, aspect);
            if std::mem::take(&mut self.jumps) {
                self.rig.jump_to(composed);
            }
            self.rig.set_fov(composed.fov);
            self.rig.update(dt);
            return Ok(());
        }
        let extent = scene.extent_at(time);
        let camera = Camera::preset_at(&config.start, time, config, &extent, aspect)?;
        self.rig.jump_to(camera);
        Ok(())
    }

    /// Rig that the visitor moves.
    fn take(&mut self) -> &mut CameraRig {
        self.moved = true;
        &mut self.rig
    }
}

#[wasm_bindgen]
impl Viewer {
    /// Turns around the target by shares of the canvas's height.
    pub fn orbit(&mut self, x: f32, y: f32) {
        self.look.take().orbit(x * PI, y * PI);
    }

    /// Turns the head by shares of the canvas's height.
    #[wasm_bindgen(js_name = lookAround)]
    pub fn look_around(&mut self, x: f32, y: f32) {
        self.look.take().look(x * FRAC_PI_2, -y * FRAC_PI_2);
    }

    /// Shifts the picture by shares of the canvas's height.
    pub fn pan(&mut self, x: f32, y: f32) {
        self.look.take().pan(x, y);
    }

    /// Moves towards the target by steps of the wheel.
    pub fn dolly(&mut self, steps: f32) {
        self.look.take().dolly(steps);
    }

    /// Flies to the right, up and forwards for `dt` seconds.
    pub fn fly(&mut self, right: f32, up: f32, forward: f32, dt: f32) {
        let speed = (0.6 * self.look.camera().distance()).clamp(1.0, 200.0);
        self.look.take().fly(Vec3::new(right, up, forward), speed, dt);
    }

    /// Returns to the scene's own view.
    pub fn home(&mut self) {
        self.look.home();
    }

    /// Position and target (m), six numbers, once the visitor moved the camera; empty before.
    #[must_use]
    pub fn place(&self) -> Vec<f32> {
        let camera = self.look.camera();
        let numbers = camera.eye.to_array().into_iter().chain(camera.target.to_array());
        numbers.filter(|_| self.look.moved).collect()
    }

    /// Puts the camera where [`Viewer::place`] said. Anything but six numbers, or a place that cannot be looked from, is
    /// ignored.
    #[wasm_bindgen(js_name = goTo)]
    pub fn go_to(&mut self, numbers: &[f32]) {
        let &[x, y, z, u, v, w] = numbers else { return };
        let (eye, target) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
        let near = eye.abs().max(target.abs()).max_element() < FARTHEST;
        if near && eye.is_finite() && target.is_finite() && eye.distance(target) > NEAREST {
            let fov = self.look.camera().fov;
            self.look.take().jump_to(Camera { eye, target, fov });
            self.look.jumps = true;
        }
    }
}
