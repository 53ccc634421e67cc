//! Inputs of commands that work on character files without a GPU.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    atlas::{AtlasFormat, FramePlacement},
    bake::{self, RATES},
    cli::{
        AnimationArgs, exit_code,
        json_shape::{FileError, FileReport, FileReports, JsonShape},
        one_line,
    },
    console::{print_json, print_stdout},
    file::{Animations, FolderFiles, ModelError, OpenedFile, output::same_file, with_variants},
    model::{Clip, Model},
    scene::open_animated,
};

/// Invalid usage or input, with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUsage(pub String);

/// Opens a character; frames of raw files are placed for the default error bound.
///
/// # Errors
/// A file that does not load, clips that do not fit.
pub(crate) fn open_in_place(name: &Path, animations: &Animations) -> Result<OpenedFile, ModelError> {
    let mut opened = open_animated(name, animations)?;
    animations.check_hidden(&opened.model)?;
    if opened.atlas.is_none() {
        let largest_error = FramePlacement::default().largest_error(&opened.model);
        bake::prepare(&mut opened.model, largest_error);
    }
    Ok(opened)
}

/// Character files that a command processes one after another.
#[derive(Debug)]
pub(crate) struct CharacterFiles {
    files: Vec<PathBuf>,
    /// Files of clips in named folders.
    libraries: Vec<PathBuf>,
    /// True for a single named file, whose result is printed alone.
    single: bool,
}

impl CharacterFiles {
    /// Finds the named files, and those in the named folders at any depth, in the order of their paths. With
    /// `variants`, files are replaced by their material variants as [`with_variants`] does.
    ///
    /// # Errors
    /// A folder has no characters or cannot be read; no file has the variant.
    pub(crate) fn find(names: &[PathBuf], variants: Option<&str>) -> Result<Self, BadUsage> {
        let (mut files, mut libraries) = (Vec::new(), Vec::new());
        for name in names {
            if !name.is_dir() {
                files.push(name.clone());
                continue;
            }
            let unreadable = |error: std::io::Error| BadUsage(format!("{}: {error}", name.display()));
            let found = FolderFiles::find(name).map_err(unreadable)?;
            files.extend(found.characters);
            libraries.extend(found.libraries);
        }
        if let Some(wanted) = variants {
            files = with_variants(&files, wanted).map_err(|error| BadUsage(error.to_string()))?;
        }
        let single = matches!(names, [name] if !name.is_dir()) && files.len() == 1;
        Ok(Self {
            files,
            libraries,
            single,
        })
    }

    /// Opens the clips of other files: those of the options, and those beside the characters in named folders.
    ///
    /// # Errors
    /// A file is missing or broken, or has no clips.
    pub(crate) fn open_animations(&self, args: &AnimationArgs) -> Result<Animations, ModelError> {
        let mut all = args.clone();
        all.animations.extend(self.libraries.iter().cloned());
        Ok(Animations {
            skip_unfit: self.files.len() > 1,
            ..all.open()?
        })
    }

    /// Files of the characters.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.files
    }

    /// True if the result is about a single named file.
    pub(crate) fn is_single(&self) -> bool {
        self.single
    }

    /// Prints the result of `work` for each file and returns the largest exit code. With several files, a failure costs
    /// a line and the others continue.
    ///
    /// # Errors
    /// A single file fails, or standard output cannot be written.
    pub(crate) fn each<T: Display + Serialize>(
        &self,
        json: Option<JsonShape>,
        work: impl Fn(&Path) -> anyhow::Result<(T, u8)>,
    ) -> anyhow::Result<u8> {
        if self.single {
            let file = self.files[0].display().to_string();
            let (report, code) = work(&self.files[0])?;
            match json {
                Some(JsonShape::Second) => {
                    print_json(&FileReports::new(vec![FileReport { file, report }], Vec::new()))?
                }
                Some(JsonShape::First) => print_json(&report)?,
                None => print_stdout(&report.to_string())?,
            }
            return Ok(code);
        }
        let (mut files, mut errors, mut worst) = (Vec::new(), Vec::new(), 0);
        for path in &self.files {
            let file = path.display().to_string();
            match work(path) {
                Ok((report, code)) => {
                    worst = worst.max(code);
                    match json {
                        Some(_) => files.push(FileReport { file, report }),
                        None => print_stdout(&format!("{file}\n{report}\n"))?,
                    }
                }
                Err(error) => {
                    let reason = one_line(&format!("{error:#}"));
                    eprintln!("throng: {reason}");
                    worst = worst.max(exit_code(&error));
                    errors.push(FileError { file, error: reason });
                }
            }
        }
        match json {
            Some(JsonShape::Second) => print_json(&FileReports::new(files, errors))?,
            Some(JsonShape::First) => print_json(&files)?,
            None => {}
        }
        Ok(worst)
    }
}

/// Keeps only the named clips, in the order of the file; no names keep all.
///
/// # Errors
/// A name is not among the clips.
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

/// Rejects an output that is also an input.
///
/// # Errors
/// The output is one of the inputs.
pub fn refuse_overwriting_inputs<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), BadUsage> {
    let hit = inputs.into_iter().any(|input| same_file(output, input));
    if hit {
        return Err(BadUsage(format!(
            "{} would be overwritten, but it is an input; choose another output",
            output.display()
        )));
    }
    Ok(())
}

/// Rate value that means frames placed by the motion.
pub(crate) const BY_MOTION: f32 = 0.0;

/// Placement of frames: at a rate, or by the motion for a format.
pub(crate) fn frame_placement(rate: f32, format: Option<AtlasFormat>) -> FramePlacement {
    if rate > 0.0 {
        FramePlacement::Even { rate }
    } else {
        FramePlacement::by_motion(format.unwrap_or_default())
    }
}

/// Parses the rate of even steps (frames per second).
pub(crate) fn parse_rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|rate| RATES.contains(rate));
    let (least, most) = RATES.into_inner();
    rate.ok_or_else(|| format!("{text:?} is not a rate; give {least} to {most} frames per second"))
}

/// Parses a rate as [`parse_rate`], or the word `motion` as [`BY_MOTION`].
pub(crate) fn parse_frames(text: &str) -> Result<f32, String> {
    if text == "motion" {
        return Ok(BY_MOTION);
    }
    parse_rate(text).map_err(|error| error + ", or motion")
}

/// Parses the number of vertices to compare.
pub(crate) fn parse_samples(text: &str) -> Result<u64, String> {
    crate::config::parse::parse_whole(text, 0, u64::MAX)
}

/// Parses a number above zero.
pub(crate) fn parse_positive(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|x: &f32| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a number above zero"))
}
