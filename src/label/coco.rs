//! Labels as COCO JSON.

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::{
    file::output::{GrowingFile, Output},
    label::{COCO_POINTS, COCO_SKELETON, Labels, PersonLabel, Seen, head_point, read_json},
    observe::Moment,
};

/// Annotations of a picture are numbered from its number times this on: a picture has fewer people.
const PEOPLE: u64 = 1 << 20;

/// The labels of a picture, its number and its file's name.
#[must_use]
pub fn coco(labels: &Labels, moment: &Moment, (number, file): (u64, &str)) -> Value {
    let annotations: Vec<Value> = labels.people.iter().map(|person| annotation(person, number)).collect();
    let points: Vec<[f64; 2]> = labels.people.iter().map(|p| rounded(head_point(p))).collect();
    let image = json!({
        "id": number,
        "file_name": file,
        "width": labels.size.0,
        "height": labels.size.1,
        "extras": {
            "seconds": moment.time,
            "eye": moment.camera.eye.to_array(),
            "target": moment.camera.target.to_array(),
            "fov_vertical_degrees": moment.camera.fov.to_degrees(),
            "count": points.len(),
            "points": points,
        },
    });
    json!({
        "info": info(),
        "licenses": [],
        "images": [image],
        "categories": [category()],
        "annotations": annotations,
    })
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

fn annotation(person: &PersonLabel, picture: u64) -> Value {
    let points = person.key_points.iter().flat_map(|point| {
        let [x, y] = rounded(point.pixel);
        [json!(x), json!(y), json!(point.seen as u8)]
    });
    let labelled = person.key_points.iter().filter(|point| point.seen != Seen::Not);
    let depths = person
        .key_points
        .iter()
        .map(|point| (f64::from(point.depth) * 1e4).round() / 1e4);
    let (height, width) = (person.mask.size.1, person.mask.size.0);
    let share = f64::from(person.visible_pixels) / f64::from(person.full_pixels.max(1));
    json!({
        "id": picture * PEOPLE + u64::from(person.id),
        "image_id": picture,
        "category_id": 1,
        "iscrowd": 0,
        "bbox": person.full_box.coco(),
        "area": person.visible_pixels,
        "segmentation": {"size": [height, width], "counts": person.mask.text()},
        "num_keypoints": labelled.count(),
        "keypoints": points.collect::<Vec<_>>(),
        "visible_bbox": person.visible_box.map(|seen| seen.coco()),
        "visible_pixels": person.visible_pixels,
        "full_pixels": person.full_pixels,
        "visible_share": (share * 1e6).round() / 1e6,
        "extras": {
            "person": person.id,
            "unclipped_bbox": person.unclipped_box.map(|whole| whole.coco()),
            "keypoint_depths": depths.collect::<Vec<_>>(),
            "character": person.character,
            "clip": person.clip,
            "clip_seconds": person.clip_seconds,
            "position": person.position,
            "heading_degrees": person.heading,
            "scale": person.scale,
        },
    })
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
