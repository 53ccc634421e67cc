//! COCO file with the labels of many pictures.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    file::output::{GrowingFile, Output},
    label::formats::{
        Collection,
        coco::{default_categories, info},
    },
};

/// Number of label files that are read in parallel.
const AT_ONCE: usize = 64;

/// Parts of a picture's file that are copied verbatim into the joint file.
#[derive(Deserialize)]
struct PictureText<'a> {
    #[serde(borrow, default)]
    categories: Option<&'a RawValue>,
    #[serde(borrow)]
    images: Vec<&'a RawValue>,
    #[serde(borrow)]
    annotations: Vec<&'a RawValue>,
}

/// Lists of a picture without their brackets.
struct PictureLabels {
    /// Categories with their brackets.
    categories: Option<String>,
    images: String,
    annotations: String,
    people: usize,
}

impl PictureLabels {
    fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let text = fs::read_to_string(path).with_context(|| format!("reading {shown}"))?;
        let own: PictureText<'_> =
            serde_json::from_str(&text).with_context(|| format!("{shown} has no labels of a picture"))?;
        let lines = |list: &[&RawValue]| list.iter().map(|value| value.get()).collect::<Vec<_>>().join(",\n");
        Ok(Self {
            categories: own.categories.map(|value| value.get().to_owned()),
            images: lines(&own.images),
            annotations: lines(&own.annotations),
            people: own.annotations.len(),
        })
    }
}

/// Writer of a COCO file that grows picture by picture: a set need not fit into memory.
pub struct CocoFile {
    path: PathBuf,
    out: BufWriter<GrowingFile>,
    /// True once the head of the file is written: it needs the categories of the first picture.
    has_head: bool,
    /// Images, separated by commas: they are written after the annotations.
    images: String,
    people: usize,
}

impl CocoFile {
    /// Begins a file.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn begin(path: &Path) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            out: BufWriter::new(Output::create(path)?.begin()?),
            has_head: false,
            images: String::new(),
            people: 0,
        })
    }

    /// Takes the categories from the file of a picture that is not added: a split may have no picture of its own.
    ///
    /// # Errors
    /// A file that has no labels of a picture; errors of writing.
    pub fn with_categories_of(&mut self, picture: &Path) -> Result<()> {
        let categories = PictureLabels::read(picture)?.categories;
        self.begin_with(categories.as_deref())
    }

    fn begin_with(&mut self, categories: Option<&str>) -> Result<()> {
        if self.has_head {
            return Ok(());
        }
        self.has_head = true;
        let usual = || Value::Array(default_categories()).to_string();
        let categories = categories.map_or_else(usual, str::to_owned);
        let info = info();
        self.write(&format!(
            "{{\"info\":{info},\"licenses\":[],\"categories\":{categories},\"annotations\":["
        ))
    }

    /// Adds the labels of pictures from their own files, in order.
    ///
    /// # Errors
    /// A file that has no labels of a picture; errors of writing.
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
        self.begin_with(own.categories.as_deref())?;
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

    /// Completes the file, gives it its name, and returns the number of people in it.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(mut self) -> Result<usize> {
        self.begin_with(None)?;
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

/// Category as COCO has it.
#[derive(Debug, Deserialize)]
pub(super) struct StoredCategory {
    pub(super) name: String,
    #[serde(default)]
    pub(super) keypoints: Vec<String>,
}

/// Returns the categories of a film or set: those of its first picture.
///
/// # Errors
/// A file that has no labels of a picture.
pub(super) fn categories_of(all: &Collection) -> Result<Vec<StoredCategory>> {
    let Some(first) = all.pictures.first() else {
        return Ok(serde_json::from_value(Value::Array(default_categories()))?);
    };
    let path = first.coco();
    let text = PictureLabels::read(&path)?.categories.unwrap_or_default();
    serde_json::from_str(&text).with_context(|| format!("{} has no categories", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn labels_of_pictures_are_copied_verbatim() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        // Files with two people and with nobody, and numbers that other writers would format differently.
        let texts = [
            r#"{"info":{},"images":[{"id":1}],"annotations":[{"id":1,"x":1.50},{"id":2,"x":1e3}]}"#,
            r#"{"images":[{"id":2}],"annotations":[]}"#,
            r#"{"annotations":[{"id":9,"name":"a,]}"}],"images":[{"id":3}]}"#,
        ];
        let paths = ["1", "2", "3"].map(at);
        for (path, text) in paths.iter().zip(texts) {
            fs::write(path, text).expect("written");
        }
        let mut all = CocoFile::begin(&at("all.json")).expect("begun");
        all.add(&paths[..2]).expect("added");
        all.add(&paths[2..]).expect("added");
        assert_eq!(all.finish().expect("finished"), 3);
        let text = fs::read_to_string(at("all.json")).expect("read");
        assert!(
            text.contains(r#"{"id":1,"x":1.50},"#) && text.contains(r#"{"id":2,"x":1e3}"#),
            "{text}"
        );
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["images"], json!([{"id": 1}, {"id": 2}, {"id": 3}]));
        assert_eq!(read["annotations"][2], json!({"id": 9, "name": "a,]}"}));
    }

    #[test]
    fn a_broken_label_file_is_named_and_leaves_no_output() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for text in ["{", r#"{"images":[]}"#, r#"{"images":[],"annotations":[}"#] {
            fs::write(at("broken.json"), text).expect("written");
            let mut all = CocoFile::begin(&at("all.json")).expect("begun");
            let error = all.add(&[at("broken.json")]).expect_err("no labels");
            assert!(error.to_string().contains("broken.json"), "{error}");
            drop(all);
            assert!(!at("all.json").exists());
        }
    }
}
