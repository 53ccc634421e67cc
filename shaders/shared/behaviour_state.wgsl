// Who does what at a moment, at the same cost for any moment. CPU twin: crowd/schedule/behaviour_state.rs; the
// construction is explained in crowd/schedule/mod.rs. Everything up to the final positions agrees bit
// by bit.

import package::shared::clock::{Clock, Division, ahead, divide, later, mul_high, scale_rate, turns, turns_in};
import package::shared::hash::hash;
import package::shared::tables::{
    FLAG_REVERSED, FLAG_SHARED, FLAG_TRAVELS, FLAG_WAVE, FLAG_WRAP_MASK, GroupRow, MARCHES, StateRow, edges, states,
};
import package::shared::wrap::{clip_position, is_endless};

// States in one block, at most.
const MAX_STEPS = 8u;
// A second, and some five hours, in ticks.
const SHORTEST_BLOCK = 65536u;
const LONGEST_BLOCK = 1073741824u;

// What each random number of a person decides: crowd/schedule/streams.rs.
const STREAM_LENGTH = 1u;
const STREAM_SHIFT = 2u;
const STREAM_BLOCK = 3u;
const STREAM_HOME = 4u;
const STREAM_DWELL = 5u;
const STREAM_NEXT = 6u;
const STREAM_SPEED = 7u;
const STREAM_PHASE = 8u;
const STREAM_OWN = 9u;

// What never changes about a person's schedule.
struct BehaviourState {
    // own seed, or the group's for shared schedules
    seed: u32,
    // of a block, ticks
    length: u32,
    // ticks ahead of the scene's clock
    shift: u32,
    // 0: all blocks are the same
    varies: u32,
}

// A stay in a state. Times are ticks into the block.
struct Segment {
    state: u32,
    start: u32,
    end: u32,
    fade: u32,
    previous: u32,
    previous_start: u32,
}

// A clip and a position 0..1 in it.
struct ClipTime {
    clip: u32,
    position: f32,
}

struct CrossFade {
    source: ClipTime,
    target_: ClipTime,
    weight: f32,
}

fn behaviour_of(group: GroupRow, own: u32, place: u32) -> BehaviourState {
    let seed = select(own, group.seed, (group.flags & FLAG_SHARED) != 0u);
    // Blocks without length would never end, and longer ones leave the range of ticks.
    let asked = group.block_min + mul_high(hash(seed, 0u, STREAM_LENGTH), group.block_span);
    let length = clamp(asked, SHORTEST_BLOCK, LONGEST_BLOCK);
    let wave = (group.flags & FLAG_WAVE) != 0u;
    var shift = select(hash(seed, 0u, STREAM_SHIFT), 0u - place, wave);
    if (group.flags & MARCHES) == MARCHES {
        shift = 0u;
    }
    let same = (group.flags & (FLAG_WAVE | FLAG_TRAVELS)) != 0u;
    return BehaviourState(seed, length, mul_high(shift, length), select(1u, 0u, same));
}

// The block that a moment lies in, and how far in.
fn block(behaviour_state: BehaviourState, clock: Clock) -> Division {
    return divide(later(clock, behaviour_state.shift), behaviour_state.length);
}

fn block_seed(behaviour_state: BehaviourState, index: u32) -> u32 {
    return hash(behaviour_state.seed, index * behaviour_state.varies, STREAM_BLOCK);
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

fn find_segment(group: GroupRow, seed: u32, length: u32, local: u32) -> Segment {
    let home = home_state(group, seed);
    var found = Segment(home, 0u, length, states[home].fade, home, 0u);
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
        found = Segment(edge.state, end, length, edge.fade, found.state, found.start);
    }
    return found;
}

fn state_rate(behaviour_state: BehaviourState, index: u32) -> u32 {
    let state = states[index];
    let large_triangles = mul_high(hash(behaviour_state.seed, index, STREAM_SPEED), state.speed_span);
    return scale_rate(state.rate, state.speed_min + large_triangles);
}

fn state_playing(behaviour_state: BehaviourState, index: u32, clock: Clock, elapsed: u32) -> ClipTime {
    let state = states[index];
    let rate = state_rate(behaviour_state, index);
    let wrap = state.flags & FLAG_WRAP_MASK;
    var passed = turns_in(elapsed, rate);
    if is_endless(wrap) {
        passed = ahead(turns(clock, rate), hash(behaviour_state.seed, index, STREAM_PHASE));
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

fn moment(group: GroupRow, behaviour_state: BehaviourState, clock: Clock) -> CrossFade {
    let now = block(behaviour_state, clock);
    var present = find_segment(group, block_seed(behaviour_state, now.index), behaviour_state.length, now.local);
    let elapsed = now.local - present.start;
    let playing = state_playing(behaviour_state, present.state, clock, elapsed);
    if elapsed >= present.fade {
        return CrossFade(playing, playing, 1.0);
    }
    var before = now.local - present.previous_start;
    if present.start == 0u {
        let last = find_segment(group, block_seed(behaviour_state, now.index - 1u), behaviour_state.length, 0xffffffffu);
        present.previous = last.state;
        before = now.local + behaviour_state.length - last.start;
    }
    if present.previous == present.state && is_endless(states[present.state].flags & FLAG_WRAP_MASK) {
        return CrossFade(playing, playing, 1.0);
    }
    let source = state_playing(behaviour_state, present.previous, clock, before);
    return CrossFade(source, playing, fade_weight(elapsed, present.fade));
}
