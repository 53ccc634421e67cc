//! Lines of a table, parsed by all cores in blocks of a few MiB, so that memory beside the samples stays bounded.

use std::io::{BufRead, Read};

use rayon::prelude::*;

use crate::tracks::{
    Sample, SampleExtra, TextPlace, TrackError,
    ids::{Id, IdTable},
    notes::{Problem, Problems},
    samples::{SampleRow, SampleTable},
};

use super::{
    columns::{Columns, Role},
    fields::Separator,
    number,
};

/// Bytes that one core parses at a time.
const BLOCK: usize = 1 << 20;
/// Longest line (bytes).
const LONGEST_LINE: usize = 1 << 20;

/// Structure of a table.
#[derive(Clone, Debug)]
pub(super) struct LineLayout {
    pub(super) separator: Separator,
    pub(super) columns: Columns,
    /// Lines that begin so are comments.
    pub(super) comment: Option<u8>,
    /// Subtracted from places, in the file's unit.
    pub(super) origin: [f64; 2],
    /// Lines before the first of the table.
    pub(super) lines_before: u64,
}

/// Samples of a text.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) samples: SampleTable,
    pub(super) ids: Vec<Id>,
    pub(super) problems: Problems,
}

/// Wrong field of a line, counted within its block.
pub(super) struct WrongField {
    pub(super) place: TextPlace,
    pub(super) problem: String,
}

/// Samples of one block of lines.
struct LinePart {
    samples: SampleTable,
    ids: Vec<Id>,
    problems: Problems,
    lines: u64,
    error: Option<WrongField>,
}

/// Reads all lines.
///
/// # Errors
/// A line with a field that is no number, or without one; the first in the file.
pub(super) fn read(name: &str, layout: &LineLayout, mut text: Box<dyn BufRead + Send>) -> Result<Rows, TrackError> {
    let (mut rows, mut ids) = (Rows::default(), IdTable::default());
    let mut lines = layout.lines_before;
    let mut buffer = Vec::new();
    let wanted = BLOCK * rayon::current_num_threads().max(1) * 2;
    loop {
        let before = buffer.len();
        let count = text
            .by_ref()
            .take((wanted - before.min(wanted - 1)) as u64)
            .read_to_end(&mut buffer)
            .map_err(|reason| TrackError::io(name, reason))?;
        let is_end = count == 0;
        let complete = if is_end {
            buffer.len()
        } else {
            memchr::memrchr(b'\n', &buffer).map_or(0, |at| at + 1)
        };
        if complete == 0 && buffer.len() > LONGEST_LINE {
            let place = TextPlace {
                line: lines + 1,
                column: None,
            };
            return Err(TrackError::text(name, place, "a line of more than 1 MiB is no sample"));
        }
        let blocks = blocks(&buffer[..complete]);
        let parts: Vec<LinePart> = blocks.par_iter().map(|block| parse(layout, block)).collect();
        for mut part in parts {
            rows.problems.append(&part.problems, lines);
            if let Some(WrongField { place, problem }) = part.error {
                let place = TextPlace {
                    line: place.line + lines,
                    ..place
                };
                // A simulation that was stopped leaves half a line.
                let is_last = is_end && place.line == lines + part.lines && !buffer.ends_with(b"\n");
                if !is_last {
                    return Err(TrackError::text(name, place, problem));
                }
                rows.problems.add(Problem::CutOff, place);
            }
            lines += part.lines;
            let numbers: Vec<u32> = part.ids.into_iter().map(|id| ids.number(id)).collect();
            for sample in &mut part.samples.rows {
                sample.agent = numbers[sample.agent as usize];
            }
            rows.samples.append(part.samples);
        }
        if is_end {
            break;
        }
        buffer.drain(..complete);
    }
    rows.ids = ids.ids;
    Ok(rows)
}

/// Blocks of whole lines.
fn blocks(text: &[u8]) -> Vec<&[u8]> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let least = rest.len().min(BLOCK);
        let end = memchr::memchr(b'\n', &rest[least - 1..]).map_or(rest.len(), |at| least + at);
        let (block, after) = rest.split_at(end);
        blocks.push(block);
        rest = after;
    }
    blocks
}

/// Parses the lines of a block up to the first wrong one.
fn parse(layout: &LineLayout, block: &[u8]) -> LinePart {
    let mut part = LinePart {
        samples: SampleTable::with_capacity(block.len() / 40),
        ids: Vec::new(),
        problems: Problems::default(),
        lines: 0,
        error: None,
    };
    let mut ids = IdTable::default();
    let mut rest = block;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..end].trim_ascii();
        rest = rest.get(end + 1..).unwrap_or_default();
        part.lines += 1;
        if line.is_empty() || layout.comment.is_some_and(|mark| line[0] == mark) {
            continue;
        }
        match row(layout, line, part.lines, &mut ids) {
            Ok(Some(row)) => part.samples.push(row),
            Ok(None) => part.problems.add(
                Problem::NotFinite,
                TextPlace {
                    line: part.lines,
                    column: None,
                },
            ),
            Err(error) => {
                part.error.get_or_insert(error);
                break;
            }
        }
    }
    // Numbers of later lines count from the block's last one.
    part.lines +=
        memchr::memchr_iter(b'\n', rest).count() as u64 + u64::from(!rest.is_empty() && !rest.ends_with(b"\n"));
    part.ids = ids.ids;
    part
}

/// Row of a line; `None` if a number is missing, infinite or NaN.
pub(super) fn row(
    layout: &LineLayout,
    line: &[u8],
    number_of_line: u64,
    ids: &mut IdTable,
) -> Result<Option<SampleRow>, WrongField> {
    let nan = f64::NAN;
    let (mut time, mut place, mut z, mut yaw, mut value) = (nan, [nan; 2], nan, nan, nan);
    let (mut ori, mut id) = ([nan; 2], None);
    let roles = &layout.columns.roles;
    let mut fields = layout.separator.fields(line);
    for (column, role) in (1..).zip(roles) {
        let Some(field) = fields.next() else {
            return Err(WrongField {
                place: TextPlace {
                    line: number_of_line,
                    column: Some(column),
                },
                problem: format!(
                    "the line ends after {}; {} columns were expected",
                    super::table::columns_text(column - 1),
                    roles.len()
                ),
            });
        };
        let Some(role) = role else { continue };
        if *role == Role::Id {
            id = Some(Id::of_field(field));
            continue;
        }
        let number = match number::parse(field) {
            Some(number) => number,
            None if field.is_empty() || *role == Role::Value => nan,
            None => {
                return Err(WrongField {
                    place: TextPlace {
                        line: number_of_line,
                        column: Some(column),
                    },
                    problem: format!("{:?} is not a number", shorten(field)),
                });
            }
        };
        match role {
            Role::Time => time = number,
            Role::Frame => time = number,
            Role::X => place[0] = number,
            Role::Y => place[1] = number,
            Role::Z => z = number,
            Role::Yaw => yaw = number,
            Role::YawDegrees => yaw = number.to_radians(),
            Role::OriX => ori[0] = number,
            Role::OriY => ori[1] = number,
            Role::Value => value = number,
            Role::Id => {}
        }
    }
    if ori[0].hypot(ori[1]) > 1e-6 {
        yaw = ori[1].atan2(ori[0]);
    }
    let is_finite = time.is_finite() && place[0].is_finite() && place[1].is_finite();
    let found = id.filter(|_| is_finite).map(|id| SampleRow {
        sample: Sample {
            time,
            agent: ids.number(id),
            x: (place[0] - layout.origin[0]) as f32,
            y: (place[1] - layout.origin[1]) as f32,
            z: z as f32,
        },
        extra: SampleExtra {
            yaw: yaw as f32,
            value: value as f32,
        },
    });
    Ok(found)
}

fn shorten(field: &[u8]) -> String {
    String::from_utf8_lossy(field).chars().take(40).collect()
}
