//! Films with passes and labels: for each frame the files of a picture.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    thread::available_parallelism,
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::Value;

use crate::{
    config::Config,
    file::output::Output,
    film::{EncodersGone, FilmPlan, FramePattern, Progress, with_workers},
    label::{Recorder, Recording, merged},
    observe::{Moment, beside},
};

/// Pictures that are encoded at the same time, at most: each has megabytes of numbers.
const MOST_WORKERS: usize = 8;

/// Records the frames of a plan; those whose files are all there and whole are kept, unless `anew`.
///
/// # Errors
/// As [`Recorder::record`] and [`Recording::write`]; frames that are there by then are whole.
pub fn record_film(
    recorder: &mut Recorder,
    config: &Config,
    (plan, pattern): (&FilmPlan, &FramePattern),
    anew: bool,
    mut told: impl FnMut(Progress),
) -> Result<Progress> {
    let wanted = recorder.wanted().clone();
    let own: Vec<u64> = plan.own_frames().collect();
    let is_done = |frame: &u64| !anew && wanted.is_done(&pattern.stem(*frame));
    let missing: Vec<u64> = own.par_iter().copied().filter(|frame| !is_done(frame)).collect();
    let mut progress = Progress {
        drawn: 0,
        kept: (own.len() - missing.len()) as u64,
        frames: own.len() as u64,
    };
    told(progress);
    if missing.is_empty() {
        return Ok(progress);
    }
    let write = |recording: Recording| recording.write(&wanted, &pattern.stem(recording.number));
    with_workers(workers(), write, |recordings| {
        for &frame in &missing {
            let scene = &recorder.observer().scene;
            let at = |time: f64| Moment::of(config, scene, time);
            let moments = plan.moments(frame).map(at).collect::<Result<Vec<_>, _>>()?;
            let next = at(plan.time(frame + 1))?;
            let recording = recorder.record(frame, &moments, Some(&next))?;
            recordings.send(recording).map_err(|_| EncodersGone)?;
            progress.drawn += 1;
            told(progress);
        }
        Ok(())
    })?;
    Ok(progress)
}

/// Cores that encode beside the drawing.
pub(crate) fn workers() -> usize {
    available_parallelism().map_or(2, usize::from).min(MOST_WORKERS)
}

/// Puts the labels of all frames into one file beside them, and returns its name; `None` where the frames
/// have no labels.
///
/// # Errors
/// Labels of a frame are missing or broken while others are there.
pub fn gather_labels(pattern: &FramePattern, frames: Range<u64>) -> Result<Option<PathBuf>> {
    let of = |frame: u64| beside(&pattern.stem(frame), "labels.json");
    if !frames.clone().any(|frame| of(frame).exists()) {
        return Ok(None);
    }
    let read = |frame| {
        let path = of(frame);
        let value = read_json(&path)?;
        anyhow::Ok((path, value))
    };
    let whole = merged(frames.map(read), |_, file| file.to_owned())?;
    let path = pattern.labels();
    let text = serde_json::to_string(&whole)? + "\n";
    Output::create(&path)?.write(text.as_bytes())?;
    Ok(Some(path))
}

pub(crate) fn read_json(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is no JSON", path.display()))
}
