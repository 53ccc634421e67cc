// Position in a clip from turns, by wrap mode. CPU twin: crowd/wrap.rs. Positions are shares of the clip, 0 to 1; WRAP_
// modes are those of StateRow.flags.

import package::shared::clock::{Turns, scale_rate};
import package::shared::hash::unit_fraction;
import package::shared::instance::{Clip, Instance, instance_speed};

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

// Endless playback of one clip by an instance without a behaviour.
struct LoopPlayback {
    // turns per second, 8.24 fixed point
    rate: u32,
    reversed: bool,
    // turns ahead of the scene's clock, times 2^32; turns late if reversed
    phase: u32,
}

fn own_loop(instance: Instance, clip: Clip) -> LoopPlayback {
    let speed = instance_speed(instance);
    let ahead_by = u32(clamp(instance.start, 0.0, 0.99999994) * 16777216.0) << 8u;
    let reversed = speed < 0.0;
    let rate = scale_rate(clip.cycles, u32(abs(speed) * 65536.0 + 0.5));
    return LoopPlayback(rate, reversed, select(ahead_by, 0u - ahead_by, reversed));
}
