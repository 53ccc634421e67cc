//! Record beside frames and pictures: everything that they depend on, so that those of another film or set are never
//! mixed with them.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::Value;

use crate::file::output::Output;

/// Error: existing files were not made by this film or set.
#[derive(Debug, thiserror::Error)]
#[error("{path} {why}; {hint}")]
pub struct NotOurs {
    pub(crate) path: String,
    pub(crate) why: String,
    pub(crate) hint: &'static str,
}

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
    pub(crate) const fn new(path: PathBuf, what: Value) -> Self {
        Self { path, what }
    }

    /// Compares with the stored record.
    pub(crate) fn found(&self) -> RecordState {
        let Ok(text) = std::fs::read_to_string(&self.path) else {
            return RecordState::Nothing;
        };
        match serde_json::from_str::<Value>(&text) {
            Err(_) => RecordState::Other("is not a record of throng".to_owned()),
            Ok(kept) => match difference("", &kept, &self.what) {
                Some(place) => RecordState::Other(format!("is of another one: {place} differs")),
                None => RecordState::Same,
            },
        }
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
            RecordState::Other("is of another one: scene.seed differs".into())
        );
        let longer = record(json!({"size": [2, 1], "scene": {"count": 3, "seed": 1}, "more": 1}));
        assert_eq!(
            longer.found(),
            RecordState::Other("is of another one: more differs".into())
        );
        std::fs::write(&path, "mine").expect("written");
        assert_eq!(ours.found(), RecordState::Other("is not a record of throng".into()));
    }
}
