//! Camera path along keys: smooth through all of them, a pure function of time.

use glam::Vec3;

use crate::view::Camera;

/// Key of a camera path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraKey {
    /// Time (s).
    pub time: f32,
    /// Position (m).
    pub eye: Vec3,
    /// Target (m); never the eye.
    pub target: Vec3,
}

/// Camera between keys in the order of their times; `None` without keys. Positions follow cubic Hermite segments.
/// Tangents are those of the parabola through three neighbouring keys (Catmull-Rom, for uneven times). Before the first
/// key and after the last the camera rests; it starts and stops gently.
#[must_use]
pub fn camera_along(keys: &[CameraKey], time: f32, fov: f32) -> Option<Camera> {
    let (first, last) = (keys.first()?, keys.last()?);
    let camera = |eye, target| Some(Camera { eye, target, fov });
    if time <= first.time {
        return camera(first.eye, first.target);
    }
    if time >= last.time {
        return camera(last.eye, last.target);
    }
    let next = keys.partition_point(|key| key.time <= time);
    let (a, b) = (&keys[next - 1], &keys[next]);
    let span = b.time - a.time;
    let share = (time - a.time) / span;
    let point = |of: fn(&CameraKey) -> Vec3| {
        let tangents = [tangent(keys, next - 1, of), tangent(keys, next, of)];
        hermite([of(a), of(b)], tangents.map(|t| t * span), share)
    };
    let (eye, target) = (point(|key| key.eye), point(|key| key.target));
    // The curves of eye and target may touch between keys; the camera still needs a direction.
    let target = if eye.distance_squared(target) > 1e-8 {
        target
    } else {
        eye + (b.target - b.eye)
    };
    camera(eye, target)
}

/// Velocity (m/s) at a key; zero at both ends.
fn tangent(keys: &[CameraKey], at: usize, of: fn(&CameraKey) -> Vec3) -> Vec3 {
    let (Some(before), Some(after)) = (at.checked_sub(1).map(|i| &keys[i]), keys.get(at + 1)) else {
        return Vec3::ZERO;
    };
    let key = &keys[at];
    let (left, right) = (key.time - before.time, after.time - key.time);
    let (arriving, leaving) = ((of(key) - of(before)) / left, (of(after) - of(key)) / right);
    (arriving * right + leaving * left) / (left + right)
}

fn hermite(points: [Vec3; 2], tangents: [Vec3; 2], t: f32) -> Vec3 {
    let [a, b] = points;
    let [leave, arrive] = tangents;
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0) + leave * (t3 - 2.0 * t2 + t) + b * (3.0 * t2 - 2.0 * t3) + arrive * (t3 - t2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path() -> impl Strategy<Value = Vec<CameraKey>> {
        let key = (0.1..5.0_f32, -50.0..50.0_f32, 1.0..9.0_f32, -50.0..50.0_f32);
        prop::collection::vec(key, 1..8).prop_map(|keys| {
            let mut time = 0.0;
            let keys = keys.into_iter().map(|(gap, x, y, z)| {
                time += gap;
                let eye = Vec3::new(x, y, z);
                CameraKey {
                    time,
                    eye,
                    target: eye + Vec3::new(1.0, -0.5, 2.0),
                }
            });
            keys.collect()
        })
    }

    /// Upper bound of the eye's acceleration (m/s²). It is linear along a cubic segment, so the ends of segments have
    /// the extremes.
    fn largest_acceleration(keys: &[CameraKey]) -> f32 {
        let eye = |key: &CameraKey| key.eye;
        let piece = |at: usize| {
            let span = keys[at + 1].time - keys[at].time;
            let chord = (keys[at + 1].eye - keys[at].eye) / span;
            let (leave, arrive) = (tangent(keys, at, eye), tangent(keys, at + 1, eye));
            let ends = [
                6.0 * chord - 4.0 * leave - 2.0 * arrive,
                2.0 * leave + 4.0 * arrive - 6.0 * chord,
            ];
            ends.map(|change| change.length() / span)
                .into_iter()
                .fold(0.0, f32::max)
        };
        (0..keys.len() - 1).map(piece).fold(0.0, f32::max)
    }

    proptest! {
        #[test]
        fn camera_path_passes_its_keys_without_a_jump_of_position_or_speed(keys in path(), share in 0.0..1.0_f32) {
            let eye = |time: f32| camera_along(&keys, time, 0.8).expect("keys").eye;
            for key in &keys {
                prop_assert!(eye(key.time).distance(key.eye) < 1e-3);
            }
            let velocity = |from: f32, to: f32| (eye(to) - eye(from)) / (to - from);
            let shortest = keys.windows(2).map(|pair| pair[1].time - pair[0].time).fold(1.0, f32::min);
            let step = shortest / 64.0;
            // Neighbouring mean velocities differ at most by acceleration times the step; positions are accurate to
            // about 1e-5 m.
            let allowed = 1.01 * step * largest_acceleration(&keys) + 4e-5 / step;
            let (first, last) = (keys[0].time, keys[keys.len() - 1].time);
            let anywhere = first + share * (last - first);
            for time in keys.iter().map(|key| key.time).chain([anywhere]) {
                let jump = velocity(time - step, time).distance(velocity(time, time + step));
                prop_assert!(jump <= allowed, "{jump} m/s at {time} s, {allowed} are allowed");
            }
        }
    }

    #[test]
    fn even_keys_on_a_line_give_even_motion_between_the_ends() {
        let key = |i: u8| CameraKey {
            time: f32::from(i),
            eye: Vec3::X * f32::from(i),
            target: Vec3::X * f32::from(i) + Vec3::Z,
        };
        let keys = [0, 1, 2, 3].map(key);
        let at = |time| camera_along(&keys, time, 1.0).expect("keys").eye.x;
        assert!((at(1.25) - 1.25).abs() < 1e-6 && (at(1.5) - 1.5).abs() < 1e-6);
        assert!(at(0.1) < 0.1, "starts gently");
        assert_eq!((at(-5.0), at(99.0)), (0.0, 3.0));
        assert_eq!(camera_along(&[], 0.0, 1.0), None);
    }
}
