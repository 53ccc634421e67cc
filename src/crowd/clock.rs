//! Fixed-point time, so that a week is as exact as a second.
//!
//! A time is `seconds + ticks / 65536`; a rate is in turns (loops) per second times 2^24. Their product is exact in 64
//! bits, of which whole turns and the phase within one are kept. Only `u32` arithmetic is used. Every function has a
//! shader twin of the same name with bit-equal results. Nothing accumulates from frame to frame.

/// Ticks in a second.
pub const TICKS: u32 = 65_536;
/// One turn per second as a rate.
pub const RATE_ONE: f64 = 16_777_216.0;
/// Highest representable rate (turns per second).
pub const RATE_MAX: f64 = 255.0;

shader_struct!(Clock);

/// Progress of a repeating motion: whole turns and a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turns {
    /// Whole turns, modulo 2^32.
    pub whole: u32,
    /// Fraction of the present turn, times 2^32.
    pub phase: u32,
}

/// Quotient and remainder of a time divided by a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// Number of complete lengths that the time contains.
    pub index: u32,
    /// Ticks into the present length.
    pub local: u32,
}

impl Clock {
    /// Time `seconds` after the start, to the nearest 1/65536 s; 0 for negative or non-finite values.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        let limit = f64::from(u32::MAX);
        let seconds = if seconds.is_finite() {
            seconds.clamp(0.0, limit)
        } else {
            0.0
        };
        Self::from_count((seconds * f64::from(TICKS)).round() as u64)
    }

    /// Time since the start (s).
    #[must_use]
    pub fn to_seconds(self) -> f64 {
        self.count() as f64 / f64::from(TICKS)
    }

    /// Ticks since the start.
    #[must_use]
    pub const fn count(self) -> u64 {
        (self.seconds as u64) << 16 | self.ticks as u64
    }

    /// Time `count` ticks after the start.
    #[must_use]
    pub const fn from_count(count: u64) -> Self {
        Self {
            seconds: (count >> 16) as u32,
            ticks: count as u32 & 0xffff,
        }
    }
}

/// The full 64-bit product as (high, low), from 16-bit halves as a shader must do it.
#[must_use]
pub const fn mul_wide(a: u32, b: u32) -> (u32, u32) {
    let (a_high, a_low) = (a >> 16, a & 0xffff);
    let (b_high, b_low) = (b >> 16, b & 0xffff);
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16);
    let middle_low = (middle & 0xffff) + a_low * b_high;
    let high = a_high * b_high + (middle >> 16) + (middle_low >> 16);
    (high, middle_low << 16 | low & 0xffff)
}

/// `a * b / 2^32`, rounded down: scales `b` by a fraction or draws a number below `b`.
#[must_use]
pub const fn mul_high(a: u32, b: u32) -> u32 {
    mul_wide(a, b).0
}

/// A rate times a factor in units of 1/65536; saturates.
#[must_use]
pub const fn scale_rate(rate: u32, factor: u32) -> u32 {
    let (high, low) = mul_wide(rate, factor);
    if high > 0xffff {
        u32::MAX
    } else {
        high << 16 | low >> 16
    }
}

/// Time `ticks` later.
#[must_use]
pub const fn later(clock: Clock, ticks: u32) -> Clock {
    // Low and high halves apart: the sum may exceed 2^32.
    let sum = clock.ticks + (ticks & 0xffff);
    Clock {
        seconds: clock.seconds.wrapping_add(ticks >> 16).wrapping_add(sum >> 16),
        ticks: sum & 0xffff,
    }
}

/// Turns made by `clock` at `rate`; never decreases as time goes on.
#[must_use]
pub const fn turns(clock: Clock, rate: u32) -> Turns {
    let (high, low) = mul_wide(clock.seconds, rate);
    let rest = mul_wide(clock.ticks << 16, rate).0;
    let sum = low.wrapping_add(rest);
    let carry = (sum < low) as u32;
    Turns {
        whole: (high + carry) << 8 | sum >> 24,
        phase: sum << 8,
    }
}

/// Turns made within `ticks` at `rate`.
#[must_use]
pub const fn turns_in(ticks: u32, rate: u32) -> Turns {
    let clock = Clock {
        seconds: ticks >> 16,
        ticks: ticks & 0xffff,
    };
    turns(clock, rate)
}

/// Turns moved ahead by a fraction of a turn (times 2^32).
#[must_use]
pub const fn ahead(turns: Turns, phase: u32) -> Turns {
    let sum = turns.phase.wrapping_add(phase);
    Turns {
        whole: turns.whole.wrapping_add((sum < phase) as u32),
        phase: sum,
    }
}

/// Divides a time by a `length` in ticks, `1..2^31`: long division of 48 by 31 bits, one bit at a time.
#[must_use]
pub const fn divide(clock: Clock, length: u32) -> Division {
    let mut index = clock.seconds / length;
    let mut local = clock.seconds % length;
    let mut bit = 16;
    while bit > 0 {
        bit -= 1;
        local = local << 1 | (clock.ticks >> bit) & 1;
        index <<= 1;
        if local >= length {
            local -= length;
            index |= 1;
        }
    }
    Division { index, local }
}

/// A fraction times 2^32 as a number in `0.0..1.0`: the top 24 bits, exact in f32.
#[must_use]
pub const fn fraction(phase: u32) -> f32 {
    super::hash::unit_fraction(phase)
}

/// Turns per second as a rate of this module; clamped to the representable range.
#[must_use]
pub fn to_rate(turns_per_second: f64) -> u32 {
    let rate = turns_per_second.clamp(0.0, RATE_MAX) * RATE_ONE;
    if rate.is_finite() { rate.round() as u32 } else { 0 }
}

/// `seconds` in ticks; clamped to the representable range, NaN is 0.
#[must_use]
pub fn to_ticks(seconds: f32) -> u32 {
    (f64::from(seconds) * f64::from(TICKS)).round() as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clock() -> impl Strategy<Value = Clock> {
        // Up to three weeks.
        (0..1_800_000_u32, 0..TICKS).prop_map(|(seconds, ticks)| Clock { seconds, ticks })
    }

    proptest! {
        #[test]
        fn wide_products_are_exact(a: u32, b: u32) {
            let (high, low) = mul_wide(a, b);
            prop_assert_eq!(u64::from(high) << 32 | u64::from(low), u64::from(a) * u64::from(b));
        }

        #[test]
        fn turns_are_exact_to_the_last_bit(clock in clock(), rate in 0..0xff00_0000_u32) {
            let exact = u128::from(clock.seconds) * u128::from(rate)
                + ((u128::from(clock.ticks) * u128::from(rate)) >> 16);
            let turns = turns(clock, rate);
            prop_assert_eq!(turns.whole, (exact >> 24) as u32);
            prop_assert_eq!(turns.phase, (exact as u32) << 8);
        }

        #[test]
        fn turns_never_decrease(clock in clock(), rate in 0..0x1000_0000_u32, step in 0..100_000_u32) {
            prop_assert!(turns(later(clock, step), rate) >= turns(clock, rate));
        }

        #[test]
        fn division_is_exact(clock in clock(), length in 1..0x7fff_ffff_u32) {
            let parts = divide(clock, length);
            prop_assert_eq!(u64::from(parts.index), (clock.count() / u64::from(length)) & 0xffff_ffff);
            prop_assert_eq!(u64::from(parts.local), clock.count() % u64::from(length));
        }

        #[test]
        fn later_adds_ticks(clock in clock(), ticks: u32) {
            prop_assert_eq!(later(clock, ticks).count(), clock.count() + u64::from(ticks));
        }

        #[test]
        fn seconds_round_trip(clock in clock()) {
            prop_assert_eq!(Clock::from_seconds(clock.to_seconds()), clock);
        }
    }

    #[test]
    fn phases_after_a_week_are_exact() {
        let rate = to_rate(1.0 / 1.25);
        let week = turns(Clock::from_seconds(604_800.0 + 0.5), rate);
        let exact = (604_800.5 * f64::from(rate) / RATE_ONE).fract();
        assert!((f64::from(fraction(week.phase)) - exact).abs() < 1e-6);
    }

    #[test]
    fn negative_and_non_finite_times_are_clamped() {
        for odd in [f64::NAN, f64::INFINITY, -3.0] {
            assert_eq!(Clock::from_seconds(odd), Clock::default());
        }
        assert_eq!(to_rate(f64::NAN), 0);
        assert_eq!(to_ticks(f32::NAN), 0);
        assert_eq!(scale_rate(u32::MAX, u32::MAX), u32::MAX);
    }
}
