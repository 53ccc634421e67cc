//! File of a film or set that maps track ids of labels to the ids of the file of trajectories.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::label::formats::{Collection, write_file};

/// Labels of a picture: track ids alone.
#[derive(Deserialize)]
struct TrackLabels {
    annotations: Vec<TrackAnnotation>,
}

#[derive(Deserialize)]
struct TrackAnnotation {
    track_id: Option<u32>,
    extras: TrackExtras,
}

#[derive(Deserialize)]
struct TrackExtras {
    track: Option<String>,
}

/// Writes `NAME.tracks.json`, an object from track ids to the file's ids of everybody with a label. Writes nothing for
/// scenes without trajectories.
///
/// # Errors
/// Files of a picture that cannot be read; errors of writing.
pub(super) fn write(all: &Collection) -> Result<Vec<PathBuf>> {
    let mut ids = BTreeMap::new();
    for picture in &all.pictures {
        let people = read(&picture.coco())?;
        // All people of a scene follow trajectories, or nobody does.
        if people.first().is_some_and(|person| person.track_id.is_none()) {
            return Ok(Vec::new());
        }
        ids.extend(
            people
                .into_iter()
                .filter_map(|person| Some((person.track_id?, person.extras.track?))),
        );
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let path = all.folder.join(format!("{}.tracks.json", all.name));
    let text = serde_json::to_string_pretty(&ids)? + "\n";
    write_file(&path, text.as_bytes())?;
    Ok(vec![path])
}

fn read(path: &Path) -> Result<Vec<TrackAnnotation>> {
    let shown = path.display();
    let bytes = fs::read(path).with_context(|| format!("reading {shown}"))?;
    let labels: TrackLabels =
        serde_json::from_slice(&bytes).with_context(|| format!("{shown} has no labels of a picture"))?;
    Ok(labels.annotations)
}
