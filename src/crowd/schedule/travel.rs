//! The distance that a behaviour covers along a path: the integral of the ground speeds of
//! their clips, fades included, in closed form. Every function here has a shader twin of the same
//! name, and all that adds up is `u32` arithmetic, so that a week of walking is as exact as a step.
//!
//! A travelling person repeats one block (every block is the same, as in a wave): the distance covered in
//! it is then the same too, and the distance since the start is a product. A fade between two
//! speeds `a` and `b` over `F` adds `b t + (a - b) (t - F W(t/F))`, where `W(x) = x³ - x⁴/2` is the
//! integral of the smoothstep that the poses are blended with; at its end that is `F/2`.
//!
//! Distances are phases of the path: a round is 2^32, and rounds need not be counted.

use crate::crowd::{
    clock::{Clock, mul_high, scale_rate, turns_in},
    schedule::{BehaviourState, FLAG_REVERSED, GroupRow, Schedule, block, block_seed, find_segment, state_rate},
};

/// Phase of a block of those who march: their path is made for it, out in one and back in the
/// next. What the sum of the stays lacks of it (some 10 µm) must not add up.
pub const HALF_ROUND: u32 = 1 << 31;

/// Rounds of a path per second, times 2^24, that a state's clip goes. `per_metre` is what a metre
/// is of a round, times 2^32.
#[must_use]
pub const fn state_pace(schedule: &Schedule, behaviour_state: &BehaviourState, index: u32, per_metre: u32) -> u32 {
    let state = &schedule.states.as_slice()[index as usize];
    mul_high(
        state_rate(behaviour_state, state, index),
        scale_rate(per_metre, state.stride),
    )
}

/// Phase passed in a stretch of `ticks` of a state; backwards for clips that play so.
#[must_use]
pub const fn state_way(
    schedule: &Schedule,
    behaviour_state: &BehaviourState,
    index: u32,
    per_metre: u32,
    ticks: u32,
) -> u32 {
    let way = turns_in(ticks, state_pace(schedule, behaviour_state, index, per_metre)).phase;
    if schedule.states.as_slice()[index as usize].flags & FLAG_REVERSED != 0 {
        way.wrapping_neg()
    } else {
        way
    }
}

/// For how many ticks, all in all, the state before has counted `elapsed` ticks after a fade's
/// start: the integral of one minus the fade's weight.
#[must_use]
pub const fn faded_ticks(elapsed: u32, fade: u32) -> u32 {
    if elapsed >= fade {
        return fade / 2;
    }
    let x = elapsed as f32 / fade as f32;
    elapsed - (fade as f32 * (x * x * x * (1.0 - 0.5 * x)) + 0.5) as u32
}

/// Phase passed in the first `ticks` of a stay, while the state `before` fades out.
#[must_use]
pub fn stay_way(
    schedule: &Schedule,
    behaviour_state: &BehaviourState,
    before: u32,
    (state, fade): (u32, u32),
    per_metre: u32,
    ticks: u32,
) -> u32 {
    let way = |state, ticks| state_way(schedule, behaviour_state, state, per_metre, ticks);
    let still = faded_ticks(ticks, fade);
    let own = way(state, ticks).wrapping_sub(way(state, still));
    own.wrapping_add(way(before, still))
}

/// Phase passed up to a moment of a block, and in all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockWay {
    /// Up to the moment.
    pub passed: u32,
    /// In the whole block.
    pub all: u32,
}

/// Phase passed up to `local` ticks into a block, and in all of it.
#[must_use]
pub fn block_way(
    schedule: &Schedule,
    group: &GroupRow,
    behaviour_state: &BehaviourState,
    per_metre: u32,
    local: u32,
) -> BlockWay {
    let seed = block_seed(behaviour_state, 0);
    let (mut passed, mut all, mut at) = (0_u32, 0_u32, 0);
    let mut before = find_segment(schedule, group, seed, behaviour_state.length, u32::MAX).state;
    while at < behaviour_state.length {
        let stay = find_segment(schedule, group, seed, behaviour_state.length, at);
        let arriving = (stay.state, stay.fade);
        if local >= stay.start {
            let ticks = local.min(stay.end) - stay.start;
            passed = all.wrapping_add(stay_way(schedule, behaviour_state, before, arriving, per_metre, ticks));
        }
        let ticks = stay.end - stay.start;
        all = all.wrapping_add(stay_way(schedule, behaviour_state, before, arriving, per_metre, ticks));
        before = stay.state;
        at = stay.end;
    }
    BlockWay { passed, all }
}

/// Phase passed since the beginning of the block that the scene starts in.
#[must_use]
pub fn way_since(
    schedule: &Schedule,
    group: &GroupRow,
    behaviour_state: &BehaviourState,
    per_metre: u32,
    clock: Clock,
) -> u32 {
    let now = block(behaviour_state, clock);
    let way = block_way(schedule, group, behaviour_state, per_metre, now.local);
    let all = if group.path > 0 { HALF_ROUND } else { way.all };
    now.index.wrapping_mul(all).wrapping_add(way.passed)
}

/// Phase since the scene's start, without whole rounds.
#[must_use]
pub fn travelled(
    schedule: &Schedule,
    group: &GroupRow,
    behaviour_state: &BehaviourState,
    per_metre: u32,
    clock: Clock,
) -> u32 {
    let since = |clock| way_since(schedule, group, behaviour_state, per_metre, clock);
    since(clock).wrapping_sub(since(Clock::default()))
}

/// Metres that a block goes forwards, fades included; less than nothing backwards.
#[must_use]
pub fn block_metres(schedule: &Schedule, group: &GroupRow, behaviour_state: &BehaviourState) -> f32 {
    let seed = block_seed(behaviour_state, 0);
    let speed = |index: u32| -> f32 {
        let state = &schedule.states[index as usize];
        let metres =
            f64::from(state_rate(behaviour_state, state, index)) / 16_777_216.0 * f64::from(state.stride) / 65_536.0;
        if state.flags & FLAG_REVERSED != 0 {
            -metres as f32
        } else {
            metres as f32
        }
    };
    let seconds = |ticks: u32| ticks as f32 / 65_536.0;
    let mut before = find_segment(schedule, group, seed, behaviour_state.length, u32::MAX).state;
    let (mut metres, mut at) = (0.0, 0);
    while at < behaviour_state.length {
        let stay = find_segment(schedule, group, seed, behaviour_state.length, at);
        let ticks = stay.end - stay.start;
        let still = seconds(faded_ticks(ticks, stay.fade));
        metres += speed(stay.state) * (seconds(ticks) - still) + speed(before) * still;
        before = stay.state;
        at = stay.end;
    }
    metres
}
