// From turns to a position within a clip. CPU twin: crowd::wrap.

import package::shared::clock::Turns;
import package::shared::hash::unit_fraction;

const WRAP_LOOP = 0u;
const WRAP_ONCE = 1u;
const WRAP_PING_PONG = 2u;
const WRAP_CLAMP = 3u;

fn is_endless(wrap: u32) -> bool {
    return wrap == WRAP_LOOP || wrap == WRAP_PING_PONG;
}

fn clip_position(t: Turns, wrap: u32, reversed: bool) -> f32 {
    let at = unit_fraction(t.phase);
    if wrap == WRAP_CLAMP && reversed {
        return 0.0;
    }
    var forward = at;
    if t.whole > 0u && (wrap == WRAP_ONCE || wrap == WRAP_CLAMP) {
        forward = 1.0;
    } else if wrap == WRAP_PING_PONG && (t.whole & 1u) == 1u {
        forward = 1.0 - at;
    }
    return select(forward, 1.0 - forward, reversed);
}
