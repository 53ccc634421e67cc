//! `throng assemble`: last step after rendering on several machines. It checks that nothing is missing and writes the
//! files of the whole set or film.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use rayon::prelude::*;

use crate::{
    cli::{
        film::{FrameRange, parse_range},
        inputs::BadUsage,
        record::outputs_of_record,
    },
    console::print_stdout,
    dataset::{IncompleteSet, SetFiles, assemble, contact_sheet},
    file::output::Output,
    film::{Ffmpeg, FilmFrame, FramePattern, FrameRate, Stream},
    label::{FilmLabels, gather_film},
};

const EXAMPLES: &str = "\
Examples:
  throng assemble set                                     a set of `throng dataset`
  throng assemble set --contact-sheet set.png             and its pictures side by side, to look through
  throng assemble frames/%05d.png --frames 0..9000        check the frames; labels of all frames in one file
  throng assemble frames/%05d.png --frames 0..9000 --fps 30 -o film.mp4
                                                          a video of the frames, by the installed ffmpeg";

/// Arguments of `assemble`.
#[derive(Args, Debug, Clone)]
#[command(after_help = EXAMPLES)]
pub struct AssembleArgs {
    /// Folder of a data set, or frame files such as frames/%05d.png.
    #[arg(value_name = "DIR|FRAMES")]
    pub what: PathBuf,
    /// Range of frame numbers, FIRST..END; END is not included.
    #[arg(long, value_parser = parse_range, value_name = "A..B")]
    pub frames: Option<FrameRange>,
    /// Frames per second of the video.
    #[arg(long, default_value = "24", value_name = "FPS")]
    pub fps: FrameRate,
    /// Video to write from the frames (.mp4, .mov, .mkv, .webm).
    #[arg(short, long, requires = "frames", value_name = "VIDEO")]
    pub output: Option<PathBuf>,
    /// Picture to write with small pictures of a set side by side (.png); of more than 400, some are chosen evenly.
    #[arg(long, conflicts_with = "frames", value_name = "FILE.png")]
    pub contact_sheet: Option<PathBuf>,
    /// Path of ffmpeg, which writes videos.
    #[arg(long, default_value = "ffmpeg", value_name = "PATH")]
    pub ffmpeg: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Files are missing or broken, or the path is neither a set nor frames.
pub fn run(args: &AssembleArgs) -> Result<()> {
    let shown = args.what.display();
    if FramePattern::is_pattern(&args.what) {
        if args.contact_sheet.is_some() {
            return Err(BadUsage("--contact-sheet needs the folder of a set, not frames".to_owned()).into());
        }
        return frames(args);
    }
    if !SetFiles::is_set(&args.what) {
        let why = format!("{shown} is neither a set of `throng dataset` nor frame files such as frames/%05d.png");
        return Err(BadUsage(why).into());
    }
    let (files, set) = SetFiles::of(&args.what)?;
    let done = assemble(&files, &set)?;
    let (train, val, people) = (done.train, done.val, done.people);
    let mut told = format!(
        "nothing is missing: {train} pictures for training, {val} for validation, {people} people\nwrote      {shown}\n"
    );
    if let Some(file) = &args.contact_sheet {
        let (sheet, count) = contact_sheet(&files)?;
        Output::create(file)?.write_png(&sheet, sheet.dimensions())?;
        told += &format!("wrote      {} ({count} pictures)\n", file.display());
    }
    Ok(print_stdout(&told)?)
}

fn frames(args: &AssembleArgs) -> Result<()> {
    let pattern: FramePattern = args.what.to_string_lossy().parse().map_err(BadUsage)?;
    let Some(FrameRange(range)) = args.frames.clone() else {
        return Err(BadUsage(format!("{pattern}: give the range of frames, such as --frames 0..240")).into());
    };
    let all: Vec<u64> = range.clone().collect();
    let record = pattern.record();
    let read = std::fs::read(&record).with_context(|| format!("reading {}", record.display()))?;
    let film = serde_json::from_slice(&read).with_context(|| record.display().to_string())?;
    let wanted = outputs_of_record(&film)?;
    let validation_error = |&frame: &u64| {
        wanted
            .missing(&pattern.stem(frame))
            .map(|file| file.display().to_string())
    };
    let flaws: Vec<String> = all.par_iter().filter_map(validation_error).collect();
    IncompleteSet::check(&flaws, all.len() as u64, "frames")?;
    let mut told = format!("nothing is missing: {} frames\n", all.len());
    let rate = film["fps"].as_str().and_then(|rate| rate.parse().ok());
    let labels = FilmLabels {
        pattern: &pattern,
        frames: range,
        rate: rate.unwrap_or(args.fps),
        wanted: &wanted,
    };
    for file in gather_film(&labels)? {
        told += &format!("wrote      {}\n", file.display());
    }
    if let Some(video) = &args.output {
        encode(args, video, &pattern, &all)?;
        told += &format!("wrote      {}\n", video.display());
    }
    Ok(print_stdout(&told)?)
}

/// Encodes frame files as a video.
fn encode(args: &AssembleArgs, video: &Path, pattern: &FramePattern, frames: &[u64]) -> Result<()> {
    let ending = video.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = Ffmpeg::endings().find(|known| *known == ending);
    let ending = known.ok_or_else(|| BadUsage(format!("{}: expected .mp4, .mov, .mkv or .webm", video.display())))?;
    let read = |frame: u64| -> Result<FilmFrame> {
        let path = pattern.path(frame);
        let pixels = image::open(&path)
            .with_context(|| path.display().to_string())?
            .into_rgba8();
        let size = pixels.dimensions();
        let pixels = pixels.into_raw();
        Ok(FilmFrame { frame, size, pixels })
    };
    let Some(&first) = frames.first() else { return Ok(()) };
    let size = read(first)?.size;
    let file = Output::create(video)?.begin()?;
    let mut stream = Box::new(Ffmpeg::start(&args.ffmpeg, file, ending, size, args.fps)?);
    // Decode as many frames in parallel as there are cores.
    for some in frames.chunks(rayon::current_num_threads()) {
        let pictures: Vec<FilmFrame> = some.par_iter().map(|&frame| read(frame)).collect::<Result<_>>()?;
        for picture in pictures {
            let path = pattern.path(picture.frame);
            anyhow::ensure!(
                picture.size == size,
                "{} differs in size from the other frames",
                path.display()
            );
            stream.put(&picture)?;
        }
    }
    stream.finish()
}
