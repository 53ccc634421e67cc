//! Who does what at a moment. Every function here has a shader twin of the same name.

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
pub struct BehaviourState {
    /// Own seed, or the group's for shared schedules.
    pub seed: u32,
    /// Length of a block, ticks.
    pub length: u32,
    /// Ticks by which the person is ahead of the scene's clock.
    pub shift: u32,
    /// 1 if blocks differ, 0 if every block is the same.
    pub varies: u32,
}

/// A stay in one state within a block; times in ticks since the block's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Index of the state.
    pub state: u32,
    /// Since when.
    pub start: u32,
    /// Until when.
    pub end: u32,
    /// Ticks of fade at its start.
    pub fade: u32,
    /// The state before; itself for the first of a block.
    pub previous: u32,
    /// Since when that one was.
    pub previous_start: u32,
}

/// A clip at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipTime {
    /// Clip of the character.
    pub clip: u32,
    /// `0.0..=1.0` of its duration; times (frame count - 1) it is the frame.
    pub position: f32,
}

/// All that is needed to pose someone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossFade {
    /// Clip that fades out; equal to `to` if nothing fades.
    pub from: ClipTime,
    /// Clip that fades in.
    pub to: ClipTime,
    /// Weight of `to`, `0.0..=1.0`; 1 where nothing fades.
    pub weight: f32,
}

/// The person with seed `own` at `place` of the group's wave (a turn is 2^32). Those further along
/// the wave are behind in time.
#[must_use]
pub const fn behaviour_of(group: &GroupRow, own: u32, place: u32) -> BehaviourState {
    let seed = if group.flags & FLAG_SHARED != 0 {
        group.seed
    } else {
        own
    };
    // Blocks without length would never end, and longer ones leave the range of ticks.
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
    BehaviourState {
        seed,
        length,
        shift: mul_high(shift, length),
        varies: (group.flags & (FLAG_WAVE | FLAG_TRAVELS) == 0) as u32,
    }
}

/// The block that `clock` falls into.
#[must_use]
pub const fn block(behaviour_state: &BehaviourState, clock: Clock) -> Division {
    divide(later(clock, behaviour_state.shift), behaviour_state.length)
}

/// Seed of a block.
#[must_use]
pub const fn block_seed(behaviour_state: &BehaviourState, index: u32) -> u32 {
    hash(
        behaviour_state.seed,
        index.wrapping_mul(behaviour_state.varies),
        STREAM_BLOCK,
    )
}

/// The state in which a block begins.
#[must_use]
pub fn home_state(schedule: &Schedule, group: &GroupRow, seed: u32) -> u32 {
    let at = mul_high(hash(seed, 0, STREAM_HOME), group.home_total);
    let mut state = group.first_state;
    while state + 1 < group.first_state + group.state_count && schedule.states[state as usize].home_end <= at {
        state += 1;
    }
    state
}

/// The transition taken out of a state at a step of a block; the state has at least one.
#[must_use]
pub fn next_edge(schedule: &Schedule, state: &StateRow, seed: u32, step: u32) -> u32 {
    let at = mul_high(hash(seed, step, STREAM_NEXT), state.edge_total);
    let mut edge = state.first_edge;
    while edge + 1 < state.first_edge + state.edge_count && schedule.edges[edge as usize].end <= at {
        edge += 1;
    }
    edge
}

/// The stay at `local` ticks into a block; the last one for anything past its end.
#[must_use]
pub fn find_segment(schedule: &Schedule, group: &GroupRow, seed: u32, length: u32, local: u32) -> Segment {
    let state = home_state(schedule, group, seed);
    let mut found = Segment {
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
        // A stay shorter than the shortest is not begun.
        if end + schedule.states[edge.state as usize].dwell_min > length {
            break;
        }
        if local < end {
            found.end = end;
            break;
        }
        found = Segment {
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

/// All stays of a block in order (for the CPU: events, timelines).
pub fn segments<'a>(
    schedule: &'a Schedule,
    group: &'a GroupRow,
    seed: u32,
    length: u32,
) -> impl Iterator<Item = Segment> + 'a {
    segments_from(schedule, group, seed, length, 0)
}

/// The stays of a block in order from the one at `local` ticks on.
pub fn segments_from<'a>(
    schedule: &'a Schedule,
    group: &'a GroupRow,
    seed: u32,
    length: u32,
    local: u32,
) -> impl Iterator<Item = Segment> + 'a {
    let first = find_segment(schedule, group, seed, length, local);
    std::iter::successors(Some(first), move |last| {
        (last.end < length).then(|| find_segment(schedule, group, seed, length, last.end))
    })
}

/// Turns per second of a state's clip for a person, times 2^24.
#[must_use]
pub const fn state_rate(behaviour_state: &BehaviourState, state: &StateRow, index: u32) -> u32 {
    let spread = mul_high(hash(behaviour_state.seed, index, STREAM_SPEED), state.speed_span);
    scale_rate(state.rate, state.speed_min + spread)
}

/// The clip of a state that began `elapsed` ticks ago.
#[must_use]
pub fn state_playing(
    schedule: &Schedule,
    behaviour_state: &BehaviourState,
    index: u32,
    clock: Clock,
    elapsed: u32,
) -> ClipTime {
    let state = &schedule.states[index as usize];
    let rate = state_rate(behaviour_state, state, index);
    let wrap = state.flags & FLAG_WRAP_MASK;
    let passed = if is_endless(wrap) {
        ahead(turns(clock, rate), hash(behaviour_state.seed, index, STREAM_PHASE))
    } else {
        turns_in(elapsed, rate)
    };
    ClipTime {
        clip: state.clip,
        position: clip_position(passed, wrap, state.flags & FLAG_REVERSED != 0),
    }
}

/// Weight of what is faded in, `elapsed` of `fade` ticks after the fade's start: smoothstep.
#[must_use]
pub const fn fade_weight(elapsed: u32, fade: u32) -> f32 {
    if elapsed >= fade {
        return 1.0;
    }
    let x = elapsed as f32 / fade as f32;
    x * x * (3.0 - 2.0 * x)
}

/// Clips of a person at a moment. The group must have a behaviour.
#[must_use]
pub fn moment(schedule: &Schedule, group: &GroupRow, behaviour_state: &BehaviourState, clock: Clock) -> CrossFade {
    let now = block(behaviour_state, clock);
    let seed = block_seed(behaviour_state, now.index);
    let mut present = find_segment(schedule, group, seed, behaviour_state.length, now.local);
    let elapsed = now.local - present.start;
    let to = state_playing(schedule, behaviour_state, present.state, clock, elapsed);
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
        // The state before is the last of the block before.
        let seed = block_seed(behaviour_state, now.index.wrapping_sub(1));
        let last = find_segment(schedule, group, seed, behaviour_state.length, u32::MAX);
        present.previous = last.state;
        before = now.local + behaviour_state.length - last.start;
    }
    let same = present.previous == present.state;
    if same && is_endless(schedule.states[present.state as usize].flags & FLAG_WRAP_MASK) {
        return still;
    }
    CrossFade {
        from: state_playing(schedule, behaviour_state, present.previous, clock, before),
        to,
        weight: fade_weight(elapsed, present.fade),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_a_length_whatever_the_rows_say() {
        for (block_min, expected) in [(0, SHORTEST_BLOCK), (u32::MAX, LONGEST_BLOCK), (70_000, 70_000)] {
            let group = GroupRow {
                block_min,
                ..GroupRow::default()
            };
            assert_eq!(behaviour_of(&group, 7, 0).length, expected);
        }
    }
}
