// Who does what at a moment, at the same cost for any moment. CPU twin: crowd::behaviour, where
// the construction is explained; everything up to the final positions agrees bit by bit.

import package::shared::clock::{Clock, ahead, divide, later, mul_high, scale_rate, turns, turns_in};
import package::shared::hash::hash;
import package::shared::wrap::{clip_position, is_endless};

const MAX_STEPS = 8u;
const FLAG_SHARED = 1u;
const FLAG_WAVE = 2u;
const FLAG_TRAVELS = 4u;
const FLAG_WRAP_MASK = 0xffu;
const FLAG_REVERSED = 0x100u;

const MARCHES = FLAG_SHARED | FLAG_TRAVELS;

const STREAM_LENGTH = 1u;
const STREAM_SHIFT = 2u;
const STREAM_BLOCK = 3u;
const STREAM_HOME = 4u;
const STREAM_DWELL = 5u;
const STREAM_NEXT = 6u;
const STREAM_SPEED = 7u;
const STREAM_PHASE = 8u;

struct GroupRow {
    first_state: u32,
    state_count: u32,
    block_min: u32,
    block_span: u32,
    home_total: u32,
    flags: u32,
    seed: u32,
    // number of the group's path, counted from 1; 0: none
    path: u32,
}

struct StateRow {
    clip: u32,
    rate: u32,
    speed_min: u32,
    speed_span: u32,
    flags: u32,
    dwell_min: u32,
    dwell_span: u32,
    fade: u32,
    first_edge: u32,
    edge_count: u32,
    edge_total: u32,
    home_end: u32,
    // metres per turn of the clip, times 65536
    stride: u32,
}

struct EdgeRow {
    state: u32,
    end: u32,
    fade: u32,
    pad: u32,
}

struct Actor {
    seed: u32,
    length: u32,
    shift: u32,
    varies: u32,
}

struct Segment {
    state: u32,
    start: u32,
    end: u32,
    fade: u32,
    previous: u32,
    previous_start: u32,
}

// A clip and a position 0..1 in it.
struct Playing {
    clip: u32,
    position: f32,
}

struct Moment {
    source: Playing,
    target_: Playing,
    weight: f32,
}

@group(1) @binding(4) var<storage, read> groups: array<GroupRow>;
@group(1) @binding(5) var<storage, read> states: array<StateRow>;
@group(1) @binding(6) var<storage, read> edges: array<EdgeRow>;

fn make_actor(group: GroupRow, own: u32, place: u32) -> Actor {
    let seed = select(own, group.seed, (group.flags & FLAG_SHARED) != 0u);
    let length = group.block_min + mul_high(hash(seed, 0u, STREAM_LENGTH), group.block_span);
    let wave = (group.flags & FLAG_WAVE) != 0u;
    var shift = select(hash(seed, 0u, STREAM_SHIFT), 0u - place, wave);
    if (group.flags & MARCHES) == MARCHES {
        shift = 0u;
    }
    let same = (group.flags & (FLAG_WAVE | FLAG_TRAVELS)) != 0u;
    return Actor(seed, length, mul_high(shift, length), select(1u, 0u, same));
}

fn block_seed(actor: Actor, index: u32) -> u32 {
    return hash(actor.seed, index * actor.varies, STREAM_BLOCK);
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

fn state_rate(actor: Actor, index: u32) -> u32 {
    let state = states[index];
    let spread = mul_high(hash(actor.seed, index, STREAM_SPEED), state.speed_span);
    return scale_rate(state.rate, state.speed_min + spread);
}

fn state_playing(actor: Actor, index: u32, clock: Clock, elapsed: u32) -> Playing {
    let state = states[index];
    let rate = state_rate(actor, index);
    let wrap = state.flags & FLAG_WRAP_MASK;
    var passed = turns_in(elapsed, rate);
    if is_endless(wrap) {
        passed = ahead(turns(clock, rate), hash(actor.seed, index, STREAM_PHASE));
    }
    return Playing(state.clip, clip_position(passed, wrap, (state.flags & FLAG_REVERSED) != 0u));
}

fn fade_weight(elapsed: u32, fade: u32) -> f32 {
    if elapsed >= fade {
        return 1.0;
    }
    let x = f32(elapsed) / f32(fade);
    return x * x * (3.0 - 2.0 * x);
}

fn moment(group: GroupRow, actor: Actor, clock: Clock) -> Moment {
    let now = divide(later(clock, actor.shift), actor.length);
    var present = find_segment(group, block_seed(actor, now.index), actor.length, now.local);
    let elapsed = now.local - present.start;
    let playing = state_playing(actor, present.state, clock, elapsed);
    if elapsed >= present.fade {
        return Moment(playing, playing, 1.0);
    }
    var before = now.local - present.previous_start;
    if present.start == 0u {
        let last = find_segment(group, block_seed(actor, now.index - 1u), actor.length, 0xffffffffu);
        present.previous = last.state;
        before = now.local + actor.length - last.start;
    }
    if present.previous == present.state && is_endless(states[present.state].flags & FLAG_WRAP_MASK) {
        return Moment(playing, playing, 1.0);
    }
    let source = state_playing(actor, present.previous, clock, before);
    return Moment(source, playing, fade_weight(elapsed, present.fade));
}
