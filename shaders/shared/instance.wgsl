// Instances as uploaded, and as the animate pass leaves them for this rendered frame.
// Bit layout of an instance: crowd/instance.rs.

import package::shared::clock::scale_rate;

struct Clip {
    first_frame: u32,
    // intervals: the clip has one frame more
    intervals: u32,
    // cycles per second, 8.24 fixed point
    cycles: u32,
}

// How someone outside any behaviour goes through their own clip, for ever.
struct OwnLoop {
    // turns per second, 8.24 fixed point
    rate: u32,
    reversed: bool,
    // turns ahead of the scene's clock, times 2^32; behind it where reversed
    phase: u32,
}

fn own_loop(play: vec4<u32>, clip: Clip) -> OwnLoop {
    let speed = unpack2x16float(play.y).y;
    let ahead_by = u32(clamp(bitcast<f32>(play.z), 0.0, 0.99999994) * 16777216.0) << 8u;
    let reversed = speed < 0.0;
    let rate = scale_rate(clip.cycles, u32(abs(speed) * 65536.0 + 0.5));
    return OwnLoop(rate, reversed, select(ahead_by, 0u - ahead_by, reversed));
}

// Two 16-byte loads per vertex:
//   place: x, y, z f32 | sine of the yaw snorm16, cosine snorm16
//   play:  frames a0 | a1 << 16, frames b0 | b1 << 16,
//          between a0 and a1 unorm16 | between b0 and b1 unorm16 << 16,
//          fade a to b unorm16 | scale f16 << 16; its sign marks heroes (shared/hero.wgsl)
struct Posed {
    place: vec4<u32>,
    play: vec4<u32>,
}

struct Playback {
    a: vec2<u32>,
    b: vec2<u32>,
    // fraction towards the second frame, for a and for b
    between: vec2<f32>,
    // 0: only a, 1: only b
    fade: f32,
}

fn unpack_playback(play: vec4<u32>) -> Playback {
    var p: Playback;
    p.a = vec2<u32>(play.x & 0xffffu, play.x >> 16u);
    p.b = vec2<u32>(play.y & 0xffffu, play.y >> 16u);
    p.between = unpack2x16unorm(play.z);
    p.fade = f32(play.w & 0xffffu) / 65535.0;
    return p;
}

// Heading 0 faces +Z, positive turns towards +X; `turn` is its sine and cosine.
fn turn_yaw(v: vec3<f32>, turn: vec2<f32>) -> vec3<f32> {
    return vec3<f32>(v.x * turn.y + v.z * turn.x, v.y, v.z * turn.y - v.x * turn.x);
}

fn posed_turn(p: Posed) -> vec2<f32> {
    return unpack2x16snorm(p.place.w);
}

fn posed_scale(p: Posed) -> f32 {
    return abs(unpack2x16float(p.play.w).y);
}
