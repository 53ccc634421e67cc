//! Tables of a SQLite database, read only (<https://www.sqlite.org/fileformat2.html>).
//!
//! Own code: `rusqlite` with its bundled C library costs a release build 60 s of CPU, for walks over three tables.

use std::{
    collections::HashMap,
    io::{self, SeekFrom},
};

use super::input::Seekable;

/// Deepest tree: with at least two children a page, more cannot be addressed.
const DEEPEST: u32 = 32;
/// Longest record (bytes): geometry as text is the longest that a simulation writes.
const LONGEST_RECORD: u64 = 64 << 20;

/// Why a database cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum DatabaseError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("page {page}: {problem}")]
    Damaged { page: u32, problem: &'static str },
    #[error("{0}")]
    Other(String),
}

/// SqliteValue of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SqliteValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
}

impl SqliteValue {
    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Null => f64::NAN,
            Self::Integer(number) => *number as f64,
            Self::Real(number) => *number,
            Self::Text(text) => super::number::parse(text).unwrap_or(f64::NAN),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Integer(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => String::from_utf8_lossy(text).into_owned(),
        }
    }
}

/// A table: the root of its tree and the names of its columns.
#[derive(Clone, Debug, Default)]
pub(super) struct SqliteTable {
    root: u32,
    pub(super) columns: Vec<String>,
    /// Column that is the row's number, which records leave empty.
    row_number: Option<usize>,
}

impl SqliteTable {
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|own| own.eq_ignore_ascii_case(name))
    }
}

/// An open database.
pub(super) struct Database {
    file: Box<dyn Seekable>,
    page_size: usize,
    /// Bytes of a page that hold content.
    usable: usize,
    pages: u32,
    pub(super) tables: HashMap<String, SqliteTable>,
}

impl Database {
    pub(super) fn open(mut file: Box<dyn Seekable>, length: u64) -> Result<Self, DatabaseError> {
        let mut header = [0; 100];
        file.rewind()?;
        file.read_exact(&mut header)
            .map_err(|_| DatabaseError::Other("ends within its header".to_owned()))?;
        let page_size = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            size => usize::from(size),
        };
        if !page_size.is_power_of_two() || page_size < 512 {
            return Err(DatabaseError::Other(format!("pages of {page_size} bytes")));
        }
        let usable = page_size - usize::from(header[20]);
        if usable < 480 {
            return Err(DatabaseError::Other("pages without room for content".to_owned()));
        }
        let pages = u32::try_from(length.div_ceil(page_size as u64)).unwrap_or(u32::MAX);
        let mut database = Self {
            file,
            page_size,
            usable,
            pages,
            tables: HashMap::new(),
        };
        let mut tables = HashMap::new();
        let schema = SqliteTable {
            root: 1,
            ..SqliteTable::default()
        };
        database.each_row(&schema, &mut |row| {
            // Columns type, name, tbl_name, rootpage, sql.
            if let [kind, name, _, root, sql] = row
                && kind.text() == "table"
            {
                let (columns, row_number) = columns_of(&sql.text());
                let root = root.number() as u32;
                tables.insert(
                    name.text().to_lowercase(),
                    SqliteTable {
                        root,
                        columns,
                        row_number,
                    },
                );
            }
            true
        })?;
        database.tables = tables;
        Ok(database)
    }

    /// SqliteTable by name.
    ///
    /// # Errors
    /// There is none, with the names of those there are.
    pub(super) fn table(&self, name: &str) -> Result<SqliteTable, DatabaseError> {
        self.tables.get(name).cloned().ok_or_else(|| {
            let mut known: Vec<&str> = self.tables.keys().map(String::as_str).collect();
            known.sort_unstable();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            DatabaseError::Other(format!("a database without the table {name}; its tables are {known}"))
        })
    }

    /// Calls `row` with the values of each row in the order of the table, until it returns false.
    pub(super) fn each_row(
        &mut self,
        table: &SqliteTable,
        row: &mut dyn FnMut(&[SqliteValue]) -> bool,
    ) -> Result<(), DatabaseError> {
        // Each page belongs to one place of one tree; a damaged one that refers back would never end.
        let mut left = self.pages;
        let mut walk = Walk {
            table,
            row,
            values: Vec::new(),
            left: &mut left,
        };
        self.subtree(table.root, 0, &mut walk).map(|_| ())
    }

    fn page(&mut self, number: u32) -> Result<Vec<u8>, DatabaseError> {
        if number == 0 || number > self.pages {
            return Err(DatabaseError::Damaged {
                page: number,
                problem: "outside the file, which may be cut off",
            });
        }
        self.file
            .seek(SeekFrom::Start(u64::from(number - 1) * self.page_size as u64))?;
        let mut page = vec![0; self.page_size];
        match self.file.read_exact(&mut page) {
            Ok(()) => Ok(page),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(DatabaseError::Damaged {
                page: number,
                problem: "the file is cut off",
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Visits a page and those below it; false if the visitor has enough.
    fn subtree(&mut self, number: u32, depth: u32, walk: &mut Walk<'_, '_>) -> Result<bool, DatabaseError> {
        let damaged = |problem| DatabaseError::Damaged { page: number, problem };
        if depth > DEEPEST || *walk.left == 0 {
            return Err(damaged("its tree refers to itself"));
        }
        *walk.left -= 1;
        let page = self.page(number)?;
        let start = if number == 1 { 100 } else { 0 };
        let is_leaf = match page[start] {
            0x0d => true,
            0x05 => false,
            0x02 | 0x0a => return Err(damaged("a table WITHOUT ROWID, which is not supported")),
            _ => return Err(damaged("no page of a table")),
        };
        let cells = usize::from(be16(&page, start + 3).ok_or_else(|| damaged("cut off"))?);
        let pointers = start + if is_leaf { 8 } else { 12 };
        for cell in 0..cells {
            let at = be16(&page, pointers + 2 * cell).ok_or_else(|| damaged("a cell outside the page"))?;
            let at = usize::from(at);
            if is_leaf {
                let (length, next) = varint(&page, at).ok_or_else(|| damaged("a cell outside the page"))?;
                let (row, next) = varint(&page, next).ok_or_else(|| damaged("a cell outside the page"))?;
                let payload = self.payload(&page, next, length).map_err(|problem| match problem {
                    Some(error) => error,
                    None => damaged("a damaged record"),
                })?;
                if !walk
                    .visit(&payload, row as i64)
                    .ok_or_else(|| damaged("a damaged record"))?
                {
                    return Ok(false);
                }
            } else {
                let child = be32(&page, at).ok_or_else(|| damaged("a cell outside the page"))?;
                if !self.subtree(child, depth + 1, walk)? {
                    return Ok(false);
                }
            }
        }
        if is_leaf {
            return Ok(true);
        }
        let last = be32(&page, start + 8).ok_or_else(|| damaged("cut off"))?;
        self.subtree(last, depth + 1, walk)
    }

    /// Bytes of a record, those on overflow pages included; `None` as error for a damaged one.
    fn payload(&mut self, page: &[u8], at: usize, length: u64) -> Result<Vec<u8>, Option<DatabaseError>> {
        let size = self.page_size as u64 * u64::from(self.pages);
        if length > LONGEST_RECORD.min(size) {
            return Err(None);
        }
        let length = length as usize;
        let usable = self.usable;
        let most = usable - 35;
        if length <= most {
            return Ok(page.get(at..at + length).ok_or(None)?.to_vec());
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let spread = least + (length - least) % (usable - 4);
        let local = if spread <= most { spread } else { least };
        let mut bytes = page.get(at..at + local).ok_or(None)?.to_vec();
        let mut next = be32(page, at + local).ok_or(None)?;
        while bytes.len() < length {
            let overflow = self.page(next).map_err(Some)?;
            next = be32(&overflow, 0).ok_or(None)?;
            let count = (length - bytes.len()).min(usable - 4);
            bytes.extend_from_slice(&overflow[4..4 + count]);
        }
        Ok(bytes)
    }
}

/// Walk over the rows of a table.
struct Walk<'a, 'b> {
    table: &'a SqliteTable,
    row: &'a mut (dyn FnMut(&[SqliteValue]) -> bool + 'b),
    values: Vec<SqliteValue>,
    /// Pages that may still be visited.
    left: &'a mut u32,
}

impl Walk<'_, '_> {
    /// Decodes a record and shows it; `None` if it is damaged.
    fn visit(&mut self, record: &[u8], number: i64) -> Option<bool> {
        self.values.clear();
        let (header, mut at) = varint(record, 0)?;
        let mut body = usize::try_from(header).ok()?;
        let end = body;
        while at < end {
            let (kind, next) = varint(record, at)?;
            at = next;
            let (value, length) = decode(kind, record.get(body..)?)?;
            body += length;
            self.values.push(value);
        }
        // Columns that were added later are missing in older records.
        while self.values.len() < self.table.columns.len() {
            self.values.push(SqliteValue::Null);
        }
        if let Some(column) = self.table.row_number
            && self.values[column] == SqliteValue::Null
        {
            self.values[column] = SqliteValue::Integer(number);
        }
        Some((self.row)(&self.values))
    }
}

/// SqliteValue of a serial type, and its length (bytes).
fn decode(kind: u64, body: &[u8]) -> Option<(SqliteValue, usize)> {
    let integer = |length: usize| -> Option<(SqliteValue, usize)> {
        let bytes = body.get(..length)?;
        let sign = if bytes[0] & 0x80 != 0 { -1 } else { 0 };
        let number = bytes
            .iter()
            .fold(sign, |number: i64, byte| number << 8 | i64::from(*byte));
        Some((SqliteValue::Integer(number), length))
    };
    match kind {
        0 => Some((SqliteValue::Null, 0)),
        1..=4 => integer(kind as usize),
        5 => integer(6),
        6 => integer(8),
        7 => Some((
            SqliteValue::Real(f64::from_be_bytes(body.get(..8)?.try_into().ok()?)),
            8,
        )),
        8 | 9 => Some((SqliteValue::Integer(kind as i64 - 8), 0)),
        10 | 11 => None,
        _ => {
            let length = usize::try_from((kind - 12) / 2).ok()?;
            Some((SqliteValue::Text(body.get(..length)?.to_vec()), length))
        }
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// Integer of variable length, and the place after it.
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for length in 0..9 {
        let byte = *bytes.get(at.checked_add(length)?)?;
        if length == 8 {
            return Some((number << 8 | u64::from(byte), at + 9));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((number, at + length + 1));
        }
    }
    None
}

/// Names of the columns that `CREATE TABLE` declares, and which is the row's number.
fn columns_of(sql: &str) -> (Vec<String>, Option<usize>) {
    let inner = sql.split_once('(').map_or("", |(_, rest)| rest);
    let mut parts = vec![String::new()];
    let mut depth = 1;
    for letter in inner.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 1 => parts.push(String::new()),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if let Some(part) = parts.last_mut()
            && !(letter == ',' && depth == 1)
        {
            part.push(letter);
        }
    }
    let (mut columns, mut row_number) = (Vec::new(), None);
    for part in parts {
        let upper = part.trim().to_uppercase();
        let is_constraint = ["PRIMARY KEY", "UNIQUE", "CHECK", "FOREIGN KEY", "CONSTRAINT"]
            .iter()
            .any(|word| upper.starts_with(word));
        if is_constraint || upper.is_empty() {
            continue;
        }
        let words: Vec<&str> = upper.split_whitespace().collect();
        if words.windows(3).any(|three| three == ["INTEGER", "PRIMARY", "KEY"]) {
            row_number = Some(columns.len());
        }
        let name = part.split_whitespace().next().unwrap_or_default();
        columns.push(name.trim_matches(['"', '`', '[', ']', '\'']).to_owned());
    }
    (columns, row_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_from_the_statement() {
        let sql = "CREATE TABLE t (frame INTEGER NOT NULL, \"id\" INTEGER PRIMARY KEY, x DECIMAL(3, 2), \
                   PRIMARY KEY (frame, id))";
        let (columns, row_number) = columns_of(sql);
        assert_eq!(
            (columns, row_number),
            (["frame", "id", "x"].map(str::to_owned).to_vec(), Some(1))
        );
        assert_eq!(columns_of("").0, Vec::<String>::new());
    }

    #[test]
    fn integers_of_variable_length() {
        assert_eq!(varint(&[0x7f], 0), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9], 0), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x80, 0x80], 0), None);
        assert_eq!(varint(&[], usize::MAX), None);
        assert_eq!(decode(1, &[0xff]), Some((SqliteValue::Integer(-1), 1)));
        assert_eq!(decode(2, &[1]), None);
    }
}
