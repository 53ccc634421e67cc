//! Camera control by mouse and held keys.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};
use winit::{
    dpi::PhysicalPosition,
    event::{ElementState, MouseButton, MouseScrollDelta},
    keyboard::KeyCode,
};

use crate::{app::window::shortcuts::FLY_KEYS, view::CameraRig};

/// Touchpad distance (px) that counts as one wheel step.
const PIXELS_PER_STEP: f64 = 40.0;
/// Distance (px) up to which a press is a click, not a drag.
const STILL: f32 = 4.0;
/// Factor of the flying speed while Shift is held.
const HASTE: f32 = 4.0;

/// Buttons and keys that are held down.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointer {
    at: Vec2,
    drag: Option<MouseButton>,
    /// Distance dragged since the button went down (px).
    dragged: f32,
    held: Vec<KeyCode>,
}

impl Pointer {
    /// Handles a button pressed outside the panel, or any button released. Returns the pixel of a click: the left
    /// button released where it was pressed.
    pub(super) fn button(&mut self, button: MouseButton, state: ElementState) -> Option<[f32; 2]> {
        match state {
            ElementState::Pressed if self.drag.is_none() => (self.drag, self.dragged) = (Some(button), 0.0),
            ElementState::Released if self.drag == Some(button) => {
                self.drag = None;
                let clicked = button == MouseButton::Left && self.dragged < STILL;
                return clicked.then(|| self.at.to_array());
            }
            _ => {}
        }
        None
    }

    /// Pointer position (px).
    #[must_use]
    pub(super) fn at(&self) -> [f32; 2] {
        self.at.to_array()
    }

    /// Handles pointer movement in a window of `height` (px); true if it moved the camera.
    pub(super) fn moved(&mut self, position: PhysicalPosition<f64>, height: u32, rig: &mut CameraRig) -> bool {
        let now = Vec2::new(position.x as f32, position.y as f32);
        let way = (now - self.at) / height.max(1) as f32;
        self.dragged += now.distance(self.at);
        self.at = now;
        match self.drag {
            Some(MouseButton::Left) => rig.orbit(way.x * PI, way.y * PI),
            Some(MouseButton::Right) => rig.look(way.x * 0.5 * PI, -way.y * 0.5 * PI),
            Some(MouseButton::Middle) => rig.pan(way.x, way.y),
            _ => return false,
        }
        way != Vec2::ZERO
    }

    /// Handles a key; true if it is one of the flying keys.
    pub(super) fn key(&mut self, code: KeyCode, state: ElementState) -> bool {
        let flies = FLY_KEYS.iter().any(|(key, ..)| *key == code);
        self.held.retain(|k| *k != code);
        if flies && state == ElementState::Pressed {
            self.held.push(code);
        }
        flies
    }

    /// Releases all buttons and keys after the window lost the focus.
    pub(super) fn release_all(&mut self) {
        self.drag = None;
        self.held.clear();
    }

    /// True while a flying key is held.
    #[must_use]
    pub(super) fn flies(&self) -> bool {
        !self.held.is_empty()
    }

    /// Flies for `dt` seconds; true if a flying key is held.
    pub(super) fn fly(&self, rig: &mut CameraRig, dt: f32, fast: bool) -> bool {
        let keys = FLY_KEYS.iter().filter(|(key, ..)| self.held.contains(key));
        let direction: Vec3 = keys.map(|(_, _, way)| Vec3::from(*way)).sum();
        if direction == Vec3::ZERO {
            return false;
        }
        let speed = (0.6 * rig.camera().distance()).clamp(1.0, 200.0);
        rig.fly(direction, if fast { speed * HASTE } else { speed }, dt);
        true
    }
}

/// Wheel steps, positive towards the scene.
#[must_use]
pub(super) fn wheel_steps(delta: MouseScrollDelta) -> f32 {
    match delta {
        MouseScrollDelta::LineDelta(_, lines) => lines,
        MouseScrollDelta::PixelDelta(pixels) => (pixels.y / PIXELS_PER_STEP) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Camera;

    fn rig() -> CameraRig {
        let camera = Camera {
            eye: Vec3::new(0.0, 2.0, 10.0),
            target: Vec3::Y,
            fov: 0.8,
        };
        CameraRig::new(camera)
    }

    #[test]
    fn dragging_right_turns_the_scene_to_the_right() {
        let (mut pointer, mut rig) = (Pointer::default(), rig());
        assert_eq!(pointer.button(MouseButton::Left, ElementState::Pressed), None);
        assert!(pointer.moved(PhysicalPosition::new(90.0, 0.0), 900, &mut rig));
        rig.update(10.0);
        assert!(rig.camera().eye.x < -1.0, "{:?}", rig.camera());
        assert_eq!(pointer.button(MouseButton::Left, ElementState::Released), None);
        assert!(!pointer.moved(PhysicalPosition::new(0.0, 0.0), 900, &mut rig));
    }

    #[test]
    fn a_click_is_no_drag() {
        let (mut pointer, mut rig) = (Pointer::default(), rig());
        pointer.moved(PhysicalPosition::new(400.0, 300.0), 900, &mut rig);
        assert_eq!(pointer.button(MouseButton::Left, ElementState::Pressed), None);
        pointer.moved(PhysicalPosition::new(401.0, 301.0), 900, &mut rig);
        let clicked = pointer.button(MouseButton::Left, ElementState::Released);
        assert_eq!(clicked, Some([401.0, 301.0]));
    }

    #[test]
    fn held_keys_fly_until_released() {
        let (mut pointer, mut rig) = (Pointer::default(), rig());
        assert!(pointer.key(KeyCode::KeyW, ElementState::Pressed));
        assert!(!pointer.key(KeyCode::KeyX, ElementState::Pressed));
        assert!(pointer.fly(&mut rig, 0.5, false));
        rig.update(10.0);
        assert!(rig.camera().eye.z < 8.0);
        pointer.key(KeyCode::KeyW, ElementState::Released);
        assert!(!pointer.fly(&mut rig, 0.5, false));
    }
}
