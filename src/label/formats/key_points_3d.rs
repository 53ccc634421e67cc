//! Key points in metres, in the camera's and the world's space, as JSON.

use std::path::{Path, PathBuf};

use anyhow::Result;
use glam::{Mat4, Vec3};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    aov::{FrameParameters, with_suffix},
    label::{
        PersonLabel,
        formats::{LabelWriter, LabelledPicture, thousandths, write_file},
    },
};

/// Writer of key points in metres.
pub(super) struct KeyPoints3dWriter;

const ENDING: &str = "keypoints3d.json";

impl LabelWriter for KeyPoints3dWriter {
    fn files(&self, stem: &Path) -> Vec<PathBuf> {
        vec![with_suffix(stem, ENDING)]
    }

    fn write(&self, picture: &LabelledPicture<'_>) -> Result<()> {
        let mut text = serde_json::to_vec(&document(picture))?;
        text.push(b'\n');
        write_file(&with_suffix(picture.stem, ENDING), &text)
    }
}

#[derive(Serialize)]
struct KeyPointFile<'a> {
    image: Value,
    camera: Value,
    keypoints: Vec<&'static str>,
    skeleton: &'static [[u32; 2]],
    conventions: Value,
    people: Vec<PersonKeyPoints<'a>>,
}

#[derive(Serialize)]
struct PersonKeyPoints<'a> {
    person: u32,
    /// Number of the person's trajectory, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    track_id: Option<u32>,
    character: &'a str,
    /// Metres in the camera's space; null: the character has no such point.
    camera: Vec<Option<[f64; 3]>>,
    /// Metres in the world.
    world: Vec<Option<[f64; 3]>>,
    /// Pixels, in the picture or not; null behind the camera.
    pixels: Vec<Option<[f64; 2]>>,
    visibility: Vec<u8>,
    occlusion: Vec<f64>,
    truncation: Vec<f64>,
}

fn document<'a>(picture: &LabelledPicture<'a>) -> KeyPointFile<'a> {
    let (moment, size) = (picture.moment, picture.labels.size);
    let focal = moment.focal_length(size.1);
    let [cx, cy] = [size.0, size.1].map(|edge| 0.5 * edge as f32);
    let camera_from_world = camera_from_world(moment);
    let rows: Vec<[f32; 4]> = (0..3).map(|row| camera_from_world.row(row).to_array()).collect();
    let mut camera = json!({
        "intrinsics": [[focal, 0.0, cx], [0.0, focal, cy], [0.0, 0.0, 1.0]],
        "camera_from_world": rows,
    });
    // OpenCV's order: k1, k2, p1, p2.
    if let Some(lens) = &moment.lens {
        camera["distortion"] = json!([lens.distortion.k1, 0.0, 0.0, 0.0]);
    }
    let name = with_suffix(picture.stem, "png");
    let joints = picture.labels.joints;
    KeyPointFile {
        image: json!({
            "id": picture.number,
            "file_name": name.file_name().unwrap_or_default().to_string_lossy(),
            "width": size.0,
            "height": size.1,
            "seconds": moment.time,
        }),
        camera,
        keypoints: joints.names(),
        skeleton: joints.skeleton(),
        conventions: json!({
            "camera": "metres: x to the right, y down, z ahead; pixel = intrinsics * camera / z; with `distortion` (k1, k2, p1, p2) as OpenCV projects",
            "world": "metres: right-handed, +Y up",
            "pixels": "origin at the top left corner; the centre of the first pixel is (0.5, 0.5)",
            "visibility": "0 not in the picture, 1 hidden, 2 visible",
        }),
        people: { picture.labels.people.iter() }
            .map(|person| described(person, moment, size))
            .collect(),
    }
}

/// Returns the transform to the camera with x to the right, y down, z ahead.
fn camera_from_world(moment: &FrameParameters) -> Mat4 {
    Mat4::from_scale(Vec3::new(1.0, -1.0, -1.0)) * moment.view_from_world()
}

fn described<'a>(person: &'a PersonLabel, moment: &FrameParameters, size: (u32, u32)) -> PersonKeyPoints<'a> {
    let camera_from_world = camera_from_world(moment);
    // Tenths of a millimetre.
    let metres = |point: Vec3| point.to_array().map(|v| (f64::from(v) * 1e4).round() / 1e4);
    let points = || person.key_points.iter();
    let pixel = |world: Vec3| {
        moment
            .pixel_of(world, size)
            .map(|pixel| pixel.to_array().map(thousandths))
    };
    PersonKeyPoints {
        person: person.id,
        track_id: person.track.as_ref().map(|track| track.number),
        character: &person.character,
        camera: points()
            .map(|point| Some(metres(camera_from_world.transform_point3(point.world?))))
            .collect(),
        world: points().map(|point| point.world.map(metres)).collect(),
        pixels: points().map(|point| pixel(point.world?)).collect(),
        visibility: points().map(|point| point.seen as u8).collect(),
        occlusion: points().map(|point| thousandths(point.occlusion)).collect(),
        truncation: points().map(|point| thousandths(point.truncation)).collect(),
    }
}
