//! Tables of samples, a line each: PeTrack, Viswalk, Pathfinder, crowd:it, ETH, TrajNet, and any CSV or TSV.

use std::collections::HashMap;

use crate::tracks::{
    Format, LengthUnit, TextPlace, TrackError,
    assemble::{Clocking, Facts, Parts},
};

use super::{
    Reading,
    columns::{Columns, Heading, Role, TOLD_NAMES},
    fields::Separator,
    input::Text,
    lines::{self, LineLayout},
    number,
};

/// Structure of a table with the facts that its header states.
pub(super) struct Table {
    pub(super) format: Format,
    pub(super) layout: LineLayout,
    fps: Option<f64>,
    pub(super) unit: Option<LengthUnit>,
}

/// Clock of a table: times where it has them, else frames.
pub(super) fn clocking(table: &Table) -> Clocking {
    if table.layout.columns.has_time() {
        Clocking::Seconds
    } else {
        Clocking::Frames { fps: table.fps }
    }
}

pub(super) fn read(reading: &Reading<'_>, text: Text) -> Result<Parts, TrackError> {
    let table = Table::of_head(reading, &text.head)?;
    let mut rest = text.rest;
    skip_lines(&mut rest, table.layout.lines_before).map_err(|reason| TrackError::io(reading.name, reason))?;
    let rows = lines::read(reading.name, &table.layout, rest)?;
    let clocking = clocking(&table);
    Ok(Parts {
        samples: rows.samples,
        ids: rows.ids,
        origin: table.layout.origin,
        problems: rows.problems,
        facts: Facts {
            unit: table.unit,
            ..Facts::new(table.format, clocking)
        },
    })
}

fn skip_lines(text: &mut Box<dyn std::io::BufRead + Send>, count: u64) -> std::io::Result<()> {
    for _ in 0..count {
        let mut line = Vec::new();
        text.read_until(b'\n', &mut line)?;
    }
    Ok(())
}

/// "no column", "1 column", "3 columns".
pub(super) fn columns_text(count: u32) -> String {
    crate::tracks::notes::plural(count as usize, "column")
}

/// First lines of a text, without a mark of byte order.
struct Head<'a> {
    lines: Vec<&'a str>,
}

impl<'a> Head<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            lines: text.trim_start_matches('\u{feff}').lines().collect(),
        }
    }

    /// Number of the first line from `start` that is neither empty nor begins with a mark.
    fn first_row(&self, start: usize, marks: &[char]) -> Option<usize> {
        (start..self.lines.len()).find(|at| {
            let line = self.lines[*at].trim();
            !line.is_empty() && !line.starts_with(marks)
        })
    }
}

fn texts(line: &str) -> Vec<String> {
    let fields = Separator::of_line(line).fields(line.as_bytes());
    fields
        .map(|field| String::from_utf8_lossy(field).into_owned())
        .collect()
}

fn are_numbers(fields: &[String]) -> bool {
    !fields.is_empty() && fields.iter().all(|field| number::parse(field.as_bytes()).is_some())
}

impl Table {
    pub(super) fn of_head(reading: &Reading<'_>, head: &[u8]) -> Result<Self, TrackError> {
        let text = String::from_utf8_lossy(head);
        let head = Head::of(&text);
        let no_rows = || TrackError::file(reading.name, "no samples: the file has only a header");
        let first = head.first_row(0, &['#', '*', '/']).ok_or_else(no_rows)?;
        if let Some(viswalk) = Self::viswalk(&head) {
            return viswalk.checked(reading, &head);
        }
        let comments = &head.lines[..first];
        let fields = texts(head.lines[first]);
        let mut table = if are_numbers(&fields) {
            Self::without_names(&head, first, comments)
        } else {
            Self::with_names(&head, first, &fields)
        };
        table.fps = comments.iter().find_map(|line| frame_rate(line));
        table.checked(reading, &head)
    }

    fn new(format: Format, columns: Columns, separator: Separator, first: usize) -> Self {
        let layout = LineLayout {
            separator,
            columns,
            comment: Some(b'#'),
            origin: [0.0; 2],
            lines_before: first as u64,
        };
        Self {
            format,
            layout,
            fps: None,
            unit: None,
        }
    }

    /// Viswalk: `*` comments, then `$PEDESTRIAN:NO;SIMSEC;…`.
    fn viswalk(head: &Head<'_>) -> Option<Self> {
        let first = head.lines.iter().position(|line| line.starts_with("$PEDESTRIAN:"))?;
        let names = head.lines[first].trim_start_matches("$PEDESTRIAN:");
        let columns = Columns::of_names(names.split(';'));
        let mut table = Self::new(Format::Viswalk, columns, Separator::Byte(b';'), first + 1);
        table.layout.comment = Some(b'*');
        table.unit = Some(LengthUnit::M);
        Some(table)
    }

    /// Table whose first line names the columns.
    fn with_names(head: &Head<'_>, first: usize, names: &[String]) -> Self {
        let columns = Columns::of_names(names.iter().map(String::as_str));
        let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let has = |name: &str| lower.iter().any(|own| own == name);
        let mut rows_at = first + 1;
        let mut unit = columns.unit;
        let format = if has("t") && has("active") && has("location") {
            Format::PathfinderCsv
        } else if has("pedid") && has("posx") && has("posy") {
            Format::CrowdIt
        } else {
            Format::Table
        };
        // Pathfinder's second row states units.
        if let Some(units) = head.first_row(rows_at, &['#']).map(|at| (at, texts(head.lines[at])))
            && let (at, units) = units
            && columns
                .at(Role::X)
                .and_then(|x| units.get(x))
                .is_some_and(|x| LengthUnit::of_name(x).is_some())
        {
            unit = columns.at(Role::X).and_then(|x| LengthUnit::of_name(&units[x]));
            rows_at = at + 1;
        }
        if format == Format::CrowdIt {
            unit = unit.or(Some(LengthUnit::M));
        }
        let mut table = Self::new(format, columns, Separator::of_line(head.lines[first]), rows_at);
        table.unit = unit;
        table
    }

    /// Table of numbers alone, or with names in a comment.
    fn without_names(head: &Head<'_>, first: usize, comments: &[&str]) -> Self {
        let separator = Separator::of_line(head.lines[first]);
        let named = comments.iter().rev().find_map(|line| {
            let names = texts(line.trim_start_matches(['#', ' ']));
            let columns = Columns::of_names(names.iter().map(String::as_str));
            columns.missing().is_none().then_some(columns)
        });
        let unit_of_comments = comments.iter().find_map(|line| unit_of_comment(line));
        if let Some(columns) = named {
            let unit = columns.unit.or(unit_of_comments);
            let mut table = Self::new(Format::PeTrack, columns, separator, first);
            table.unit = unit;
            return table;
        }
        let width = separator.fields(head.lines[first].as_bytes()).count();
        let (format, columns) = match width {
            8 => {
                use Role::{Frame, Id, X, Y, Z};
                (Format::EthObsmat, Columns::of_roles(&[Frame, Id, X, Z, Y]))
            }
            _ => by_motion(head, first, separator),
        };
        let mut table = Self::new(format, columns, separator, first);
        table.unit = unit_of_comments.or((format == Format::EthObsmat).then_some(LengthUnit::M));
        table
    }

    /// Applies a user's options and finds the origin; says what is missing.
    fn checked(mut self, reading: &Reading<'_>, head: &Head<'_>) -> Result<Self, TrackError> {
        let name = reading.name;
        if !reading.options.columns.is_empty() {
            let told = Columns::of_told(&reading.options.columns);
            self.layout.columns = told.map_err(|problem| TrackError::file(name, problem))?;
            self.format = Format::Table;
            self.begin_with_numbers(head);
        }
        let header = head
            .lines
            .get((self.layout.lines_before as usize).saturating_sub(1))
            .copied()
            .unwrap_or_default();
        if let Some(missing) = self.layout.columns.missing() {
            let place = TextPlace {
                line: self.layout.lines_before.max(1),
                column: None,
            };
            let header: String = header.chars().take(120).collect();
            let problem = format!(
                "no column for {missing} in {header:?}; name the columns with --columns, such as --columns \
                 id,frame,x,y ({TOLD_NAMES})"
            );
            return Err(TrackError::text(name, place, problem));
        }
        if let Some(wanted) = &reading.options.value {
            self.add_value(name, wanted, header)?;
        }
        // Both would write the time: seconds win.
        if self.layout.columns.has_time()
            && let Some(frame) = self.layout.columns.at(Role::Frame)
        {
            self.layout.columns.roles[frame] = None;
        }
        let roles = &mut self.layout.columns.roles;
        while roles.last() == Some(&None) {
            roles.pop();
        }
        self.layout.origin = self.origin_of(head);
        Ok(self)
    }

    /// Begins with the line before, if it is no header: its told columns are numbers.
    fn begin_with_numbers(&mut self, head: &Head<'_>) {
        let Some(before) = (self.layout.lines_before as usize).checked_sub(1) else {
            return;
        };
        let fields: Vec<&[u8]> = self.layout.separator.fields(head.lines[before].as_bytes()).collect();
        let is_number = |(at, role): (usize, &Option<Role>)| {
            let is_text = matches!(role, None | Some(Role::Id | Role::Value));
            is_text || fields.get(at).is_some_and(|field| number::parse(field).is_some())
        };
        if self.layout.columns.roles.iter().enumerate().all(is_number) {
            self.layout.lines_before = before as u64;
        }
    }

    /// Makes the column with a name give values.
    fn add_value(&mut self, file: &str, wanted: &str, header: &str) -> Result<(), TrackError> {
        let names = texts(header.trim_start_matches("$PEDESTRIAN:").trim_start_matches(['#', ' ']));
        let at = names.iter().position(|name| name.eq_ignore_ascii_case(wanted.trim()));
        let roles = &mut self.layout.columns.roles;
        match at {
            Some(at) if roles.get(at).copied().flatten().is_none() => {
                roles.resize(roles.len().max(at + 1), None);
                roles[at] = Some(Role::Value);
                Ok(())
            }
            Some(_) => Err(TrackError::file(
                file,
                format!("column {wanted:?} is a part of each sample already"),
            )),
            None => Err(TrackError::file(
                file,
                format!("no column {wanted:?}; the columns are {}", names.join(", ")),
            )),
        }
    }

    /// Origin near the first sample for map coordinates, which `f32` would round; else zero.
    fn origin_of(&self, head: &Head<'_>) -> [f64; 2] {
        let first = head.first_row(self.layout.lines_before as usize, &['#', '*']);
        let row = first.map(|at| {
            self.layout
                .separator
                .fields(head.lines[at].as_bytes())
                .collect::<Vec<_>>()
        });
        let place = |role: Role| -> f64 {
            let at = self.layout.columns.at(role);
            let field = at.zip(row.as_ref()).and_then(|(at, row)| row.get(at));
            let number = field
                .and_then(|field| number::parse(field))
                .filter(|number| number.is_finite());
            crate::tracks::assemble::origin_near(number.unwrap_or_default())
        };
        [place(Role::X), place(Role::Y)]
    }
}

/// Rate in a comment such as `# framerate: 25 fps` or `#framerate: 25.00`.
fn frame_rate(line: &str) -> Option<f64> {
    let lower = line.to_lowercase();
    let at = lower
        .find("framerate")
        .or_else(|| lower.find("frame rate"))
        .or_else(|| lower.find("fps"))?;
    let number = lower[at..]
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .find_map(|part| part.parse().ok());
    number.filter(|fps: &f64| *fps > 0.0 && fps.is_finite())
}

/// Unit in a comment such as `# id frame x/cm y/cm` or "in cm".
fn unit_of_comment(line: &str) -> Option<LengthUnit> {
    let mut words = line.split_whitespace().map(Heading::of);
    let named = words.find_map(|heading| heading.unit.filter(|_| matches!(heading.role, Some(Role::X | Role::Y))));
    named.or_else(|| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words
            .windows(2)
            .find_map(|pair| (pair[0] == "in").then(|| LengthUnit::of_name(pair[1].trim_matches(['.', ','])))?)
    })
}

/// Columns of a table of numbers: id and frame, or TrajNet's frame and id. Somebody comes less far from one frame to the
/// next than another person stands away.
fn by_motion(head: &Head<'_>, first: usize, separator: Separator) -> (Format, Columns) {
    use Role::{Frame, Id, X, Y, Z};
    let rows: Vec<[f64; 4]> = head.lines[first..]
        .iter()
        .filter_map(|line| {
            let mut fields = separator.fields(line.as_bytes()).map(number::parse);
            Some([fields.next()??, fields.next()??, fields.next()??, fields.next()??])
        })
        .collect();
    let width = separator.fields(head.lines[first].as_bytes()).count();
    let with_z: &[Role] = if width > 4 { &[Z] } else { &[] };
    let columns = |start: [Role; 2]| Columns::of_roles(&[&start, &[X, Y][..], with_z].concat());
    if median_step(&rows, 1, 0) < 0.7 * median_step(&rows, 0, 1) {
        (Format::TrajNet, columns([Frame, Id]))
    } else {
        (Format::PeTrack, columns([Id, Frame]))
    }
}

/// Median distance between consecutive samples, with these columns as id and frame; infinite if nobody has two.
fn median_step(rows: &[[f64; 4]], id: usize, frame: usize) -> f64 {
    let mut last: HashMap<u64, [f64; 4]> = HashMap::new();
    let mut steps = Vec::new();
    for row in rows {
        if let Some(before) = last.insert(row[id].to_bits(), *row)
            && row[frame] > before[frame]
        {
            steps.push((row[2] - before[2]).hypot(row[3] - before[3]));
        }
    }
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(f64::INFINITY)
}
