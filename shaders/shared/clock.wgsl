// Time as fixed point: the phase of a clip after days is as exact as after a second.
// CPU twin: crowd::clock.

import package::shared::instance::Clip;

// (a * b) >> 16 in 64-bit arithmetic, kept modulo 2^32.
fn multiply_q16(a: u32, b: u32) -> u32 {
    let a_hi = a >> 16u;
    let a_lo = a & 0xffffu;
    let b_hi = b >> 16u;
    let b_lo = b & 0xffffu;
    return ((a_hi * b_hi) << 16u) + a_hi * b_lo + a_lo * b_hi + ((a_lo * b_lo) >> 16u);
}

// Frames into the clip, 0 ..= intervals, at `time` = (whole seconds, 1/65536 s).
fn clip_position(clip: Clip, speed: f32, start_frame: f32, time: vec2<u32>) -> f32 {
    if clip.intervals == 0u {
        return 0.0;
    }
    let intervals = f32(clip.intervals);
    // Speed as 16.16; cycles per second as 8.24.
    let rate = multiply_q16(clip.cycles, u32(abs(speed) * 65536.0 + 0.5));
    let elapsed = time.x * rate + multiply_q16(rate, time.y);
    let cycles = f32(elapsed & 0xffffffu) / 16777216.0;
    let start = start_frame / intervals;
    let phase = fract(select(start + cycles, start - cycles, speed < 0.0));
    return phase * intervals;
}
