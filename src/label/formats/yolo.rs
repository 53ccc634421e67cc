//! Text files of Ultralytics YOLO: a line for each person, everything in shares of the picture.
//!
//! A line is: class, middle and size of the box, then with key points x, y and visibility of each. Boxes are COCO's:
//! around the person without occluders, clipped to the picture. Ultralytics looks for `labels/a/b.txt` of
//! `images/a/b.png`, and beside pictures that are in no such folder.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde_json::json;

use crate::label::{
    Labels, PersonLabel,
    formats::coco_file::categories_of,
    formats::{
        Collection, CollectionKind, LabelWriter, LabelledPicture, SiblingEndings, in_sibling_folder, write_file,
    },
};

/// Writer of YOLO's text files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum YoloWriter {
    /// Boxes.
    Boxes,
    /// Boxes and key points.
    Pose,
}

impl LabelWriter for YoloWriter {
    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![text_of(stem)]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        write_file(&text_of(picture.stem), self.lines(picture.labels).as_bytes())
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        let mut lists: BTreeMap<&str, String> = BTreeMap::new();
        let splits: &[&str] = match all.kind {
            CollectionKind::Set => &["train", "val"],
            CollectionKind::Film(_) => &["train"],
        };
        for split in splits {
            lists.insert(split, String::new());
        }
        for picture in &all.pictures {
            let split = if picture.split.is_empty() {
                "train"
            } else {
                &picture.split
            };
            let file = crate::aov::with_suffix(&picture.stem, "png");
            let own = file.strip_prefix(&all.folder).unwrap_or(&file);
            let parts: Vec<_> = own.iter().map(|part| part.to_string_lossy()).collect();
            *lists.entry(split).or_default() += &format!("./{}\n", parts.join("/"));
        }
        let mut written = Vec::new();
        for (split, list) in &lists {
            let path = all.folder.join(format!("{split}.txt"));
            write_file(&path, list.as_bytes())?;
            written.push(path);
        }
        let path = all.folder.join("data.yaml");
        write_file(&path, self.data_yaml(all)?.as_bytes())?;
        written.push(path);
        Ok(written)
    }
}

fn text_of(stem: &Path) -> PathBuf {
    let endings = SiblingEndings {
        in_folder: "txt",
        beside: "txt",
    };
    in_sibling_folder(stem, "labels", endings)
}

impl YoloWriter {
    fn lines(self, labels: &Labels) -> String {
        let mut text = String::new();
        for person in &labels.people {
            self.add_line(&mut text, person, labels.size);
        }
        text
    }

    fn add_line(self, text: &mut String, person: &PersonLabel, size: (u32, u32)) {
        let (width, height) = size;
        let [width, height] = [width, height].map(f64::from);
        let bounds = person.full_box;
        let [left, top, right, bottom] = [bounds.left, bounds.top, bounds.right, bounds.bottom].map(|edge| edge as f64);
        let middle = [0.5 * (left + right) / width, 0.5 * (top + bottom) / height];
        let extent = [(right - left) / width, (bottom - top) / height];
        *text += &person.category.to_string();
        for share in middle.into_iter().chain(extent) {
            let _ = write!(text, " {share:.6}");
        }
        if self == Self::Pose {
            for point in &person.key_points {
                let [x, y] = [f64::from(point.pixel.x) / width, f64::from(point.pixel.y) / height];
                let _ = write!(text, " {x:.6} {y:.6} {}", point.seen as u8);
            }
        }
        text.push('\n');
    }

    /// Returns the description of the set: pictures of each split, names of classes, shape of the key points.
    fn data_yaml(self, all: &Collection) -> Result<String> {
        let categories = categories_of(all)?;
        let validation = match all.kind {
            CollectionKind::Set => "val.txt",
            CollectionKind::Film(_) => "train.txt",
        };
        // JSON is YAML, too: no name needs rules of quoting of its own.
        let mut text = format!("# Paths are relative to this file.\ntrain: train.txt\nval: {validation}\nnames:\n");
        for (index, category) in categories.iter().enumerate() {
            text += &format!("  {index}: {}\n", json!(category.name));
        }
        if self == Self::Pose {
            let points = categories.first().map_or(&[][..], |category| &category.keypoints);
            let mirrored = mirrored(points);
            text += &format!("kpt_shape: [{}, 3]\nflip_idx: {}\n", points.len(), json!(mirrored));
        }
        Ok(text)
    }
}

/// Returns for each point the index of its mirror image, by the names.
fn mirrored(points: &[String]) -> Vec<usize> {
    let index = |name: &String| {
        let mirror = match name.split_once('_') {
            Some(("left", rest)) => format!("right_{rest}"),
            Some(("right", rest)) => format!("left_{rest}"),
            _ => name.clone(),
        };
        points.iter().position(|own| *own == mirror).unwrap_or_default()
    };
    points.iter().map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::{COCO_POINTS, JointSet};

    #[test]
    fn text_files_are_where_ultralytics_looks() {
        assert_eq!(
            text_of(Path::new("s/images/val/000001")),
            Path::new("s/labels/val/000001.txt")
        );
        assert_eq!(text_of(Path::new("frames/000001")), Path::new("frames/000001.txt"));
    }

    #[test]
    fn mirrors_by_name_are_those_of_the_sets() {
        for (_, set) in JointSet::ALL {
            let names: Vec<String> = set.names().into_iter().map(str::to_owned).collect();
            assert_eq!(mirrored(&names), set.mirrored());
        }
        assert_eq!(mirrored(&COCO_POINTS.map(str::to_owned))[..3], [0, 2, 1]);
    }
}
