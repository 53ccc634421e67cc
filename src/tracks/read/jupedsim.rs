//! JuPedSim's SQLite database, versions 1 to 3: samples, rate, and the walkable area as WKT.

use crate::tracks::{
    Format, Id, Sample, SampleExtra, TextPlace, TrackError,
    assemble::{Clocking, Facts, Parts, origin_near},
    ids::IdTable,
    notes::{Problem, Problems, plural},
    samples::{SampleRow, SampleTable},
    walls::{self, Walls},
};

use super::{
    Reading,
    input::Binary,
    sqlite::{Database, DatabaseError, SqliteValue},
};

pub(super) fn read(reading: &Reading<'_>, binary: Binary) -> Result<Parts, TrackError> {
    let failed = |error: DatabaseError| TrackError::file(reading.name, error.to_string());
    let mut database = Database::open(binary.file, binary.length).map_err(failed)?;
    let mut parts = trajectories(&mut database).map_err(failed)?;
    if let Some(column) = &reading.options.value {
        let problem = format!("a JuPedSim database has no column {column:?} that could give colours");
        return Err(TrackError::file(reading.name, problem));
    }
    let fps = rate(&mut database).map_err(failed)?;
    parts.facts.clocking = Clocking::Frames { fps };
    match geometry(&mut database) {
        Ok((walls, notes)) => {
            parts.facts.walls = walls;
            parts.facts.notes.extend(notes);
        }
        Err(error) => parts.facts.notes.push(format!("walls: {error}")),
    }
    Ok(parts)
}

fn trajectories(database: &mut Database) -> Result<Parts, DatabaseError> {
    let table = database.table("trajectory_data")?;
    let needed = |name: &str| {
        let missing = || {
            let columns = table.columns.join(", ");
            DatabaseError::Other(format!(
                "trajectory_data has no column {name}; its columns are {columns}"
            ))
        };
        table.column(name).ok_or_else(missing)
    };
    let (frame, id, x, y) = (needed("frame")?, needed("id")?, needed("pos_x")?, needed("pos_y")?);
    let ori = table.column("ori_x").zip(table.column("ori_y"));
    let z = table.column("pos_z");
    let (mut samples, mut ids, mut problems) = (SampleTable::default(), IdTable::default(), Problems::default());
    let (mut origin, mut row_number) = (None, 0);
    database.each_row(&table, &mut |row| {
        row_number += 1;
        let number = |at: usize| row.get(at).map_or(f64::NAN, SqliteValue::number);
        let (time, place) = (number(frame), [number(x), number(y)]);
        if !(time.is_finite() && place.iter().all(|at| at.is_finite())) {
            problems.add(
                Problem::NotFinite,
                TextPlace {
                    line: row_number,
                    column: None,
                },
            );
            return true;
        }
        let origin = *origin.get_or_insert(place.map(origin_near));
        let facing = ori
            .map(|(x, y)| [number(x), number(y)])
            .filter(|[x, y]| x.hypot(*y) > 1e-6);
        let agent = match row.get(id) {
            Some(SqliteValue::Integer(number)) => Id::Number(*number),
            other => Id::of_field(other.map(SqliteValue::text).unwrap_or_default().as_bytes()),
        };
        samples.push(SampleRow {
            sample: Sample {
                time,
                agent: ids.number(agent),
                x: (place[0] - origin[0]) as f32,
                y: (place[1] - origin[1]) as f32,
                z: z.map_or(f32::NAN, |z| number(z) as f32),
            },
            extra: SampleExtra {
                yaw: facing.map_or(f32::NAN, |[x, y]| y.atan2(x) as f32),
                value: f32::NAN,
            },
        });
        true
    })?;
    let facts = Facts::metric(Format::JuPedSim, Clocking::Frames { fps: None });
    Ok(Parts {
        samples,
        ids: ids.ids,
        origin: origin.unwrap_or_default(),
        problems,
        facts,
    })
}

/// Frames per second, from the metadata.
fn rate(database: &mut Database) -> Result<Option<f64>, DatabaseError> {
    let Ok(table) = database.table("metadata") else {
        return Ok(None);
    };
    let mut fps = None;
    database.each_row(&table, &mut |row| {
        if let [key, value, ..] = row
            && key.text().eq_ignore_ascii_case("fps")
        {
            fps = Some(value.number()).filter(|fps| *fps > 0.0 && fps.is_finite());
        }
        true
    })?;
    Ok(fps)
}

/// Walkable area at the first frame.
fn geometry(database: &mut Database) -> Result<(Option<Walls>, Option<String>), DatabaseError> {
    let Ok(table) = database.table("geometry") else {
        return Ok((None, None));
    };
    let Some(wkt) = table.column("wkt") else {
        return Ok((None, None));
    };
    let hash = table.column("hash");
    let mut areas: Vec<(Option<i64>, String)> = Vec::new();
    database.each_row(&table, &mut |row| {
        let key = hash.and_then(|at| match row.get(at) {
            Some(SqliteValue::Integer(number)) => Some(*number),
            _ => None,
        });
        areas.push((key, row.get(wkt).map(SqliteValue::text).unwrap_or_default()));
        true
    })?;
    let first = first_hash(database)?;
    let area = areas
        .iter()
        .find(|(key, _)| first.is_some() && *key == first)
        .or(areas.first());
    let Some((_, text)) = area else { return Ok((None, None)) };
    let walls = walls::wkt::parse(text).map_err(|problem| DatabaseError::Other(format!("geometry: {problem}")))?;
    let several = areas.len() > 1;
    let note = several.then(|| format!("{}; the first is drawn", plural(areas.len(), "walkable area")));
    Ok((Some(walls), note))
}

/// Key of the geometry at the first frame, since version 2.
fn first_hash(database: &mut Database) -> Result<Option<i64>, DatabaseError> {
    let Ok(table) = database.table("frame_data") else {
        return Ok(None);
    };
    let Some(at) = table.column("geometry_hash") else {
        return Ok(None);
    };
    let mut first = None;
    database.each_row(&table, &mut |row| {
        if let Some(SqliteValue::Integer(number)) = row.get(at) {
            first = Some(*number);
        }
        false
    })?;
    Ok(first)
}
