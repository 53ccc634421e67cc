//! Requested outputs of a picture, and their files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    aov::{PassSet, with_suffix},
    file::exr,
    label::LabelOptions,
    render::passes::AovKind,
};

/// Requested outputs of a picture.
#[derive(Clone, Debug)]
pub struct PictureRequest {
    /// Picture size (px).
    pub size: (u32, u32),
    /// Requested passes: the picture itself and AOVs.
    pub passes: PassSet,
    /// Options of labels, if they are requested.
    pub labels: Option<LabelOptions>,
    /// AOVs that are drawn for effects in the picture, but not written.
    pub effects: Vec<AovKind>,
}

impl PictureRequest {
    /// Returns the files of the picture `stem`.png.
    #[must_use]
    pub fn files(&self, stem: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if self.passes.color {
            files.push(with_suffix(stem, "png"));
        }
        files.extend(self.passes.kinds.iter().map(|&kind| self.passes.path(stem, kind)));
        if !self.passes.kinds.is_empty() {
            files.push(with_suffix(stem, "json"));
        }
        if let Some(labels) = &self.labels {
            let mut formats = labels.formats.writers().map(|writer| writer.files(stem));
            files.extend(formats.next().into_iter().flatten());
            files.extend(labels.density.map(|_| with_suffix(stem, "density.exr")));
            files.extend(formats.flatten());
        }
        files
    }

    /// Returns the first file of a picture that is missing or truncated.
    #[must_use]
    pub fn missing(&self, stem: &Path) -> Option<PathBuf> {
        self.files(stem).into_iter().find(|file| !is_whole(file, self.size))
    }

    /// True if all files of a picture exist and are complete.
    #[must_use]
    pub fn is_done(&self, stem: &Path) -> bool {
        self.missing(stem).is_none()
    }

    /// Returns the AOVs that must be drawn.
    pub(super) fn kinds(&self) -> Vec<AovKind> {
        let mut kinds = self.passes.kinds.clone();
        kinds.extend(&self.effects);
        if let Some(labels) = &self.labels {
            kinds.extend([AovKind::Ids, AovKind::Depth]);
            kinds.extend(labels.formats.writers().flat_map(|writer| writer.aovs()));
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// True if a file is complete and, for a picture, of this size.
fn is_whole(file: &Path, size: (u32, u32)) -> bool {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("png") => crate::film::whole_png(file) == Some(size),
        Some("exr") => exr::read(file).is_ok_and(|(own, _)| own == size),
        // Renamed into place when it was complete.
        Some("txt") => file.is_file(),
        Some("flo") => {
            let bytes = 12 + 8 * u64::from(size.0) * u64::from(size.1);
            fs::metadata(file).is_ok_and(|facts| facts.len() == bytes)
        }
        _ => fs::read(file).is_ok_and(|bytes| serde_json::from_slice::<Value>(&bytes).is_ok()),
    }
}
