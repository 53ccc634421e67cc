// How far a behaviour has carried someone along a path. CPU twin: crowd/schedule/travel.rs, where
// the closed form is explained; bit by bit but for the present fade. Ways are phases of the path:
// a round is 2^32. `per_metre` is what a metre is of a round, times 2^32.

import package::shared::behaviour_state::{BehaviourState, block, block_seed, find_segment, state_rate};
import package::shared::clock::{Clock, mul_high, scale_rate, turns_in};
import package::shared::tables::{FLAG_REVERSED, GroupRow, states};

const HALF_ROUND = 0x80000000u;

fn state_pace(behaviour_state: BehaviourState, index: u32, per_metre: u32) -> u32 {
    return mul_high(state_rate(behaviour_state, index), scale_rate(per_metre, states[index].stride));
}

fn state_way(behaviour_state: BehaviourState, index: u32, per_metre: u32, ticks: u32) -> u32 {
    let way = turns_in(ticks, state_pace(behaviour_state, index, per_metre)).phase;
    return select(way, 0u - way, (states[index].flags & FLAG_REVERSED) != 0u);
}

fn faded_ticks(elapsed: u32, fade: u32) -> u32 {
    if elapsed >= fade {
        return fade / 2u;
    }
    let x = f32(elapsed) / f32(fade);
    return elapsed - u32(f32(fade) * (x * x * x * (1.0 - 0.5 * x)) + 0.5);
}

fn stay_way(behaviour_state: BehaviourState, before: u32, state: u32, fade: u32, per_metre: u32, ticks: u32) -> u32 {
    let still = faded_ticks(ticks, fade);
    let own = state_way(behaviour_state, state, per_metre, ticks) - state_way(behaviour_state, state, per_metre, still);
    return own + state_way(behaviour_state, before, per_metre, still);
}

// Phase passed up to a moment of a block, and in all of it.
struct BlockWay {
    passed: u32,
    all: u32,
}

fn block_way(group: GroupRow, behaviour_state: BehaviourState, per_metre: u32, local: u32) -> BlockWay {
    let seed = block_seed(behaviour_state, 0u);
    var passed = 0u;
    var all_of_it = 0u;
    var before = find_segment(group, seed, behaviour_state.length, 0xffffffffu).state;
    var at = 0u;
    while at < behaviour_state.length {
        let stay = find_segment(group, seed, behaviour_state.length, at);
        if local >= stay.start {
            let ticks = min(local, stay.end) - stay.start;
            passed = all_of_it + stay_way(behaviour_state, before, stay.state, stay.fade, per_metre, ticks);
        }
        all_of_it += stay_way(behaviour_state, before, stay.state, stay.fade, per_metre, stay.end - stay.start);
        before = stay.state;
        at = stay.end;
    }
    return BlockWay(passed, all_of_it);
}

fn way_since(group: GroupRow, behaviour_state: BehaviourState, per_metre: u32, clock: Clock) -> u32 {
    let now = block(behaviour_state, clock);
    let way = block_way(group, behaviour_state, per_metre, now.local);
    return now.index * select(way.all, HALF_ROUND, group.path > 0u) + way.passed;
}

fn travelled(group: GroupRow, behaviour_state: BehaviourState, per_metre: u32, clock: Clock) -> u32 {
    return way_since(group, behaviour_state, per_metre, clock) - way_since(group, behaviour_state, per_metre, Clock(0u, 0u));
}
