//! Recorded ways of people: keys of place, heading and gait, sorted by time, between which place and phase are cubic
//! Hermite curves. Anybody's state at any time follows from a bisection, without the moments before. Shader twin:
//! shaders/shared/trajectory.wgsl.
//!
//! Rows are those of the table of paths, so that a crowd without trajectories has nothing more to bind: one of kind
//! [`PATH_TRAJECTORY`] for each person, and one of kind [`PATH_KEY`] for each key.

use glam::Vec3;
use half::f16;

use crate::crowd::{
    CrowdClip,
    clock::{Clock, fraction, to_rate, turns},
    paths::{PATH_KEY, PATH_TRAJECTORY, Path},
    schedule::{ClipTime, CrossFade},
};

/// Units of a key's time in a second: three days fit 32 bits.
pub const KEY_TICKS: f64 = 16_384.0;
/// Place of people who are absent (m): outside of every view, box and grid.
pub const ABSENT: Vec3 = Vec3::new(1e6, -1e6, 1e6);

/// Bit of [`Path::kind`]: the first clip runs by time, in place.
pub const FIRST_IS_TIMED: u32 = 1 << 8;
/// Bit of [`Path::kind`]: the second clip runs by time, in place.
pub const SECOND_IS_TIMED: u32 = 1 << 9;
/// Bit of [`Path::kind`]: the person is absent until the next key.
pub const IS_GAP: u32 = 1 << 10;
/// Place of the bits of [`Path::kind`] with the shade of clothes: 0 keeps the instance's colour, 1..=31 is the scale.
pub const SHADE_SHIFT: u32 = 11;
/// Bits of a shade.
pub const SHADE_MASK: u32 = 31;
const SHADE_STEPS: f32 = 30.0;
const FROM_WEIGHT_SHIFT: u32 = 16;
const TO_WEIGHT_SHIFT: u32 = 24;

/// One of two clips that are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GaitClip {
    /// Clip of the character.
    pub clip: u16,
    /// True if the clip runs by time, in place; else by the phase of the steps.
    pub is_timed: bool,
}

/// State of a person at one time, and the gait until the next key.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrajectoryKey {
    /// Time (s), ascending.
    pub time: f64,
    /// Ground point between the feet, world space (m).
    pub position: Vec3,
    /// Velocity over the ground, X and Z (m/s).
    pub velocity: [f32; 2],
    /// Heading (radians about +Y, 0 faces +Z); continuous from key to key.
    pub yaw: f32,
    /// Clips until the next key.
    pub clips: [GaitClip; 2],
    /// Weight of the second clip at this key and at the next one.
    pub weights: [f32; 2],
    /// Phase of the steps at this key (cycles; whole cycles are ignored).
    pub phase: f64,
    /// Cycles until the next key.
    pub advance: f32,
    /// Rate of the phase at this key and at the next one, relative to the mean rate between them: 1 is even.
    pub slopes: [f32; 2],
    /// True if the person is absent until the next key.
    pub is_gap: bool,
    /// Place of the colour of clothes on the scene's scale, 0..=1, linear between keys; `None` keeps the instance's. All
    /// keys of a crowd have one, or none has.
    pub shade: Option<f32>,
}

impl From<&TrajectoryKey> for Path {
    fn from(key: &TrajectoryKey) -> Self {
        let unorm = |weight: f32| (weight.clamp(0.0, 1.0) * 255.0).round() as u32;
        let flag = |is_on: bool, bit: u32| if is_on { bit } else { 0 };
        let slopes = key.slopes.map(|slope| u32::from(f16::from_f32(slope).to_bits()));
        Self {
            kind: PATH_KEY
                | flag(key.clips[0].is_timed, FIRST_IS_TIMED)
                | flag(key.clips[1].is_timed, SECOND_IS_TIMED)
                | flag(key.is_gap, IS_GAP)
                | key.shade.map_or(0, shade_bits) << SHADE_SHIFT
                | unorm(key.weights[0]) << FROM_WEIGHT_SHIFT
                | unorm(key.weights[1]) << TO_WEIGHT_SHIFT,
            rate: (key.time * KEY_TICKS).round().clamp(0.0, f64::from(u32::MAX)) as u32,
            inner: key.position.x,
            outer: key.position.z,
            direction: key.position.y,
            length: key.velocity[0],
            radius: key.velocity[1],
            heading: key.yaw,
            per_metre: (key.phase.rem_euclid(1.0) * 4_294_967_296.0) as u32,
            along: key.advance,
            first: slopes[0] | slopes[1] << 16,
            count: u32::from(key.clips[0].clip) | u32::from(key.clips[1].clip) << 16,
        }
    }
}

fn shade_bits(shade: f32) -> u32 {
    1 + (shade.clamp(0.0, 1.0) * SHADE_STEPS).round() as u32
}

/// Shade of a key; `None` keeps the instance's colour.
fn shade_of(key: &Path) -> Option<f32> {
    let bits = ((key.kind >> SHADE_SHIFT) & SHADE_MASK).checked_sub(1)?;
    Some(bits as f32 / SHADE_STEPS)
}

/// True if a row is a key that colours clothes.
#[must_use]
pub fn is_shaded(row: &Path) -> bool {
    row.kind & 0xff == PATH_KEY && shade_of(row).is_some()
}

/// Adds the ways of some people to a table of paths: first a row for each, in their order, then the keys.
pub fn add_trajectories(table: &mut Vec<Path>, people: &[Vec<TrajectoryKey>]) {
    let mut first = table.len() + people.len();
    for keys in people {
        let row = Path {
            kind: PATH_TRAJECTORY,
            first: first as u32,
            count: keys.len() as u32,
            ..Path::default()
        };
        table.push(row);
        first += keys.len();
    }
    table.extend(people.iter().flatten().map(Path::from));
}

/// Place, heading and clips of a person on a trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrajectoryPose {
    /// Ground point between the feet, world space (m); [`ABSENT`] for people who are not there.
    pub position: Vec3,
    /// Heading (radians about +Y).
    pub yaw: f32,
    /// Clips with their positions, and the weight of the second.
    pub fade: CrossFade,
    /// Place of the colour of clothes on the scene's scale, 0..=1; `None` keeps the instance's.
    pub shade: Option<f32>,
}

/// Pose of a person on a trajectory at a time; `seed` spreads the phases of clips that run by time.
#[must_use]
pub fn trajectory_pose(table: &[Path], path: &Path, clips: &[CrowdClip], seed: u32, clock: Clock) -> TrajectoryPose {
    let absent = TrajectoryPose {
        position: ABSENT,
        yaw: 0.0,
        fade: CrossFade {
            from: ClipTime::default(),
            to: ClipTime::default(),
            weight: 1.0,
        },
        shade: None,
    };
    let now = key_time(clock);
    let keys = table.get(path.first as usize..).unwrap_or_default();
    let keys = keys.get(..path.count as usize).unwrap_or_default();
    let (Some(start), Some(end)) = (keys.first(), keys.last()) else {
        return absent;
    };
    if keys.len() < 2 || now < start.rate || now > end.rate {
        return absent;
    }
    let after = keys.partition_point(|key| key.rate <= now).clamp(1, keys.len() - 1);
    let (a, b) = (&keys[after - 1], &keys[after]);
    if a.kind & IS_GAP != 0 && now > a.rate {
        return absent;
    }
    let seconds = (b.rate - a.rate) as f32 / KEY_TICKS as f32;
    let u = if b.rate > a.rate {
        (now - a.rate) as f32 / (b.rate - a.rate) as f32
    } else {
        0.0
    };
    let mix = |from: f32, to: f32| from + (to - from) * u;
    let place = |from: f32, to: f32, v0: f32, v1: f32| hermite(u, [from, to], [v0 * seconds, v1 * seconds]);
    let position = Vec3::new(
        place(a.inner, b.inner, a.length, b.length),
        mix(a.direction, b.direction),
        place(a.outer, b.outer, a.radius, b.radius),
    );
    let slope = |shift: u32| f16::from_bits((a.first >> shift) as u16).to_f32();
    let cycles = hermite(u, [0.0, a.along], [slope(0) * a.along, slope(16) * a.along]);
    let phase = fraction(a.per_metre.wrapping_add(phase_of_cycles(cycles)));
    let clip_time = |clip: u32, is_timed: bool| {
        let position = if is_timed {
            timed_phase(clips, clip, seed, clock)
        } else {
            phase
        };
        ClipTime { clip, position }
    };
    let weight = |shift: u32| ((a.kind >> shift) & 255) as f32 / 255.0;
    TrajectoryPose {
        position,
        yaw: mix(a.heading, b.heading),
        fade: CrossFade {
            from: clip_time(a.count & 0xffff, a.kind & FIRST_IS_TIMED != 0),
            to: clip_time(a.count >> 16, a.kind & SECOND_IS_TIMED != 0),
            weight: mix(weight(FROM_WEIGHT_SHIFT), weight(TO_WEIGHT_SHIFT)),
        },
        shade: shade_of(a).map(|shade| mix(shade, shade_of(b).unwrap_or(shade))),
    }
}

/// Time in units of a key; the latest beyond three days.
const fn key_time(clock: Clock) -> u32 {
    if clock.seconds >= 1 << 18 {
        u32::MAX
    } else {
        clock.seconds << 14 | clock.ticks >> 2
    }
}

/// Cycles as a phase, times 2^32, without whole ones.
fn phase_of_cycles(cycles: f32) -> u32 {
    let fraction = ((cycles - cycles.floor()) * 16_777_216.0) as u32;
    (fraction & 0xff_ffff) << 8
}

/// Position in a clip that loops by time, `0.0..1.0`.
fn timed_phase(clips: &[CrowdClip], clip: u32, seed: u32, clock: Clock) -> f32 {
    let duration = clips.get(clip as usize).map_or(0.0, |clip| clip.duration);
    let rate = if duration > 0.0 {
        to_rate(1.0 / f64::from(duration))
    } else {
        0
    };
    fraction(turns(clock, rate).phase.wrapping_add(seed))
}

/// Cubic Hermite curve between two numbers with these slopes (per unit of `u`).
fn hermite(u: f32, ends: [f32; 2], slopes: [f32; 2]) -> f32 {
    let v = 1.0 - u;
    let rise = u * u * (3.0 - 2.0 * u);
    ends[0] + (ends[1] - ends[0]) * rise + u * v * (slopes[0] * v - slopes[1] * u)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f64, x: f32) -> TrajectoryKey {
        let clips = [
            GaitClip {
                clip: 0,
                is_timed: true,
            },
            GaitClip {
                clip: 1,
                is_timed: false,
            },
        ];
        TrajectoryKey {
            time,
            position: Vec3::new(x, 0.5, 2.0),
            velocity: [1.0, 0.0],
            clips,
            weights: [0.5, 1.0],
            phase: 0.25,
            advance: 2.0,
            slopes: [1.0, 1.0],
            ..TrajectoryKey::default()
        }
    }

    fn at(people: &[Vec<TrajectoryKey>], person: usize, seconds: f64) -> TrajectoryPose {
        let mut table = vec![Path::default()];
        add_trajectories(&mut table, people);
        let clips = ["idle", "walk"].map(|name| CrowdClip {
            name: name.into(),
            duration: 2.0,
            speed: 0.0,
        });
        trajectory_pose(&table, &table[1 + person], &clips, 0, Clock::from_seconds(seconds))
    }

    #[test]
    fn people_are_absent_before_between_and_after() {
        let gap = TrajectoryKey {
            is_gap: true,
            ..key(2.0, 1.0)
        };
        let people = [
            vec![key(9.0, 0.0), key(10.0, 1.0)],
            vec![key(1.0, 0.0), gap, key(4.0, 5.0), key(5.0, 6.0)],
            vec![key(1.0, 0.0)],
        ];
        for (person, seconds) in [
            (0, 8.9),
            (0, 10.1),
            (1, 0.0),
            (1, 3.0),
            (1, 5.1),
            (2, 1.0),
            (0, 300_000.0),
        ] {
            assert_eq!(at(&people, person, seconds).position, ABSENT, "{person} {seconds}");
        }
        for (person, seconds, x) in [
            (0, 9.0, 0.0),
            (0, 9.5, 0.5),
            (0, 10.0, 1.0),
            (1, 1.5, 0.5),
            (1, 4.5, 5.5),
            (1, 5.0, 6.0),
        ] {
            assert!(
                (at(&people, person, seconds).position.x - x).abs() < 1e-4,
                "{person} {seconds}"
            );
        }
    }

    #[test]
    fn clothes_change_evenly_between_keys() {
        let shaded = |time: f64, shade: Option<f32>| TrajectoryKey {
            shade,
            ..key(time, 0.0)
        };
        let people = [
            vec![shaded(0.0, Some(0.2)), shaded(1.0, Some(0.8))],
            vec![shaded(0.0, None), shaded(1.0, None)],
        ];
        for (seconds, wanted) in [(0.0, 0.2), (0.25, 0.35), (1.0, 0.8)] {
            let shade = at(&people, 0, seconds).shade.expect("a shade");
            assert!((shade - wanted).abs() < 0.5 / SHADE_STEPS, "{seconds}: {shade}");
        }
        assert_eq!((at(&people, 1, 0.5).shade, at(&people, 0, 2.0).shade), (None, None));
        let mut table = Vec::new();
        add_trajectories(&mut table, &people);
        let shaded: Vec<bool> = table.iter().map(is_shaded).collect();
        assert_eq!(shaded, [false, false, true, true, false, false]);
    }

    #[test]
    fn clips_follow_steps_or_time() {
        let people = [vec![key(0.0, 0.0), key(1.0, 1.0)]];
        let pose = at(&people, 0, 0.25);
        assert!((pose.fade.from.position - 0.125).abs() < 1e-5, "half a cycle a second");
        assert!(
            (pose.fade.to.position - 0.75).abs() < 1e-5,
            "two cycles in the segment, from a quarter on"
        );
        assert!((pose.fade.weight - 0.625).abs() < 4e-3);
        assert_eq!((pose.fade.from.clip, pose.fade.to.clip, pose.position.y), (0, 1, 0.5));
    }
}
