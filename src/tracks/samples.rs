//! Samples of a file, and the headings and values that few files state beside them.
//!
//! Ten million samples of a plain table take no more memory than its text: what most files lack lies in a table of its
//! own, which is empty for them.

use rayon::prelude::*;

use super::{Agent, Tracks};

/// One place of an agent at one time; 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time (s); frames of a file whose rate is unknown.
    pub time: f64,
    /// Index into [`Tracks::agents`].
    pub agent: u32,
    /// Place relative to [`Tracks::origin`] (m).
    pub x: f32,
    /// Place relative to [`Tracks::origin`] (m).
    pub y: f32,
    /// Height of the floor or of the head (m), see [`Tracks::z_is_head`]; NaN if the file has none.
    pub z: f32,
}

/// Heading and value of a sample; 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleExtra {
    /// Heading (radians counter-clockwise from +x); NaN if the file has none.
    pub yaw: f32,
    /// Value of the column that [`ReadOptions::value`](super::ReadOptions::value) names; NaN if none.
    pub value: f32,
}

impl SampleExtra {
    /// Neither heading nor value.
    pub const NONE: Self = Self {
        yaw: f32::NAN,
        value: f32::NAN,
    };

    const fn is_none(self) -> bool {
        self.yaw.is_nan() && self.value.is_nan()
    }
}

/// Row of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SampleRow {
    pub(super) sample: Sample,
    pub(super) extra: SampleExtra,
}

/// Consecutive samples of one agent.
#[derive(Clone, Copy, Debug)]
pub struct SampleRun<'a> {
    /// Samples, ascending in time.
    pub samples: &'a [Sample],
    /// One for each sample; empty if the file states none.
    extras: &'a [SampleExtra],
}

impl<'a> SampleRun<'a> {
    /// Samples without headings and values.
    #[cfg(test)]
    pub(super) const fn plain(samples: &'a [Sample]) -> Self {
        Self { samples, extras: &[] }
    }

    /// Heading and value of a sample.
    #[must_use]
    pub fn extra(&self, at: usize) -> SampleExtra {
        self.extras.get(at).copied().unwrap_or(SampleExtra::NONE)
    }

    /// True if a sample has a heading.
    pub(super) fn has_headings(&self) -> bool {
        self.extras.iter().any(|extra| extra.yaw.is_finite())
    }

    /// Parts between which somebody is absent; `is_apart` compares a sample with the next one.
    pub(super) fn split(
        self,
        is_apart: impl Fn(&Sample, &Sample) -> bool + 'a,
    ) -> impl Iterator<Item = SampleRun<'a>> + 'a {
        let mut rest = self;
        let parts = self.samples.chunk_by(move |a, b| !is_apart(a, b));
        parts.map(move |samples| {
            let (own, after) = rest.extras.split_at(samples.len().min(rest.extras.len()));
            rest.extras = after;
            SampleRun { samples, extras: own }
        })
    }
}

impl Tracks {
    /// Samples of an agent, ascending in time, with headings and values.
    #[must_use]
    pub fn run_of(&self, agent: &Agent) -> SampleRun<'_> {
        SampleRun {
            samples: self.samples_of(agent),
            extras: self.extras.get(agent.samples.clone()).unwrap_or_default(),
        }
    }
}

/// Samples in any order, with their headings and values.
#[derive(Clone, Debug, Default)]
pub(super) struct SampleTable {
    pub(super) rows: Vec<Sample>,
    /// One for each sample, or empty.
    pub(super) extras: Vec<SampleExtra>,
}

impl SampleTable {
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            rows: Vec::with_capacity(count),
            extras: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, row: SampleRow) {
        if !(self.extras.is_empty() && row.extra.is_none()) {
            self.extras.resize(self.rows.len(), SampleExtra::NONE);
            self.extras.push(row.extra);
        }
        self.rows.push(row.sample);
    }

    pub(super) fn append(&mut self, mut other: Self) {
        if !(self.extras.is_empty() && other.extras.is_empty()) {
            self.extras.resize(self.rows.len(), SampleExtra::NONE);
            self.extras.append(&mut other.extras);
            self.extras
                .resize(self.rows.len() + other.rows.len(), SampleExtra::NONE);
        }
        self.rows.append(&mut other.rows);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Drops the first rows.
    pub(super) fn drop_first(&mut self, count: usize) {
        self.rows.drain(..count);
        self.extras.drain(..count.min(self.extras.len()));
    }

    /// Sorts by agent and time. Places take part, so that the result never depends on threads.
    pub(super) fn sort(&mut self) {
        if self.rows.is_sorted_by_key(order) {
            return;
        }
        if self.extras.is_empty() {
            self.rows.par_sort_unstable_by_key(order);
            return;
        }
        let mut sorted: Vec<usize> = (0..self.rows.len()).collect();
        sorted.par_sort_unstable_by_key(|row| (order(&self.rows[*row]), *row));
        self.permute(&mut sorted);
    }

    /// Puts row `sorted[at]` at `at`, along the cycles of the permutation, so that no second table is needed.
    fn permute(&mut self, sorted: &mut [usize]) {
        for start in 0..sorted.len() {
            let mut at = start;
            while sorted[at] != start {
                let from = sorted[at];
                self.rows.swap(at, from);
                self.extras.swap(at, from);
                sorted[at] = at;
                at = from;
            }
            sorted[at] = at;
        }
    }

    /// Keeps the first of neighbours of one agent and time, and calls `found(kept, dropped)` for each other one.
    pub(super) fn drop_doubles(&mut self, mut found: impl FnMut(&Sample, &Sample)) {
        let mut kept = 0;
        for at in 1..self.rows.len() {
            let (last, next) = (self.rows[kept], self.rows[at]);
            if (last.agent, last.time) == (next.agent, next.time) {
                found(&last, &next);
                continue;
            }
            kept += 1;
            self.rows.swap(kept, at);
            if !self.extras.is_empty() {
                self.extras.swap(kept, at);
            }
        }
        let count = self.rows.len().min(kept + 1);
        self.rows.truncate(count);
        self.extras.truncate(count);
    }
}

/// Key by which samples are sorted.
fn order(sample: &Sample) -> (u32, u64, u32, u32) {
    (
        sample.agent,
        ordered(sample.time),
        sample.x.to_bits(),
        sample.y.to_bits(),
    )
}

/// Bits that sort as the number does.
fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(agent: u32, time: f64, yaw: f32) -> SampleRow {
        SampleRow {
            sample: Sample {
                time,
                agent,
                x: time as f32,
                y: 0.0,
                z: f32::NAN,
            },
            extra: SampleExtra { yaw, value: f32::NAN },
        }
    }

    #[test]
    fn a_sample_has_24_bytes_and_a_plain_table_no_extras() {
        assert_eq!((size_of::<Sample>(), size_of::<SampleExtra>()), (24, 8));
        let mut table = SampleTable::default();
        table.push(row(0, 0.0, f32::NAN));
        assert!(table.extras.is_empty());
    }

    #[test]
    fn headings_stay_with_their_samples() {
        let mut table = SampleTable::default();
        // The first rows have no heading; every third row repeats the time of the one before.
        for at in 0..1000_u32 {
            let number = at * 7919 % 1000;
            let (agent, time) = (number % 7, f64::from(number - number % 3 / 2));
            let yaw = if at < 10 {
                f32::NAN
            } else {
                (agent * 1000) as f32 + time as f32
            };
            table.push(row(agent, time, yaw));
        }
        let mut other = SampleTable::default();
        other.push(row(3, 5000.0, f32::NAN));
        table.append(other);
        table.sort();
        assert!(table.rows.is_sorted_by_key(order));
        let mut doubles = 0;
        table.drop_doubles(|_, _| doubles += 1);
        assert_eq!(table.rows.len(), table.extras.len());
        assert_eq!(table.rows.len() + doubles, 1001);
        let wrong = table.rows.iter().zip(&table.extras).filter(|(sample, extra)| {
            extra.yaw.is_finite() && extra.yaw != (sample.agent * 1000) as f32 + sample.time as f32
        });
        assert_eq!(wrong.count(), 0);
        assert!(table.extras.iter().filter(|extra| extra.yaw.is_nan()).count() <= 11);
        table.drop_first(400);
        assert_eq!(table.rows.len(), table.extras.len());
    }

    #[test]
    fn runs_split_with_their_headings() {
        let table = {
            let mut table = SampleTable::default();
            for time in [0.0, 1.0, 9.0, 10.0, 11.0] {
                table.push(row(0, time, time as f32));
            }
            table
        };
        let run = SampleRun {
            samples: &table.rows,
            extras: &table.extras,
        };
        let parts: Vec<Vec<f32>> = run
            .split(|a, b| b.time - a.time > 5.0)
            .map(|part| (0..part.samples.len()).map(|at| part.extra(at).yaw).collect())
            .collect();
        assert_eq!(parts, [vec![0.0, 1.0], vec![9.0, 10.0, 11.0]]);
    }
}
