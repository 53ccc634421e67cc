//! Logarithmic axis with ticks at round numbers, decimal or powers of two.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Fewest and most ticks that an axis shows.
const TICKS: std::ops::RangeInclusive<usize> = 4..=9;
/// Ticks within a decade, from few to many.
const DECADE: [&[f64]; 5] = [
    &[1.0],
    &[1.0, 3.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
];

/// Logarithmic range of positive values.
pub(super) struct Log {
    low: f64,
    high: f64,
    /// Sets of ticks over all magnitudes, from few to many.
    ticks: Vec<Vec<f64>>,
    label: fn(f64) -> String,
}

impl Log {
    /// Makes an axis around values, with ticks at round decimal numbers.
    pub(super) fn decimal(values: impl Iterator<Item = f64>, label: fn(f64) -> String) -> Self {
        let set = |steps: &&[f64]| {
            let decades = (-12..15).map(|p| 10_f64.powi(p));
            decades.flat_map(|ten| steps.iter().map(move |s| s * ten)).collect()
        };
        Self::around(values, DECADE.iter().map(set).collect(), label)
    }

    /// Makes an axis around values, with ticks at powers of two.
    pub(super) fn binary(values: impl Iterator<Item = f64>, label: fn(f64) -> String) -> Self {
        let set = |step: &usize| (0..50).step_by(*step).map(|p| 2_f64.powi(p)).collect();
        Self::around(values, [5, 3, 2, 1].iter().map(set).collect(), label)
    }

    fn around(values: impl Iterator<Item = f64>, ticks: Vec<Vec<f64>>, label: fn(f64) -> String) -> Self {
        let positive = values.filter(|v| *v > 0.0 && v.is_finite());
        let (low, high) = positive.fold((f64::MAX, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = if high > 0.0 {
            (low / 1.6, high * 1.6)
        } else {
            (0.1, 10.0)
        };
        Self {
            low,
            high,
            ticks,
            label,
        }
    }

    /// Moves the ends outwards by factors.
    pub(super) fn widen(self, below: f64, above: f64) -> Self {
        Self {
            low: self.low / below,
            high: self.high * above,
            ..self
        }
    }

    /// Returns the smallest sufficient set of ticks, or round steps for a narrow range.
    fn visible(&self) -> Vec<f64> {
        let within = |set: &Vec<f64>| -> Vec<f64> {
            let inside = set.iter().filter(|t| (self.low..=self.high).contains(*t));
            inside.copied().collect()
        };
        let sets = self.ticks.iter().map(within);
        let enough = sets.into_iter().find(|set| TICKS.contains(&set.len()));
        enough.unwrap_or_else(|| steps(self.low, self.high))
    }
}

impl ValueFormatter<f64> for Log {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

impl Ranged for Log {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limits: (i32, i32)) -> i32 {
        let (from, to) = limits;
        let share = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        from + (f64::from(to - from) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.visible()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

/// Returns multiples of 1, 2 or 5 times a power of ten within a range: of the largest step with enough of them.
fn steps(low: f64, high: f64) -> Vec<f64> {
    let ten = 10_f64.powf((high - low).log10().floor());
    let multiples = |step: f64| -> Vec<f64> {
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        (first..=last).map(|i| i as f64 * step).collect()
    };
    let candidates = [5.0, 2.0, 1.0, 0.5, 0.2, 0.1].map(|s| multiples(s * ten));
    let enough = candidates.into_iter().find(|ticks| ticks.len() >= *TICKS.start());
    enough.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::text::significant;

    #[test]
    fn every_range_has_enough_ticks_and_not_too_many() {
        for (low, high) in [
            (1.0, 1.3),
            (0.95, 2.1),
            (1.0, 20.0),
            (1000.0, 1e6),
            (0.001, 900.0),
            (3.1, 3.2),
        ] {
            let ticks = Log::decimal([low, high].into_iter(), significant).visible();
            assert!(TICKS.contains(&ticks.len()), "{low} to {high}: {ticks:?}");
        }
        for high in [3.0, 60.0, 1e3, 1e6] {
            let ticks = Log::binary([3e5, 3e5 * high].into_iter(), significant).visible();
            assert!(TICKS.contains(&ticks.len()), "up to {high}: {ticks:?}");
        }
    }
}
