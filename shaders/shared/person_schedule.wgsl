// Behaviour of a person at any time, in constant time. CPU twin: crowd/schedule/person_schedule.rs; the method is
// explained in crowd/schedule/mod.rs. Both agree bit by bit, except for the final positions in clips.

import package::shared::clock::{Clock, Division, ahead, divide, later, mul_high, scale_rate, turns, turns_in};
import package::shared::hash::hash;
import package::shared::tables::{
    FLAG_REVERSED, FLAG_SHARED, FLAG_TRAVELS, FLAG_WAVE, FLAG_WRAP_MASK, GroupRow, MARCHES, StateRow, edges, states,
};
import package::shared::wrap::{clip_position, is_endless};

// Maximum number of states in a block.
const MAX_STEPS = 8u;
// Limits of a block's length (ticks): one second, and about 4.5 hours.
const SHORTEST_BLOCK = 65536u;
const LONGEST_BLOCK = 1073741824u;

// Random streams of a person: crowd/schedule/streams.rs.
const STREAM_LENGTH = 1u;
const STREAM_SHIFT = 2u;
const STREAM_BLOCK = 3u;
const STREAM_HOME = 4u;
const STREAM_DWELL = 5u;
const STREAM_NEXT = 6u;
const STREAM_SPEED = 7u;
const STREAM_PHASE = 8u;
const STREAM_OWN = 9u;

// Constants of a person's schedule.
struct PersonSchedule {
    // the person's seed, or the group's for shared schedules
    seed: u32,
    // length of a block (ticks)
    length: u32,
    // offset ahead of the scene's clock (ticks)
    shift: u32,
    // 1 if blocks differ, 0 if all are equal
    varies: u32,
}

// A stay in one state. Times are ticks since the block's start.
struct StateSegment {
    state: u32,
    start: u32,
    end: u32,
    fade: u32,
    previous: u32,
    previous_start: u32,
}

// A clip and a position in it, 0 to 1.
struct ClipTime {
    clip: u32,
    position: f32,
}

struct CrossFade {
    source: ClipTime,
    target_: ClipTime,
    weight: f32,
}

fn behaviour_of(group: GroupRow, own: u32, place: u32) -> PersonSchedule {
    let seed = select(own, group.seed, (group.flags & FLAG_SHARED) != 0u);
    // A length of 0 would never end, and longer blocks would overflow ticks.
    let asked = group.block_min + mul_high(hash(seed, 0u, STREAM_LENGTH), group.block_span);
    let length = clamp(asked, SHORTEST_BLOCK, LONGEST_BLOCK);
    let wave = (group.flags & FLAG_WAVE) != 0u;
    var shift = select(hash(seed, 0u, STREAM_SHIFT), 0u - place, wave);
    if (group.flags & MARCHES) == MARCHES {
        shift = 0u;
    }
    let same = (group.flags & (FLAG_WAVE | FLAG_TRAVELS)) != 0u;
    return PersonSchedule(seed, length, mul_high(shift, length), select(1u, 0u, same));
}

// Block that contains a time, and the ticks into it.
fn block(person_schedule: PersonSchedule, clock: Clock) -> Division {
    return divide(later(clock, person_schedule.shift), person_schedule.length);
}

fn block_seed(person_schedule: PersonSchedule, index: u32) -> u32 {
    return hash(person_schedule.seed, index * person_schedule.varies, STREAM_BLOCK);
}

fn home_state(group: GroupRow, seed: u32) -> u32 {
    let at = mul_high(hash(seed, 0u, STREAM_HOME), group.home_total);
    var state = group.first_state;
    while state + 1u < group.first_state + group.state_count && states[state].home_end <= at {
        state += 1u;
    }
    return state;
}

fn next_edge(state: StateRow, seed: u32, step: u32) -> u32 {
    let at = mul_high(hash(seed, step, STREAM_NEXT), state.edge_total);
    var edge = state.first_edge;
    while edge + 1u < state.first_edge + state.edge_count && edges[edge].end <= at {
        edge += 1u;
    }
    return edge;
}

fn find_segment(group: GroupRow, seed: u32, length: u32, local: u32) -> StateSegment {
    let home = home_state(group, seed);
    var found = StateSegment(home, 0u, length, states[home].fade, home, 0u);
    for (var step = 1u; step < MAX_STEPS; step++) {
        let row = states[found.state];
        if row.edge_count == 0u {
            break;
        }
        let end = found.start + row.dwell_min + mul_high(hash(seed, step, STREAM_DWELL), row.dwell_span);
        let edge = edges[next_edge(row, seed, step)];
        if end + states[edge.state].dwell_min > length {
            break;
        }
        if local < end {
            found.end = end;
            break;
        }
        found = StateSegment(edge.state, end, length, edge.fade, found.state, found.start);
    }
    return found;
}

fn state_rate(person_schedule: PersonSchedule, index: u32) -> u32 {
    let state = states[index];
    let spread = mul_high(hash(person_schedule.seed, index, STREAM_SPEED), state.speed_span);
    return scale_rate(state.rate, state.speed_min + spread);
}

fn state_playing(person_schedule: PersonSchedule, index: u32, clock: Clock, elapsed: u32) -> ClipTime {
    let state = states[index];
    let rate = state_rate(person_schedule, index);
    let wrap = state.flags & FLAG_WRAP_MASK;
    var passed = turns_in(elapsed, rate);
    if is_endless(wrap) {
        passed = ahead(turns(clock, rate), hash(person_schedule.seed, index, STREAM_PHASE));
    }
    return ClipTime(state.clip, clip_position(passed, wrap, (state.flags & FLAG_REVERSED) != 0u));
}

fn fade_weight(elapsed: u32, fade: u32) -> f32 {
    if elapsed >= fade {
        return 1.0;
    }
    let x = f32(elapsed) / f32(fade);
    return x * x * (3.0 - 2.0 * x);
}

fn moment(group: GroupRow, person_schedule: PersonSchedule, clock: Clock) -> CrossFade {
    let now = block(person_schedule, clock);
    var present = find_segment(group, block_seed(person_schedule, now.index), person_schedule.length, now.local);
    let elapsed = now.local - present.start;
    let playing = state_playing(person_schedule, present.state, clock, elapsed);
    if elapsed >= present.fade {
        return CrossFade(playing, playing, 1.0);
    }
    var before = now.local - present.previous_start;
    if present.start == 0u {
        let last = find_segment(group, block_seed(person_schedule, now.index - 1u), person_schedule.length, 0xffffffffu);
        present.previous = last.state;
        before = now.local + person_schedule.length - last.start;
    }
    if present.previous == present.state && is_endless(states[present.state].flags & FLAG_WRAP_MASK) {
        return CrossFade(playing, playing, 1.0);
    }
    let source = state_playing(person_schedule, present.previous, clock, before);
    return CrossFade(source, playing, fade_weight(elapsed, present.fade));
}
