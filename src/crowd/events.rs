//! Events between two times (footsteps, claps, hits): counted rather than polled, so that none is missed or reported
//! twice at any time step.
//!
//! An event at a position of a clip happens whenever the clip passes it. The number of passes up to a time never
//! decreases; the events of an interval are its differences. Intervals are open at their start and closed at their end:
//! an event at `t1` belongs to `(t0, t1]`. However an interval is cut, its pieces give equal events.

use crate::crowd::{
    clock::{Clock, Turns, ahead, turns, turns_in},
    hash::hash,
    schedule::{
        FLAG_REVERSED, FLAG_WRAP_MASK, GroupRow, PersonSchedule, Schedule, block, block_seed, segments_from,
        state_rate, streams::STREAM_PHASE,
    },
    wrap::{WRAP_CLAMP, WRAP_LOOP, WRAP_ONCE, WRAP_PING_PONG, is_endless},
};

/// An event mark of a clip.
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
    /// First tick at which it has happened.
    pub clock: Clock,
    /// Clip of the character.
    pub clip: u32,
    /// Index into the character's event names.
    pub name: u32,
}

/// A clip that plays from some time on.
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
    /// Start of clips that play once (tick).
    pub since: i64,
}

/// Position (times 2^32) of a mark at `seconds` in a clip of `duration` (s).
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

/// Number of times that a clip has passed `position` after `turns`; position 0 counts at the very start. Never
/// decreases as turns grow (modulo 2^32).
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
            // The ends are passed once per round trip.
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
    /// Number of times that the clip has passed `position` at tick `at`.
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

    /// Adds the events in ticks `(after, until]`.
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

/// First tick in `(after, until]` for which `reached` holds, by binary search; it holds for `until`.
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

/// Events of one person in `(t0, t1]`, in order; `marks[clip]` are the marks of each clip. A state's clip counts from
/// the start of its fade-in to the start of its fade-out.
#[must_use]
pub fn events_between(
    schedule: &Schedule,
    group: &GroupRow,
    person_schedule: &PersonSchedule,
    marks: &[Vec<ClipMark>],
    t0: Clock,
    t1: Clock,
) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let (after, until) = (t0.count() as i64, t1.count() as i64);
    let (first, last) = (block(person_schedule, t0), block(person_schedule, t1).index);
    for index in first.index..=last {
        let begin = i64::from(index) * i64::from(person_schedule.length) - i64::from(person_schedule.shift);
        // The first block is entered at the interval's start: earlier stays are skipped.
        let local = if index == first.index { first.local } else { 0 };
        for stay in segments_from(
            schedule,
            group,
            block_seed(person_schedule, index),
            person_schedule.length,
            local,
        ) {
            let start = begin + i64::from(stay.start);
            if start > until {
                break;
            }
            let (from, to) = (after.max(start - 1), until.min(begin + i64::from(stay.end) - 1));
            if from < to {
                let track = state_track(schedule, person_schedule, stay.state, start);
                let own = marks.get(track.clip as usize).map_or(&[][..], Vec::as_slice);
                track.events_between(own, from, to, &mut found);
            }
        }
    }
    found.sort_unstable();
    found
}

/// The clip of a state that began at tick `since`.
fn state_track(schedule: &Schedule, person_schedule: &PersonSchedule, index: u32, since: i64) -> ClipTrack {
    let state = &schedule.states[index as usize];
    ClipTrack {
        clip: state.clip,
        rate: state_rate(person_schedule, state, index),
        wrap: state.flags & FLAG_WRAP_MASK,
        reversed: state.flags & FLAG_REVERSED != 0,
        phase: hash(person_schedule.seed, index, STREAM_PHASE),
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
        fn passes_never_decrease(turns in 0.0..9.0_f64, more in 0.0..2.0_f64, position: u32, wrap in 0..4_u32, reversed: bool) {
            let (few, many) = (at(turns), at(turns + more));
            prop_assert!(passes(few, position, wrap, reversed) <= passes(many, position, wrap, reversed));
        }

        #[test]
        fn events_do_not_depend_on_how_an_interval_is_cut(
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
