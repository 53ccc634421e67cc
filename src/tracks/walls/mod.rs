//! Walls around people: areas and lines of WKT, crowd:it's floors and Vadere's scenarios.

mod floor;
mod scenario;
pub mod wkt;

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use super::TrackError;

/// Largest file of walls (bytes).
const LARGEST: u64 = 256 << 20;

/// A closed outline with holes (m).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Area {
    /// Outline; its last point is not repeated.
    pub outline: Vec<[f64; 2]>,
    /// Outlines of holes.
    pub holes: Vec<Vec<[f64; 2]>>,
}

/// Walls of a place, in metres, absolute coordinates of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walls {
    /// Areas on which people walk; their outlines are walls.
    pub walkable: Vec<Area>,
    /// Areas that people walk around: solid.
    pub solid: Vec<Area>,
    /// Walls as lines.
    pub lines: Vec<Vec<[f64; 2]>>,
}

impl Walls {
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.walkable.is_empty() && self.solid.is_empty() && self.lines.is_empty()
    }

    /// Lines of all walls; the first point of closed ones is repeated at the end.
    pub fn outlines(&self) -> impl Iterator<Item = Vec<[f64; 2]>> {
        let closed = |ring: &Vec<[f64; 2]>| {
            let mut line = ring.clone();
            line.extend(ring.first());
            line
        };
        let areas = self.walkable.iter().chain(&self.solid);
        let rings = areas.flat_map(|area| std::iter::once(&area.outline).chain(&area.holes));
        rings.map(closed).chain(self.lines.iter().cloned())
    }

    /// Length of all walls (m).
    #[must_use]
    pub fn length(&self) -> f64 {
        let length = |line: Vec<[f64; 2]>| -> f64 {
            line.windows(2)
                .map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]))
                .sum()
        };
        self.outlines().map(length).sum()
    }

    /// Walkable area (m²), without the solid areas in it; `None` if no area is walkable.
    #[must_use]
    pub fn walkable_area(&self) -> Option<f64> {
        let area = |areas: &[Area]| -> f64 { areas.iter().map(Area::size).sum() };
        (!self.walkable.is_empty()).then(|| area(&self.walkable) - area(&self.solid))
    }
}

impl Area {
    /// Area (m²).
    #[must_use]
    pub fn size(&self) -> f64 {
        ring_size(&self.outline) - self.holes.iter().map(|hole| ring_size(hole)).sum::<f64>()
    }
}

/// Area within a ring (m²), by the shoelace formula.
fn ring_size(ring: &[[f64; 2]]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    let twice: f64 = ring.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
    0.5 * twice.abs()
}

/// Opens a file of walls by content: WKT, crowd:it's XML, Vadere's JSON.
///
/// # Errors
/// A file that cannot be read or is none of these, with the line where that is known.
pub fn open(path: &Path) -> Result<Walls, TrackError> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let failed = |reason| TrackError::io(&name, reason);
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(failed)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(TrackError::file(
            &name,
            "more than 256 MiB, which no plan of walls needs",
        ));
    }
    from_bytes(&name, &bytes)
}

/// Reads walls from memory, as [`open`].
///
/// # Errors
/// As [`open`].
pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Walls, TrackError> {
    let text = String::from_utf8_lossy(bytes);
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let walls = match start.bytes().next() {
        Some(b'<') => floor::parse(start),
        Some(b'{') => scenario::parse(start),
        _ => wkt::parse(start),
    };
    walls.map_err(|problem| TrackError::file(name, problem))
}

/// File with walls beside a file of trajectories: of the same name, or the only scenario of the folder that Vadere
/// writes.
#[must_use]
pub(super) fn beside(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().map(|folder| {
        if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        }
    })?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let same = ["wkt", "floor", "scenario"].map(|ending| folder.join(format!("{stem}.{ending}")));
    if let Some(found) = same.into_iter().find(|path| path.is_file()) {
        return Some(found);
    }
    if !name.ends_with(".traj") {
        return None;
    }
    let entries = fs::read_dir(folder)
        .ok()?
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let mut scenarios = entries.filter(|path| path.extension().is_some_and(|ending| ending == "scenario"));
    let first = scenarios.next()?;
    scenarios.next().is_none().then_some(first)
}
