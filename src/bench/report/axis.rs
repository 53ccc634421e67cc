//! A logarithmic axis with ticks at round numbers, decimal or in powers of two.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Most ticks that an axis shows.
const MOST_TICKS: usize = 9;

/// A logarithmic range of positive values.
pub(super) struct Log {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    label: fn(f64) -> String,
}

impl Log {
    /// Around values, ticks at 1, 2, 5 times powers of ten.
    pub(super) fn decimal(values: impl Iterator<Item = f64>, label: fn(f64) -> String) -> Self {
        let decade = |p: i32| [1.0, 2.0, 5.0].map(|s| s * 10_f64.powi(p));
        Self::around(values, (-12..15).flat_map(decade).collect(), label)
    }

    /// Around values, ticks at powers of two.
    pub(super) fn binary(values: impl Iterator<Item = f64>, label: fn(f64) -> String) -> Self {
        Self::around(values, (0..50).map(|p| 2_f64.powi(p)).collect(), label)
    }

    fn around(values: impl Iterator<Item = f64>, ticks: Vec<f64>, label: fn(f64) -> String) -> Self {
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

    /// Lower end.
    pub(super) fn low(&self) -> f64 {
        self.low
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

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        from + (f64::from(to - from) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let visible = self
            .ticks
            .iter()
            .copied()
            .filter(|t| (self.low..=self.high).contains(t));
        let visible: Vec<f64> = visible.collect();
        if visible.len() <= MOST_TICKS {
            return visible;
        }
        // Every third decimal tick is a power of ten; of the binary ones any third will do.
        let power = |t: &f64| t.log10().fract().abs() < 1e-9;
        let tens: Vec<f64> = visible.iter().copied().filter(power).collect();
        if tens.len() > 1 {
            tens
        } else {
            visible.into_iter().step_by(3).collect()
        }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}
