//! Labels of a picture as its COCO file has them, for formats that describe a whole film.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

/// Labels of a picture.
#[derive(Debug, Deserialize)]
pub(super) struct StoredLabels {
    pub(super) annotations: Vec<StoredPerson>,
}

/// Labels of a person.
#[derive(Debug, Deserialize)]
pub(super) struct StoredPerson {
    /// Number of the person's trajectory, if any.
    pub(super) track_id: Option<u32>,
    pub(super) bbox: [i64; 4],
    pub(super) segmentation: StoredMask,
    pub(super) visible_pixels: u32,
    #[serde(default)]
    pub(super) visible_share: f64,
    #[serde(default)]
    pub(super) truncation: f64,
    pub(super) extras: StoredExtras,
}

/// Mask as compressed run-length encoding.
#[derive(Debug, Deserialize)]
pub(super) struct StoredMask {
    /// Height and width (px).
    pub(super) size: [u32; 2],
    pub(super) counts: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct StoredExtras {
    /// Value in the id AOV.
    pub(super) person: u32,
    pub(super) unclipped_bbox: Option<[i64; 4]>,
}

impl StoredPerson {
    /// Returns the identity of the person in a film: that of the trajectory, else the value in the id AOV.
    pub(super) fn identity(&self) -> u32 {
        self.track_id.unwrap_or(self.extras.person)
    }
}

impl StoredLabels {
    /// Reads the COCO file of a picture.
    ///
    /// # Errors
    /// A file that cannot be read or has no labels of a picture.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes = fs::read(path).with_context(|| format!("reading {shown}"))?;
        serde_json::from_slice(&bytes).with_context(|| format!("{shown} has no labels of a picture"))
    }
}
