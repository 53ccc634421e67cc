//! Summaries of repeated measurements of one quantity.

use serde::{Deserialize, Serialize};

/// Summary of repeated measurements, in the unit of the field that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Median.
    pub median: f64,
    /// 95th percentile: 95 of 100 values are at most this.
    pub p95: f64,
    /// Smallest value.
    pub min: f64,
    /// Number of values.
    pub count: u32,
}

impl Summary {
    /// Summarizes finite values; `None` for an empty list.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        // Nearest rank: the smallest value that at least 95 % do not exceed.
        let rank = (count * 95).div_ceil(100).max(1) - 1;
        Some(Self {
            median: middle(&sorted)?,
            p95: *sorted.get(rank)?,
            min: *sorted.first()?,
            count: count as u32,
        })
    }
}

/// Returns the median of finite values, 0 for none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    Summary::of(values).map_or(0.0, |summary| summary.median)
}

/// Returns the median of sorted values: the mean of the two middle ones for an even number.
fn middle(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(0.5 * (upper + sorted.get(sorted.len() / 2 - 1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ranks() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let summary = Summary::of(&values).expect("values");
        assert_eq!(
            (summary.median, summary.p95, summary.min, summary.count),
            (50.5, 95.0, 1.0, 100)
        );
        assert_eq!(Summary::of(&[3.0, 1.0, f64::NAN, 2.0]).expect("values").median, 2.0);
        assert_eq!(Summary::of(&[7.0]).expect("value").p95, 7.0);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!([median(&[4.0, 1.0, 2.0, 3.0]), median(&[])], [2.5, 0.0]);
    }
}
