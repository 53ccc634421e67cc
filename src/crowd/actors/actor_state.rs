//! State of an actor at any time, as a pure function of its rows: the CPU twin of shaders/shared/actor_state.wgsl.

use glam::{Vec3, Vec4};

use crate::crowd::{
    actors::rows::{
        ACTOR_ALIVE, FARTHEST, FadeRow, LARGEST_YAW, MOST_PLAYBACKS, MotionRow, PLAYS_ONCE, PlayRow, PlaybackRow,
    },
    clock::{Clock, fraction, scale_rate, turns},
    schedule::{ClipTime, fade_weight},
};

/// Place of an actor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorPlace {
    /// Ground point between the feet, world space (m).
    pub position: Vec3,
    /// Heading (radians about +Y).
    pub yaw: f32,
}

/// Up to three clips that are blended: `b` over `a` by `fade`, then `c` over both by `third`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActorBlend {
    /// Oldest clip.
    pub a: ClipTime,
    /// Clip that fades in over `a`; equal to `a` if nothing fades.
    pub b: ClipTime,
    /// Clip that fades in over both, out of the middle of their fade; equal to `a` without one.
    pub c: ClipTime,
    /// Weight of `b` over `a`, `0.0..=1.0`.
    pub fade: f32,
    /// Weight of `c` over both, `0.0..=1.0`.
    pub third: f32,
}

/// Place of an actor and the clips that it plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorState {
    /// Place and heading.
    pub place: ActorPlace,
    /// Clips and their weights.
    pub blend: ActorBlend,
}

/// Ticks from `start` to `now`: 0 before, and the largest number from 65,535 s on.
#[must_use]
pub const fn ticks_since(start: Clock, now: Clock) -> u32 {
    if now.seconds < start.seconds || now.seconds == start.seconds && now.ticks < start.ticks {
        return 0;
    }
    let seconds = now.seconds - start.seconds;
    if seconds >= 65_535 {
        return u32::MAX;
    }
    (seconds << 16).wrapping_add(now.ticks).wrapping_sub(start.ticks)
}

/// Time from `start` to `now`, which is not before it.
#[must_use]
pub const fn time_between(start: Clock, now: Clock) -> Clock {
    let borrow = (now.ticks < start.ticks) as u32;
    Clock {
        seconds: now.seconds.wrapping_sub(start.seconds).wrapping_sub(borrow),
        ticks: now.ticks.wrapping_sub(start.ticks) & 0xffff,
    }
}

/// Place between two keys: at the first one before it, at the second one after it.
#[must_use]
pub fn motion_at(row: &MotionRow, now: Clock) -> ActorPlace {
    let place = place_after(row, ticks_since(row.start(), now));
    ActorPlace {
        position: place.truncate(),
        yaw: place.w,
    }
}

/// Place (m) and, in `w`, heading (rad) `elapsed` ticks after the first key.
// Always inlined: a vector that is returned goes through memory.
#[inline(always)]
pub(super) fn place_after(row: &MotionRow, elapsed: u32) -> Vec4 {
    let [start, end] = row.keys();
    if elapsed >= row.span {
        return end;
    }
    let mut way = end - start;
    way.w = short_turn(way.w);
    start + way * (elapsed as f32 / row.span as f32)
}

/// A turn (rad) the short way round, at most half a turn either way.
#[inline]
#[must_use]
pub fn short_turn(angle: f32) -> f32 {
    const TURN: f32 = std::f32::consts::TAU;
    /// A little less than half a turn: the sum below would return these angles as they are.
    const SHORT: f32 = 3.125;
    if angle.abs() <= SHORT {
        return angle;
    }
    angle - TURN * floor(angle / TURN + 0.5)
}

/// Largest whole number up to `x`, as [`f32::floor`] has it. That is a call of the C library on x86-64, whose baseline
/// lacks the instruction; this is three additions.
#[inline]
fn floor(x: f32) -> f32 {
    /// A sum with it is rounded to a whole number.
    const WHOLE: f32 = 12_582_912.0;
    /// Largest number for which that holds.
    const MOST: f32 = 4_194_304.0;
    if x.abs() < MOST {
        let nearest = (x + WHOLE) - WHOLE;
        nearest - if nearest > x { 1.0 } else { 0.0 }
    } else {
        x.floor()
    }
}

/// Position in a clip, `0.0..=1.0`; `cycles` is its rate at speed 1 (turns per second times 2^24).
#[must_use]
pub fn playback_position(row: &PlaybackRow, cycles: u32, now: Clock) -> f32 {
    let anchor = row.anchor();
    let is_after = now >= anchor;
    let elapsed = if is_after {
        time_between(anchor, now)
    } else {
        time_between(now, anchor)
    };
    let speed = row.speed(is_after);
    let turned = turns(elapsed, scale_rate(cycles, (speed.abs() * 65_536.0 + 0.5) as u32));
    let (phase, once) = (row.phase & !0xff, row.phase & PLAYS_ONCE != 0);
    if is_after == (speed >= 0.0) {
        let sum = phase.wrapping_add(turned.phase);
        let is_over = turned.whole > 0 || sum < phase;
        return if once && is_over { 1.0 } else { fraction(sum) };
    }
    let is_under = turned.whole > 0 || turned.phase > phase;
    if once && is_under {
        0.0
    } else {
        fraction(phase.wrapping_sub(turned.phase))
    }
}

/// Weight of the playback that a fade leads to.
#[must_use]
pub fn weight_at(fade: &FadeRow, now: Clock) -> f32 {
    if now < fade.start() {
        return 0.0;
    }
    fade_weight(ticks_since(fade.start(), now), fade.ticks())
}

/// First playback that still shows: the last one whose fade is over.
#[must_use]
pub fn first_playback(row: &PlayRow, now: Clock) -> usize {
    let count = (row.count as usize).clamp(1, MOST_PLAYBACKS);
    let is_over = |playback: &usize| weight_at(&row.fades[playback - 1], now) >= 1.0;
    (1..count).rev().find(is_over).unwrap_or(0)
}

/// Clips at a time; `cycles` are the rates of the character's clips. `None` if the row is no row of an actor.
#[must_use]
pub fn blend_at(row: &PlayRow, cycles: &[u32], now: Clock) -> Option<ActorBlend> {
    if row.count == 0 || row.count as usize > MOST_PLAYBACKS {
        return None;
    }
    let first = first_playback(row, now);
    let weight = |fade: usize| match fade + 1 < row.count as usize {
        true => weight_at(&row.fades[fade], now),
        false => 0.0,
    };
    let clip = |playback: usize| {
        let playback = &row.playbacks[playback];
        let is_finite = playback.speed(false).is_finite() && playback.speed(true).is_finite();
        let cycles = *cycles.get(playback.clip() as usize).filter(|_| is_finite)?;
        Some(ClipTime {
            clip: playback.clip(),
            position: playback_position(playback, cycles, now),
        })
    };
    let (fade, third) = (weight(first), weight(first + 1));
    let a = clip(first)?;
    Some(ActorBlend {
        a,
        b: if fade > 0.0 { clip(first + 1)? } else { a },
        c: if third > 0.0 { clip(first + 2)? } else { a },
        fade,
        third,
    })
}

/// True if a motion row is of a living actor within the world.
#[must_use]
pub fn is_in_world(row: &MotionRow) -> bool {
    let coordinates = row.start_position.iter().chain(&row.end_position);
    row.mark == ACTOR_ALIVE
        && coordinates.into_iter().all(|coordinate| coordinate.abs() <= FARTHEST)
        && row.start_yaw.abs() <= LARGEST_YAW
        && row.end_yaw.abs() <= LARGEST_YAW
}

/// State of an actor at a time; `None` for free slots and for rows that hold anything but an actor.
#[must_use]
pub fn actor_state(motion: &MotionRow, play: &PlayRow, cycles: &[u32], now: Clock) -> Option<ActorState> {
    let blend = blend_at(play, cycles, now).filter(|_| is_in_world(motion))?;
    Some(ActorState {
        place: motion_at(motion, now),
        blend,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of numbers of every exponent and sign, whole ones and their neighbours among them.
    fn numbers() -> impl Iterator<Item = f32> {
        let spread = (0..=u32::MAX / 4_099).map(|number| f32::from_bits(number * 4_099));
        let whole = (-5_000_i32..5_000).map(|number| number as f32 * 0.25);
        let near = whole.flat_map(|number| [number, number.next_up(), number.next_down()]);
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MAX, f32::MIN];
        spread.chain(near).chain(odd)
    }

    #[test]
    fn short_turns_are_equal_to_those_by_the_library_s_floor() {
        for angle in numbers() {
            const TURN: f32 = std::f32::consts::TAU;
            let wanted = angle - TURN * (angle / TURN + 0.5).floor();
            let found = short_turn(angle);
            assert!(
                found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan(),
                "{angle}: {found} {wanted}"
            );
        }
    }
}
