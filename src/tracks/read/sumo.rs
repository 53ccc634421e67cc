//! SUMO's floating car data: `<fcd-export>` of `<timestep time>` with `<person>` and `<vehicle>`.

use std::{
    collections::{HashMap, hash_map::Entry},
    io::{self, BufRead, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::tracks::{
    Format, Id, Sample, SampleExtra, TextPlace, TrackError, VehicleClass,
    assemble::{Clocking, Facts, Parts, origin_near},
    ids::IdTable,
    notes::{Problem, Problems},
    samples::{SampleRow, SampleTable},
};

use super::{Reading, input::Text, number};

/// Longest element (bytes): nothing of a simulation needs more, and a packed file could hold one that fills memory.
const LONGEST_ELEMENT: u64 = 1 << 20;

/// Reader that fails once an element is too long, and counts lines.
struct BoundedReader {
    inner: Box<dyn BufRead + Send>,
    /// Bytes since the last element.
    element: Arc<AtomicU64>,
    lines: Arc<AtomicU64>,
}

impl Read for BoundedReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for BoundedReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.element.load(Ordering::Relaxed) > LONGEST_ELEMENT {
            return Err(io::Error::other("an element of more than 1 MiB"));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // The bytes are still in the buffer of `inner`, whose filling cannot fail before they are consumed.
        let buffer = self.inner.fill_buf().unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', &buffer[..count.min(buffer.len())]).count();
        self.lines.fetch_add(lines as u64, Ordering::Relaxed);
        self.element.fetch_add(count as u64, Ordering::Relaxed);
        self.inner.consume(count);
    }
}

/// Samples so far.
#[derive(Default)]
struct SumoExport {
    samples: SampleTable,
    ids: IdTable,
    vehicles: HashMap<u32, VehicleClass>,
    problems: Problems,
    origin: Option<[f64; 2]>,
    time: f64,
}

pub(super) fn read(reading: &Reading<'_>, text: Text) -> Result<Parts, TrackError> {
    let (element, lines) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let guarded = BoundedReader {
        inner: text.rest,
        element: element.clone(),
        lines: lines.clone(),
    };
    let mut reader = Reader::from_reader(guarded);
    let mut read = SumoExport {
        time: f64::NAN,
        ..SumoExport::default()
    };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        element.store(0, Ordering::Relaxed);
        let event = reader.read_event_into(&mut buffer);
        let place = TextPlace {
            line: lines.load(Ordering::Relaxed) + 1,
            column: None,
        };
        match event {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                read.element(&tag, place)
                    .map_err(|problem| TrackError::text(reading.name, place, problem))?;
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            // A simulation that was stopped leaves the last element open: what came before is complete.
            Err(quick_xml::Error::Syntax(_)) if !read.samples.is_empty() => {
                read.problems.add(Problem::CutOff, place);
                break;
            }
            Err(error) => return Err(TrackError::text(reading.name, place, error.to_string())),
        }
    }
    let mut facts = Facts::metric(Format::SumoFcd, Clocking::Seconds);
    facts.vehicles = read.vehicles.into_iter().collect();
    Ok(Parts {
        samples: read.samples,
        ids: read.ids.ids,
        origin: read.origin.unwrap_or_default(),
        problems: read.problems,
        facts,
    })
}

impl SumoExport {
    fn element(&mut self, tag: &BytesStart<'_>, place: TextPlace) -> Result<(), String> {
        match tag.name().as_ref() {
            b"timestep" => {
                let time = attribute(tag, "time")?.ok_or("a timestep without a time")?;
                self.time = number_of(&time, "time")?;
            }
            b"person" => self.agent(tag, false, place)?,
            b"vehicle" => self.agent(tag, true, place)?,
            _ => {}
        }
        Ok(())
    }

    fn agent(&mut self, tag: &BytesStart<'_>, is_vehicle: bool, place: TextPlace) -> Result<(), String> {
        let id = attribute(tag, "id")?.ok_or("somebody without an id")?;
        let number = |name: &str| -> Result<f64, String> {
            attribute(tag, name)?.map_or(Ok(f64::NAN), |text| number_of(&text, name))
        };
        let (x, y, z, angle) = (number("x")?, number("y")?, number("z")?, number("angle")?);
        if !(x.is_finite() && y.is_finite() && self.time.is_finite()) {
            self.problems.add(Problem::NotFinite, place);
            return Ok(());
        }
        let origin = *self.origin.get_or_insert([origin_near(x), origin_near(y)]);
        // Vehicles and persons may share an id.
        let name = if is_vehicle { format!("vehicle {id}") } else { id };
        let agent = self.ids.number(Id::of_field(name.as_bytes()));
        if is_vehicle {
            let class = || attribute(tag, "type").map(|name| VehicleClass::of_type(&name.unwrap_or_default()));
            if let Entry::Vacant(entry) = self.vehicles.entry(agent) {
                entry.insert(class()?);
            }
        }
        self.samples.push(SampleRow {
            sample: Sample {
                time: self.time,
                agent,
                x: (x - origin[0]) as f32,
                y: (y - origin[1]) as f32,
                z: z as f32,
            },
            extra: SampleExtra {
                // Navigation's angle: clockwise from north.
                yaw: (90.0 - angle).to_radians() as f32,
                value: number("speed")? as f32,
            },
        });
        Ok(())
    }
}

fn number_of(text: &str, name: &str) -> Result<f64, String> {
    number::parse(text.as_bytes()).ok_or_else(|| format!("{name} is {text:?}, not a number"))
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let found = tag.try_get_attribute(name).map_err(|error| error.to_string())?;
    Ok(found.map(|attribute| String::from_utf8_lossy(&attribute.value).into_owned()))
}
