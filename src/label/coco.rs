//! Labels as COCO JSON.

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::{Value, json};

use crate::{
    file::output::{GrowingFile, Output},
    label::{COCO_POINTS, COCO_SKELETON, KeyPoint, Labels, PersonLabel, Seen, head_point, read_json},
    observe::Moment,
};

/// Annotations of a picture are numbered from its number times this on: a picture has fewer people.
const PEOPLE: u64 = 1 << 20;

/// The labels of a picture, its number and its file's name, as JSON.
///
/// # Errors
/// None that is known: there is nothing in labels that JSON does not have.
pub fn coco(labels: &Labels, moment: &Moment, (number, file): (u64, &str)) -> serde_json::Result<String> {
    let points = labels.people.iter().map(|p| rounded(head_point(p)));
    let image = Image {
        id: number,
        file_name: file,
        width: labels.size.0,
        height: labels.size.1,
        extras: ImageExtras {
            seconds: moment.time,
            eye: moment.camera.eye.to_array(),
            target: moment.camera.target.to_array(),
            fov_vertical_degrees: moment.camera.fov.to_degrees(),
            count: labels.people.len(),
            points: points.collect(),
        },
    };
    serde_json::to_string(&Picture {
        info: info(),
        licenses: [],
        images: [image],
        categories: [category()],
        annotations: labels.people.iter().map(|person| annotation(person, number)).collect(),
    })
}

/// Written as it stands: a tree of values would be an allocation for every number.
#[derive(Serialize)]
struct Picture<'a> {
    info: Value,
    licenses: [u8; 0],
    images: [Image<'a>; 1],
    categories: [Value; 1],
    annotations: Vec<Annotation<'a>>,
}

#[derive(Serialize)]
struct Image<'a> {
    id: u64,
    file_name: &'a str,
    width: u32,
    height: u32,
    extras: ImageExtras,
}

#[derive(Serialize)]
struct ImageExtras {
    seconds: f64,
    eye: [f32; 3],
    target: [f32; 3],
    fov_vertical_degrees: f32,
    count: usize,
    points: Vec<[f64; 2]>,
}

#[derive(Serialize)]
struct Annotation<'a> {
    id: u64,
    image_id: u64,
    category_id: u32,
    iscrowd: u32,
    bbox: [i64; 4],
    area: u32,
    segmentation: Segmentation,
    num_keypoints: usize,
    keypoints: FlatPoints<'a>,
    visible_bbox: Option<[i64; 4]>,
    visible_pixels: u32,
    full_pixels: u32,
    visible_share: f64,
    extras: AnnotationExtras<'a>,
}

#[derive(Serialize)]
struct Segmentation {
    size: [u32; 2],
    counts: String,
}

#[derive(Serialize)]
struct AnnotationExtras<'a> {
    person: u32,
    unclipped_bbox: Option<[i64; 4]>,
    keypoint_depths: [f64; 17],
    character: &'a str,
    clip: &'a str,
    clip_seconds: f32,
    position: [f32; 3],
    heading_degrees: f32,
    scale: f32,
}

/// x, y, how it is seen, of each in turn.
struct FlatPoints<'a>(&'a [KeyPoint; 17]);

impl Serialize for FlatPoints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut flat = serializer.serialize_seq(Some(3 * self.0.len()))?;
        for point in self.0 {
            let [x, y] = rounded(point.pixel);
            flat.serialize_element(&x)?;
            flat.serialize_element(&y)?;
            flat.serialize_element(&(point.seen as u8))?;
        }
        flat.end()
    }
}

fn info() -> Value {
    json!({
        "description": "a crowd drawn by throng: labels are exact",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn category() -> Value {
    json!({
        "id": 1,
        "name": "person",
        "supercategory": "person",
        "keypoints": COCO_POINTS,
        "skeleton": COCO_SKELETON,
    })
}

/// A thousandth of a pixel is finer than anything here.
fn rounded(point: glam::Vec2) -> [f64; 2] {
    point.to_array().map(|v| (f64::from(v) * 1e3).round() / 1e3)
}

fn annotation(person: &PersonLabel, picture: u64) -> Annotation<'_> {
    let labelled = person.key_points.iter().filter(|point| point.seen != Seen::Not);
    let depth = |point: KeyPoint| (f64::from(point.depth) * 1e4).round() / 1e4;
    let (height, width) = (person.mask.size.1, person.mask.size.0);
    let share = f64::from(person.visible_pixels) / f64::from(person.full_pixels.max(1));
    Annotation {
        id: picture * PEOPLE + u64::from(person.id),
        image_id: picture,
        category_id: 1,
        iscrowd: 0,
        bbox: person.full_box.coco(),
        area: person.visible_pixels,
        segmentation: Segmentation {
            size: [height, width],
            counts: person.mask.text(),
        },
        num_keypoints: labelled.count(),
        keypoints: FlatPoints(&person.key_points),
        visible_bbox: person.visible_box.map(|seen| seen.coco()),
        visible_pixels: person.visible_pixels,
        full_pixels: person.full_pixels,
        visible_share: (share * 1e6).round() / 1e6,
        extras: AnnotationExtras {
            person: person.id,
            unclipped_bbox: person.unclipped_box.map(|whole| whole.coco()),
            keypoint_depths: person.key_points.map(depth),
            character: &person.character,
            clip: &person.clip,
            clip_seconds: person.clip_seconds,
            position: person.position,
            heading_degrees: person.heading,
            scale: person.scale,
        },
    }
}

/// Pictures whose labels are read at the same time.
const AT_ONCE: usize = 64;

/// What the file of a picture adds to that of many: lists without their brackets.
struct PictureLabels {
    images: String,
    annotations: String,
    people: usize,
}

impl PictureLabels {
    fn read(path: &Path) -> Result<Self> {
        let own = read_json(path)?;
        let list = |key: &str| match own.get(key) {
            Some(Value::Array(list)) => Ok(list),
            _ => Err(anyhow::anyhow!("{}: no labels of a picture (no {key})", path.display())),
        };
        let lines = |list: &[Value]| list.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n");
        let annotations = list("annotations")?;
        Ok(Self {
            images: lines(list("images")?),
            annotations: lines(annotations),
            people: annotations.len(),
        })
    }
}

/// The labels of many pictures in one file, which grows picture by picture: a set need not fit into memory.
pub struct CocoFile {
    path: PathBuf,
    out: BufWriter<GrowingFile>,
    /// Images, separated by commas: they follow the annotations.
    images: String,
    people: usize,
}

impl CocoFile {
    /// Begins a file.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn begin(path: &Path) -> Result<Self> {
        let mut new = Self {
            path: path.to_owned(),
            out: BufWriter::new(Output::create(path)?.begin()?),
            images: String::new(),
            people: 0,
        };
        let (info, category) = (info(), category());
        new.write(&format!(
            "{{\"info\":{info},\"licenses\":[],\"categories\":[{category}],\"annotations\":["
        ))?;
        Ok(new)
    }

    /// Adds the labels of pictures, from their own files, in their order.
    ///
    /// # Errors
    /// What is no labels of a picture; what cannot be written.
    pub fn add(&mut self, pictures: &[PathBuf]) -> Result<()> {
        for some in pictures.chunks(AT_ONCE) {
            let read: Vec<Result<PictureLabels>> = some.par_iter().map(|path| PictureLabels::read(path)).collect();
            for own in read {
                self.put(&own?)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, own: &PictureLabels) -> Result<()> {
        if !own.images.is_empty() {
            let comma = if self.images.is_empty() { "" } else { "," };
            self.images += &format!("{comma}\n{}", own.images);
        }
        if own.people > 0 {
            let comma = if self.people == 0 { "" } else { "," };
            self.write(&format!("{comma}\n{}", own.annotations))?;
            self.people += own.people;
        }
        Ok(())
    }

    /// Puts the file into its place; how many people are in it.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn finish(mut self) -> Result<usize> {
        let images = std::mem::take(&mut self.images);
        self.write("\n],\"images\":[")?;
        self.write(&images)?;
        self.write("\n]}\n")?;
        let shown = self.path.display().to_string();
        let file = self.out.into_inner().map_err(std::io::IntoInnerError::into_error);
        file.with_context(|| format!("writing {shown}"))?.finish()?;
        Ok(self.people)
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.out.write_all(text.as_bytes());
        written.with_context(|| format!("writing {}", self.path.display()))
    }
}
