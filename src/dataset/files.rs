//! Where the things of a set lie.
//!
//! ```text
//! DIR/dataset.throng.json      all that the pictures depend on
//! DIR/images/train/000012.png  with passes and labels beside it
//! DIR/images/val/000031.png
//! DIR/pictures/000012.json     what was drawn for it, and its files' checksums: written last
//! DIR/annotations/train.json, val.json, DIR/index.csv, DIR/SHA256SUMS   by assembling
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{
    dataset::{Dealt, sha256},
    file::output::Output,
    film::keep_record,
    label::{Wanted, read_json},
};

/// The folder of a set.
#[derive(Clone, Debug)]
pub struct SetFiles {
    folder: PathBuf,
}

/// Splits, which are folders.
pub(crate) const SPLITS: [&str; 2] = ["train", "val"];

impl SetFiles {
    /// Makes the folder of a set, or goes on with one of the same set; `set` says all that its pictures
    /// depend on.
    ///
    /// # Errors
    /// The folder of another set, or one that cannot be written.
    pub fn open(folder: &Path, set: &Value) -> Result<Self> {
        let files = Self {
            folder: folder.to_owned(),
        };
        for split in SPLITS {
            make(&folder.join("images").join(split))?;
        }
        make(&folder.join("pictures"))?;
        keep_record(&files.record(), set)?;
        Ok(files)
    }

    /// A set that is there.
    ///
    /// # Errors
    /// A folder without a set.
    pub fn of(folder: &Path) -> Result<(Self, Value)> {
        let files = Self {
            folder: folder.to_owned(),
        };
        let set = read_json(&files.record())?;
        Ok((files, set))
    }

    /// Whether a folder holds a set.
    #[must_use]
    pub fn is_set(folder: &Path) -> bool {
        let files = Self {
            folder: folder.to_owned(),
        };
        files.record().is_file()
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn record(&self) -> PathBuf {
        self.folder.join("dataset.throng.json")
    }

    /// The picture's path without its ending.
    #[must_use]
    pub fn stem(&self, dealt: &Dealt) -> PathBuf {
        self.folder
            .join("images")
            .join(dealt.split)
            .join(format!("{:06}", dealt.number))
    }

    /// What is known of a picture.
    #[must_use]
    pub fn sheet(&self, number: u64) -> PathBuf {
        self.folder.join("pictures").join(format!("{number:06}.json"))
    }

    /// Whether a picture and all that belongs to it is there with the bytes that it was written with.
    #[must_use]
    pub fn is_done(&self, number: u64) -> bool {
        read_json(&self.sheet(number)).is_ok_and(|sheet| self.flaw(&sheet).is_none())
    }

    /// The first file of a sheet that is missing or another.
    pub(crate) fn flaw(&self, sheet: &Value) -> Option<String> {
        let Some(files) = sheet["files"].as_object().filter(|files| !files.is_empty()) else {
            return Some("no files".to_owned());
        };
        let differs = |(name, sum): (&String, &Value)| match std::fs::read(self.folder.join(name)) {
            Ok(bytes) if Some(sha256(&bytes).as_str()) == sum.as_str() => None,
            Ok(_) => Some(format!("{name} has changed")),
            Err(_) => Some(format!("{name} is missing")),
        };
        files.iter().find_map(differs)
    }

    /// Notes a picture whose files have been written.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn note(&self, dealt: &Dealt, wanted: &Wanted) -> Result<()> {
        let mut files = serde_json::Map::new();
        for path in wanted.files(&self.stem(dealt)) {
            let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            files.insert(self.name(&path), sha256(&bytes).into());
        }
        let sheet = json!({ "dealt": dealt, "files": files });
        let text = serde_json::to_string_pretty(&sheet)? + "\n";
        Output::create(&self.sheet(dealt.number))?.write(text.as_bytes())
    }

    /// A path from the folder of the set on, with `/`.
    pub(crate) fn name(&self, path: &Path) -> String {
        let own = path.strip_prefix(&self.folder).unwrap_or(path);
        let parts: Vec<_> = own.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))
}
