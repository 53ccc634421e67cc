// State of an actor at any time, as a pure function of its rows. CPU twin: crowd/actors/actor_state.rs. Rows may hold
// anything, since hosts write them: ranges are tested on the bits, for which no NaN is special.

import package::shared::actor_rows::{
    ACTOR_ALIVE, FADE_UNIT, FadeRow, MOST_PLAYBACKS, MotionRow, PLAYS_ONCE, PlayRow, PlaybackRow,
};
import package::shared::clock::{Clock, scale_rate, turns};
import package::shared::hash::unit_fraction;
import package::shared::instance::Clip;
import package::shared::motion_plan::clips;
import package::shared::person_schedule::{ClipTime, fade_weight};

@group(2) @binding(3) var<storage, read> motions: array<MotionRow>;
@group(2) @binding(4) var<storage, read> plays: array<PlayRow>;

// Bits of the largest coordinate, 1e6 m, and of the largest heading, 64 rad.
const FARTHEST_BITS = 0x49742400u;
const LARGEST_YAW_BITS = 0x42800000u;
// Exponents of both speeds of a playback: all ones in one of them is no number.
const SPEED_EXPONENT = 0x7c00u; // shader only
const TURN = 6.28318531f;

// Place of an actor: ground point between the feet (m), heading (rad about +Y).
struct ActorPlace {
    position: vec3<f32>,
    yaw: f32,
}

// Up to three clips that are blended: `b` over `a` by `fade`, then `c` over both by `third`.
struct ActorBlend {
    a: ClipTime,
    b: ClipTime,
    c: ClipTime,
    fade: f32,
    third: f32,
}

fn is_before(a: Clock, b: Clock) -> bool {
    return a.seconds < b.seconds || (a.seconds == b.seconds && a.ticks < b.ticks);
}

fn ticks_since(start: Clock, now: Clock) -> u32 {
    if is_before(now, start) {
        return 0u;
    }
    let seconds = now.seconds - start.seconds;
    if seconds >= 65535u {
        return 0xffffffffu;
    }
    return (seconds << 16u) + now.ticks - start.ticks;
}

fn time_between(start: Clock, now: Clock) -> Clock {
    let borrow = select(0u, 1u, now.ticks < start.ticks);
    return Clock(now.seconds - start.seconds - borrow, (now.ticks - start.ticks) & 0xffffu);
}

fn short_turn(angle: f32) -> f32 {
    return angle - TURN * floor(angle / TURN + 0.5);
}

fn motion_at(row: MotionRow, now: Clock) -> ActorPlace {
    let elapsed = ticks_since(Clock(row.seconds, row.ticks & 0xffffu), now);
    if elapsed >= row.span {
        return ActorPlace(row.end_position, row.end_yaw);
    }
    let share = f32(elapsed) / f32(row.span);
    return ActorPlace(
        row.start_position + (row.end_position - row.start_position) * share,
        row.start_yaw + short_turn(row.end_yaw - row.start_yaw) * share,
    );
}

// `cycles` is the clip's rate at speed 1 (turns per second times 2^24).
fn playback_position(row: PlaybackRow, cycles: u32, now: Clock) -> f32 {
    let anchor = Clock(row.seconds, row.clip_ticks >> 16u);
    let after = !is_before(now, anchor);
    var elapsed = time_between(anchor, now);
    var speed = unpack2x16float(row.speeds).y;
    if !after {
        elapsed = time_between(now, anchor);
        speed = unpack2x16float(row.speeds).x;
    }
    let turned = turns(elapsed, scale_rate(cycles, u32(abs(speed) * 65536.0 + 0.5)));
    let phase = row.phase & 0xffffff00u;
    let once = (row.phase & PLAYS_ONCE) != 0u;
    if after == (speed >= 0.0) {
        let sum = phase + turned.phase;
        return select(unit_fraction(sum), 1.0, once && (turned.whole > 0u || sum < phase));
    }
    return select(unit_fraction(phase - turned.phase), 0.0, once && (turned.whole > 0u || turned.phase > phase));
}

fn weight_at(fade: FadeRow, now: Clock) -> f32 {
    let start = Clock(fade.seconds, fade.ticks_span & 0xffffu);
    if is_before(now, start) {
        return 0.0;
    }
    return fade_weight(ticks_since(start, now), (fade.ticks_span >> 16u) * FADE_UNIT);
}

fn first_playback(slot: u32, now: Clock) -> u32 {
    var first = 0u;
    for (var playback = 1u; playback < min(plays[slot].count, MOST_PLAYBACKS); playback++) {
        if weight_at(plays[slot].fades[playback - 1u], now) >= 1.0 {
            first = playback;
        }
    }
    return first;
}

fn clip_at(slot: u32, playback: u32, now: Clock) -> ClipTime {
    let row = plays[slot].playbacks[min(playback, MOST_PLAYBACKS - 1u)];
    let clip = min(row.clip_ticks & 0xffffu, arrayLength(&clips) - 1u);
    return ClipTime(clip, playback_position(row, clips[clip].cycles, now));
}

fn blend_at(slot: u32, now: Clock) -> ActorBlend {
    let first = first_playback(slot, now);
    let count = plays[slot].count;
    let a = clip_at(slot, first, now);
    var blend = ActorBlend(a, a, a, 0.0, 0.0);
    if first + 1u < count {
        blend.fade = weight_at(plays[slot].fades[first], now);
    }
    if first + 2u < count {
        blend.third = weight_at(plays[slot].fades[first + 1u], now);
    }
    if blend.fade > 0.0 {
        blend.b = clip_at(slot, first + 1u, now);
    }
    if blend.third > 0.0 {
        blend.c = clip_at(slot, first + 2u, now);
    }
    return blend;
}

fn magnitude_bits(v: vec3<f32>) -> u32 {
    let bits = bitcast<vec3<u32>>(v) & vec3<u32>(0x7fffffffu);
    return max(bits.x, max(bits.y, bits.z));
}

fn is_in_world(row: MotionRow) -> bool {
    let farthest = max(magnitude_bits(row.start_position), magnitude_bits(row.end_position));
    let yaw = magnitude_bits(vec3<f32>(row.start_yaw, row.end_yaw, 0.0));
    return row.mark == ACTOR_ALIVE && farthest <= FARTHEST_BITS && yaw <= LARGEST_YAW_BITS;
}

// True if a playback is of a clip that the character has, at finite speeds.
fn is_playback(row: PlaybackRow, clip_count: u32) -> bool {
    let exponents = vec2<u32>(row.speeds, row.speeds >> 16u) & vec2<u32>(SPEED_EXPONENT);
    return (row.clip_ticks & 0xffffu) < clip_count && all(exponents != vec2<u32>(SPEED_EXPONENT));
}

// True if a slot holds an actor whose rows can be drawn.
fn is_actor(slot: u32, clip_count: u32) -> bool {
    let count = plays[slot].count;
    if count == 0u || count > MOST_PLAYBACKS || !is_in_world(motions[slot]) {
        return false;
    }
    for (var playback = 0u; playback < count; playback++) {
        if !is_playback(plays[slot].playbacks[playback], clip_count) {
            return false;
        }
    }
    return true;
}
