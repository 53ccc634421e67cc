//! MOTChallenge (Milan et al. 2016): boxes of a film with an identity each.
//!
//! `gt/gt.txt` has a line for each box: frame, identity, left, top, width, height, 1, class, visibility. Frames and
//! pixels count from 1; boxes reach beyond the picture; class 1 is a pedestrian.

use std::{fmt::Write, path::PathBuf};

use anyhow::Result;

use crate::label::formats::{
    Collection, CollectionKind, LabelWriter, OutputKind,
    collection::IMAGES,
    stored::{StoredLabels, StoredPerson},
    write_file,
};

/// Writer of MOTChallenge's boxes.
pub(super) struct MotWriter;

/// Reason why formats of films do not describe single pictures.
pub(super) const NEEDS_FILM: &str =
    "tracks need the frames of one camera, and these are single pictures; draw them with `throng film`";

/// True for outputs that are no film.
pub(super) fn needs_film(kind: OutputKind) -> Option<&'static str> {
    (kind != OutputKind::Film).then_some(NEEDS_FILM)
}

impl LabelWriter for MotWriter {
    fn unsupported(&self, kind: OutputKind) -> Option<&'static str> {
        needs_film(kind)
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        let mut text = String::new();
        for picture in &all.pictures {
            let frame = all.frame_number(picture);
            for person in StoredLabels::read(&picture.coco())?.annotations {
                text += &line(frame, &person);
            }
        }
        let boxes = all.sequence().join("gt").join("gt.txt");
        write_file(&boxes, text.as_bytes())?;
        Ok(vec![boxes, write_seqinfo(all)?])
    }
}

fn line(frame: u64, person: &StoredPerson) -> String {
    let [left, top, width, height] = person.extras.unclipped_bbox.unwrap_or(person.bbox);
    let visibility = person.visible_share * (1.0 - person.truncation);
    let (id, left, top) = (person.identity(), left + 1, top + 1);
    format!("{frame},{id},{left},{top},{width},{height},1,1,{visibility:.5}\n")
}

/// Writes the description of a sequence, which readers of MOTChallenge need.
pub(super) fn write_seqinfo(all: &Collection) -> Result<PathBuf> {
    let sequence = all.sequence();
    let name = sequence.canonicalize().unwrap_or_else(|_| sequence.to_owned());
    let name = name
        .file_name()
        .map_or(all.name.clone(), |name| name.to_string_lossy().into_owned());
    let folder = if all.folder.ends_with(IMAGES) { IMAGES } else { "." };
    let rate = match all.kind {
        CollectionKind::Film(rate) => f64::from(rate.frames) / f64::from(rate.seconds),
        CollectionKind::Set => 1.0,
    };
    let mut text = format!("[Sequence]\nname={name}\nimDir={folder}\nframeRate={rate}\n");
    let (width, height) = all.size;
    let length = all.pictures.len();
    // Text never fails to grow.
    let _ = write!(
        text,
        "seqLength={length}\nimWidth={width}\nimHeight={height}\nimExt=.png\n"
    );
    let path = sequence.join("seqinfo.ini");
    write_file(&path, text.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        film::FrameRate,
        label::formats::{
            PictureEntry,
            stored::{StoredExtras, StoredMask},
        },
    };

    #[test]
    fn boxes_count_from_one_and_reach_beyond_the_picture() {
        let mut person = StoredPerson {
            track_id: None,
            bbox: [0, 10, 20, 30],
            segmentation: StoredMask {
                size: [100, 100],
                counts: String::new(),
            },
            visible_pixels: 5,
            visible_share: 0.5,
            truncation: 0.5,
            extras: StoredExtras {
                person: 7,
                unclipped_bbox: Some([-5, 10, 25, 30]),
            },
        };
        assert_eq!(line(3, &person), "3,7,-4,11,25,30,1,1,0.25000\n");
        person.track_id = Some(40);
        assert_eq!(line(3, &person), "3,40,-4,11,25,30,1,1,0.25000\n", "a trajectory's id");
    }

    #[test]
    fn sequence_is_the_folder_above_img1() {
        let entry = |number: u64| PictureEntry {
            number,
            split: String::new(),
            stem: PathBuf::new(),
            files: Vec::new(),
        };
        let all = |folder: &str| Collection {
            kind: CollectionKind::Film(FrameRate::whole(24)),
            folder: PathBuf::from(folder),
            name: "film".to_owned(),
            size: (8, 4),
            pictures: vec![entry(5), entry(6)],
        };
        assert!(all("walk/img1").sequence().ends_with("walk"));
        assert!(all("walk/frames").sequence().ends_with("frames"));
        let film = all("walk/img1");
        assert_eq!(film.frame_number(&film.pictures[1]), 2);
    }
}
