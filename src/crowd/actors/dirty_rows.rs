//! Rows that changed since they were last sent.

use std::{fmt::Debug, ops::Range};

use bytemuck::Pod;

use crate::crowd::actors::prefetch::{prefetch, with_ahead};

/// Rows that are gathered before they are handed over: at most 6 KiB.
const BLOCK: usize = 64;

/// Row of the GPU, of which two parts are sent.
pub trait SentRow: Pod {
    /// Words at the front, which differ from row to row.
    type Own: Pod + Debug;
    /// Words after them. Rows that change for one reason often share them: then they are sent once for all.
    type Shared: Pod + PartialEq + Debug;
}

/// Set of changed rows, in the order of their first change. Rows that change once and share what they may are copied at
/// once, so that sending them reads memory in order.
#[derive(Clone, Debug)]
pub(super) struct DirtyRows<R: SentRow> {
    /// A bit for each slot: true if its row changed.
    words: Vec<u64>,
    slots: Vec<u32>,
    /// Copies of the changed rows; as many as slots, or of no use.
    copies: Vec<R::Own>,
    /// Words that all copies share; none before the first.
    shared: Option<R::Shared>,
}

impl<R: SentRow> Default for DirtyRows<R> {
    fn default() -> Self {
        Self {
            words: Vec::new(),
            slots: Vec::new(),
            copies: Vec::new(),
            shared: None,
        }
    }
}

impl<R: SentRow> DirtyRows<R> {
    /// Adds unchanged slots up to a number of them.
    pub(super) fn grow(&mut self, capacity: u32) {
        self.words.resize(capacity.div_ceil(64) as usize, 0);
    }

    /// Adds a slot, to be read when it is sent.
    pub(super) fn mark(&mut self, slot: u32) {
        self.copies.clear();
        self.add(slot);
    }

    /// Adds a slot and a copy of its row, in parts.
    #[inline]
    pub(super) fn mark_copy(&mut self, slot: u32, own: R::Own, shared: R::Shared) {
        let is_copied = self.copies.len() == self.slots.len();
        // A row that changed before has a copy that is out of date.
        let is_usual = self.add(slot) && *self.shared.get_or_insert(shared) == shared;
        match is_usual {
            true if is_copied => self.copies.push(own),
            true => {}
            false => self.copies.clear(),
        }
    }

    /// Changed rows, with the table of all. Slots without copies ascend, so that neighbours are sent in one piece.
    pub(super) fn of<'a>(&'a mut self, table: &'a [R]) -> ChangedRows<'a, R> {
        let is_copied = self.copies.len() == self.slots.len();
        if !is_copied && !self.slots.is_sorted() {
            self.list_again();
        }
        ChangedRows {
            slots: &self.slots,
            copies: self.shared.filter(|_| is_copied).map(|shared| RowCopies {
                own: &self.copies,
                shared,
            }),
            table,
        }
    }

    /// Lists the slots in ascending order, from their bits: that costs less than sorting.
    fn list_again(&mut self) {
        self.slots.clear();
        for (number, &word) in (0_u32..).zip(&self.words) {
            let mut left = word;
            while left != 0 {
                self.slots.push(number * 64 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    /// Forgets all changes, and keeps the memory for the next ones.
    pub(super) fn clear(&mut self) {
        if !self.slots.is_empty() {
            self.words.fill(0);
        }
        self.slots.clear();
        self.copies.clear();
        self.shared = None;
    }

    /// Adds a slot; false if it was there.
    #[inline]
    fn add(&mut self, slot: u32) -> bool {
        let Some(word) = self.words.get_mut(slot as usize / 64) else {
            return false;
        };
        let bit = 1 << (slot % 64);
        let is_new = *word & bit == 0;
        if is_new {
            *word |= bit;
            self.slots.push(slot);
        }
        is_new
    }
}

/// Copies of all changed rows.
#[derive(Clone, Copy, Debug)]
pub struct RowCopies<'a, R: SentRow> {
    /// First words of each.
    pub own: &'a [R::Own],
    /// Further words of all.
    pub shared: R::Shared,
}

/// Changed rows of a table: copies in the order of their first change, or rows in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct ChangedRows<'a, R: SentRow> {
    slots: &'a [u32],
    copies: Option<RowCopies<'a, R>>,
    table: &'a [R],
}

impl<'a, R: SentRow> ChangedRows<'a, R> {
    /// Slots of the rows; none occurs twice.
    #[must_use]
    pub const fn slots(&self) -> &'a [u32] {
        self.slots
    }

    /// Copies of the rows in the order of the slots, if each changed once and all share what they may.
    #[must_use]
    pub const fn copies(&self) -> Option<RowCopies<'a, R>> {
        self.copies
    }

    /// Hands over the rows at some places of [`ChangedRows::slots`], in blocks. A block in the cache keeps reads, which
    /// lie apart, out of the writes to uncached memory.
    pub fn for_blocks(&self, places: Range<usize>, mut write: impl FnMut(&[R])) {
        let slots = &self.slots[places];
        let mut block = [bytemuck::Zeroable::zeroed(); BLOCK];
        let mut pairs = with_ahead(slots);
        for slots in slots.chunks(BLOCK) {
            for (row, (&slot, ahead)) in block.iter_mut().zip(pairs.by_ref().take(slots.len())) {
                if let Some(&ahead) = ahead {
                    prefetch(self.table, ahead as usize);
                }
                *row = self.table[slot as usize];
            }
            write(&block[..slots.len()]);
        }
    }
}

/// Runs of neighbouring slots in a list, at most `most`: their places in it. `None` for more.
#[must_use]
pub fn runs_of(slots: &[u32], most: usize) -> Option<Vec<Range<usize>>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (place, &slot) in slots.iter().enumerate() {
        let is_next = place > 0 && slots[place - 1].checked_add(1) == Some(slot);
        if let Some(last) = runs.last_mut().filter(|_| is_next) {
            last.end += 1;
        } else if runs.len() < most {
            runs.push(place..place + 1);
        } else {
            return None;
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two words: one of its own, and one that others may share.
    type TestRow = [u16; 2];

    impl SentRow for TestRow {
        type Own = u16;
        type Shared = u16;
    }

    /// Table of 200 rows; the first word of each is its slot, plus 1,000 for each change.
    struct Table {
        rows: Vec<TestRow>,
        dirty: DirtyRows<TestRow>,
    }

    impl Table {
        fn new() -> Self {
            let mut dirty = DirtyRows::default();
            dirty.grow(200);
            let rows = (0..200).map(|slot| [slot, 0]).collect();
            Self { rows, dirty }
        }

        fn change(&mut self, slots: &[u32], shared: u16) {
            for &slot in slots {
                let row = &mut self.rows[slot as usize];
                *row = [row[0] + 1000, shared];
                self.dirty.mark_copy(slot, row[0], row[1]);
            }
        }

        /// Checks what is sent: these slots, and the rows of the table; whether they were copied.
        fn check(&mut self, slots: &[u32], is_copied: bool, case: &str) {
            let changed = self.dirty.of(&self.rows);
            assert_eq!(changed.slots(), slots, "{case}");
            let expected: Vec<TestRow> = slots.iter().map(|&slot| self.rows[slot as usize]).collect();
            let mut rows: Vec<TestRow> = Vec::new();
            changed.for_blocks(0..slots.len(), |block| rows.extend(block));
            assert_eq!(rows, expected, "{case}");
            assert_eq!(changed.copies().is_some(), is_copied, "{case}");
            if let Some(copies) = changed.copies() {
                let copied: Vec<TestRow> = copies.own.iter().map(|&own| [own, copies.shared]).collect();
                assert_eq!(copied, expected, "{case}");
            }
        }
    }

    #[test]
    fn rows_are_sent_once_as_they_are() {
        let mut table = Table::new();
        table.check(&[], false, "nothing");
        table.change(&[130, 7, 64], 9);
        table.check(&[130, 7, 64], true, "each once");
        table.change(&[7], 9);
        table.change(&[199], 9);
        table.check(&[7, 64, 130, 199], false, "one twice");
        table.dirty.clear();
        table.check(&[], false, "cleared");
        table.change(&[7], 8);
        table.check(&[7], true, "copied again, with other words");
        table.change(&[5, 6], 7);
        table.check(&[5, 6, 7], false, "words that differ");
        table.dirty.clear();
        table.change(&[7], 0);
        table.dirty.mark(3);
        table.change(&[5], 0);
        table.check(&[3, 5, 7], false, "marked without a copy");
    }

    #[test]
    fn slots_beyond_the_table_are_no_changes() {
        let mut table = Table::new();
        table.dirty.mark_copy(900, 1, 2);
        table.check(&[], false, "beyond");
    }

    #[test]
    fn neighbours_share_a_run_and_nobody_else_is_in_it() {
        assert_eq!(runs_of(&[5000, 3, 4, 5, 7], 3), Some(vec![0..1, 1..4, 4..5]));
        assert_eq!(runs_of(&[3, 4, 5, 7, 5000], 2), None);
        assert_eq!(runs_of(&[5, 4, 3], 2), None);
        assert_eq!(runs_of(&[], 0), Some(Vec::new()));
    }

    #[test]
    fn some_places_are_handed_over_alone() {
        let mut table = Table::new();
        table.change(&(0..150).rev().collect::<Vec<_>>(), 3);
        let mut rows: Vec<TestRow> = Vec::new();
        let changed = table.dirty.of(&table.rows);
        changed.for_blocks(10..110, |block| rows.extend(block));
        let expected: Vec<TestRow> = (10..110).map(|place| table.rows[149 - place]).collect();
        assert_eq!(rows, expected);
    }
}
