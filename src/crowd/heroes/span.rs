//! Span of time with faded ends.

/// Span of time with a weight. It rises to 1 over `fade` seconds from `from` on and falls to 0 over as many from
/// `until` on. Both fades are smoothsteps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FadeSpan {
    /// Start of the span, since the scene's start (s).
    pub from: f64,
    /// End of the span (s); infinity: never ends.
    pub until: f64,
    /// Length of the fades (s), 0 or more; 0 switches at once.
    pub fade: f32,
}

impl FadeSpan {
    /// Span from a time on, without end.
    #[must_use]
    pub const fn starting(seconds: f64, fade: f32) -> Self {
        Self {
            from: seconds,
            until: f64::INFINITY,
            fade,
        }
    }

    /// Weight at a time, `0.0..=1.0`. It and its slope are continuous for any order of the ends: a fall during the rise
    /// continues from the value reached.
    #[must_use]
    pub fn weight(&self, seconds: f64) -> f32 {
        let risen = smooth(self.part(seconds - self.from));
        risen * (1.0 - smooth(self.part(seconds - self.until)))
    }

    /// Largest slope of the weight (1/s): that of a smoothstep at its centre, twice as much where rise and fall
    /// overlap.
    #[must_use]
    pub fn steepest(&self) -> f32 {
        let overlap = if self.until - self.from < f64::from(self.fade) {
            2.0
        } else {
            1.0
        };
        1.5 * overlap / self.fade.max(f32::MIN_POSITIVE)
    }

    /// Span that ends at a time, unless it ended before.
    #[must_use]
    pub const fn ended(self, seconds: f64) -> Self {
        Self {
            until: self.until.min(seconds),
            ..self
        }
    }

    /// Endless span with this one's weight at a time: a falling weight rises again without a jump.
    #[must_use]
    pub fn resumed(self, seconds: f64) -> Self {
        let part = unsmooth(self.weight(seconds));
        Self::starting(seconds - f64::from(part * self.fade), self.fade)
    }

    /// True before and after the span, where the weight is 0.
    #[must_use]
    pub fn is_off(&self, seconds: f64) -> bool {
        self.weight(seconds) <= 0.0
    }

    fn part(&self, elapsed: f64) -> f32 {
        if self.fade > 0.0 {
            (elapsed / f64::from(self.fade)).clamp(0.0, 1.0) as f32
        } else {
            f32::from(elapsed >= 0.0)
        }
    }
}

/// Smoothstep, as [`fade_weight`](crate::crowd::schedule::fade_weight).
fn smooth(x: f32) -> f32 {
    x * x * (3.0 - 2.0 * x)
}

/// Inverse of [`smooth`] on `0.0..=1.0`.
fn unsmooth(y: f32) -> f32 {
    0.5 - ((1.0 - 2.0 * y.clamp(0.0, 1.0)).asin() / 3.0).sin()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_never_jump(from in 0.0..100.0_f64, long in 0.0..3.0_f64, fade in 0.05..2.0_f32, at in -1.0..6.0_f64) {
            let span = FadeSpan { from, until: from + long, fade };
            let step = 1.0 / 240.0;
            let change = (span.weight(from + at + step) - span.weight(from + at)).abs();
            prop_assert!(change <= span.steepest() * step as f32 * 1.01 + 1e-5, "{change} {}", span.steepest());
            prop_assert!((0.0..=1.0).contains(&span.weight(from + at)));
        }

        #[test]
        fn resuming_keeps_the_weight(fade in 0.05..2.0_f32, at in 0.0..1.0_f64) {
            let span = FadeSpan::starting(4.0, fade).ended(7.0);
            let now = 7.0 + at * f64::from(fade);
            let again = span.resumed(now);
            prop_assert!((again.weight(now) - span.weight(now)).abs() < 1e-3);
            prop_assert_eq!(again.weight(now + 5.0), 1.0);
        }
    }

    #[test]
    fn a_span_rises_holds_and_falls() {
        let span = FadeSpan {
            from: 1.0,
            until: 3.0,
            fade: 0.5,
        };
        let at = [0.9, 1.0, 1.25, 1.5, 3.0, 3.25, 3.5, 9.0].map(|t| span.weight(t));
        assert_eq!(at, [0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]);
        let hard = FadeSpan { fade: 0.0, ..span };
        assert_eq!([0.99, 1.0, 2.99, 3.0].map(|t| hard.weight(t)), [0.0, 1.0, 1.0, 0.0]);
        assert!(span.is_off(0.5) && !span.is_off(2.0));
    }
}
