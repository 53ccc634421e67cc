//! Pathfinder's JSON: an object of agents, each an object of moments. It is read as it streams by: a moment becomes a
//! sample at once.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor},
};

use crate::tracks::{
    Format, Id, Sample, SampleExtra, TextPlace, TrackError,
    assemble::{Clocking, Facts, Parts},
    ids::IdTable,
    notes::{Problem, Problems},
    samples::{SampleRow, SampleTable},
};

use super::{Reading, input::Text, number};

pub(super) fn read(reading: &Reading<'_>, text: Text) -> Result<Parts, TrackError> {
    let mut export = PathfinderExport::default();
    let mut json = serde_json::Deserializer::from_reader(text.rest);
    if let Err(error) = (Agents { export: &mut export }).deserialize(&mut json) {
        let place = TextPlace {
            line: error.line() as u64,
            column: None,
        };
        if !error.is_eof() || export.samples.is_empty() {
            return Err(TrackError::text(
                reading.name,
                place,
                format!("not Pathfinder's JSON: {error}"),
            ));
        }
        export.problems.add(Problem::CutOff, place);
    }
    Ok(Parts {
        samples: export.samples,
        ids: export.ids.ids,
        origin: [0.0; 2],
        problems: export.problems,
        facts: Facts::metric(Format::PathfinderJson, Clocking::Seconds),
    })
}

/// Samples so far.
#[derive(Default)]
struct PathfinderExport {
    samples: SampleTable,
    ids: IdTable,
    problems: Problems,
}

/// A moment; anything else of it is skipped.
#[derive(Deserialize)]
struct JsonSample {
    position: Position,
}

/// A place (m).
#[derive(Deserialize)]
struct Position {
    x: f64,
    y: f64,
    #[serde(default)]
    z: Option<f64>,
}

/// Reads the outer object.
struct Agents<'a> {
    export: &'a mut PathfinderExport,
}

/// Reads one agent's object.
struct Moments<'a> {
    export: &'a mut PathfinderExport,
    agent: u32,
}

impl<'de> DeserializeSeed<'de> for Agents<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Agents<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of agents")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            let agent = self.export.ids.number(Id::of_field(key.as_bytes()));
            map.next_value_seed(Moments {
                export: self.export,
                agent,
            })?;
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Moments<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Moments<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of moments, their times as keys")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            let Some(time) = number::parse(key.as_bytes()) else {
                map.next_value::<IgnoredAny>()?;
                return Err(serde::de::Error::custom(format!("{key:?} is not a time")));
            };
            let Position { x, y, z } = map.next_value::<JsonSample>()?.position;
            if !time.is_finite() {
                continue;
            }
            self.export.samples.push(SampleRow {
                sample: Sample {
                    time,
                    agent: self.agent,
                    x: x as f32,
                    y: y as f32,
                    z: z.map_or(f32::NAN, |z| z as f32),
                },
                extra: SampleExtra::NONE,
            });
        }
        Ok(())
    }
}
