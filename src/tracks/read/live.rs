//! Lines of a table that a running program writes: read one by one, wrong ones skipped.

use crate::tracks::{
    Id, ReadOptions, TextPlace, TrackError, Tracks,
    assemble::{Clocking, Facts, Parts},
    ids::IdTable,
    notes::Problems,
    samples::{SampleRow, SampleTable},
};

use super::{
    Reading, lines,
    table::{self, Table},
};

/// Lines after which the columns of a table are recognised: names, units, one sample.
const HEAD_LINES: usize = 3;

/// A table that grows by lines.
pub(in crate::tracks) struct GrowingTable {
    name: String,
    options: ReadOptions,
    /// First lines, until the columns are known.
    head: Vec<u8>,
    head_lines: usize,
    table: Option<Table>,
    ids: IdTable,
    /// Number of the last line.
    line: u64,
}

/// Outcome of a line.
pub(in crate::tracks) enum Line {
    /// A sample; its agent is the number of the identity.
    Row(SampleRow),
    /// No sample: empty, a comment, a part of the header.
    Nothing,
    /// A wrong line, which is skipped.
    Wrong {
        /// Line and column.
        place: TextPlace,
        /// Problem.
        problem: String,
    },
}

impl GrowingTable {
    pub(in crate::tracks) fn new(name: &str, options: &ReadOptions) -> Self {
        Self {
            name: name.to_owned(),
            options: options.clone(),
            head: Vec::new(),
            head_lines: 0,
            table: None,
            ids: IdTable::default(),
            line: 0,
        }
    }

    /// Takes the next line. Gives the samples of the first lines once the columns are known.
    ///
    /// # Errors
    /// Columns that are not understood.
    pub(in crate::tracks) fn add(&mut self, line: &[u8]) -> Result<Vec<Line>, TrackError> {
        if self.table.is_some() {
            self.line += 1;
            return Ok(vec![self.parse(line)]);
        }
        self.head.extend_from_slice(line.trim_ascii_end());
        self.head.push(b'\n');
        let is_text = line
            .trim_ascii_start()
            .first()
            .is_some_and(|first| !b"#*/".contains(first));
        self.head_lines += usize::from(is_text);
        if self.head_lines < HEAD_LINES {
            return Ok(Vec::new());
        }
        self.begin()
    }

    /// Recognises the columns, at the latest at the end of the stream, and gives the samples so far.
    ///
    /// # Errors
    /// Columns that are not understood; no lines.
    pub(in crate::tracks) fn begin(&mut self) -> Result<Vec<Line>, TrackError> {
        if self.table.is_some() {
            return Ok(Vec::new());
        }
        if self.head_lines == 0 {
            return Err(TrackError::file(&self.name, "empty"));
        }
        let reading = Reading {
            name: &self.name,
            options: &self.options,
        };
        let table = Table::of_head(&reading, &self.head)?;
        self.line = table.layout.lines_before;
        let before = usize::try_from(self.line).unwrap_or(usize::MAX);
        self.table = Some(table);
        let head = std::mem::take(&mut self.head);
        let rows = head.split_inclusive(|byte| *byte == b'\n').skip(before);
        let mut parsed = Vec::new();
        for row in rows {
            self.line += 1;
            parsed.push(self.parse(row));
        }
        Ok(parsed)
    }

    /// Number of the last line.
    pub(in crate::tracks) fn line(&self) -> u64 {
        self.line
    }

    /// Counts a line that is too long to be kept.
    pub(in crate::tracks) fn skip(&mut self) -> Line {
        self.line += 1;
        Line::Wrong {
            place: TextPlace {
                line: self.line,
                column: None,
            },
            problem: "a line of more than 1 MiB is no sample".to_owned(),
        }
    }

    fn parse(&mut self, line: &[u8]) -> Line {
        let Some(table) = &self.table else {
            return Line::Nothing;
        };
        let line = line.trim_ascii();
        if line.is_empty() || table.layout.comment.is_some_and(|mark| line[0] == mark) {
            return Line::Nothing;
        }
        match lines::row(&table.layout, line, self.line, &mut self.ids) {
            Ok(Some(row)) => Line::Row(row),
            Ok(None) => Line::Wrong {
                place: TextPlace {
                    line: self.line,
                    column: None,
                },
                problem: "no finite number".to_owned(),
            },
            Err(wrong) => Line::Wrong {
                place: wrong.place,
                problem: wrong.problem,
            },
        }
    }

    /// Identities in the order of their numbers.
    pub(in crate::tracks) fn ids(&self) -> &[Id] {
        &self.ids.ids
    }

    /// Trajectories of some samples of this table.
    ///
    /// # Errors
    /// No samples; places in another unit than stated.
    pub(in crate::tracks) fn tracks(&self, samples: SampleTable, notes: Vec<String>) -> Result<Tracks, TrackError> {
        let Some(table) = &self.table else {
            return Err(TrackError::file(&self.name, "no samples yet"));
        };
        let clocking = table::clocking(table);
        let parts = Parts {
            samples,
            ids: self.ids.ids.clone(),
            origin: table.layout.origin,
            problems: Problems::default(),
            facts: Facts {
                unit: table.unit,
                notes,
                ..Facts::new(table.format, clocking)
            },
        };
        parts.assemble(&self.name, &self.options)
    }

    /// Seconds in one unit of the samples' times.
    pub(in crate::tracks) fn seconds_per_unit(&self) -> f64 {
        let fps = match self.table.as_ref().map(table::clocking) {
            Some(Clocking::Frames { fps }) => self.options.fps.or(fps),
            _ => None,
        };
        fps.map_or(1.0, f64::recip)
    }
}
