//! A PNG file for each frame. Whole ones are not drawn again, so that a film that was interrupted,
//! or is drawn by several machines, goes on.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{
    file::output::Output,
    film::{FramePattern, Picture},
};

/// Signature, length and name of the first chunk, width, height: the first 24 bytes.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
/// The last chunk of every PNG.
const END: &[u8] = b"\0\0\0\0IEND\xaeB`\x82";

/// Files that are there and were not made by this film.
#[derive(Debug, thiserror::Error)]
#[error("{path} {why}; choose another name, or --overwrite to draw all frames anew")]
pub struct NotOurs {
    path: String,
    why: String,
}

/// Numbered frames of one film.
#[derive(Clone, Debug)]
pub struct FrameFiles {
    pattern: FramePattern,
    size: (u32, u32),
    overwrite: bool,
}

impl FrameFiles {
    /// Prepares the folder. `film` says all that the pictures depend on: it is kept beside the frames, and
    /// frames of another film are not mixed with those of this one. `overwrite` draws every frame anew.
    ///
    /// # Errors
    /// [`NotOurs`]; a folder that cannot be written.
    pub fn open(
        pattern: FramePattern,
        size: (u32, u32),
        film: &Value,
        mut frames: impl Iterator<Item = u64>,
        overwrite: bool,
    ) -> Result<Self> {
        let folder = pattern.folder();
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let record = pattern.record();
        if !overwrite {
            match std::fs::read_to_string(&record) {
                Ok(text) => same_film(&record, &text, film)?,
                Err(_) => {
                    if let Some(taken) = frames.find(|&frame| pattern.path(frame).exists()) {
                        let path = pattern.path(taken).display().to_string();
                        let why = "is there already, and nothing says that it is of this film".to_owned();
                        return Err(NotOurs { path, why }.into());
                    }
                }
            }
        }
        write_record(&record, film)?;
        Ok(Self {
            pattern,
            size,
            overwrite,
        })
    }

    /// Whether a frame need not be drawn: its file is there, whole and of the right size.
    #[must_use]
    pub fn is_done(&self, frame: u64) -> bool {
        !self.overwrite && whole_png(&self.pattern.path(frame)) == Some(self.size)
    }

    /// Writes a frame, under its name only when it is whole; its bytes.
    ///
    /// # Errors
    /// A full disk and the like.
    pub fn write(&self, picture: &Picture) -> Result<()> {
        let path: PathBuf = self.pattern.path(picture.frame);
        Output::create(&path)?.write_png(&picture.pixels, picture.size)
    }
}

fn write_record(record: &Path, film: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(film)? + "\n";
    Output::create(record)?.write(text.as_bytes())
}

/// Keeps a record of what files depend on beside them, or compares with the one that is there.
///
/// # Errors
/// [`NotOurs`]; a record that cannot be written.
#[cfg(feature = "labels")]
pub(crate) fn keep_record(record: &Path, what: &Value) -> Result<()> {
    match std::fs::read_to_string(record) {
        Ok(text) => Ok(same_film(record, &text, what)?),
        Err(_) => write_record(record, what),
    }
}

/// The size of a PNG file that is neither cut off nor something else.
pub(crate) fn whole_png(path: &Path) -> Option<(u32, u32)> {
    let mut file = File::open(path).ok()?;
    let mut head = [0; 24];
    file.read_exact(&mut head).ok()?;
    let mut end = [0; END.len()];
    file.seek(SeekFrom::End(-(END.len() as i64))).ok()?;
    file.read_exact(&mut end).ok()?;
    let number = |at: usize| head[at..at + 4].iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    (head.starts_with(SIGNATURE) && end == END).then(|| (number(16), number(20)))
}

/// Compares what is kept beside frames with what this film would keep.
fn same_film(record: &Path, text: &str, film: &Value) -> Result<(), NotOurs> {
    let refuse = |why: String| NotOurs {
        path: record.display().to_string(),
        why,
    };
    let kept: Value = serde_json::from_str(text).map_err(|_| refuse("is not a record of a film".to_owned()))?;
    match difference("", &kept, film) {
        Some(place) => Err(refuse(format!("is of another film: {place} differs"))),
        None => Ok(()),
    }
}

/// The first place where two values differ.
fn difference(place: &str, a: &Value, b: &Value) -> Option<String> {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) => {
            let keys = x.keys().chain(y.keys().filter(|key| !x.contains_key(*key)));
            let inside = |key: &String| {
                let place = if place.is_empty() {
                    key.clone()
                } else {
                    format!("{place}.{key}")
                };
                let (a, b) = (x.get(key).unwrap_or(&Value::Null), y.get(key).unwrap_or(&Value::Null));
                difference(&place, a, b)
            };
            keys.into_iter().find_map(inside)
        }
        _ => (a != b).then(|| place.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn open(folder: &Path, film: &Value, overwrite: bool) -> Result<FrameFiles> {
        let pattern = format!("{}/f-%03d.png", folder.display()).parse().expect("a pattern");
        FrameFiles::open(pattern, (2, 1), film, 0..4, overwrite)
    }

    #[test]
    fn whole_frames_are_kept_and_broken_ones_drawn_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let film = json!({"size": [2, 1], "scene": {"count": 3}});
        let files = open(folder.path(), &film, false).expect("new");
        let picture = Picture {
            frame: 1,
            size: (2, 1),
            pixels: vec![9; 8],
        };
        files.write(&picture).expect("written");
        assert!(files.is_done(1) && !files.is_done(0));
        let path = folder.path().join("f-001.png");
        let bytes = std::fs::read(&path).expect("there");
        std::fs::write(&path, &bytes[..bytes.len() - 3]).expect("cut off");
        assert!(!files.is_done(1));
        std::fs::write(&path, b"").expect("emptied");
        assert!(!files.is_done(1));
        let again = open(folder.path(), &film, false).expect("the same film");
        again.write(&picture).expect("written");
        assert!(again.is_done(1));
        let other = json!({"size": [2, 1], "scene": {"count": 4}});
        let error = open(folder.path(), &other, false)
            .expect_err("another film")
            .to_string();
        assert!(error.contains("scene.count differs"), "{error}");
        assert!(!open(folder.path(), &other, true).expect("told to").is_done(1));
    }

    #[test]
    fn frames_of_nobody_are_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("f-002.png"), b"holiday").expect("written");
        let error = open(folder.path(), &json!({}), false).expect_err("not ours");
        assert!(
            error.is::<NotOurs>() && error.to_string().contains("f-002.png"),
            "{error}"
        );
        assert_eq!(
            std::fs::read(folder.path().join("f-002.png")).expect("there"),
            b"holiday"
        );
        assert!(!folder.path().join("f.throng.json").exists());
    }
}
