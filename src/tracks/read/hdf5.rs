//! HDF5 of the Pedestrian Dynamics Data Archive: a table `trajectory` of frame, id, x, y, z; the rate as its attribute,
//! walls as an attribute of the file.

use std::collections::HashMap;

use hdf5_pure::{AttrValue, DType, Dataset, Datatype, DatatypeByteOrder, File, ReadSeekSource};

use crate::tracks::{
    Format, Id, Sample, SampleExtra, TextPlace, TrackError,
    assemble::{Clocking, Facts, Parts, origin_near},
    ids::IdTable,
    notes::{Problem, Problems},
    samples::{SampleRow, SampleTable},
    walls,
};

use super::{
    Reading,
    columns::{Columns, Role},
    input::Binary,
};

/// Hdf5Rows read at a time.
const WINDOW: u64 = 1 << 16;

/// A number within a record.
#[derive(Clone, Copy)]
struct Field {
    offset: usize,
    kind: Number,
    is_big: bool,
}

#[derive(Clone, Copy)]
enum Number {
    F32,
    F64,
    Signed(usize),
    Unsigned(usize),
}

impl Field {
    fn read(self, record: &[u8]) -> f64 {
        let length = match self.kind {
            Number::F32 => 4,
            Number::F64 => 8,
            Number::Signed(length) | Number::Unsigned(length) => length,
        };
        let Some(bytes) = record.get(self.offset..self.offset + length) else {
            return f64::NAN;
        };
        let mut word = [0; 8];
        for (at, byte) in bytes.iter().enumerate() {
            word[if self.is_big { length - 1 - at } else { at }] = *byte;
        }
        let whole = u64::from_le_bytes(word);
        match self.kind {
            Number::F32 => f64::from(f32::from_bits(whole as u32)),
            Number::F64 => f64::from_bits(whole),
            Number::Unsigned(_) => whole as f64,
            Number::Signed(_) => {
                let unused = 64 - 8 * length as u32;
                (((whole << unused) as i64) >> unused) as f64
            }
        }
    }
}

pub(super) fn read(reading: &Reading<'_>, binary: Binary) -> Result<Parts, TrackError> {
    let failed = |error: hdf5_pure::Error| TrackError::file(reading.name, format!("HDF5: {error}"));
    let length = binary.length;
    let source = ReadSeekSource::new(binary.file).map_err(|error| failed(error.into()))?;
    let file = File::from_source(source).map_err(failed)?;
    let known = file.root().datasets().map_err(failed)?;
    if !known.iter().any(|name| name == "trajectory") {
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        let problem = format!("HDF5 without the table trajectory; its tables are {known}");
        return Err(TrackError::file(reading.name, problem));
    }
    let table = file.dataset("trajectory").map_err(failed)?;
    let mut parts = rows(reading, &table, length)?;
    let attributes = table.attrs().map_err(failed)?;
    let whole_file = file.root().attrs().map_err(failed)?;
    parts.facts.clocking = Clocking::Frames {
        fps: number(&attributes, "fps").or_else(|| number(&whole_file, "fps")),
    };
    if let Some(text) = text(&whole_file, "wkt_geometry").or_else(|| text(&attributes, "wkt_geometry")) {
        match walls::wkt::parse(&text) {
            Ok(walls) => parts.facts.walls = Some(walls),
            Err(problem) => parts.facts.notes.push(format!("walls: wkt_geometry: {problem}")),
        }
    }
    Ok(parts)
}

/// Fields of a record by name, in the order of the record.
fn fields(reading: &Reading<'_>, table: &Dataset) -> Result<Vec<(String, Field)>, TrackError> {
    let failed = |error: hdf5_pure::Error| TrackError::file(reading.name, format!("HDF5: {error}"));
    let (DType::Compound(kinds), Datatype::Compound { members, .. }) =
        (table.dtype().map_err(failed)?, table.datatype().map_err(failed)?)
    else {
        return Err(TrackError::file(
            reading.name,
            "HDF5: trajectory is no table of named fields",
        ));
    };
    let field = |((name, kind), member): ((String, DType), &hdf5_pure::CompoundMember)| {
        let kind = match kind {
            DType::F32 => Number::F32,
            DType::F64 => Number::F64,
            DType::I8 => Number::Signed(1),
            DType::I16 => Number::Signed(2),
            DType::I32 => Number::Signed(4),
            DType::I64 => Number::Signed(8),
            DType::U8 => Number::Unsigned(1),
            DType::U16 => Number::Unsigned(2),
            DType::U32 => Number::Unsigned(4),
            DType::U64 => Number::Unsigned(8),
            _ => return None,
        };
        let is_big = match &member.datatype {
            Datatype::FixedPoint { byte_order, .. } | Datatype::FloatingPoint { byte_order, .. } => {
                *byte_order == DatatypeByteOrder::BigEndian
            }
            _ => false,
        };
        let offset = usize::try_from(member.byte_offset).ok()?;
        Some((name, Field { offset, kind, is_big }))
    };
    Ok(kinds.into_iter().zip(&members).filter_map(field).collect())
}

fn rows(reading: &Reading<'_>, table: &Dataset, length: u64) -> Result<Parts, TrackError> {
    let failed = |error: hdf5_pure::Error| TrackError::file(reading.name, format!("HDF5: {error}"));
    let named = fields(reading, table)?;
    let columns = Columns::of_names(named.iter().map(|(name, _)| name.as_str()));
    let names = || {
        named
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(missing) = columns.missing() {
        let problem = format!(
            "HDF5: trajectory has no field for {missing}; its fields are {}",
            names()
        );
        return Err(TrackError::file(reading.name, problem));
    }
    let at = |role: Role| columns.at(role).map(|at| named[at].1);
    let value = match &reading.options.value {
        Some(wanted) => {
            let found = named.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            let missing = || TrackError::file(reading.name, format!("no field {wanted:?}; the fields are {}", names()));
            Some(found.ok_or_else(missing)?.1)
        }
        None => None,
    };
    let record = table.element_size().map_err(failed)?;
    let count = table.shape().map_err(failed)?.first().copied().unwrap_or_default();
    // Deflate shrinks at most 1032 times: a table beyond that is not in the file.
    if record == 0 || count.saturating_mul(record) / 1032 > length {
        let problem = format!("HDF5: trajectory claims {count} rows of {record} bytes, more than the file can hold");
        return Err(TrackError::file(reading.name, problem));
    }
    let mut rows = Hdf5Rows {
        ids: IdTable::default(),
        samples: SampleTable::default(),
        problems: Problems::default(),
        origin: None,
    };
    let reader = RowReader {
        time: at(Role::Time).or(at(Role::Frame)),
        id: at(Role::Id),
        x: at(Role::X),
        y: at(Role::Y),
        z: at(Role::Z),
        yaw: at(Role::Yaw),
        value,
    };
    let mut start = 0;
    while start < count {
        let bytes = table.read_raw_rows(start, WINDOW.min(count - start)).map_err(failed)?;
        if bytes.len() < record as usize {
            break;
        }
        for (number, record) in (start..).zip(bytes.chunks_exact(record as usize)) {
            reader.read(record, number + 1, &mut rows);
        }
        start += WINDOW;
    }
    let clocking = if columns.has_time() {
        Clocking::Seconds
    } else {
        Clocking::Frames { fps: None }
    };
    let facts = Facts::metric(Format::DataArchive, clocking);
    let Hdf5Rows {
        ids,
        samples,
        problems,
        origin,
    } = rows;
    Ok(Parts {
        samples,
        ids: ids.ids,
        origin: origin.unwrap_or_default(),
        problems,
        facts,
    })
}

/// Samples so far.
struct Hdf5Rows {
    ids: IdTable,
    samples: SampleTable,
    problems: Problems,
    origin: Option<[f64; 2]>,
}

/// Fields of the roles that occur.
struct RowReader {
    time: Option<Field>,
    id: Option<Field>,
    x: Option<Field>,
    y: Option<Field>,
    z: Option<Field>,
    yaw: Option<Field>,
    value: Option<Field>,
}

impl RowReader {
    fn read(&self, record: &[u8], line: u64, rows: &mut Hdf5Rows) {
        let number = |field: Option<Field>| field.map_or(f64::NAN, |field| field.read(record));
        let (time, id, x, y) = (number(self.time), number(self.id), number(self.x), number(self.y));
        if !(time.is_finite() && id.is_finite() && x.is_finite() && y.is_finite()) {
            rows.problems.add(Problem::NotFinite, TextPlace { line, column: None });
            return;
        }
        let origin = *rows.origin.get_or_insert([origin_near(x), origin_near(y)]);
        rows.samples.push(SampleRow {
            sample: Sample {
                time,
                agent: rows.ids.number(Id::Number(id as i64)),
                x: (x - origin[0]) as f32,
                y: (y - origin[1]) as f32,
                z: number(self.z) as f32,
            },
            extra: SampleExtra {
                yaw: number(self.yaw) as f32,
                value: number(self.value) as f32,
            },
        });
    }
}

fn number(attributes: &HashMap<String, AttrValue>, name: &str) -> Option<f64> {
    let number = match attributes.get(name)? {
        AttrValue::F32(number) => f64::from(*number),
        AttrValue::F64(number) => *number,
        AttrValue::I8(number) => f64::from(*number),
        AttrValue::I16(number) => f64::from(*number),
        AttrValue::I32(number) => f64::from(*number),
        AttrValue::I64(number) => *number as f64,
        AttrValue::U8(number) => f64::from(*number),
        AttrValue::U16(number) => f64::from(*number),
        AttrValue::U32(number) => f64::from(*number),
        AttrValue::U64(number) => *number as f64,
        AttrValue::F64Array(numbers) => *numbers.first()?,
        AttrValue::I64Array(numbers) => *numbers.first()? as f64,
        other => super::number::parse(text_value(other)?.as_bytes())?,
    };
    Some(number).filter(|number| *number > 0.0 && number.is_finite())
}

fn text(attributes: &HashMap<String, AttrValue>, name: &str) -> Option<String> {
    text_value(attributes.get(name)?)
}

fn text_value(value: &AttrValue) -> Option<String> {
    match value {
        AttrValue::String(text)
        | AttrValue::AsciiString(text)
        | AttrValue::VarLenString(text)
        | AttrValue::VarLenAsciiString(text)
        | AttrValue::StringSized { value: text, .. }
        | AttrValue::AsciiStringSized { value: text, .. } => Some(text.clone()),
        AttrValue::VarLenStringArray(texts)
        | AttrValue::VarLenAsciiStringArray(texts)
        | AttrValue::StringArray(texts) => texts.first().cloned(),
        _ => None,
    }
}
