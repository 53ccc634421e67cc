//! Files of a data set.
//!
//! ```text
//! DIR/dataset.throng.json      record: everything that the pictures depend on
//! DIR/images/train/000012.png  with AOVs and labels beside it
//! DIR/images/val/000031.png
//! DIR/pictures/000012.json     sampled parameters and checksums of its files: written last
//! DIR/annotations/train.json, val.json, DIR/index.csv, DIR/SHA256SUMS   by assembling
//! ```

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{
    dataset::{SampleSpec, sha256_of},
    file::output::Output,
    film::{NotOurs, Record, RecordState},
    label::{LabelRules, PictureRequest, read_json},
};

/// Folder of a data set.
#[derive(Clone, Debug)]
pub struct SetFiles {
    folder: PathBuf,
    /// Record that must be written before the first picture.
    record: Option<Record>,
}

const HINT: &str = "choose another folder";

/// Splits, each with its folder.
pub(crate) const SPLITS: [&str; 2] = ["train", "val"];

impl SetFiles {
    /// Opens the folder of a set, new or to be continued. `set` holds everything that its pictures depend on. Nothing
    /// is written before [`SetFiles::begin`].
    ///
    /// # Errors
    /// The folder of another set, or one with files that are not known to be of this set.
    pub fn open(folder: &Path, set: &Value) -> Result<Self> {
        let mut files = Self::at(folder);
        let record = Record::new(files.record_path(), set.clone());
        match record.found() {
            RecordState::Same => return Ok(files),
            RecordState::Other(why) if files.has_pictures() => return Err(record.not_ours(why, HINT).into()),
            RecordState::Nothing if files.has_pictures() => {
                let why = "already has pictures that are not known to be of this set".to_owned();
                let path = folder.display().to_string();
                return Err(NotOurs { path, why, hint: HINT }.into());
            }
            // The record belongs to a set without pictures.
            RecordState::Other(_) | RecordState::Nothing => files.record = Some(record),
        }
        Ok(files)
    }

    fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            record: None,
        }
    }

    /// True if the folders of pictures have any entries.
    fn has_pictures(&self) -> bool {
        let mut folders = SPLITS.map(|split| self.folder.join("images").join(split)).to_vec();
        folders.push(self.folder.join("pictures"));
        let holds = |folder: PathBuf| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        folders.into_iter().any(holds)
    }

    /// Creates the folders and writes the record of the set.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn begin(&self) -> Result<()> {
        for split in SPLITS {
            make(&self.folder.join("images").join(split))?;
        }
        make(&self.folder.join("pictures"))?;
        self.record.as_ref().map_or(Ok(()), Record::write)
    }

    /// Opens an existing set.
    ///
    /// # Errors
    /// A folder without a set.
    pub fn of(folder: &Path) -> Result<(Self, Value)> {
        let files = Self::at(folder);
        let set = read_json(&files.record_path())?;
        Ok((files, set))
    }

    /// True if a folder holds a set.
    #[must_use]
    pub fn is_set(folder: &Path) -> bool {
        Self::at(folder).record_path().is_file()
    }

    /// Returns the rules of the set in a folder: those with which it began, or the newest.
    #[must_use]
    pub fn rules(folder: &Path) -> LabelRules {
        LabelRules::of_record(&Self::at(folder).record_path())
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn record_path(&self) -> PathBuf {
        self.folder.join("dataset.throng.json")
    }

    /// Returns the path of a picture without its ending.
    #[must_use]
    pub fn stem(&self, sample: &SampleSpec) -> PathBuf {
        self.stem_in(sample.split, sample.number)
    }

    /// Returns the path of a picture of a split without its ending.
    pub(crate) fn stem_in(&self, split: &str, number: u64) -> PathBuf {
        self.folder.join("images").join(split).join(format!("{number:06}"))
    }

    /// Returns the file with the facts about a picture.
    #[must_use]
    pub fn sheet(&self, number: u64) -> PathBuf {
        self.folder.join("pictures").join(format!("{number:06}.json"))
    }

    /// True if all files of a picture exist with their original bytes.
    #[must_use]
    pub fn is_done(&self, number: u64) -> bool {
        read_json(&self.sheet(number)).is_ok_and(|sheet| self.validation_error(&sheet).is_none())
    }

    /// Returns the first file of a fact sheet that is missing or has changed.
    pub(crate) fn validation_error(&self, sheet: &Value) -> Option<String> {
        let Some(files) = sheet["files"].as_object().filter(|files| !files.is_empty()) else {
            return Some("no files".to_owned());
        };
        let differs = |(name, sum): (&String, &Value)| match sha256_of(&self.folder.join(name)) {
            Ok(own) if Some(own.as_str()) == sum.as_str() => None,
            Ok(_) => Some(format!("{name} has changed")),
            Err(_) => Some(format!("{name} is missing")),
        };
        files.iter().find_map(differs)
    }

    /// Writes the fact sheet of a picture whose files have been written.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn note(&self, sample: &SampleSpec, wanted: &PictureRequest) -> Result<()> {
        let mut files = serde_json::Map::new();
        for path in wanted.files(&self.stem(sample)) {
            let sum = sha256_of(&path).with_context(|| format!("reading {}", path.display()))?;
            files.insert(self.name(&path), sum.into());
        }
        let sheet = json!({ "dealt": sample, "files": files });
        let text = serde_json::to_string_pretty(&sheet)? + "\n";
        Output::create(&self.sheet(sample.number))?.write(text.as_bytes())
    }

    /// Returns a path relative to the folder of the set, with `/`.
    pub(crate) fn name(&self, path: &Path) -> String {
        let own = path.strip_prefix(&self.folder).unwrap_or(path);
        let parts: Vec<_> = own.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

pub(super) fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))
}
