//! Worst value and 99th percentile of very many samples in little memory: a histogram with logarithmic buckets.

/// Buckets per doubling: a percentile is at most `2^(1/16) - 1`, 4.4 %, too high.
const PER_OCTAVE: f32 = 16.0;
/// Exponent of the smallest bucket: values below `2^-40` count as zero.
const LOWEST: f32 = -40.0;
const BUCKETS: usize = 60 * PER_OCTAVE as usize;

/// Histogram of errors that remembers the place of the worst one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorHistogram {
    /// Empty until something is added.
    counts: Vec<u64>,
    worst: f32,
    at: Option<ErrorSample>,
}

/// Where an error was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ErrorSample {
    /// Index into the list of poses.
    pub pose: usize,
    /// Index into the mesh's vertices.
    pub vertex: usize,
}

impl ErrorHistogram {
    /// Adds one error; not-a-number counts as infinite.
    pub(super) fn add(&mut self, value: f32, at: ErrorSample) {
        let value = if value.is_nan() { f32::INFINITY } else { value };
        // Casts saturate: zero falls into the first bucket, infinity into the last.
        if self.counts.is_empty() {
            self.counts = vec![0; BUCKETS];
        }
        let bucket = ((value.log2() - LOWEST) * PER_OCTAVE) as usize;
        self.counts[bucket.min(BUCKETS - 1)] += 1;
        if value > self.worst {
            self.worst = value;
            self.at = Some(at);
        }
    }

    /// Sum of both histograms.
    pub(super) fn merge(mut self, other: Self) -> Self {
        if self.counts.is_empty() {
            return other;
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        if other.worst > self.worst {
            (self.worst, self.at) = (other.worst, other.at);
        }
        self
    }

    /// Largest error and its place.
    pub(super) fn worst(&self) -> (f32, Option<ErrorSample>) {
        (self.worst, self.at)
    }

    /// Error that 99 of 100 samples do not exceed, rounded up to its bucket.
    pub(super) fn p99(&self) -> f32 {
        let total: u64 = self.counts.iter().sum();
        let mut left = total - total / 100;
        for (bucket, &count) in self.counts.iter().enumerate() {
            left = left.saturating_sub(count);
            if left == 0 {
                let edge = ((bucket + 1) as f32 / PER_OCTAVE + LOWEST).exp2();
                return if bucket == 0 { 0.0 } else { edge.min(self.worst) };
            }
        }
        self.worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_and_worst() {
        let mut spread = ErrorHistogram::default();
        for i in 1..=1000_usize {
            spread.add(i as f32 / 1000.0, ErrorSample { pose: 0, vertex: i });
        }
        assert!((0.99..0.99 * 1.05).contains(&spread.p99()), "{}", spread.p99());
        assert_eq!(spread.worst(), (1.0, Some(ErrorSample { pose: 0, vertex: 1000 })));
        let merged = spread.clone().merge(spread);
        assert!((0.99..0.99 * 1.05).contains(&merged.p99()));
        assert_eq!(ErrorHistogram::default().p99(), 0.0);
    }
}
