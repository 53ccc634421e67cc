// Events of all instances within an interval of time, written to a bounded list. CPU twins: crowd/events.rs and
// crowd/marks.rs, bit by bit. Times count ticks from the interval's start, so that 32 bits suffice.

import package::shared::character::character;
import package::shared::clock::{Clock, Turns, ahead, later, turns, turns_in};
import package::shared::hash::hash;
import package::shared::instance::{Clip, Instance, instance_clip, instance_group_id, instance_place};
import package::shared::wrap::{WRAP_CLAMP, WRAP_LOOP, WRAP_ONCE, is_endless, own_loop};
import package::shared::person_schedule::{
    PersonSchedule, STREAM_OWN, STREAM_PHASE, block, block_seed, find_segment, behaviour_of, state_rate,
};
import package::shared::tables::{FLAG_REVERSED, FLAG_WRAP_MASK, groups, states};

/// Head of the list of events; rows follow it in the shader's struct.
struct EventList { // shared with Rust as EventHead
    /// Number of events found, including those that did not fit.
    count: atomic<u32>,
    /// Start of the interval (since, since + span], whole seconds (s).
    since_seconds: u32,
    /// Start of the interval, fraction (1/65536 s).
    since_ticks: u32,
    /// Length of the interval (1/65536 s).
    span: u32,
    items: array<EventRow>,
}

/// Entry of the list of events.
struct EventRow { // shared with Rust
    /// Index among the character's instances.
    instance: u32,
    /// Clip in the low 16 bits, name in the high 16.
    clip_name: u32,
    /// Time of the event, whole seconds (s).
    seconds: u32,
    /// Time of the event, fraction (1/65536 s).
    ticks: u32,
}

/// Row of the table of events: first a row per clip, then all events of all clips.
struct MarkRow { // shared with Rust
    /// First event of a clip in this table; name of an event.
    first_or_name: u32,
    /// Number of events of a clip; position of an event in its clip, times 2^32.
    count_or_position: u32,
}

struct ClipTrack {
    clip: u32,
    rate: u32,
    wrap: u32,
    reversed: bool,
    phase: u32,
    // ticks from the interval's start to the clip's start; may be negative
    begun: i32,
}

@group(1) @binding(3) var<storage, read> clips: array<Clip>;
@group(2) @binding(0) var<storage, read> instances: array<Instance>;
@group(2) @binding(1) var<storage, read> marks: array<MarkRow>;
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

fn since() -> Clock {
    return Clock(found.since_seconds, found.since_ticks);
}

// Number of times the track passed `position` up to `at` ticks after the interval's start.
fn passed(track: ClipTrack, at: i32, position: u32) -> u32 {
    if is_endless(track.wrap) {
        let turned = ahead(turns(later(since(), u32(at)), track.rate), track.phase);
        return passes(turned, position, track.wrap, track.reversed);
    }
    if at < track.begun {
        return 0u;
    }
    return passes(turns_in(u32(at - track.begun), track.rate), position, track.wrap, track.reversed);
}

fn append(instance: u32, track: ClipTrack, name: u32, at: i32) {
    let slot = atomicAdd(&found.count, 1u);
    if slot < arrayLength(&found.items) {
        let clock = later(since(), u32(at));
        found.items[slot] = EventRow(instance, track.clip | (name << 16u), clock.seconds, clock.ticks);
    }
}

// Appends the events in ticks (start, until]; a binary search finds each tick.
fn events_between(instance: u32, track: ClipTrack, start: i32, until: i32) {
    let clip = marks[track.clip];
    for (var i = clip.first_or_name; i < clip.first_or_name + clip.count_or_position; i++) {
        let name = marks[i].first_or_name;
        let position = marks[i].count_or_position;
        let before = passed(track, start, position);
        let count = passed(track, until, position) - before;
        for (var number = 1u; number <= count; number++) {
            var low = start;
            var high = until;
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if passed(track, middle, position) - before >= number {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            append(instance, track, name, high);
        }
    }
}

fn state_track(person_schedule: PersonSchedule, index: u32, begun: i32) -> ClipTrack {
    let state = states[index];
    return ClipTrack(
        state.clip,
        state_rate(person_schedule, index),
        state.flags & FLAG_WRAP_MASK,
        (state.flags & FLAG_REVERSED) != 0u,
        hash(person_schedule.seed, index, STREAM_PHASE),
        begun,
    );
}

fn own_track(instance: Instance) -> ClipTrack {
    let index = min(instance_clip(instance), character.clip_count - 1u);
    let own = own_loop(instance, clips[index]);
    return ClipTrack(index, own.rate, WRAP_LOOP, own.reversed, own.phase, 0);
}

@compute @workgroup_size(64)
fn events(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let index = id.x + id.y * workgroups.x * 64u;
    if index >= character.instance_count {
        return;
    }
    let instance = instances[index];
    let span = i32(found.span);
    let group_index = instance_group_id(instance);
    var behaves = group_index < character.group_count;
    if behaves {
        behaves = groups[group_index].state_count > 0u;
    }
    if !behaves {
        let track = own_track(instance);
        if clips[track.clip].cycles > 0u {
            events_between(index, track, 0, span);
        }
        return;
    }
    let group = groups[group_index];
    let person_schedule = behaviour_of(group, hash(character.seed, index, STREAM_OWN), instance_place(instance));
    let first_block = block(person_schedule, since());
    var begin = -i32(first_block.local);
    for (var number = first_block.index; begin <= span; number++) {
        let seed = block_seed(person_schedule, number);
        var local = 0u;
        while local < person_schedule.length {
            let stay = find_segment(group, seed, person_schedule.length, local);
            let start = begin + i32(stay.start);
            let first = max(0, start - 1);
            let last = min(span, begin + i32(stay.end) - 1);
            if first < last {
                events_between(index, state_track(person_schedule, stay.state, start), first, last);
            }
            local = stay.end;
        }
        begin += i32(person_schedule.length);
    }
}
