//! Walking paths: circles, there-and-back tracks, marches and waypoint lines. Positions follow from the distance
//! covered: at the path's own speed, or by the root motion of the behaviour's clips.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, vec2};

use crate::crowd::clock::{fraction, to_rate};

/// [`Path::kind`]: a circle around the origin.
pub const PATH_CIRCLE: u32 = 0;
/// [`Path::kind`]: out along a line through the origin on its right, back on the other side.
pub const PATH_TRACK: u32 = 1;
/// [`Path::kind`]: a track along +Z that begins where each of its members stands at the start.
pub const PATH_MARCH: u32 = 2;

/// [`Path::kind`]: a closed line of legs.
pub const PATH_WAYPOINTS: u32 = 3;
/// [`Path::kind`]: one leg of a line, a straight and then a bend. `inner` and `outer` are X and Z of its start, and
/// `length` is that of the straight (m). `direction` is the turn of the bend (radians, positive from +Z towards +X).
/// `along` is where the leg begins (m).
pub const PATH_LEG: u32 = 4;

/// [`Path::kind`]: a recorded way, see [`trajectory`](crate::crowd::trajectory).
pub const PATH_TRAJECTORY: u32 = 5;
/// [`Path::kind`], low 8 bits: a key of a recorded way.
pub const PATH_KEY: u32 = 6;

shader_struct!(Path);

/// A place on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spot {
    /// X and Z (m).
    pub ground: Vec2,
    /// Heading (radians about +Y): 0 faces +Z.
    pub yaw: f32,
}

impl Path {
    /// A circle around the origin.
    #[must_use]
    pub fn circle(radius: f32, direction: f32, speed: f32) -> Self {
        let path = Self {
            kind: PATH_CIRCLE,
            length: TAU * radius,
            radius,
            direction,
            ..Self::default()
        };
        path.at_speed(speed)
    }

    /// A track between `inner` and `outer` (m from the origin), `2 * radius` wide (m).
    #[must_use]
    pub fn track(heading: f32, inner: f32, outer: f32, radius: f32, speed: f32) -> Self {
        let path = Self {
            kind: PATH_TRACK,
            length: 2.0 * (outer - inner) + TAU * radius,
            radius,
            inner,
            outer,
            heading,
            direction: 1.0,
            ..Self::default()
        };
        path.at_speed(speed)
    }

    /// A march there and back along +Z: `metres` each way, including the turn of `radius` (m) at its end. The speed is
    /// that of the marchers' clips.
    #[must_use]
    pub fn march(metres: f32, radius: f32) -> Self {
        let straight = (metres - PI * radius).max(0.0);
        Self {
            kind: PATH_MARCH,
            ..Self::track(0.0, 0.0, straight, radius, 0.0)
        }
    }

    /// Sets the walking speed (m/s).
    #[must_use]
    pub(crate) fn at_speed(self, speed: f32) -> Self {
        let rounds = f64::from(speed) / f64::from(self.length);
        Self {
            rate: to_rate(rounds),
            per_metre: (4_294_967_296.0 / f64::from(self.length)) as u32,
            ..self
        }
    }

    /// Walking speed of all on this path (m/s).
    #[must_use]
    pub fn speed(&self) -> f32 {
        self.rate as f32 / 16_777_216.0 * self.length
    }
}

/// Position at a phase of the round (times 2^32); `table` holds the legs of waypoints.
#[must_use]
pub fn path_spot(table: &[Path], path: &Path, phase: u32) -> Spot {
    let way = fraction(phase);
    match path.kind {
        PATH_WAYPOINTS => waypoint_spot(table, path, way * path.length),
        PATH_CIRCLE => {
            let angle = path.direction * way * TAU;
            Spot {
                ground: path.radius * vec2(angle.sin(), angle.cos()),
                yaw: angle + path.direction * 0.5 * PI,
            }
        }
        _ => track_spot(path, way * path.length),
    }
}

/// Position `metres` along a line through waypoints.
fn waypoint_spot(table: &[Path], path: &Path, metres: f32) -> Spot {
    let legs = table.get(path.first as usize..).unwrap_or_default();
    let legs = legs.iter().take(path.count as usize);
    let last = legs.take_while(|leg| leg.along <= metres).last();
    last.map_or(Spot::default(), |leg| leg_spot(leg, metres - leg.along))
}

/// Position `way` (m) along a leg.
fn leg_spot(leg: &Path, way: f32) -> Spot {
    let straight = way.min(leg.length);
    let side = if leg.direction < 0.0 { -1.0 } else { 1.0 };
    let turn = if leg.radius > 0.0 {
        (side * (way - straight) / leg.radius).clamp(-leg.direction.abs(), leg.direction.abs())
    } else {
        0.0
    };
    let yaw = leg.heading + turn;
    let line = vec2(leg.heading.sin(), leg.heading.cos());
    let bend = vec2(leg.heading.cos() - yaw.cos(), yaw.sin() - leg.heading.sin());
    Spot {
        ground: vec2(leg.inner, leg.outer) + line * straight + bend * (side * leg.radius),
        yaw,
    }
}

/// Position `way` (m) along a track: out, turn, back, turn.
fn track_spot(path: &Path, way: f32) -> Spot {
    let straight = path.outer - path.inner;
    let half = straight + PI * path.radius;
    let back = way >= half;
    let way = if back { way - half } else { way };
    // Computed for the outward half; the return half is rotated by half a turn.
    let turn = (way - straight).max(0.0) / path.radius;
    let along = way.min(straight) - 0.5 * straight + path.radius * turn.sin();
    let aside = path.radius * turn.cos();
    let sign = if back { -1.0 } else { 1.0 };
    let outwards = 0.5 * (path.inner + path.outer) + sign * along;
    let line = vec2(path.heading.sin(), path.heading.cos());
    let right = vec2(-line.y, line.x);
    Spot {
        ground: line * outwards + right * (sign * aside),
        yaw: path.heading + turn + if back { PI } else { 0.0 },
    }
}

/// Phase (times 2^32) at which a path passes a point that lies on it (on tracks: on a straight).
#[must_use]
pub fn phase_of(path: &Path, ground: Vec2) -> u32 {
    let way = if path.kind == PATH_CIRCLE {
        path.direction * ground.x.atan2(ground.y) / TAU
    } else {
        let line = vec2(path.heading.sin(), path.heading.cos());
        let outwards = ground.dot(line);
        let is_outward = ground.dot(vec2(-line.y, line.x)) >= 0.0;
        let half = path.outer - path.inner + PI * path.radius;
        let way = if is_outward {
            outwards - path.inner
        } else {
            half + path.outer - outwards
        };
        way / path.length
    };
    (f64::from(way).rem_euclid(1.0) * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crowd::clock::{Clock, turns};

    fn path() -> impl Strategy<Value = Path> {
        let circle = (1.0..500.0_f32, any::<bool>(), 0.3..4.0_f32);
        let circle =
            circle.prop_map(|(radius, left, speed)| Path::circle(radius, if left { 1.0 } else { -1.0 }, speed));
        let track = (0.0..TAU, 2.0..50.0_f32, 3.0..60.0_f32, 0.3..2.0_f32, 0.3..4.0_f32);
        let track = track
            .prop_map(|(heading, inner, long, radius, speed)| Path::track(heading, inner, inner + long, radius, speed));
        prop_oneof![circle, track]
    }

    proptest! {
        #[test]
        fn walkers_face_ahead_at_the_speed_of_their_path(path in path(), start: u32, ticks in 0..5_000_000_u64) {
            let step = 1.0 / 8.0;
            let at = |ticks| path_spot(&[], &path, turns(Clock::from_count(ticks), path.rate).phase.wrapping_add(start));
            let (now, then) = (at(ticks), at(ticks + 8192));
            let way = then.ground - now.ground;
            let speed = way.length() / step;
            prop_assert!(speed < 1.02 * path.speed() + 0.02, "{speed} {}", path.speed());
            if path.kind == PATH_CIRCLE && path.radius > 5.0 {
                prop_assert!(speed > 0.97 * path.speed() - 0.02);
                let look = vec2(now.yaw.sin(), now.yaw.cos());
                prop_assert!(way.normalize().dot(look) > 0.99);
            }
        }

        #[test]
        fn phase_of_inverts_path_spot(path in path(), phase: u32) {
            let place = path_spot(&[], &path, phase);
            let way = fraction(phase) * path.length;
            let half = path.outer - path.inner + PI * path.radius;
            let on_turn = path.kind == PATH_TRACK && way % half > path.outer - path.inner;
            prop_assume!(!on_turn);
            let again = path_spot(&[], &path, phase_of(&path, place.ground));
            prop_assert!(again.ground.distance(place.ground) < 0.01 + 1e-4 * path.length, "{place:?} {again:?}");
        }

        #[test]
        fn tracks_are_continuous(path in path(), phase: u32) {
            let (a, b) = (path_spot(&[], &path, phase), path_spot(&[], &path, phase.wrapping_add(1 << 12)));
            prop_assert!(a.ground.distance(b.ground) < 1e-5 * path.length + 1e-3);
        }
    }

    #[test]
    fn tracks_run_out_on_the_right_and_back_on_the_left() {
        let path = Path::track(0.0, 10.0, 20.0, 0.5, 1.0);
        let out = path_spot(&[], &path, 0);
        assert!(
            out.ground.distance(vec2(-0.5, 10.0)) < 1e-4 && out.yaw == 0.0,
            "{out:?}"
        );
        let back = path_spot(&[], &path, phase_of(&path, vec2(0.5, 15.0)));
        assert!(
            back.ground.distance(vec2(0.5, 15.0)) < 1e-3 && (back.yaw - PI).abs() < 1e-5,
            "{back:?}"
        );
    }
}
