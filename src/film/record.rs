//! Record beside frames and pictures: everything that they depend on, so that those of another film or set are never
//! mixed with them.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Map, Value};

use crate::{
    config::{
        LodQuality,
        aliases::{Alias, BothNames, SCHEMA, rename_settings},
    },
    file::output::Output,
};

/// Error: existing files were not made by this film or set.
#[derive(Debug, thiserror::Error)]
#[error("{path} {why}; {hint}")]
pub struct NotOurs {
    pub(crate) path: String,
    pub(crate) why: String,
    pub(crate) hint: &'static str,
}

const SCHEMA_KEY: &str = "schema";

/// Facts that files depend on, and the path where they are stored.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    path: PathBuf,
    what: Value,
}

/// State of the record of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordState {
    Nothing,
    /// The files are of this film.
    Same,
    /// The files are of something else, for this reason.
    Other(String),
}

impl Record {
    /// Makes a record of facts and of the schema's number.
    pub(crate) fn new(path: PathBuf, what: Value) -> Self {
        let facts = match what {
            Value::Object(facts) => facts,
            other => Map::from_iter([("what".to_owned(), other)]),
        };
        let schema = (SCHEMA_KEY.to_owned(), Value::from(SCHEMA));
        let what = std::iter::once(schema).chain(facts).collect();
        Self { path, what }
    }

    /// Compares with the stored record.
    pub(crate) fn found(&self) -> RecordState {
        let Ok(text) = std::fs::read_to_string(&self.path) else {
            return RecordState::Nothing;
        };
        let Ok(mut kept) = serde_json::from_str::<Value>(&text) else {
            return RecordState::Other("is not a record of throng".to_owned());
        };
        let renamed = match with_new_names(&mut kept) {
            Ok(renamed) => renamed,
            Err(both) => return RecordState::Other(format!("is of another film or set: {both}")),
        };
        if let Some(place) = difference("", &kept, &self.what) {
            return RecordState::Other(format!("is of another film or set: {place} differs"));
        }
        let shown = self.path.display().to_string();
        renamed.into_iter().for_each(|alias| alias.warn(&shown));
        RecordState::Same
    }

    /// Makes the error that files are of something else and stay untouched.
    pub(crate) fn not_ours(&self, why: String, hint: &'static str) -> NotOurs {
        NotOurs {
            path: self.path.display().to_string(),
            why,
            hint,
        }
    }

    /// # Errors
    /// Errors of writing, for example a full disk.
    pub(crate) fn write(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.what)? + "\n";
        Output::create(&self.path)?.write(text.as_bytes())
    }
}

/// Gives a record of throng 0.1 the new names of settings and the schema's number; returns the aliases that it needed.
fn with_new_names(kept: &mut Value) -> Result<Vec<&'static Alias>, BothNames> {
    let renamed = kept.get_mut("config").map(rename_settings).transpose()?;
    if let Value::Object(facts) = kept {
        facts.entry(SCHEMA_KEY).or_insert(SCHEMA.into());
    }
    // Before there was a choice, LODs were judged.
    if let Some(Value::Object(render)) = kept.pointer_mut("/config/render") {
        render.entry("lods").or_insert(LodQuality::Judged.name().into());
    }
    Ok(renamed.unwrap_or_default())
}

/// Returns the first path where two values differ.
fn difference(place: &str, a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let keys = x.keys().chain(y.keys().filter(|key| !x.contains_key(*key)));
            let inside = |key: &String| {
                let place = if place.is_empty() {
                    key.clone()
                } else {
                    format!("{place}.{key}")
                };
                let (a, b) = (x.get(key).unwrap_or(&Value::Null), y.get(key).unwrap_or(&Value::Null));
                difference(&place, a, b)
            };
            keys.into_iter().find_map(inside)
        }
        _ => (a != b).then(|| place.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Config;

    #[test]
    fn the_first_difference_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        let record = |what| Record::new(path.clone(), what);
        let ours = record(json!({"size": [2, 1], "scene": {"count": 3, "seed": 1}}));
        assert_eq!(ours.found(), RecordState::Nothing);
        ours.write().expect("written");
        assert_eq!(ours.found(), RecordState::Same);
        let other = record(json!({"size": [2, 1], "scene": {"count": 3, "seed": 2}}));
        assert_eq!(
            other.found(),
            RecordState::Other("is of another film or set: scene.seed differs".into())
        );
        let longer = record(json!({"size": [2, 1], "scene": {"count": 3, "seed": 1}, "more": 1}));
        assert_eq!(
            longer.found(),
            RecordState::Other("is of another film or set: more differs".into())
        );
        let newer = json!({"schema": 2, "size": [2, 1], "scene": {"count": 3, "seed": 1}});
        std::fs::write(&path, newer.to_string()).expect("written");
        let told = RecordState::Other("is of another film or set: schema differs".into());
        assert_eq!(ours.found(), told);
        std::fs::write(&path, "mine").expect("written");
        assert_eq!(ours.found(), RecordState::Other("is not a record of throng".into()));
    }

    /// Text of a record as throng 0.1 wrote it: old names of settings, no schema.
    fn of_before(today: &str) -> String {
        let mut record: Value = serde_json::from_str(today).expect("JSON");
        record.as_object_mut().expect("an object").remove(SCHEMA_KEY);
        let mut config = record["config"].clone();
        for (table, new, old) in [
            ("/render", "sw_raster_max_rows", "raster_rows"),
            ("/render", "splats", "discs"),
            ("/scene", "ground_contact", "ground"),
            ("/scene", "width_scale_spread", "breadth_spread"),
            ("/scene/groups/home", "material_variant", "dress"),
        ] {
            let table = config
                .pointer_mut(table)
                .and_then(Value::as_object_mut)
                .expect("a table");
            let value = table.remove(new).expect("in every record of this scene");
            table.insert(old.to_owned(), value);
        }
        record["config"] = config;
        record.to_string()
    }

    #[test]
    fn record_with_old_names_of_settings_is_of_the_same_film() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        let mut scene = Config::scene("stadium").expect("a preset");
        scene
            .set("a test", "scene.groups.home.material_variant=3")
            .expect("a setting");
        let film = json!({"fps": "24", "config": scene});
        let ours = Record::new(path.clone(), film.clone());
        ours.write().expect("written");
        let today = std::fs::read_to_string(&path).expect("a record");
        assert!(today.starts_with("{\n  \"schema\": 1,"), "{today}");
        std::fs::write(&path, of_before(&today)).expect("written");
        assert_eq!(ours.found(), RecordState::Same);
        let mut other = film;
        other["config"]["render"]["splats"] = false.into();
        let told = RecordState::Other("is of another film or set: config.render.splats differs".into());
        assert_eq!(Record::new(path.clone(), other).found(), told);
        let both = today.replacen("\"splats\":", "\"discs\": true, \"splats\":", 1);
        std::fs::write(&path, both).expect("written");
        let RecordState::Other(told) = ours.found() else {
            panic!("both names")
        };
        assert!(told.contains("`render.discs` and `render.splats`"), "{told}");
    }
}
