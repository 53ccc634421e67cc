//! Rows that changed since they were last sent, gathered into few ranges.

use std::ops::Range;

/// Unchanged rows between two changed ones that are sent along: a range of its own costs more.
const GAP: u32 = 32;
/// Ranges at most; further ones merge with their neighbours.
const MOST_RANGES: usize = 64;

/// Set of changed rows.
#[derive(Clone, Debug, Default)]
pub struct DirtyRows {
    words: Vec<u64>,
    /// Number of changed rows.
    count: usize,
}

impl DirtyRows {
    /// Adds unchanged rows up to a number of them.
    pub fn grow(&mut self, capacity: u32) {
        self.words.resize(capacity.div_ceil(64) as usize, 0);
    }

    /// Marks a row as changed.
    pub fn mark(&mut self, row: u32) {
        if let Some(word) = self.words.get_mut(row as usize / 64) {
            let bit = 1 << (row % 64);
            self.count += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Number of changed rows.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Changed rows in ascending order; none are changed afterwards.
    pub fn take(&mut self) -> Vec<u32> {
        let mut rows = Vec::with_capacity(self.count);
        if self.count > 0 {
            for (number, word) in (0_u32..).zip(&mut self.words) {
                let mut left = std::mem::take(word);
                while left != 0 {
                    rows.push(number * 64 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
            self.count = 0;
        }
        rows
    }
}

/// Ranges that hold all rows, which ascend: few of them, and few rows besides.
#[must_use]
pub fn ranges_of(rows: &[u32]) -> Vec<Range<u32>> {
    let mut gap = GAP;
    let mut ranges = merged(rows.iter().map(|&row| row..row + 1), gap);
    while ranges.len() > MOST_RANGES {
        gap = gap.saturating_mul(2);
        ranges = merged(ranges.into_iter(), gap);
    }
    ranges
}

/// Ranges with at most `gap` rows between neighbours merged.
fn merged(ranges: impl Iterator<Item = Range<u32>>, gap: u32) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match found.last_mut() {
            Some(last) if range.start - last.end <= gap => last.end = range.end,
            _ => found.push(range),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(capacity: u32, rows: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut dirty = DirtyRows::default();
        dirty.grow(capacity);
        rows.into_iter().for_each(|row| dirty.mark(row));
        let count = dirty.count();
        let rows = dirty.take();
        assert_eq!((rows.len(), dirty.count(), dirty.take().len()), (count, 0, 0));
        rows
    }

    #[test]
    fn rows_are_given_once_in_order() {
        assert_eq!(marked(200, [130, 7, 7, 64, 199, 900]), [7, 64, 130, 199]);
        assert!(marked(0, [3]).is_empty());
    }

    #[test]
    fn near_rows_share_a_range_and_far_rows_do_not() {
        assert_eq!(ranges_of(&[3, 4, 30, 100, 5000]), [3..31, 100..101, 5000..5001]);
        assert!(ranges_of(&[]).is_empty());
    }

    #[test]
    fn ranges_stay_few_and_hold_every_row() {
        for step in [1_u32, 10, 33, 40, 1000] {
            let rows: Vec<u32> = (0..100_000).step_by(step as usize).collect();
            let ranges = ranges_of(&rows);
            assert!(ranges.len() <= MOST_RANGES, "{step}: {}", ranges.len());
            assert!(rows.iter().all(|row| ranges.iter().any(|range| range.contains(row))));
        }
    }
}
