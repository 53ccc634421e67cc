//! Camera rig: orbit, pan, dolly, fly. Input moves a goal; the camera follows it smoothly.

use glam::{Quat, Vec3};

use crate::view::Camera;

/// Half-life (s) of the distance to the goal.
const HALF_TIME: f32 = 0.045;
/// Nearest and farthest distance (m) of the eye from its target.
const DISTANCE: std::ops::RangeInclusive<f32> = 0.02..=20_000.0;
/// Steepest pitch up or down (radians).
const STEEP: f32 = 1.55;
/// Lowest eye above the ground when flying (m).
const LOWEST: f32 = 0.1;
/// Factor on the distance by one wheel step.
const STEP: f32 = 0.9;

/// Camera that follows a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraRig {
    goal: Camera,
    now: Camera,
}

impl CameraRig {
    /// Rig at rest at `camera`.
    #[must_use]
    pub const fn new(camera: Camera) -> Self {
        Self {
            goal: camera,
            now: camera,
        }
    }

    /// Current camera.
    #[must_use]
    pub const fn camera(&self) -> &Camera {
        &self.now
    }

    /// Moves smoothly to `camera`.
    pub fn go_to(&mut self, camera: Camera) {
        self.goal = camera;
    }

    /// Jumps to `camera`.
    pub fn jump_to(&mut self, camera: Camera) {
        *self = Self::new(camera);
    }

    /// Orbits the target by angles (radians): `dx` to the right, `dy` upwards.
    pub fn orbit(&mut self, dx: f32, dy: f32) {
        let back = turned(-self.goal.forward(), -dx, dy);
        self.goal.eye = self.goal.target + back * self.goal.distance();
    }

    /// Turns the view by angles (radians): `dx` to the right, `dy` upwards.
    pub fn look(&mut self, dx: f32, dy: f32) {
        let forward = turned(self.goal.forward(), -dx, dy);
        self.goal.target = self.goal.eye + forward * self.goal.distance();
    }

    /// Shifts the picture; 1 is the height of the picture at the target's distance.
    pub fn pan(&mut self, dx: f32, dy: f32) {
        let height = 2.0 * self.goal.distance() * (0.5 * self.goal.fov).tan();
        let shift = self.goal.up() * dy - self.goal.right() * dx;
        self.shift(shift * height);
    }

    /// Moves towards the target by wheel steps; negative steps move away.
    pub fn dolly(&mut self, steps: f32) {
        let distance = self.goal.distance() * STEP.powf(steps);
        // Far from the origin f32 is coarse: any nearer, eye and target would coincide.
        let nearest = DISTANCE.start().max(self.goal.target.length() * 1e-5);
        let distance = distance.clamp(nearest, DISTANCE.end().max(nearest));
        self.goal.eye = self.goal.target - self.goal.forward() * distance;
    }

    /// Flies for `dt` (s) at `speed` (m/s); `direction` is right, up, forward.
    pub fn fly(&mut self, direction: Vec3, speed: f32, dt: f32) {
        let sideways = self.goal.right() * direction.x + Vec3::Y * direction.y;
        let way = sideways + self.goal.forward() * direction.z;
        let way = way.clamp_length_max(1.0) * speed * dt;
        // Flying stops above the ground; a camera that is lower already does not sink further.
        let eye = self.goal.eye.y;
        self.shift(way.with_y(way.y.max(LOWEST.min(eye) - eye)));
    }

    /// Moves camera and goal at once, along with something that it follows.
    pub fn carry(&mut self, way: Vec3) {
        self.shift(way);
        self.now.eye += way;
        self.now.target += way;
    }

    /// Sets the vertical field of view (radians). A plan comes near, so that its target keeps its size.
    pub fn set_fov(&mut self, fov: f32) {
        self.goal = match self.goal.is_plan() {
            true => self.goal.at_fov(fov),
            false => Camera { fov, ..self.goal },
        };
    }

    /// Follows the goal for `dt` (s).
    pub fn update(&mut self, dt: f32) {
        let left = 0.5_f32.powf(dt.max(0.0) / HALF_TIME);
        let (now, goal) = (&mut self.now, &self.goal);
        let size = size_at_target(now);
        now.eye = goal.eye + (now.eye - goal.eye) * left;
        now.target = goal.target + (now.target - goal.target) * left;
        if now.fov != goal.fov {
            // The target's size changes evenly, also while the camera goes far away for a plan.
            let size = size_at_target(goal) + (size - size_at_target(goal)) * left;
            now.fov = 2.0 * (0.5 * size / now.distance()).atan();
        }
        if (now.fov - goal.fov).abs() < 1e-5 {
            now.fov = goal.fov;
        }
        if now.eye.distance(now.target) < 0.5 * DISTANCE.start() {
            *now = *goal;
        }
    }

    /// True if the camera has arrived, so that it needs no further frame.
    #[must_use]
    pub fn at_rest(&self) -> bool {
        let near = 1e-4 * self.goal.distance();
        self.now.eye.distance(self.goal.eye) < near
            && self.now.target.distance(self.goal.target) < near
            && (self.now.fov - self.goal.fov).abs() < 1e-4
    }

    fn shift(&mut self, way: Vec3) {
        self.goal.eye += way;
        self.goal.target += way;
    }
}

/// Height (m) of what the picture shows at the target.
fn size_at_target(camera: &Camera) -> f32 {
    2.0 * camera.distance() * (0.5 * camera.fov).tan()
}

/// Unit vector turned about +Y by `yaw` and tilted by `pitch` (radians), never past the poles.
fn turned(direction: Vec3, yaw: f32, pitch: f32) -> Vec3 {
    let steep = direction.y.clamp(-1.0, 1.0).asin();
    let pitch = (steep + pitch).clamp(-STEEP, STEEP);
    let flat = direction.with_y(0.0).normalize_or(Vec3::Z);
    let flat = Quat::from_rotation_y(yaw) * flat;
    flat * pitch.cos() + Vec3::Y * pitch.sin()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rig() -> CameraRig {
        CameraRig::new(Camera {
            eye: Vec3::new(3.0, 4.0, 12.0),
            target: Vec3::Y,
            fov: 0.8,
        })
    }

    fn settle(rig: &mut CameraRig) {
        (0..200).for_each(|_| rig.update(1.0 / 60.0));
        assert!(rig.at_rest());
    }

    proptest! {
        #[test]
        fn orbit_keeps_target_and_distance(dx in -9.0..9.0_f32, dy in -9.0..9.0_f32) {
            let mut rig = rig();
            let before = *rig.camera();
            rig.orbit(dx, dy);
            settle(&mut rig);
            let after = rig.camera();
            prop_assert!((after.distance() - before.distance()).abs() < 1e-2);
            prop_assert!(after.target.distance(before.target) < 1e-3);
            prop_assert!(after.up().y > 0.0);
        }

        #[test]
        fn any_input_keeps_the_camera_finite(
            moves in prop::collection::vec((0..5_u8, -50.0..50.0_f32, -50.0..50.0_f32), 1..60),
        ) {
            let mut rig = rig();
            for (kind, x, y) in moves {
                match kind {
                    0 => rig.orbit(x, y),
                    1 => rig.pan(x * 0.1, y * 0.1),
                    2 => rig.dolly(x),
                    3 => rig.fly(Vec3::new(x, y, 1.0), 10.0, 0.1),
                    _ => rig.look(x, y),
                }
                rig.update(0.016);
                prop_assert!(rig.camera().projection_from_world(1.5).is_finite());
            }
        }
    }

    #[test]
    fn flying_down_ends_above_the_ground() {
        let mut rig = rig();
        (0..100).for_each(|_| rig.fly(Vec3::NEG_Y, 5.0, 0.1));
        rig.look(0.0, -1.0);
        (0..100).for_each(|_| rig.fly(Vec3::Z, 5.0, 0.1));
        settle(&mut rig);
        assert!((rig.camera().eye.y - LOWEST).abs() < 1e-3, "{:?}", rig.camera());
        rig.fly(Vec3::Y, 5.0, 0.1);
        settle(&mut rig);
        assert!(rig.camera().eye.y > 0.5);
    }

    #[test]
    fn following_does_not_depend_on_the_frame_rate() {
        let (mut fine, mut coarse) = (rig(), rig());
        fine.dolly(8.0);
        coarse.dolly(8.0);
        (0..120).for_each(|_| fine.update(0.1 / 120.0));
        coarse.update(0.1);
        assert!(fine.camera().eye.distance(coarse.camera().eye) < 1e-3);
    }
}
