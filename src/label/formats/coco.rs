//! Labels in COCO JSON format.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Serialize, Serializer, ser::SerializeSeq};
use serde_json::{Value, json};

use crate::{
    aov::{FrameParameters, with_suffix},
    label::{
        JointSet, KeyPoint, KeyPointVisibility, LabelRules, Labels, PersonLabel, Rle,
        formats::{Collection, LabelWriter, LabelledPicture, thousandths, track_ids, write_file},
        head_point,
    },
};

/// Writer of COCO's file of a picture, and of the ids of trajectories in a film or set. Files of whole films and sets are gathered while their pictures are drawn
/// ([`CocoFile`](crate::label::CocoFile)).
pub(super) struct CocoWriter;

const ENDING: &str = "labels.json";

impl LabelWriter for CocoWriter {
    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![with_suffix(stem, ENDING)]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let name = with_suffix(picture.stem, "png");
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let text = coco(picture.labels, picture.moment, picture.number, &name)?;
        write_file(&with_suffix(picture.stem, ENDING), &text)
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        track_ids::write(all)
    }
}

/// Factor between image ids and annotation ids: larger than the number of people in a picture.
const PEOPLE: u64 = 1 << 20;

/// Estimated bytes of JSON per person, slightly too large, so that the buffer never grows.
const PERSON_BYTES: usize = 2048;

/// Writes the labels of a picture with its number and file name as one line of JSON.
///
/// # Errors
/// None is known: JSON can represent all labels.
pub fn coco(labels: &Labels, moment: &FrameParameters, number: u64, file: &str) -> serde_json::Result<Vec<u8>> {
    let points = labels.people.iter().map(|p| rounded(head_point(p, labels.joints)));
    let image = CocoImage {
        id: number,
        file_name: file,
        width: labels.size.0,
        height: labels.size.1,
        extras: ImageExtras {
            seconds: moment.time,
            eye: moment.camera.eye.to_array(),
            target: moment.camera.target.to_array(),
            fov_vertical_degrees: moment.camera.fov.to_degrees(),
            distortion_k1: moment.lens.as_ref().map(|lens| lens.distortion.k1),
            count: labels.people.len(),
            points: points.collect(),
        },
    };
    let mut text = Vec::with_capacity((labels.people.len() + 1) * PERSON_BYTES);
    let picture = CocoDocument {
        info: info(),
        licenses: [],
        images: [image],
        categories: categories(&labels.categories, labels.joints),
        annotations: { labels.people.iter() }
            .map(|person| annotation(person, number, labels.rules))
            .collect(),
    };
    serde_json::to_writer(&mut text, &picture)?;
    text.push(b'\n');
    Ok(text)
}

/// Document that is serialized directly: a tree of JSON values would need an allocation per number.
#[derive(Serialize)]
struct CocoDocument<'a> {
    info: Value,
    licenses: [u8; 0],
    images: [CocoImage<'a>; 1],
    categories: Vec<Value>,
    annotations: Vec<Annotation<'a>>,
}

#[derive(Serialize)]
struct CocoImage<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    distortion_k1: Option<f32>,
    count: usize,
    points: Vec<[f64; 2]>,
}

#[derive(Serialize)]
struct Annotation<'a> {
    id: u64,
    image_id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    track_id: Option<u32>,
    category_id: u32,
    iscrowd: u32,
    bbox: [i64; 4],
    area: u32,
    segmentation: Segmentation,
    #[serde(skip_serializing_if = "Option::is_none")]
    amodal_segmentation: Option<Segmentation>,
    num_keypoints: usize,
    keypoints: FlatPoints<'a>,
    visible_bbox: Option<[i64; 4]>,
    visible_pixels: u32,
    full_pixels: u32,
    visible_share: f64,
    #[serde(flatten)]
    occlusion: Option<OcclusionKeys>,
    extras: AnnotationExtras<'a>,
}

/// Keys that the first rules of labels did not have.
#[derive(Serialize)]
struct OcclusionKeys {
    occlusion: f64,
    truncation: f64,
    head_bbox: Option<[i64; 4]>,
    keypoint_occlusion: Vec<f64>,
    keypoint_truncation: Vec<f64>,
}

#[derive(Serialize)]
struct Segmentation {
    size: [u32; 2],
    counts: String,
}

#[derive(Serialize)]
struct AnnotationExtras<'a> {
    person: u32,
    #[serde(flatten)]
    track: Option<TrackKeys<'a>>,
    unclipped_bbox: Option<[i64; 4]>,
    keypoint_depths: Vec<f64>,
    character: &'a str,
    clip: &'a str,
    clip_seconds: f32,
    position: [f32; 3],
    heading_degrees: f32,
    scale: f32,
    #[serde(rename = "breadth")]
    width_scale: f32,
}

/// Keys of people who follow trajectories.
#[derive(Serialize)]
struct TrackKeys<'a> {
    track: &'a str,
    ground_point: Option<[f64; 2]>,
}

/// Flat list of key points as COCO has it: x, y and visibility of each.
struct FlatPoints<'a>(&'a [KeyPoint]);

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

pub(super) fn info() -> Value {
    json!({
        "description": "a crowd drawn by throng: labels are exact",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// Returns COCO's categories of these names, each with the key points of a set.
fn categories(names: &[String], joints: JointSet) -> Vec<Value> {
    let category = |(number, name): (u32, &String)| {
        json!({
            "id": number,
            "name": name,
            "supercategory": "person",
            "keypoints": joints.names(),
            "skeleton": joints.skeleton(),
        })
    };
    (1..).zip(names).map(category).collect()
}

/// Returns the category of everybody, for files without a picture.
pub(super) fn default_categories() -> Vec<Value> {
    categories(&["person".to_owned()], JointSet::Coco17)
}

/// Rounds to 0.001 px, finer than any label.
fn rounded(point: glam::Vec2) -> [f64; 2] {
    point.to_array().map(|v| (f64::from(v) * 1e3).round() / 1e3)
}

fn annotation(person: &PersonLabel, picture: u64, rules: LabelRules) -> Annotation<'_> {
    let labelled = person
        .key_points
        .iter()
        .filter(|point| point.seen != KeyPointVisibility::Unlabelled);
    let depth = |point: &KeyPoint| (f64::from(point.depth) * 1e4).round() / 1e4;
    let share = f64::from(person.visible_pixels) / f64::from(person.full_pixels.max(1));
    Annotation {
        id: picture * PEOPLE + u64::from(person.id),
        image_id: picture,
        track_id: person.track.as_ref().map(|track| track.number),
        category_id: person.category + 1,
        iscrowd: 0,
        bbox: person.full_box.coco(),
        area: person.visible_pixels,
        segmentation: Segmentation::of(&person.mask),
        amodal_segmentation: person.amodal_mask.as_ref().map(Segmentation::of),
        num_keypoints: labelled.count(),
        keypoints: FlatPoints(&person.key_points),
        visible_bbox: person.visible_box.map(|seen| seen.coco()),
        visible_pixels: person.visible_pixels,
        full_pixels: person.full_pixels,
        visible_share: (share * 1e6).round() / 1e6,
        occlusion: (rules == LabelRules::Second).then(|| OcclusionKeys::of(person)),
        extras: AnnotationExtras {
            person: person.id,
            track: person.track.as_ref().map(|track| TrackKeys {
                track: &track.id,
                ground_point: person.ground_point.map(rounded),
            }),
            unclipped_bbox: person.unclipped_box.map(|whole| whole.coco()),
            keypoint_depths: person.key_points.iter().map(depth).collect(),
            character: &person.character,
            clip: &person.clip,
            clip_seconds: person.clip_seconds,
            position: person.position,
            heading_degrees: person.heading,
            scale: person.scale,
            width_scale: person.width_scale,
        },
    }
}

impl Segmentation {
    fn of(mask: &Rle) -> Self {
        Self {
            size: [mask.size.1, mask.size.0],
            counts: mask.text(),
        }
    }
}

impl OcclusionKeys {
    fn of(person: &PersonLabel) -> Self {
        let shares = |share: fn(&KeyPoint) -> f32| person.key_points.iter().map(|p| thousandths(share(p))).collect();
        Self {
            occlusion: thousandths(person.occlusion),
            truncation: thousandths(person.truncation),
            head_bbox: person.head_box.map(|head| head.coco()),
            keypoint_occlusion: shares(|point| point.occlusion),
            keypoint_truncation: shares(|point| point.truncation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{label::Box2, scene::PersonRef};

    fn person() -> PersonLabel {
        let bounds = Box2 {
            left: 1,
            top: 1,
            right: 3,
            bottom: 3,
        };
        PersonLabel {
            id: 1,
            who: PersonRef { character: 0, index: 0 },
            character: "man".to_owned(),
            clip: "walk".to_owned(),
            clip_seconds: 0.5,
            position: [0.0; 3],
            ground_point: None,
            track: None,
            heading: 0.0,
            scale: 1.0,
            width_scale: 1.0,
            full_box: bounds,
            unclipped_box: Some(bounds),
            visible_box: Some(bounds),
            full_pixels: 4,
            visible_pixels: 3,
            mask: Rle::from_segments((8, 4), &[(5, 2), (9, 1)]),
            key_points: Vec::new(),
            category: 0,
            occlusion: 0.25,
            truncation: 0.0,
            head_box: Some(bounds),
            amodal_mask: None,
            box_3d: None,
        }
    }

    fn keys(rules: LabelRules, person: &PersonLabel) -> Vec<String> {
        let written = serde_json::to_value(annotation(person, 0, rules)).expect("JSON");
        written.as_object().expect("an object").keys().cloned().collect()
    }

    #[test]
    fn first_rules_write_the_keys_of_before() {
        let before = [
            "id",
            "image_id",
            "category_id",
            "iscrowd",
            "bbox",
            "area",
            "segmentation",
            "num_keypoints",
            "keypoints",
            "visible_bbox",
            "visible_pixels",
            "full_pixels",
            "visible_share",
            "extras",
        ];
        assert_eq!(keys(LabelRules::First, &person()), before);
        let now = keys(LabelRules::Second, &person());
        assert!(before.iter().all(|key| now.iter().any(|own| own == key)));
        assert!(now.contains(&"occlusion".to_owned()) && now.contains(&"head_bbox".to_owned()));
        let masked = PersonLabel {
            amodal_mask: Some(Rle::from_segments((8, 4), &[(5, 2), (9, 2)])),
            ..person()
        };
        assert!(keys(LabelRules::Second, &masked).contains(&"amodal_segmentation".to_owned()));
    }

    #[test]
    fn categories_count_from_one() {
        let names = ["man", "woman"].map(str::to_owned);
        let all = categories(&names, JointSet::Body25);
        assert_eq!((&all[1]["id"], &all[1]["name"]), (&json!(2), &json!("woman")));
        assert_eq!(all[0]["keypoints"].as_array().map(Vec::len), Some(25));
    }
}
