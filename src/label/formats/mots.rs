//! MOTS (Voigtlaender et al. 2019): masks of a film with an identity each, as text and as pictures of instances.
//!
//! A line of `gt/mots.txt` is: frame, identity, class, height, width, mask. Frames count from 1, class 2 is a
//! pedestrian, and the identity is `class * 1000 + instance` up to 1,000 people. Masks are in COCO's run-length
//! encoding. A 16-bit PNG has that identity in every pixel, 0 elsewhere.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use image::ExtendedColorType;

use crate::{
    file::output::png_16bit,
    label::formats::{
        Collection, LabelWriter, LabelledPicture, OutputKind,
        collection::IMAGES,
        mot::{needs_film, write_seqinfo},
        stored::StoredLabels,
        write_file,
    },
    render::passes::{ID_ATTACHMENT, ID_SCENERY},
};

/// Class of pedestrians.
const PEDESTRIAN: u32 = 2;
/// Factor between a class and its instances.
const INSTANCES: u32 = 1000;

/// Returns the instance of a person: the number of their trajectory, else that of the person, from 0. `person` is the
/// value in the id AOV.
fn instance(track: Option<u32>, person: u32) -> u32 {
    track.unwrap_or(person.saturating_sub(1))
}

/// Returns the identity of an instance.
const fn identity(instance: u32) -> u32 {
    (PEDESTRIAN * INSTANCES).saturating_add(instance)
}

/// Writer of masks as text.
pub(super) struct MotsTextWriter;

impl LabelWriter for MotsTextWriter {
    fn unsupported(&self, kind: OutputKind) -> Option<&'static str> {
        needs_film(kind)
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        let mut text = String::new();
        for picture in &all.pictures {
            let frame = all.frame_number(picture);
            // Readers refuse masks without a pixel.
            let people = StoredLabels::read(&picture.coco())?.annotations.into_iter();
            for person in people.filter(|person| person.visible_pixels > 0) {
                let [height, width] = person.segmentation.size;
                let id = identity(instance(person.track_id, person.extras.person));
                let mask = &person.segmentation.counts;
                text += &format!("{frame} {id} {PEDESTRIAN} {height} {width} {mask}\n");
            }
        }
        let masks = all.sequence().join("gt").join("mots.txt");
        write_file(&masks, text.as_bytes())?;
        Ok(vec![masks, write_seqinfo(all)?])
    }
}

/// Writer of masks as pictures.
pub(super) struct MotsPngWriter;

impl LabelWriter for MotsPngWriter {
    fn unsupported(&self, kind: OutputKind) -> Option<&'static str> {
        needs_film(kind)
    }

    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![instances(stem)]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let png = encode(picture)?;
        write_file(&instances(picture.stem), &png)
    }
}

/// Returns the picture of instances of a frame, in a folder of its own.
fn instances(stem: &Path) -> PathBuf {
    let folder = stem.parent().unwrap_or(Path::new(""));
    let sequence = match folder.parent() {
        Some(parent) if folder.ends_with(IMAGES) => parent,
        _ => folder,
    };
    let name = stem.file_name().unwrap_or_default();
    crate::aov::with_suffix(&sequence.join("instances").join(name), "png")
}

fn encode(picture: &LabelledPicture<'_>) -> Result<Vec<u8>> {
    let people = picture.labels.people.iter();
    let instances: HashMap<u32, u32> = people
        .map(|person| {
            let track = person.track.as_ref().map(|track| track.number);
            (person.id, instance(track, person.id))
        })
        .collect();
    let word = |id: u32| -> Result<u16> {
        let is_other = id == 0 || id & (ID_ATTACHMENT | ID_SCENERY) != 0;
        let Some(&own) = instances.get(&id).filter(|_| !is_other) else {
            return Ok(0);
        };
        let word = Some(identity(own)).filter(|_| own < INSTANCES);
        let word = word.and_then(|word| u16::try_from(word).ok());
        word.with_context(|| {
            format!(
                "pictures of MOTS hold instances 0 to {}, and this is instance {own}; lower --count, or use mots",
                INSTANCES - 1
            )
        })
    };
    let mut words = Vec::with_capacity(picture.aovs.ids().len());
    let mut last = (0, 0);
    for &id in picture.aovs.ids() {
        if id != last.0 {
            last = (id, word(id)?);
        }
        words.push(last.1);
    }
    png_16bit(&words, picture.aovs.size, ExtendedColorType::L16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_stand_beside_the_frames() {
        assert_eq!(
            instances(Path::new("a/img1/000001")),
            Path::new("a/instances/000001.png")
        );
        assert_eq!(instances(Path::new("a/f-01")), Path::new("a/instances/f-01.png"));
        assert_eq!(identity(instance(None, 1)), 2000);
        assert_eq!(identity(instance(None, 1000)) / INSTANCES, PEDESTRIAN);
        assert_eq!(identity(instance(Some(7), 1)), 2007, "a trajectory's id");
    }
}
