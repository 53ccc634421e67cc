// Recorded ways of people: place, heading and clips at the frame's time. CPU twin: crowd/trajectory.rs, which documents
// the rows; they are those of the table of paths.

import package::shared::frame::frame_clock;
import package::shared::clock::turns;
import package::shared::hash::unit_fraction;
import package::shared::paths::{Path, paths};
import package::shared::person_schedule::{ClipTime, CrossFade};

const PATH_TRAJECTORY = 5u;
const FIRST_IS_TIMED = 256u;
const SECOND_IS_TIMED = 512u;
const IS_GAP = 1024u;

// Shade of clothes: 0 keeps the instance's colour, 1 to 31 is the scale.
const SHADE_SHIFT = 11u;
const SHADE_MASK = 31u;

// State of a person on a trajectory; a position far outside everything if the person is absent.
struct TrajectoryPose {
    position: vec3<f32>,
    yaw: f32,
    fade: CrossFade,
}

// Time in units of a key (1/16384 s); the latest beyond three days.
fn key_time() -> u32 {
    let clock = frame_clock();
    return select((clock.seconds << 14u) | (clock.ticks >> 2u), 0xffffffffu, clock.seconds >= 262144u);
}

fn absent() -> TrajectoryPose {
    let nothing = ClipTime(0u, 0.0);
    return TrajectoryPose(vec3<f32>(1e6, -1e6, 1e6), 0.0, CrossFade(nothing, nothing, 1.0));
}

fn hermite(u: f32, from_: f32, to: f32, from_slope: f32, to_slope: f32) -> f32 {
    let v = 1.0 - u;
    return from_ + (to - from_) * (u * u * (3.0 - 2.0 * u)) + u * v * (from_slope * v - to_slope * u);
}

// Last key at or before a time, never the last of all. Binary search.
fn key_before(path: Path, now: u32) -> u32 {
    var low = path.first;
    var high = path.first + path.count - 2u;
    while low < high {
        let middle = (low + high + 1u) / 2u;
        if paths[middle].rate <= now {
            low = middle;
        } else {
            high = middle - 1u;
        }
    }
    return low;
}

// `cycles` is the rate of the clip, in turns per second times 2^24.
fn clip_time(clip: u32, is_timed: bool, cycles: u32, seed: u32, phase: f32) -> ClipTime {
    if is_timed {
        return ClipTime(clip, unit_fraction(turns(frame_clock(), cycles).phase + seed));
    }
    return ClipTime(clip, phase);
}

// Number of the key at or before the frame's time.
fn key_of(path: Path) -> u32 {
    return key_before(path, key_time());
}

fn is_present(path: Path) -> bool {
    let now = key_time();
    if path.count < 2u || now < paths[path.first].rate || now > paths[path.first + path.count - 1u].rate {
        return false;
    }
    let key = paths[key_of(path)];
    return (key.kind & IS_GAP) == 0u || now == key.rate;
}

// Clips of the key at or before the frame's time.
fn trajectory_clips(path: Path) -> vec2<u32> {
    let both = paths[key_of(path)].count;
    return vec2<u32>(both & 0xffffu, both >> 16u);
}

fn shade_bits(key: Path) -> u32 {
    return (key.kind >> SHADE_SHIFT) & SHADE_MASK;
}

// Index into the ramp of main garments (0 to `last`) at the frame's time; `own` where keys have none.
fn trajectory_cloth(path: Path, own: u32, last: f32) -> u32 {
    let at = key_of(path);
    let a = paths[at];
    let b = paths[at + 1u];
    if shade_bits(a) == 0u || shade_bits(b) == 0u {
        return own;
    }
    let u = f32(key_time() - a.rate) / f32(max(b.rate - a.rate, 1u));
    let shade = mix(f32(shade_bits(a) - 1u), f32(shade_bits(b) - 1u), u) / 30.0;
    return u32(shade * last + 0.5);
}

// `cycles` are the rates of the key's two clips.
fn trajectory_pose(path: Path, cycles: vec2<u32>, seed: u32) -> TrajectoryPose {
    let now = key_time();
    let at = key_of(path);
    let a = paths[at];
    let b = paths[at + 1u];
    let ticks = max(b.rate - a.rate, 1u);
    let seconds = f32(b.rate - a.rate) / 16384.0;
    let u = f32(now - a.rate) / f32(ticks);
    let position = vec3<f32>(
        hermite(u, a.inner, b.inner, a.length * seconds, b.length * seconds),
        mix(a.direction, b.direction, u),
        hermite(u, a.outer, b.outer, a.radius * seconds, b.radius * seconds),
    );
    let slopes = unpack2x16float(a.first) * a.along;
    let turned = hermite(u, 0.0, a.along, slopes.x, slopes.y);
    let phase = unit_fraction(a.per_metre + ((u32(fract(turned) * 16777216.0) & 0xffffffu) << 8u));
    let source = clip_time(a.count & 0xffffu, (a.kind & FIRST_IS_TIMED) != 0u, cycles.x, seed, phase);
    let target_ = clip_time(a.count >> 16u, (a.kind & SECOND_IS_TIMED) != 0u, cycles.y, seed, phase);
    let weights = vec2<f32>(f32((a.kind >> 16u) & 255u), f32(a.kind >> 24u)) / 255.0;
    return TrajectoryPose(position, mix(a.heading, b.heading, u), CrossFade(source, target_, mix(weights.x, weights.y, u)));
}
