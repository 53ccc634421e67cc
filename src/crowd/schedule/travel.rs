//! Distance that a behaviour's root motion covers along a path: the integral of the clips' ground speeds, fades
//! included, in closed form. Every function here has a shader twin of the same name. All sums are `u32` arithmetic, so
//! that a week of walking is as exact as a step.
//!
//! A travelling person repeats one block (all blocks are equal, as in a wave). The distance per block is then constant,
//! and the distance since the start is a product.
//!
//! A fade between two speeds `a` and `b` over `F` adds `b t + (a - b) (t - F W(t/F))`. Here `W(x) = x³ - x⁴/2` is the
//! integral of the smoothstep that blends poses. At the end of the fade the second factor is `F/2`.
//!
//! Distances are phases of the path: a round is 2^32, and rounds need not be counted.

use crate::crowd::{
    clock::{Clock, mul_high, scale_rate, turns_in},
    schedule::{FLAG_REVERSED, GroupRow, PersonSchedule, Schedule, block, block_seed, find_segment, state_rate},
};

/// Phase of a block of marchers: their path is made for it, out in one block and back in the next. The sum of stays is
/// some 10 µm off, which must not accumulate.
pub const HALF_ROUND: u32 = 1 << 31;

/// Speed of a state's clip in rounds of the path per second, times 2^24. `per_metre` is the share of a round per metre,
/// times 2^32.
#[must_use]
pub const fn state_pace(schedule: &Schedule, person_schedule: &PersonSchedule, index: u32, per_metre: u32) -> u32 {
    let state = &schedule.states.as_slice()[index as usize];
    mul_high(
        state_rate(person_schedule, state, index),
        scale_rate(per_metre, state.stride),
    )
}

/// Phase covered in `ticks` of a state; negative (wrapping) for reversed clips.
#[must_use]
pub const fn state_distance(
    schedule: &Schedule,
    person_schedule: &PersonSchedule,
    index: u32,
    per_metre: u32,
    ticks: u32,
) -> u32 {
    let way = turns_in(ticks, state_pace(schedule, person_schedule, index, per_metre)).phase;
    if schedule.states.as_slice()[index as usize].flags & FLAG_REVERSED != 0 {
        way.wrapping_neg()
    } else {
        way
    }
}

/// Equivalent ticks at full weight of the state before, `elapsed` ticks after a fade's start: the integral of one minus
/// the fade's weight.
#[must_use]
pub const fn faded_ticks(elapsed: u32, fade: u32) -> u32 {
    if elapsed >= fade {
        return fade / 2;
    }
    let x = elapsed as f32 / fade as f32;
    elapsed - (fade as f32 * (x * x * x * (1.0 - 0.5 * x)) + 0.5) as u32
}

/// Phase covered in the first `ticks` of a stay, while the state `before` fades out.
#[must_use]
pub fn stay_distance(
    schedule: &Schedule,
    person_schedule: &PersonSchedule,
    before: u32,
    state: u32,
    fade: u32,
    per_metre: u32,
    ticks: u32,
) -> u32 {
    let way = |state, ticks| state_distance(schedule, person_schedule, state, per_metre, ticks);
    let still = faded_ticks(ticks, fade);
    let own = way(state, ticks).wrapping_sub(way(state, still));
    own.wrapping_add(way(before, still))
}

/// Phase covered up to a time in a block, and in the whole block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockDistance {
    /// Phase up to the time.
    pub passed: u32,
    /// Phase of the whole block.
    pub all: u32,
}

/// Phase covered up to `local` ticks into a block, and in the whole block.
#[must_use]
pub fn block_distance(
    schedule: &Schedule,
    group: &GroupRow,
    person_schedule: &PersonSchedule,
    per_metre: u32,
    local: u32,
) -> BlockDistance {
    let seed = block_seed(person_schedule, 0);
    let (mut passed, mut all, mut at) = (0_u32, 0_u32, 0);
    let mut before = find_segment(schedule, group, seed, person_schedule.length, u32::MAX).state;
    while at < person_schedule.length {
        let stay = find_segment(schedule, group, seed, person_schedule.length, at);
        let distance_until = |end: u32| {
            let ticks = end - stay.start;
            stay_distance(
                schedule,
                person_schedule,
                before,
                stay.state,
                stay.fade,
                per_metre,
                ticks,
            )
        };
        if local >= stay.start {
            passed = all.wrapping_add(distance_until(local.min(stay.end)));
        }
        all = all.wrapping_add(distance_until(stay.end));
        before = stay.state;
        at = stay.end;
    }
    BlockDistance { passed, all }
}

/// Phase covered since the start of block 0, in which the scene begins.
#[must_use]
pub fn distance_since(
    schedule: &Schedule,
    group: &GroupRow,
    person_schedule: &PersonSchedule,
    per_metre: u32,
    clock: Clock,
) -> u32 {
    let now = block(person_schedule, clock);
    let way = block_distance(schedule, group, person_schedule, per_metre, now.local);
    let all = if group.path > 0 { HALF_ROUND } else { way.all };
    now.index.wrapping_mul(all).wrapping_add(way.passed)
}

/// Phase covered since the scene's start, without whole rounds.
#[must_use]
pub fn travelled(
    schedule: &Schedule,
    group: &GroupRow,
    person_schedule: &PersonSchedule,
    per_metre: u32,
    clock: Clock,
) -> u32 {
    let since = |clock| distance_since(schedule, group, person_schedule, per_metre, clock);
    since(clock).wrapping_sub(since(Clock::default()))
}

/// Distance that a block covers, fades included (m); negative backwards.
#[must_use]
pub fn block_metres(schedule: &Schedule, group: &GroupRow, person_schedule: &PersonSchedule) -> f32 {
    let seed = block_seed(person_schedule, 0);
    let speed = |index: u32| -> f32 {
        let state = &schedule.states[index as usize];
        let metres =
            f64::from(state_rate(person_schedule, state, index)) / 16_777_216.0 * f64::from(state.stride) / 65_536.0;
        if state.flags & FLAG_REVERSED != 0 {
            -metres as f32
        } else {
            metres as f32
        }
    };
    let seconds = |ticks: u32| ticks as f32 / 65_536.0;
    let mut before = find_segment(schedule, group, seed, person_schedule.length, u32::MAX).state;
    let (mut metres, mut at) = (0.0, 0);
    while at < person_schedule.length {
        let stay = find_segment(schedule, group, seed, person_schedule.length, at);
        let ticks = stay.end - stay.start;
        let still = seconds(faded_ticks(ticks, stay.fade));
        metres += speed(stay.state) * (seconds(ticks) - still) + speed(before) * still;
        before = stay.state;
        at = stay.end;
    }
    metres
}
