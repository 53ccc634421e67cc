//! Behaviour of a person at any time. Every function here has a shader twin of the same name.

use crate::crowd::{
    clock::{Clock, Division, ahead, divide, later, mul_high, scale_rate, turns, turns_in},
    hash::hash,
    schedule::{
        FLAG_REVERSED, FLAG_SHARED, FLAG_TRAVELS, FLAG_WAVE, FLAG_WRAP_MASK, GroupRow, LONGEST_BLOCK, MARCHES,
        MAX_STEPS, SHORTEST_BLOCK, Schedule, StateRow,
        streams::{
            STREAM_BLOCK, STREAM_DWELL, STREAM_HOME, STREAM_LENGTH, STREAM_NEXT, STREAM_PHASE, STREAM_SHIFT,
            STREAM_SPEED,
        },
    },
    wrap::{clip_position, is_endless},
};

/// Constants of a person's schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonSchedule {
    /// The person's seed, or the group's for shared schedules.
    pub seed: u32,
    /// Length of a block (ticks).
    pub length: u32,
    /// Offset ahead of the scene's clock (ticks).
    pub shift: u32,
    /// 1 if blocks differ, 0 if every block is the same.
    pub varies: u32,
}

/// A stay in one state within a block; times are ticks since the block's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateSegment {
    /// Index of the state.
    pub state: u32,
    /// Start of the stay.
    pub start: u32,
    /// End of the stay.
    pub end: u32,
    /// Length of the fade at its start (ticks).
    pub fade: u32,
    /// State before; the state itself for the first of a block.
    pub previous: u32,
    /// Start of the stay before.
    pub previous_start: u32,
}

/// A clip and a position in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipTime {
    /// Clip of the character.
    pub clip: u32,
    /// Position as a share of the duration, `0.0..=1.0`; times (frame count - 1) it is the frame.
    pub position: f32,
}

/// Playback of a person: up to two clips and their cross-fade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossFade {
    /// Clip that fades out; equal to `to` if nothing fades.
    pub from: ClipTime,
    /// Clip that fades in.
    pub to: ClipTime,
    /// Weight of `to`, `0.0..=1.0`; 1 where nothing fades.
    pub weight: f32,
}

/// Schedule of the person with seed `own` at `place` of the group's wave (a turn is 2^32). Later places of the wave lag
/// in time.
#[must_use]
pub const fn behaviour_of(group: &GroupRow, own: u32, place: u32) -> PersonSchedule {
    let seed = if group.flags & FLAG_SHARED != 0 {
        group.seed
    } else {
        own
    };
    // A length of 0 would never end, and longer blocks would overflow ticks.
    let asked = group
        .block_min
        .wrapping_add(mul_high(hash(seed, 0, STREAM_LENGTH), group.block_span));
    let length = if asked < SHORTEST_BLOCK {
        SHORTEST_BLOCK
    } else if asked > LONGEST_BLOCK {
        LONGEST_BLOCK
    } else {
        asked
    };
    let shift = if group.flags & MARCHES == MARCHES {
        0
    } else if group.flags & FLAG_WAVE != 0 {
        place.wrapping_neg()
    } else {
        hash(seed, 0, STREAM_SHIFT)
    };
    PersonSchedule {
        seed,
        length,
        shift: mul_high(shift, length),
        varies: (group.flags & (FLAG_WAVE | FLAG_TRAVELS) == 0) as u32,
    }
}

/// Block that `clock` falls into.
#[must_use]
pub const fn block(person_schedule: &PersonSchedule, clock: Clock) -> Division {
    divide(later(clock, person_schedule.shift), person_schedule.length)
}

/// Seed of a block.
#[must_use]
pub const fn block_seed(person_schedule: &PersonSchedule, index: u32) -> u32 {
    hash(
        person_schedule.seed,
        index.wrapping_mul(person_schedule.varies),
        STREAM_BLOCK,
    )
}

/// State in which a block begins, drawn by weight.
#[must_use]
pub fn home_state(schedule: &Schedule, group: &GroupRow, seed: u32) -> u32 {
    let at = mul_high(hash(seed, 0, STREAM_HOME), group.home_total);
    let mut state = group.first_state;
    while state + 1 < group.first_state + group.state_count && schedule.states[state as usize].home_end <= at {
        state += 1;
    }
    state
}

/// Transition taken from a state at a step of a block, drawn by weight; the state must have one.
#[must_use]
pub fn next_edge(schedule: &Schedule, state: &StateRow, seed: u32, step: u32) -> u32 {
    let at = mul_high(hash(seed, step, STREAM_NEXT), state.edge_total);
    let mut edge = state.first_edge;
    while edge + 1 < state.first_edge + state.edge_count && schedule.edges[edge as usize].end <= at {
        edge += 1;
    }
    edge
}

/// Stay at `local` ticks into a block; the last one for anything past its end.
#[must_use]
pub fn find_segment(schedule: &Schedule, group: &GroupRow, seed: u32, length: u32, local: u32) -> StateSegment {
    let state = home_state(schedule, group, seed);
    let mut found = StateSegment {
        state,
        start: 0,
        end: length,
        fade: schedule.states[state as usize].fade,
        previous: state,
        previous_start: 0,
    };
    for step in 1..MAX_STEPS {
        let row = &schedule.states[found.state as usize];
        if row.edge_count == 0 {
            break;
        }
        let end = found.start + row.dwell_min + mul_high(hash(seed, step, STREAM_DWELL), row.dwell_span);
        let edge = &schedule.edges[next_edge(schedule, row, seed, step) as usize];
        // A stay that could not last its minimum is not begun.
        if end + schedule.states[edge.state as usize].dwell_min > length {
            break;
        }
        if local < end {
            found.end = end;
            break;
        }
        found = StateSegment {
            state: edge.state,
            start: end,
            end: length,
            fade: edge.fade,
            previous: found.state,
            previous_start: found.start,
        };
    }
    found
}

/// All stays of a block in order, for events and timelines.
pub fn segments<'a>(
    schedule: &'a Schedule,
    group: &'a GroupRow,
    seed: u32,
    length: u32,
) -> impl Iterator<Item = StateSegment> + 'a {
    segments_from(schedule, group, seed, length, 0)
}

/// Stays of a block in order, from the one at `local` ticks on.
pub fn segments_from<'a>(
    schedule: &'a Schedule,
    group: &'a GroupRow,
    seed: u32,
    length: u32,
    local: u32,
) -> impl Iterator<Item = StateSegment> + 'a {
    let first = find_segment(schedule, group, seed, length, local);
    std::iter::successors(Some(first), move |last| {
        (last.end < length).then(|| find_segment(schedule, group, seed, length, last.end))
    })
}

/// Rate of a state's clip for a person: turns per second, times 2^24.
#[must_use]
pub const fn state_rate(person_schedule: &PersonSchedule, state: &StateRow, index: u32) -> u32 {
    let spread = mul_high(hash(person_schedule.seed, index, STREAM_SPEED), state.speed_span);
    scale_rate(state.rate, state.speed_min + spread)
}

/// Clip and position of a state that began `elapsed` ticks ago.
#[must_use]
pub fn state_playing(
    schedule: &Schedule,
    person_schedule: &PersonSchedule,
    index: u32,
    clock: Clock,
    elapsed: u32,
) -> ClipTime {
    let state = &schedule.states[index as usize];
    let rate = state_rate(person_schedule, state, index);
    let wrap = state.flags & FLAG_WRAP_MASK;
    let passed = if is_endless(wrap) {
        ahead(turns(clock, rate), hash(person_schedule.seed, index, STREAM_PHASE))
    } else {
        turns_in(elapsed, rate)
    };
    ClipTime {
        clip: state.clip,
        position: clip_position(passed, wrap, state.flags & FLAG_REVERSED != 0),
    }
}

/// Weight of the clip that fades in, `elapsed` of `fade` ticks after the start: smoothstep.
#[must_use]
pub const fn fade_weight(elapsed: u32, fade: u32) -> f32 {
    if elapsed >= fade {
        return 1.0;
    }
    let x = elapsed as f32 / fade as f32;
    x * x * (3.0 - 2.0 * x)
}

/// Clips that a person plays at a time. The group must have a behaviour.
#[must_use]
pub fn moment(schedule: &Schedule, group: &GroupRow, person_schedule: &PersonSchedule, clock: Clock) -> CrossFade {
    let now = block(person_schedule, clock);
    let seed = block_seed(person_schedule, now.index);
    let mut present = find_segment(schedule, group, seed, person_schedule.length, now.local);
    let elapsed = now.local - present.start;
    let to = state_playing(schedule, person_schedule, present.state, clock, elapsed);
    let still = CrossFade {
        from: to,
        to,
        weight: 1.0,
    };
    if elapsed >= present.fade {
        return still;
    }
    let mut before = now.local - present.previous_start;
    if present.start == 0 {
        // At a block's start the state before is the last of the previous block.
        let seed = block_seed(person_schedule, now.index.wrapping_sub(1));
        let last = find_segment(schedule, group, seed, person_schedule.length, u32::MAX);
        present.previous = last.state;
        before = now.local + person_schedule.length - last.start;
    }
    let same = present.previous == present.state;
    if same && is_endless(schedule.states[present.state as usize].flags & FLAG_WRAP_MASK) {
        return still;
    }
    CrossFade {
        from: state_playing(schedule, person_schedule, present.previous, clock, before),
        to,
        weight: fade_weight(elapsed, present.fade),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_lengths_are_clamped() {
        for (block_min, expected) in [(0, SHORTEST_BLOCK), (u32::MAX, LONGEST_BLOCK), (70_000, 70_000)] {
            let group = GroupRow {
                block_min,
                ..GroupRow::default()
            };
            assert_eq!(behaviour_of(&group, 7, 0).length, expected);
        }
    }
}
