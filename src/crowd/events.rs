//! Which footsteps, claps and hits fall between two moments: counted rather than polled, so that
//! none is missed or reported twice, whatever the time step.
//!
//! An event at a position of a clip happens whenever the clip passes it. How often that was up to
//! a moment is a whole number that never falls; the events of an interval are its differences.
//! Intervals are open at their start and closed at their end: what happens at `t1` belongs to
//! `(t0, t1]`, and a stretch cut in any way gives the same events.

use crate::crowd::{
    clock::{Clock, Turns, ahead, turns, turns_in},
    hash::hash,
    schedule::{
        BehaviourState, FLAG_REVERSED, FLAG_WRAP_MASK, GroupRow, Schedule, block, block_seed, segments_from,
        state_rate, streams::STREAM_PHASE,
    },
    wrap::{WRAP_CLAMP, WRAP_LOOP, WRAP_ONCE, WRAP_PING_PONG, is_endless},
};

/// Something that happens in a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClipMark {
    /// Index into the character's event names.
    pub name: u32,
    /// Position in the clip, times 2^32.
    pub position: u32,
}

/// An event that took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// First moment at which it had happened.
    pub clock: Clock,
    /// Clip of the character.
    pub clip: u32,
    /// Index into the character's event names.
    pub name: u32,
}

/// A clip that plays from some moment on.
#[derive(Clone, Copy, Debug)]
pub struct ClipTrack {
    /// Clip of the character.
    pub clip: u32,
    /// Turns per second, times 2^24.
    pub rate: u32,
    /// Wrap mode, see [`super::wrap`].
    pub wrap: u32,
    /// Plays backwards.
    pub reversed: bool,
    /// Endless clips: turns ahead of the scene's clock, times 2^32.
    pub phase: u32,
    /// Clips that play once: the tick at which they began.
    pub since: i64,
}

/// A phase (times 2^32) of a mark at `seconds` of a clip of `duration` seconds.
#[must_use]
pub fn mark_position(seconds: f32, duration: f32) -> u32 {
    let position = f64::from(seconds) / f64::from(duration);
    let turn = if position.is_finite() {
        position.rem_euclid(1.0)
    } else {
        0.0
    };
    (turn * 4_294_967_296.0) as u32
}

/// How often a clip has passed `position` after `turns` of it, counting position 0 at the very
/// start; never falls as turns grow (modulo 2^32).
#[must_use]
pub const fn passes(turns: Turns, position: u32, wrap: u32, reversed: bool) -> u32 {
    let mirrored = position.wrapping_neg();
    let mark = if reversed { mirrored } else { position };
    let reached = (turns.phase >= mark) as u32;
    match wrap {
        WRAP_LOOP => turns.whole.wrapping_add(reached),
        WRAP_CLAMP if reversed => 0,
        // Backwards, position 0 is reached at the end only.
        WRAP_ONCE | WRAP_CLAMP if reversed && position == 0 => (turns.whole > 0) as u32,
        WRAP_ONCE | WRAP_CLAMP if turns.whole > 0 => 1,
        WRAP_ONCE | WRAP_CLAMP => reached,
        WRAP_PING_PONG if position == 0 => {
            // The ends are touched once per there and back.
            turns.whole.wrapping_add(!reversed as u32).div_ceil(2)
        }
        _ => {
            let back = (turns.whole & 1 == 1) != reversed;
            let mark = if back { mirrored } else { position };
            turns.whole.wrapping_add((turns.phase >= mark) as u32)
        }
    }
}

impl ClipTrack {
    /// How often the clip had passed `position` at tick `at`.
    fn passed(&self, at: i64, position: u32) -> u32 {
        let turned = if is_endless(self.wrap) {
            ahead(turns(Clock::from_count(at.max(0) as u64), self.rate), self.phase)
        } else if at < self.since {
            return 0;
        } else {
            turns_in((at - self.since).min(i64::from(u32::MAX)) as u32, self.rate)
        };
        passes(turned, position, self.wrap, self.reversed)
    }

    /// Adds what happens in ticks `(after, until]`.
    pub fn events_between(&self, marks: &[ClipMark], after: i64, until: i64, found: &mut Vec<Occurrence>) {
        for mark in marks {
            let before = self.passed(after, mark.position);
            let count = self.passed(until, mark.position).wrapping_sub(before);
            for number in 1..=count {
                let reached = |at| self.passed(at, mark.position).wrapping_sub(before) >= number;
                let clock = Clock::from_count(first(after, until, reached) as u64);
                let (clip, name) = (self.clip, mark.name);
                found.push(Occurrence { clock, clip, name });
            }
        }
    }
}

/// The first tick in `(after, until]` for which `reached` holds; it holds for `until`.
fn first(mut after: i64, mut until: i64, reached: impl Fn(i64) -> bool) -> i64 {
    while until - after > 1 {
        let middle = after + (until - after) / 2;
        if reached(middle) {
            until = middle;
        } else {
            after = middle;
        }
    }
    until
}

/// All events of one person in `(t0, t1]`, in order; `marks[clip]` are the events of each clip.
/// A state's clip counts from the beginning of its fade in to the beginning of its fade out.
#[must_use]
pub fn events_between(
    schedule: &Schedule,
    group: &GroupRow,
    behaviour_state: &BehaviourState,
    marks: &[Vec<ClipMark>],
    t0: Clock,
    t1: Clock,
) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let (after, until) = (t0.count() as i64, t1.count() as i64);
    let (first, last) = (block(behaviour_state, t0), block(behaviour_state, t1).index);
    for index in first.index..=last {
        let begin = i64::from(index) * i64::from(behaviour_state.length) - i64::from(behaviour_state.shift);
        // Stays that end before the interval need no look.
        let local = if index == first.index { first.local } else { 0 };
        for stay in segments_from(
            schedule,
            group,
            block_seed(behaviour_state, index),
            behaviour_state.length,
            local,
        ) {
            let start = begin + i64::from(stay.start);
            if start > until {
                break;
            }
            let (from, to) = (after.max(start - 1), until.min(begin + i64::from(stay.end) - 1));
            if from < to {
                let track = state_track(schedule, behaviour_state, stay.state, start);
                let own = marks.get(track.clip as usize).map_or(&[][..], Vec::as_slice);
                track.events_between(own, from, to, &mut found);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The clip of a state that began at tick `since`.
fn state_track(schedule: &Schedule, behaviour_state: &BehaviourState, index: u32, since: i64) -> ClipTrack {
    let state = &schedule.states[index as usize];
    ClipTrack {
        clip: state.clip,
        rate: state_rate(behaviour_state, state, index),
        wrap: state.flags & FLAG_WRAP_MASK,
        reversed: state.flags & FLAG_REVERSED != 0,
        phase: hash(behaviour_state.seed, index, STREAM_PHASE),
        since,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::crowd::clock::to_rate;

    fn at(turns: f64) -> Turns {
        let whole = turns.floor();
        Turns {
            whole: whole as u32,
            phase: ((turns - whole) * 4_294_967_296.0) as u32,
        }
    }

    #[test]
    fn passes_count_by_mode() {
        let mark = at(0.25).phase;
        let table = [
            (WRAP_LOOP, false, [0, 1, 1, 3]),
            (WRAP_LOOP, true, [0, 0, 1, 2]),
            (WRAP_ONCE, false, [0, 1, 1, 1]),
            (WRAP_ONCE, true, [0, 0, 1, 1]),
            (WRAP_CLAMP, true, [0, 0, 0, 0]),
            (WRAP_PING_PONG, false, [0, 1, 1, 3]),
            (WRAP_PING_PONG, true, [0, 0, 1, 2]),
        ];
        for (wrap, reversed, expected) in table {
            let found = [0.1, 0.5, 0.9, 2.5].map(|turns| passes(at(turns), mark, wrap, reversed));
            assert_eq!(found, expected, "{wrap} {reversed}");
        }
    }

    proptest! {
        #[test]
        fn passes_never_fall(turns in 0.0..9.0_f64, more in 0.0..2.0_f64, position: u32, wrap in 0..4_u32, reversed: bool) {
            let (few, many) = (at(turns), at(turns + more));
            prop_assert!(passes(few, position, wrap, reversed) <= passes(many, position, wrap, reversed));
        }

        #[test]
        fn cutting_an_interval_changes_nothing(
            rate in 0.1..3.0_f64, phase: u32, wrap in 0..4_u32, reversed: bool,
            position: u32, start in 0..9_000_000_i64, step in 1..200_000_i64,
        ) {
            let track = ClipTrack { clip: 0, rate: to_rate(rate), wrap, reversed, phase, since: start + 70_000 };
            let marks = [ClipMark { name: 0, position }, ClipMark { name: 1, position: 0 }];
            let end = start + 1_000_000;
            let mut whole = Vec::new();
            track.events_between(&marks, start, end, &mut whole);
            let mut cut = Vec::new();
            for from in (start..end).step_by(step as usize) {
                track.events_between(&marks, from, (from + step).min(end), &mut cut);
            }
            whole.sort_unstable();
            cut.sort_unstable();
            prop_assert_eq!(whole, cut);
        }
    }
}
