//! Rows that changed since they were last sent.

use std::ops::Range;

/// Set of changed rows.
#[derive(Clone, Debug, Default)]
pub struct DirtyRows {
    /// A bit for each row: true if it changed.
    words: Vec<u64>,
    /// Changed rows in the order of their first change.
    rows: Vec<u32>,
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
            if *word & bit == 0 {
                *word |= bit;
                self.rows.push(row);
            }
        }
    }

    /// Number of changed rows.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.rows.len()
    }

    /// Changed rows in ascending order; none are changed afterwards.
    pub fn take(&mut self) -> Vec<u32> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        // The next frame changes about as many.
        let next = Vec::with_capacity(self.rows.len());
        let mut rows = std::mem::replace(&mut self.rows, next);
        if !rows.is_sorted() {
            // Costs less than sorting.
            rows.clear();
            self.list_into(&mut rows);
        }
        self.words.fill(0);
        rows
    }

    /// Adds the changed rows in ascending order.
    fn list_into(&self, rows: &mut Vec<u32>) {
        for (number, &word) in (0_u32..).zip(&self.words) {
            let mut left = word;
            while left != 0 {
                rows.push(number * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// Runs of neighbours among rows, which ascend; `None` for more than `most`.
#[must_use]
pub fn runs_of(rows: &[u32], most: usize) -> Option<Vec<Range<u32>>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for &row in rows {
        if let Some(last) = runs.last_mut().filter(|last| last.end == row) {
            last.end += 1;
        } else if runs.len() < most {
            runs.push(row..row + 1);
        } else {
            return None;
        }
    }
    Some(runs)
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
        assert_eq!(marked(200, [130, 7, 7, 64, 130, 199, 900]), [7, 64, 130, 199]);
        assert_eq!(marked(200, [7, 64, 64, 130]), [7, 64, 130]);
        assert!(marked(0, [3]).is_empty());
    }

    #[test]
    fn neighbours_share_a_run_and_nobody_else_is_in_it() {
        assert_eq!(runs_of(&[3, 4, 5, 7, 5000], 3), Some(vec![3..6, 7..8, 5000..5001]));
        assert_eq!(runs_of(&[3, 4, 5, 7, 5000], 2), None);
        assert_eq!(runs_of(&[], 0), Some(Vec::new()));
    }
}
