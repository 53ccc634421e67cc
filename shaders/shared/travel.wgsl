// Distance that a behaviour's root motion covers along a path, in closed form. CPU twin: crowd/schedule/travel.rs,
// which derives it; equal bit by bit, except during a fade. Distances are phases of the path: a round is 2^32.
// `per_metre` is the share of a round per metre, times 2^32.

import package::shared::person_schedule::{PersonSchedule, block, block_seed, find_segment, state_rate};
import package::shared::clock::{Clock, mul_high, scale_rate, turns_in};
import package::shared::tables::{FLAG_REVERSED, GroupRow, states};

const HALF_ROUND = 0x80000000u;

fn state_pace(person_schedule: PersonSchedule, index: u32, per_metre: u32) -> u32 {
    return mul_high(state_rate(person_schedule, index), scale_rate(per_metre, states[index].stride));
}

fn state_distance(person_schedule: PersonSchedule, index: u32, per_metre: u32, ticks: u32) -> u32 {
    let way = turns_in(ticks, state_pace(person_schedule, index, per_metre)).phase;
    return select(way, 0u - way, (states[index].flags & FLAG_REVERSED) != 0u);
}

fn faded_ticks(elapsed: u32, fade: u32) -> u32 {
    if elapsed >= fade {
        return fade / 2u;
    }
    let x = f32(elapsed) / f32(fade);
    return elapsed - u32(f32(fade) * (x * x * x * (1.0 - 0.5 * x)) + 0.5);
}

fn stay_distance(person_schedule: PersonSchedule, before: u32, state: u32, fade: u32, per_metre: u32, ticks: u32) -> u32 {
    let still = faded_ticks(ticks, fade);
    let own = state_distance(person_schedule, state, per_metre, ticks) - state_distance(person_schedule, state, per_metre, still);
    return own + state_distance(person_schedule, before, per_metre, still);
}

// Phase covered up to a time in a block, and in the whole block.
struct BlockDistance {
    passed: u32,
    all: u32,
}

fn block_distance(group: GroupRow, person_schedule: PersonSchedule, per_metre: u32, local: u32) -> BlockDistance {
    let seed = block_seed(person_schedule, 0u);
    var passed = 0u;
    var all_of_it = 0u;
    var before = find_segment(group, seed, person_schedule.length, 0xffffffffu).state;
    var at = 0u;
    while at < person_schedule.length {
        let stay = find_segment(group, seed, person_schedule.length, at);
        if local >= stay.start {
            let ticks = min(local, stay.end) - stay.start;
            passed = all_of_it + stay_distance(person_schedule, before, stay.state, stay.fade, per_metre, ticks);
        }
        all_of_it += stay_distance(person_schedule, before, stay.state, stay.fade, per_metre, stay.end - stay.start);
        before = stay.state;
        at = stay.end;
    }
    return BlockDistance(passed, all_of_it);
}

fn distance_since(group: GroupRow, person_schedule: PersonSchedule, per_metre: u32, clock: Clock) -> u32 {
    let now = block(person_schedule, clock);
    let way = block_distance(group, person_schedule, per_metre, now.local);
    return now.index * select(way.all, HALF_ROUND, group.path > 0u) + way.passed;
}

fn travelled(group: GroupRow, person_schedule: PersonSchedule, per_metre: u32, clock: Clock) -> u32 {
    return distance_since(group, person_schedule, per_metre, clock) - distance_since(group, person_schedule, per_metre, Clock(0u, 0u));
}
