//! Point tracks of a film in the layout of TAP-Vid (Doersch et al. 2022): fixed points on the skin of people.
//!
//! ```text
//! NAME.points.json            points of everybody in a frame, in pixels
//! FILM.points/points.npy      [N, T, 2] x and y as shares of width and height
//! FILM.points/occluded.npy    [N, T] true where a point is hidden or outside the picture
//! FILM.points/video.npy       [T, H, W, 3] frames in 8 bits, if the film has pictures
//! FILM.points/person.npy      [N] identity of the person of each track
//! ```

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{
    aov::with_suffix,
    label::{
        PersonSurface,
        formats::{
            Collection, LabelWriter, LabelledPicture, OutputKind, PictureEntry,
            mot::needs_film,
            npy::{NpyFile, NpyType},
            thousandths, write_file,
        },
    },
};

/// Writer of point tracks.
pub(super) struct PointTracksWriter;

const ENDING: &str = "points.json";

/// Points of a frame.
#[derive(Debug, Serialize, Deserialize)]
struct FramePoints {
    people: Vec<PersonPoints>,
}

/// Points of a person in a frame.
#[derive(Debug, Serialize, Deserialize)]
struct PersonPoints {
    /// Number of the person's trajectory, or the value in the id AOV.
    person: u32,
    /// x and y (px), in the picture or not; null where the camera faces away.
    pixels: Vec<Option<[f64; 2]>>,
    /// 1 where a point is in the picture and nothing hides it.
    visible: Vec<u8>,
}

impl PersonPoints {
    fn of(own: &PersonSurface, identity: u32) -> Self {
        let points = || own.points.iter();
        Self {
            person: identity,
            pixels: points()
                .map(|point| point.pixel.map(|pixel| pixel.to_array().map(thousandths)))
                .collect(),
            visible: points().map(|point| u8::from(point.is_visible)).collect(),
        }
    }
}

impl LabelWriter for PointTracksWriter {
    fn unsupported(&self, kind: OutputKind) -> Option<&'static str> {
        needs_film(kind)
    }

    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![with_suffix(stem, ENDING)]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let own = picture.labels.surface.iter();
        let points = FramePoints {
            people: own.map(|person| PersonPoints::of(person, person.identity())).collect(),
        };
        let mut text = serde_json::to_vec(&points)?;
        text.push(b'\n');
        write_file(&with_suffix(picture.stem, ENDING), &text)
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        let folder = all.folder.join(format!("{}.points", all.name));
        fs::create_dir_all(&folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let tracks = Tracks::read(all)?;
        let mut written = tracks.write(&folder, all.size)?;
        written.extend(write_video(&folder, all)?);
        Ok(written)
    }
}

/// Place of a point in a frame (px), and whether it is visible.
#[derive(Clone, Copy, Debug)]
struct TrackPlace {
    pixel: [f32; 2],
    is_visible: bool,
}

/// Tracks of a film: for each person and point, its place in each frame; `None` outside the picture.
struct Tracks {
    frames: usize,
    places: BTreeMap<(u32, usize), Vec<Option<TrackPlace>>>,
}

impl Tracks {
    /// Reads the points of all frames. Tracks that are visible in no frame are left out, as in TAP-Vid.
    fn read(all: &Collection) -> Result<Self> {
        let frames = all.pictures.len();
        let mut places: BTreeMap<(u32, usize), Vec<Option<TrackPlace>>> = BTreeMap::new();
        for (frame, picture) in all.pictures.iter().enumerate() {
            for person in read(picture)?.people {
                for (point, (pixel, visible)) in person.pixels.iter().zip(person.visible).enumerate() {
                    let Some(pixel) = pixel else { continue };
                    let track = places
                        .entry((person.person, point))
                        .or_insert_with(|| vec![None; frames]);
                    track[frame] = Some(TrackPlace {
                        pixel: pixel.map(|edge| edge as f32),
                        is_visible: visible != 0,
                    });
                }
            }
        }
        places.retain(|_, track| track.iter().flatten().any(|place| place.is_visible));
        Ok(Self { frames, places })
    }

    fn write(&self, folder: &Path, size: (u32, u32)) -> Result<Vec<PathBuf>> {
        let [points, occluded, person] =
            ["points", "occluded", "person"].map(|name| folder.join(format!("{name}.npy")));
        let count = self.places.len();
        let mut places = NpyFile::begin(&points, NpyType::F32, &[count, self.frames, 2])?;
        let mut hidden = NpyFile::begin(&occluded, NpyType::Bool, &[count, self.frames])?;
        let mut people = NpyFile::begin(&person, NpyType::I32, &[count])?;
        for ((identity, _), track) in &self.places {
            for [x, y] in held(track) {
                let shares = [x / size.0 as f32, y / size.1 as f32];
                places.add(&shares.map(f32::to_le_bytes).concat())?;
            }
            let flags: Vec<u8> = track
                .iter()
                .map(|place| u8::from(!place.is_some_and(|place| place.is_visible)))
                .collect();
            hidden.add(&flags)?;
            people.add(&identity.to_le_bytes())?;
        }
        places.finish()?;
        hidden.finish()?;
        people.finish()?;
        Ok(vec![points, occluded, person])
    }
}

/// Returns the places of a track in all frames. While the person is outside the picture, the last place is held, and
/// the first one before that.
fn held(track: &[Option<TrackPlace>]) -> impl Iterator<Item = [f32; 2]> + '_ {
    let first = track.iter().flatten().next().map_or([0.0; 2], |place| place.pixel);
    track.iter().scan(first, |last, place| {
        *last = place.map_or(*last, |place| place.pixel);
        Some(*last)
    })
}

fn read(picture: &PictureEntry) -> Result<FramePoints> {
    let path = with_suffix(&picture.stem, ENDING);
    let shown = path.display();
    let bytes = fs::read(&path).with_context(|| format!("reading {shown}"))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{shown} has no points of a frame"))
}

/// Writes the frames as one array; `None` if the film has no pictures.
fn write_video(folder: &Path, all: &Collection) -> Result<Option<PathBuf>> {
    let frame = |picture: &PictureEntry| with_suffix(&picture.stem, "png");
    let has_pictures = |picture: &PictureEntry| picture.files.contains(&frame(picture));
    if !all.pictures.iter().all(has_pictures) {
        return Ok(None);
    }
    let path = folder.join("video.npy");
    let (width, height) = all.size;
    let shape = [all.pictures.len(), height as usize, width as usize, 3];
    let mut video = NpyFile::begin(&path, NpyType::U8, &shape)?;
    for picture in &all.pictures {
        let file = frame(picture);
        let pixels = image::open(&file).with_context(|| format!("reading {}", file.display()))?;
        video.add(pixels.into_rgb8().as_raw())?;
    }
    video.finish()?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{film::FrameRate, label::formats::CollectionKind};

    /// Film of two people: one is hidden in the second frame and outside in the third, the other is never seen.
    fn film(folder: &Path) -> Collection {
        let frames = [
            r#"{"people":[{"person":3,"pixels":[[2,1],null],"visible":[1,0]},{"person":4,"pixels":[[1,1]],"visible":[0]}]}"#,
            r#"{"people":[{"person":3,"pixels":[[4,2],[6,3]],"visible":[0,1]}]}"#,
            r#"{"people":[]}"#,
        ];
        let entry = |(number, text): (u64, &str)| {
            let stem = folder.join(format!("{number}"));
            fs::write(with_suffix(&stem, ENDING), text).expect("written");
            let png = with_suffix(&stem, "png");
            let frame = image::RgbImage::from_pixel(8, 4, image::Rgb([number as u8; 3]));
            frame.save(&png).expect("written");
            PictureEntry {
                number,
                split: String::new(),
                stem,
                files: vec![png],
            }
        };
        Collection {
            kind: CollectionKind::Film(FrameRate::whole(24)),
            folder: folder.to_owned(),
            name: "film".to_owned(),
            size: (8, 4),
            pictures: (0..).zip(frames).map(entry).collect(),
        }
    }

    fn data(path: &Path) -> Vec<u8> {
        let bytes = fs::read(path).expect("written");
        let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        bytes[head..].to_vec()
    }

    #[test]
    fn tracks_hold_their_place_outside_the_picture_and_are_occluded_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let film = film(folder.path());
        let written = PointTracksWriter.gather(&film).expect("gathered");
        let own = |name: &str| data(&folder.path().join("film.points").join(name));
        let points: Vec<f32> = bytemuck::pod_collect_to_vec(&own("points.npy"));
        let expected = [[0.25, 0.25, 0.5, 0.5, 0.5, 0.5], [0.75, 0.75, 0.75, 0.75, 0.75, 0.75]];
        assert_eq!(points, expected.concat());
        assert_eq!(own("occluded.npy"), [0, 1, 1, 1, 0, 1]);
        assert_eq!(own("person.npy"), [3, 0, 0, 0, 3, 0, 0, 0]);
        let video = own("video.npy");
        assert_eq!(video.len(), 3 * 8 * 4 * 3);
        assert_eq!([video[0], video[8 * 4 * 3], video[2 * 8 * 4 * 3]], [0, 1, 2]);
        assert_eq!(written.len(), 4);
    }
}
