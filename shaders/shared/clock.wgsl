// Fixed-point time: the phase of a clip after days is as exact as after a second. CPU twin: crowd/clock.rs, bit by bit.
// A tick is 1/65536 s and a turn one pass through a clip. Rates are turns per second times 2^24.

/// Time since the scene's start.
struct Clock { // shared with Rust, ordered
    /// Whole part of the time (s).
    seconds: u32,
    /// Fraction of the time (1/65536 s), `0..65536`.
    ticks: u32,
}

// Whole turns, and the fraction of the present turn times 2^32.
struct Turns {
    whole: u32,
    phase: u32,
}

// Quotient and remainder of a time by a length in ticks.
struct Division {
    index: u32,
    local: u32,
}

// A 64-bit integer.
struct Wide {
    high: u32,
    low: u32,
}

// 64-bit product of two words, from 16-bit halves.
fn mul_wide(a: u32, b: u32) -> Wide {
    let a_high = a >> 16u;
    let a_low = a & 0xffffu;
    let b_high = b >> 16u;
    let b_low = b & 0xffffu;
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16u);
    let middle_low = (middle & 0xffffu) + a_low * b_high;
    let high = a_high * b_high + (middle >> 16u) + (middle_low >> 16u);
    return Wide(high, (middle_low << 16u) | (low & 0xffffu));
}

fn mul_high(a: u32, b: u32) -> u32 {
    return mul_wide(a, b).high;
}

fn scale_rate(rate: u32, factor: u32) -> u32 {
    let product = mul_wide(rate, factor);
    if product.high > 0xffffu {
        return 0xffffffffu;
    }
    return (product.high << 16u) | (product.low >> 16u);
}

fn later(clock: Clock, ticks: u32) -> Clock {
    let sum = clock.ticks + (ticks & 0xffffu);
    return Clock(clock.seconds + (ticks >> 16u) + (sum >> 16u), sum & 0xffffu);
}

fn turns(clock: Clock, rate: u32) -> Turns {
    let product = mul_wide(clock.seconds, rate);
    let sum = product.low + mul_high(clock.ticks << 16u, rate);
    let carry = select(0u, 1u, sum < product.low);
    return Turns(((product.high + carry) << 8u) | (sum >> 24u), sum << 8u);
}

fn turns_in(ticks: u32, rate: u32) -> Turns {
    return turns(Clock(ticks >> 16u, ticks & 0xffffu), rate);
}

fn ahead(t: Turns, phase: u32) -> Turns {
    let sum = t.phase + phase;
    return Turns(t.whole + select(0u, 1u, sum < phase), sum);
}

// Long division of 48 by 31 bits, one bit at a time.
fn divide(clock: Clock, length: u32) -> Division {
    var index = clock.seconds / length;
    var local = clock.seconds % length;
    for (var bit = 16u; bit > 0u; bit--) {
        local = (local << 1u) | ((clock.ticks >> (bit - 1u)) & 1u);
        index <<= 1u;
        if local >= length {
            local -= length;
            index |= 1u;
        }
    }
    return Division(index, local);
}
