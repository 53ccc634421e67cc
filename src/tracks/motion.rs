//! Motion of one agent: samples smoothed, with tangents, headings and speeds.
//!
//! Smoothing is a local line, weighted by a Gaussian (Cleveland 1979, LOESS of degree 1): it keeps straight motion at
//! constant speed exactly, also at the ends. Tangents are Steffen's (1990), so that nothing overshoots.

use glam::{DVec2, Vec2, Vec3, Vec3Swizzles};

use super::{
    SampleRun,
    footsteps::{Footsteps, SPARSE},
    ground_map::GroundMap,
    ways::DEFAULT_SMOOTH,
};

/// Width at half maximum over standard deviation of a Gaussian.
const WIDTH: f64 = 2.354_82;
/// Width (s) of the filter for speeds and headings; places may be filtered less.
const SPEED_WIDTH: f64 = 0.7;
/// Longest time (s) between states: gaits change faster than sparse samples.
const LONGEST: f64 = 0.1;
/// Width of the filter for places over the time between footsteps, at the default width: they lie to the left and right
/// of a way.
const FOOTSTEP_WIDTH: f64 = 1.25;
/// Way (m) after which headings show, and longest time (s) until then: legs that stand are so far ahead of a body on
/// average, and it turns about them.
const LOOKS_AHEAD: f64 = 0.07;
const LOOKS_AHEAD_AT_MOST: f64 = 0.6;
/// Speed below which a heading is held (m/s).
const HELD_BELOW: f32 = 0.15;
/// Fastest turn of a person (radians per second).
const FASTEST_TURN: f32 = 4.0;

/// State of somebody at one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MotionState {
    /// Time (s) since the scene's start.
    pub(super) time: f64,
    /// Ground point (m), world space.
    pub(super) position: Vec3,
    /// Tangent over the ground, X and Z (m/s).
    pub(super) velocity: [f32; 2],
    /// Speed of the gait (m/s).
    pub(super) speed: f32,
    /// Heading (radians about +Y), continuous.
    pub(super) yaw: f32,
}

/// Motion of somebody over consecutive samples without a gap.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Motion {
    /// States at samples, and between sparse ones.
    pub(super) states: Vec<MotionState>,
    /// Footsteps that the samples show.
    pub(super) footsteps: Option<Footsteps>,
}

/// Motion over consecutive samples without a gap. `smooth` is the filter's width at half maximum (s); 0 keeps places.
pub(super) fn motion(run: SampleRun<'_>, map: &GroundMap, smooth: f64) -> Motion {
    let samples = run.samples;
    let times: Vec<f64> = samples.iter().map(|sample| map.time(sample.time)).collect();
    let raw: Vec<DVec2> = samples.iter().map(|sample| map.ground(sample)).collect();
    let mut footsteps = Footsteps::find(&times, &raw);
    let wider = footsteps
        .as_ref()
        .map_or(1.0, |own| (FOOTSTEP_WIDTH * own.interval / DEFAULT_SMOOTH).max(1.0));
    let smooth = smooth * wider;
    let places: Vec<DVec2> = if smooth > 0.0 {
        (0..raw.len())
            .map(|at| local_line(&times, &raw, at, smooth / WIDTH).value)
            .collect()
    } else {
        raw.clone()
    };
    let velocities: Vec<DVec2> = (0..places.len())
        .map(|at| local_line(&times, &places, at, smooth.max(SPEED_WIDTH) / WIDTH).slope)
        .collect();
    let directions = directions_ahead(&times, &places, &velocities);
    let wanted = (0..).zip(&times).zip(&directions);
    let yaws = headings(wanted.map(|((at, time), velocity)| {
        let told = Some(run.extra(at).yaw).filter(|yaw| yaw.is_finite()).map(world_yaw);
        let velocity = velocity.as_vec2().to_array();
        (*time, told.or_else(|| heading_of(velocity)))
    }));
    let state = |at: usize| MotionState {
        time: times[at],
        position: Vec3::new(places[at].x as f32, map.height(&samples[at]), places[at].y as f32),
        velocity: tangent(&times, &places, at).as_vec2().to_array(),
        speed: velocities[at].length() as f32,
        yaw: yaws[at],
    };
    let mut all = refined(&(0..places.len()).map(state).collect::<Vec<_>>());
    let step = (times[times.len() - 1] - times[0]) / times.len() as f64;
    let follows_curve = step > SPARSE || smooth > SPEED_WIDTH || footsteps.is_some();
    if follows_curve && !run.has_headings() {
        let times: Vec<f64> = all.iter().map(|state| state.time).collect();
        let places: Vec<DVec2> = all.iter().map(|state| state.position.as_dvec3().xz()).collect();
        let velocities: Vec<DVec2> = all.iter().map(|state| Vec2::from(state.velocity).as_dvec2()).collect();
        let directions = directions_ahead(&times, &places, &velocities);
        let wanted = times.iter().zip(&directions);
        let yaws = headings(wanted.map(|(time, direction)| (*time, heading_of(direction.as_vec2().to_array()))));
        for (state, yaw) in all.iter_mut().zip(yaws) {
            state.yaw = yaw;
        }
    }
    if let Some(own) = &mut footsteps {
        own.find_side(&times, &raw, &places);
    }
    Motion { states: all, footsteps }
}

/// Velocity at each place that somebody reaches [`LOOKS_AHEAD`] later.
fn directions_ahead(times: &[f64], places: &[DVec2], velocities: &[DVec2]) -> Vec<DVec2> {
    let mut ways = vec![0.0; places.len()];
    for at in 1..places.len() {
        ways[at] = ways[at - 1] + places[at].distance(places[at - 1]);
    }
    let mut after = 0;
    let ahead = |at: usize| {
        let way = ways[at] + LOOKS_AHEAD;
        while after < ways.len() && ways[after] < way {
            after += 1;
        }
        if after == ways.len() || times[after] - times[at] > LOOKS_AHEAD_AT_MOST {
            return velocities[at];
        }
        let share = (way - ways[after - 1]) / (ways[after] - ways[after - 1]);
        velocities[after - 1].lerp(velocities[after], share)
    };
    (0..places.len()).map(ahead).collect()
}

/// States with more between those that are far apart in time, on the same curve.
fn refined(states: &[MotionState]) -> Vec<MotionState> {
    let mut all = Vec::with_capacity(states.len());
    for pair in states.windows(2) {
        let seconds = pair[1].time - pair[0].time;
        let parts = (seconds / LONGEST - 1e-6).ceil().max(1.0);
        all.extend((0..parts as u32).map(|part| between(&pair[0], &pair[1], f64::from(part) / parts)));
    }
    all.extend(states.last());
    all
}

/// State at a share of the time from one to another, on the cubic through both.
fn between(a: &MotionState, b: &MotionState, share: f64) -> MotionState {
    if share == 0.0 {
        return *a;
    }
    let seconds = (b.time - a.time) as f32;
    let (u, v) = (share as f32, 1.0 - share as f32);
    let mix = |from: f32, to: f32| from + (to - from) * u;
    let axis = |from: f32, to: f32, axis: usize| {
        let (start, end) = (a.velocity[axis] * seconds, b.velocity[axis] * seconds);
        let place = from + (to - from) * u * u * (3.0 - 2.0 * u) + u * v * (start * v - end * u);
        let slope = (to - from) * 6.0 * u * v + start * v * (1.0 - 3.0 * u) + end * u * (3.0 * u - 2.0);
        [place, slope / seconds]
    };
    let [x, velocity_x] = axis(a.position.x, b.position.x, 0);
    let [z, velocity_z] = axis(a.position.z, b.position.z, 1);
    MotionState {
        time: a.time + (b.time - a.time) * share,
        position: Vec3::new(x, mix(a.position.y, b.position.y), z),
        velocity: [velocity_x, velocity_z],
        speed: mix(a.speed, b.speed),
        yaw: mix(a.yaw, b.yaw),
    }
}

/// Line through the neighbours of a sample.
struct LocalLine {
    value: DVec2,
    slope: DVec2,
}

/// Least-squares line at a sample, weighted by a Gaussian of time. Both neighbours take part at any width, so that
/// sparse samples have a slope, too.
fn local_line(times: &[f64], places: &[DVec2], at: usize, deviation: f64) -> LocalLine {
    let now = times[at];
    let reach = 3.0 * deviation;
    let first = times[..at].partition_point(|time| *time < now - reach);
    let end = at + times[at..].partition_point(|time| *time <= now + reach);
    let weight = |time: f64| (-0.5 * ((time - now) / deviation).powi(2)).exp().max(1e-4);
    let (mut sum, mut sum_t, mut sum_tt) = (0.0, 0.0, 0.0);
    let (mut sum_p, mut sum_tp) = (DVec2::ZERO, DVec2::ZERO);
    // Relative to the sample itself: map coordinates would cancel.
    for near in first.min(at.saturating_sub(1))..end.max((at + 2).min(times.len())) {
        let (t, p) = (times[near] - now, places[near] - places[at]);
        let w = weight(times[near]);
        (sum, sum_t, sum_tt) = (sum + w, sum_t + w * t, sum_tt + w * t * t);
        (sum_p, sum_tp) = (sum_p + w * p, sum_tp + w * t * p);
    }
    let determinant = sum * sum_tt - sum_t * sum_t;
    if determinant <= 1e-12 * sum * sum_tt || sum_tt == 0.0 {
        return LocalLine {
            value: places[at],
            slope: DVec2::ZERO,
        };
    }
    LocalLine {
        value: places[at] + (sum_tt * sum_p - sum_t * sum_tp) / determinant,
        slope: (sum * sum_tp - sum_t * sum_p) / determinant,
    }
}

/// Tangent of a curve through the places, per axis, with which a cubic between two of them is monotone (Steffen 1990).
fn tangent(times: &[f64], places: &[DVec2], at: usize) -> DVec2 {
    let slope = |from: usize| (places[from + 1] - places[from]) / (times[from + 1] - times[from]);
    match (at.checked_sub(1), at + 1 < times.len()) {
        (None, false) => DVec2::ZERO,
        (None, true) => slope(at),
        (Some(before), false) => slope(before),
        (Some(before), true) => {
            let (h0, h1) = (times[at] - times[before], times[at + 1] - times[at]);
            let (s0, s1) = (slope(before), slope(at));
            let mean = (s0 * h1 + s1 * h0) / (h0 + h1);
            let axis = |s0: f64, s1: f64, mean: f64| {
                if s0 * s1 <= 0.0 {
                    0.0
                } else {
                    mean.signum() * mean.abs().min(2.0 * s0.abs().min(s1.abs()))
                }
            };
            DVec2::new(axis(s0.x, s1.x, mean.x), axis(s0.y, s1.y, mean.y))
        }
    }
}

/// Heading of a velocity (X and Z); none below the speed at which headings are held.
fn heading_of(velocity: [f32; 2]) -> Option<f32> {
    let speed = velocity[0].hypot(velocity[1]);
    (speed > HELD_BELOW).then(|| velocity[0].atan2(velocity[1]))
}

/// Headings at times (s) towards wanted ones: held without, and turned at a person's pace.
fn headings(wanted: impl Iterator<Item = (f64, Option<f32>)> + Clone) -> Vec<f32> {
    // Who stands at first looks where they will go.
    let mut yaw = wanted.clone().find_map(|(_, yaw)| yaw).unwrap_or_default();
    let mut last = wanted.clone().next().map_or(0.0, |(time, _)| time);
    let turned = wanted.map(|(time, wanted)| {
        if let Some(wanted) = wanted {
            let turn = (wanted - yaw + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU) - std::f32::consts::PI;
            let most = FASTEST_TURN * (time - last) as f32;
            yaw += turn.clamp(-most, most);
        }
        last = time;
        yaw
    });
    turned.collect()
}

/// World heading of one in a file (radians counter-clockwise from +x).
fn world_yaw(told: f32) -> f32 {
    told.cos().atan2(-told.sin())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracks::{Sample, ground_map::GroundMap};

    fn sample(time: f64, x: f32, y: f32) -> Sample {
        Sample {
            time,
            agent: 0,
            x,
            y,
            z: f32::NAN,
        }
    }

    #[test]
    fn straight_motion_is_kept_exactly_and_headings_point_along_it() {
        let samples: Vec<Sample> = (0..40)
            .map(|i| sample(f64::from(i) * 0.04, 1.0 + i as f32 * 0.04, 2.0))
            .collect();
        let Motion { states, .. } = motion(SampleRun::plain(&samples), &GroundMap::default(), 0.5);
        for (state, sample) in states.iter().zip(&samples) {
            assert!(
                (state.position - Vec3::new(sample.x, 0.0, -2.0)).length() < 1e-4,
                "{state:?}"
            );
            assert!(
                (state.speed - 1.0).abs() < 1e-3 && (state.velocity[0] - 1.0).abs() < 1e-3,
                "{state:?}"
            );
            assert!((state.yaw - std::f32::consts::FRAC_PI_2).abs() < 1e-3, "{state:?}");
        }
    }

    #[test]
    fn noise_of_someone_who_stands_is_smoothed_and_turns_nobody() {
        let noise = |i: i32| (i.wrapping_mul(7919) % 17) as f32 * 0.001;
        let samples: Vec<Sample> = (0..100)
            .map(|i| sample(f64::from(i) * 0.04, noise(i), noise(i + 50)))
            .collect();
        let Motion { states, .. } = motion(SampleRun::plain(&samples), &GroundMap::default(), 0.5);
        assert!(
            states
                .iter()
                .all(|state| state.yaw == states[0].yaw && state.speed < 0.05)
        );
    }

    #[test]
    fn bodies_turn_before_their_place_does() {
        let corner = |at: u32| {
            let way = at as f32 * 0.04;
            sample(f64::from(at) * 0.04, way.min(2.0), (way - 2.0).max(0.0))
        };
        let samples: Vec<Sample> = (0..100).map(corner).collect();
        let Motion { states, .. } = motion(SampleRun::plain(&samples), &GroundMap::default(), 0.5);
        let middle = 0.5 * (states[0].yaw + states[99].yaw);
        let far = |state: &MotionState| (state.yaw - middle).abs();
        let turned = states.iter().min_by(|a, b| far(a).total_cmp(&far(b))).expect("states");
        // At 1 m/s, the corner is reached after 2 s.
        assert!((turned.time - 1.93).abs() < 0.05, "{}", turned.time);
    }

    #[test]
    fn turning_about_takes_time() {
        let samples: Vec<Sample> = (0..50)
            .map(|i| sample(f64::from(i) * 0.1, -((i - 25) as f32).abs() * 0.1, 0.0))
            .collect();
        let Motion { states, .. } = motion(SampleRun::plain(&samples), &GroundMap::default(), 0.0);
        assert!(
            states
                .windows(2)
                .all(|pair| (pair[1].yaw - pair[0].yaw).abs() <= FASTEST_TURN * 0.1 + 1e-4)
        );
        let turned = (states[49].yaw - states[0].yaw).abs();
        assert!((turned - std::f32::consts::PI).abs() < 1e-3, "{turned}");
    }
}
