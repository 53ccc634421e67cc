//! COCO JSON of a film: each annotation has the `video_id` and the `track_id` of its person, each image its frame.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use crate::{
    file::output::{GrowingFile, Output},
    label::formats::{Collection, CollectionKind, LabelWriter, OutputKind, coco::info, mot::needs_film},
};

/// Writer of COCO with tracks.
pub(super) struct CocoVideoWriter;

/// Number of the only film in a file.
const VIDEO: u32 = 1;

/// Parts of a picture's file that are copied.
#[derive(Deserialize)]
struct VideoPictureText<'a> {
    #[serde(borrow)]
    categories: &'a RawValue,
    #[serde(borrow)]
    images: Vec<&'a RawValue>,
    #[serde(borrow)]
    annotations: Vec<&'a RawValue>,
}

/// Identity of an annotation.
#[derive(Deserialize)]
struct TrackAnnotation {
    track_id: Option<u32>,
    extras: TrackedExtras,
}

#[derive(Deserialize)]
struct TrackedExtras {
    person: u32,
}

impl LabelWriter for CocoVideoWriter {
    fn unsupported(&self, kind: OutputKind) -> Option<&'static str> {
        needs_film(kind)
    }

    fn gather(&self, all: &Collection) -> Result<Vec<PathBuf>> {
        let path = all.folder.join(format!("{}.coco-video.json", all.name));
        let mut file = VideoFile {
            path: path.clone(),
            out: BufWriter::new(Output::create(&path)?.begin()?),
            images: Vec::new(),
            people: 0,
        };
        for picture in &all.pictures {
            file.add(&picture.coco(), all.frame_number(picture) - 1)?;
        }
        file.finish(all)?;
        Ok(vec![path])
    }
}

struct VideoFile {
    path: PathBuf,
    out: BufWriter<GrowingFile>,
    /// Images, which follow the annotations.
    images: Vec<String>,
    people: u64,
}

impl VideoFile {
    fn add(&mut self, path: &Path, frame: u64) -> Result<()> {
        let shown = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("reading {shown}"))?;
        let no_labels = || format!("{shown} has no labels of a picture");
        let own: VideoPictureText<'_> = serde_json::from_str(&text).with_context(no_labels)?;
        if self.images.is_empty() {
            let (info, categories) = (info(), own.categories);
            self.write(&format!(
                "{{\"info\":{info},\"licenses\":[],\"categories\":{categories},\"annotations\":["
            ))?;
        }
        for annotation in own.annotations {
            let person: TrackAnnotation = serde_json::from_str(annotation.get()).with_context(no_labels)?;
            let keys = match person.track_id {
                // The annotation of a person on a trajectory has the key.
                Some(track) => format!("\"instance_id\":{track},\"video_id\":{VIDEO}"),
                None => {
                    let track = person.extras.person;
                    format!("\"track_id\":{track},\"instance_id\":{track},\"video_id\":{VIDEO}")
                }
            };
            let comma = if self.people == 0 { "" } else { "," };
            let line = with_keys(annotation, &keys);
            self.write(&format!("{comma}\n{line}"))?;
            self.people += 1;
        }
        let keys = format!("\"video_id\":{VIDEO},\"frame_id\":{frame}");
        self.images
            .extend(own.images.into_iter().map(|image| with_keys(image, &keys)));
        Ok(())
    }

    fn finish(mut self, all: &Collection) -> Result<()> {
        let rate = match all.kind {
            CollectionKind::Film(rate) => f64::from(rate.frames) / f64::from(rate.seconds),
            CollectionKind::Set => 1.0,
        };
        let (width, height) = all.size;
        let videos = json!([{"id": VIDEO, "name": all.name, "width": width, "height": height, "fps": rate,
            "length": all.pictures.len()}]);
        let images = self.images.join(",\n");
        self.write(&format!("\n],\"images\":[\n{images}\n],\"videos\":{videos}}}\n"))?;
        let shown = self.path.display().to_string();
        let file = self.out.into_inner().map_err(std::io::IntoInnerError::into_error);
        file.with_context(|| format!("writing {shown}"))?.finish()
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.out.write_all(text.as_bytes());
        written.with_context(|| format!("writing {}", self.path.display()))
    }
}

/// Returns the text of an object with keys before its own.
fn with_keys(object: &RawValue, keys: &str) -> String {
    let own = object.get().trim_start_matches('{');
    format!("{{{keys},{own}")
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::Value;

    use crate::{film::FrameRate, label::formats::PictureEntry};

    #[test]
    fn people_keep_their_tracks_over_frames() {
        let folder = tempfile::tempdir().expect("a folder");
        let pictures = [3_u64, 4].map(|number| {
            let stem = folder.path().join(format!("{number:03}"));
            let text = json!({
                "categories": [{"id": 1, "name": "person"}],
                "images": [{"id": number}],
                "annotations": [{"id": 10 * number, "extras": {"person": 7}}],
            });
            fs::write(crate::aov::with_suffix(&stem, "labels.json"), text.to_string()).expect("written");
            PictureEntry {
                number,
                split: String::new(),
                stem,
                files: Vec::new(),
            }
        });
        let all = Collection {
            kind: CollectionKind::Film(FrameRate::whole(30)),
            folder: folder.path().to_owned(),
            name: "film".to_owned(),
            size: (8, 4),
            pictures: pictures.to_vec(),
        };
        let written = CocoVideoWriter.gather(&all).expect("written");
        let text = fs::read_to_string(&written[0]).expect("there");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["videos"][0]["fps"], 30.0);
        assert_eq!(read["images"][1], json!({"video_id": 1, "frame_id": 1, "id": 4}));
        let second = json!({"track_id": 7, "instance_id": 7, "video_id": 1, "id": 40, "extras": {"person": 7}});
        assert_eq!(read["annotations"][1], second);
    }
}
