//! Commands that work on character files; nothing here needs a GPU.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    atlas::{AtlasFormat, FramePlacement},
    bake::{self, RATES},
    cli::{exit_code, one_line},
    console::{print_json, print_stdout},
    file::{Animations, ModelError, Opened, characters_in, extensions_text},
    model::{Clip, Model},
    scene::open_animated,
};

/// An invalid request: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUsage(pub String);

/// Opens a character as it is baked: raw files are prepared for the usual error.
///
/// # Errors
/// A file that does not load, clips that do not fit.
pub(crate) fn open_in_place(name: &Path, animations: &Animations) -> Result<Opened, ModelError> {
    let mut opened = open_animated(name, animations)?;
    if opened.atlas.is_none() {
        let largest_error = FramePlacement::default().largest_error(&opened.model);
        bake::prepare(&mut opened.model, largest_error);
    }
    Ok(opened)
}

/// Characters that a command looks at one after another.
#[derive(Debug)]
pub(crate) struct CharacterFiles {
    files: Vec<PathBuf>,
    /// One character that was named itself: its answer stands alone.
    single: bool,
}

/// Result of a command for one of several characters.
#[derive(Serialize)]
struct FileResult<T> {
    file: PathBuf,
    #[serde(flatten)]
    of_file: T,
}

impl CharacterFiles {
    /// The characters named, and those in the folders named, at any depth, in the order of their paths.
    ///
    /// # Errors
    /// A folder without characters, or one that cannot be read.
    pub(crate) fn find(names: &[PathBuf]) -> Result<Self, BadUsage> {
        let mut files = Vec::new();
        for name in names {
            if !name.is_dir() {
                files.push(name.clone());
                continue;
            }
            let unreadable = |error: std::io::Error| BadUsage(format!("{}: {error}", name.display()));
            let found = characters_in(name).map_err(unreadable)?;
            if found.is_empty() {
                return Err(BadUsage(format!(
                    "{}: no {} in this folder",
                    name.display(),
                    extensions_text()
                )));
            }
            files.extend(found);
        }
        let single = matches!(names, [name] if !name.is_dir());
        Ok(Self { files, single })
    }

    /// Whether the answer is about one character.
    pub(crate) fn is_single(&self) -> bool {
        self.single
    }

    /// Prints what `work` finds of each, and returns the largest exit code. Of several characters, one that fails
    /// costs a line, not the others; as JSON, their answers are an array.
    ///
    /// # Errors
    /// A single character's, and standard output's.
    pub(crate) fn each<T: Display + Serialize>(
        &self,
        json: bool,
        work: impl Fn(&Path) -> anyhow::Result<(T, u8)>,
    ) -> anyhow::Result<u8> {
        if self.single {
            let (answer, code) = work(&self.files[0])?;
            if json {
                print_json(&answer)?;
            } else {
                print_stdout(&answer.to_string())?;
            }
            return Ok(code);
        }
        let (mut answers, mut worst) = (Vec::new(), 0);
        for file in &self.files {
            let shown = file.display();
            match work(file) {
                Ok((answer, code)) => {
                    worst = worst.max(code);
                    if json {
                        let file = file.clone();
                        answers.push(FileResult { file, of_file: answer });
                    } else {
                        print_stdout(&format!("{shown}\n{answer}\n"))?;
                    }
                }
                Err(error) => {
                    eprintln!("throng: {}", one_line(&format!("{error:#}")));
                    worst = worst.max(exit_code(&error));
                }
            }
        }
        if json {
            print_json(&answers)?;
        }
        Ok(worst)
    }
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
