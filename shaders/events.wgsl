// Which events fall into a stretch of time, for every instance, into a bounded list. CPU twin:
// crowd::events and crowd::marks, bit by bit. Moments are counted in ticks from the stretch's
// start, so that 32 bits hold them.

import package::shared::character::character;
import package::shared::clock::{ahead, divide, later, turns, turns_in, Turns};
import package::shared::hash::hash;
import package::shared::instance::{Clip, own_loop};
import package::shared::wrap::{WRAP_CLAMP, WRAP_LOOP, WRAP_ONCE, is_endless};
import package::shared::behaviour::{Actor, FLAG_REVERSED, FLAG_WRAP_MASK, STREAM_PHASE, block_seed, find_segment,
    groups, make_actor, state_rate, states};

struct EventList {
    // all that were found, those without room included
    count: atomic<u32>,
    // the stretch: (since, since + span], ticks
    since_seconds: u32,
    since_ticks: u32,
    span: u32,
    // instance, clip | name << 16, seconds, ticks
    items: array<vec4<u32>>,
}

struct Track {
    clip: u32,
    rate: u32,
    wrap: u32,
    reversed: bool,
    phase: u32,
    // ticks from the stretch's start, may lie before it
    begun: i32,
}

const EVENT_STREAM_OWN = 9u;

@group(1) @binding(3) var<storage, read> clips: array<Clip>;
@group(2) @binding(0) var<storage, read> instances: array<vec4<u32>>;
// per clip: first mark, number of marks; then the marks: name, position
@group(2) @binding(1) var<storage, read> marks: array<vec2<u32>>;
@group(2) @binding(2) var<storage, read_write> found: EventList;

fn passes(t: Turns, position: u32, wrap: u32, reversed: bool) -> u32 {
    let mirrored = 0u - position;
    let mark = select(position, mirrored, reversed);
    let reached = select(0u, 1u, t.phase >= mark);
    let ended = select(0u, 1u, t.whole > 0u);
    if wrap == WRAP_LOOP {
        return t.whole + reached;
    }
    if wrap == WRAP_ONCE || wrap == WRAP_CLAMP {
        if reversed && wrap == WRAP_CLAMP {
            return 0u;
        }
        if reversed && position == 0u {
            return ended;
        }
        return max(ended, reached);
    }
    if position == 0u {
        let touched = t.whole + select(1u, 0u, reversed);
        return touched / 2u + (touched & 1u);
    }
    let back = ((t.whole & 1u) == 1u) != reversed;
    return t.whole + select(0u, 1u, t.phase >= select(position, mirrored, back));
}

// How often the track had passed a position `at` ticks after the stretch's start.
fn passed(track: Track, at: i32, position: u32) -> u32 {
    if is_endless(track.wrap) {
        let since = vec2<u32>(found.since_seconds, found.since_ticks);
        let turned = ahead(turns(later(since, u32(at)), track.rate), track.phase);
        return passes(turned, position, track.wrap, track.reversed);
    }
    if at < track.begun {
        return 0u;
    }
    return passes(turns_in(u32(at - track.begun), track.rate), position, track.wrap, track.reversed);
}

fn append(instance: u32, track: Track, name: u32, at: i32) {
    let slot = atomicAdd(&found.count, 1u);
    if slot < arrayLength(&found.items) {
        let clock = later(vec2<u32>(found.since_seconds, found.since_ticks), u32(at));
        found.items[slot] = vec4<u32>(instance, track.clip | (name << 16u), clock);
    }
}

// Appends what happens in ticks (from, until].
fn happenings(instance: u32, track: Track, start: i32, until: i32) {
    let range = marks[track.clip];
    for (var i = range.x; i < range.x + range.y; i++) {
        let mark = marks[i];
        let before = passed(track, start, mark.y);
        let count = passed(track, until, mark.y) - before;
        for (var number = 1u; number <= count; number++) {
            var low = start;
            var high = until;
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if passed(track, middle, mark.y) - before >= number {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            append(instance, track, mark.x, high);
        }
    }
}

fn state_track(actor: Actor, index: u32, begun: i32) -> Track {
    let state = states[index];
    return Track(
        state.clip,
        state_rate(actor, index),
        state.flags & FLAG_WRAP_MASK,
        (state.flags & FLAG_REVERSED) != 0u,
        hash(actor.seed, index, STREAM_PHASE),
        begun,
    );
}

fn own_track(play: vec4<u32>) -> Track {
    let index = min(play.y & 0xffffu, character.counts.y - 1u);
    let own = own_loop(play, clips[index]);
    return Track(index, own.rate, WRAP_LOOP, own.reversed, own.phase, 0);
}

@compute @workgroup_size(64)
fn events(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.x + id.y * workgroups.x * 64u;
    if index >= character.counts.w {
        return;
    }
    let play = instances[index * 2u + 1u];
    let span = i32(found.span);
    let group_index = play.w & 0xffffu;
    var behaves = group_index < character.schedule.y;
    if behaves {
        behaves = groups[group_index].state_count > 0u;
    }
    if !behaves {
        let track = own_track(play);
        if clips[track.clip].cycles > 0u {
            happenings(index, track, 0, span);
        }
        return;
    }
    let group = groups[group_index];
    let actor = make_actor(group, hash(character.schedule.x, index, EVENT_STREAM_OWN), play.w & 0xffff0000u);
    let since = vec2<u32>(found.since_seconds, found.since_ticks);
    let block = divide(later(since, actor.shift), actor.length);
    var begin = -i32(block.local);
    for (var number = block.index; begin <= span; number++) {
        let seed = block_seed(actor, number);
        var local = 0u;
        while local < actor.length {
            let stay = find_segment(group, seed, actor.length, local);
            let start = begin + i32(stay.start);
            let first = max(0, start - 1);
            let last = min(span, begin + i32(stay.end) - 1);
            if first < last {
                happenings(index, state_track(actor, stay.state, start), first, last);
            }
            local = stay.end;
        }
        begin += i32(actor.length);
    }
}
