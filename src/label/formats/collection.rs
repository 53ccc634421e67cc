//! Film or set whose labels are gathered.

use std::path::{Path, PathBuf};

use crate::film::FrameRate;

/// Kind of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// Frames of one camera, at a rate.
    Film(FrameRate),
    /// Pictures that have nothing to do with each other.
    Set,
}

/// Picture of a collection.
#[derive(Clone, Debug)]
pub struct PictureEntry {
    /// Number of the picture.
    pub number: u64,
    /// Split of a set, `train` or `val`; empty for films.
    pub split: String,
    /// Path without its ending.
    pub stem: PathBuf,
    /// All files of the picture.
    pub files: Vec<PathBuf>,
}

/// Film or set whose pictures are complete.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Kind of the collection.
    pub kind: CollectionKind,
    /// Folder of the set, or of the frames.
    pub folder: PathBuf,
    /// Name of the film; files of the whole begin with it.
    pub name: String,
    /// Picture size (px).
    pub size: (u32, u32),
    /// Pictures in the order of their numbers.
    pub pictures: Vec<PictureEntry>,
}

impl PictureEntry {
    /// Returns the file with the picture's labels as COCO JSON.
    #[must_use]
    pub fn coco(&self) -> PathBuf {
        crate::aov::with_suffix(&self.stem, "labels.json")
    }
}

impl Collection {
    /// Returns the folder of a sequence as MOTChallenge has it: that above `img1` if the frames are in there, otherwise
    /// the frames' own.
    #[must_use]
    pub fn sequence(&self) -> &Path {
        match self.folder.parent() {
            Some(parent) if self.folder.ends_with(IMAGES) => parent,
            _ => &self.folder,
        }
    }

    /// Returns the number of a frame within its sequence, from 1.
    #[must_use]
    pub fn frame_number(&self, entry: &PictureEntry) -> u64 {
        let first = self.pictures.first().map_or(0, |first| first.number);
        entry.number - first + 1
    }
}

/// Name of the folder of frames in MOTChallenge's sequences.
pub(super) const IMAGES: &str = "img1";
