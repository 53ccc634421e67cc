//! Commands that work on character files; nothing here needs a GPU.

use std::path::{Path, PathBuf};

use crate::{
    atlas::{AtlasFormat, FramePlacement},
    bake::{self, RATES},
    file::{ModelError, Opened},
    model::{Clip, Model},
    scene::open_model,
};

/// An invalid request: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUsage(pub String);

/// Opens a character as it is baked: raw files are prepared for the usual error.
///
/// # Errors
/// A file that does not load.
pub(crate) fn open_in_place(name: &Path) -> Result<Opened, ModelError> {
    let mut opened = open_model(name)?;
    if opened.atlas.is_none() {
        let largest_error = FramePlacement::default().largest_error(&opened.model);
        bake::prepare(&mut opened.model, largest_error);
    }
    Ok(opened)
}

/// Keeps the named clips only, in the order of the file; none named keeps all.
///
/// # Errors
/// A name that is not among the clips.
pub fn keep_clips(model: &mut Model, names: &[String]) -> Result<(), BadUsage> {
    let missing = |name: &&String| !model.clips.iter().any(|c| c.name == **name);
    if let Some(name) = names.iter().find(missing) {
        let known: Vec<&str> = model.clips.iter().map(|c| c.name.as_str()).collect();
        return Err(BadUsage(format!(
            "{} has no clip {name:?}; it has {}",
            model.name,
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        )));
    }
    if !names.is_empty() {
        model.clips.retain(|c: &Clip| names.contains(&c.name));
    }
    Ok(())
}

/// Refuses to write to a file that is read.
///
/// # Errors
/// The output is one of the inputs.
pub fn spare_inputs<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), BadUsage> {
    let hit = inputs.into_iter().any(|input| same_file(output, input));
    if hit {
        return Err(BadUsage(format!(
            "{} would be overwritten, but it is an input; choose another output",
            output.display()
        )));
    }
    Ok(())
}

/// Whether two paths name the same file, be it there or not.
pub fn same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| -> Option<PathBuf> {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    whole(a).is_some_and(|a| whole(b) == Some(a))
}

/// The rate that stands for frames where the motion needs them.
pub(crate) const BY_MOTION: f32 = 0.0;

/// Frames at a rate, or where the motion needs them for a format.
pub(crate) fn frame_placement(rate: f32, format: Option<AtlasFormat>) -> FramePlacement {
    if rate > 0.0 {
        FramePlacement::Even { rate }
    } else {
        FramePlacement::by_motion(format.unwrap_or_default())
    }
}

/// Frames per second of even steps.
pub(crate) fn parse_rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| RATES.contains(rate));
    let (least, most) = RATES.into_inner();
    rate.ok_or_else(|| format!("{text:?} is not a rate; give {least} to {most} frames per second"))
}

/// As [`parse_rate`], or [`BY_MOTION`] for the word `motion`.
pub(crate) fn parse_frames(text: &str) -> Result<f32, String> {
    if text == "motion" {
        return Ok(BY_MOTION);
    }
    parse_rate(text).map_err(|error| error + ", or motion")
}

/// How many vertices to compare.
pub(crate) fn parse_samples(text: &str) -> Result<u64, String> {
    crate::config::parse::parse_whole(text, 0, u64::MAX)
}

/// A number above zero.
pub(crate) fn parse_positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|x: &f32| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a number above zero"))
}
