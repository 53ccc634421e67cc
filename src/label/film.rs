//! Films with passes and labels: for each frame the files of a picture.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::Value;

use crate::{
    config::Config,
    film::{FilmPlan, FrameFiles, FramePattern, Progress, with_workers, workers},
    label::{CocoFile, Exposed, Recorder},
    observe::{Moment, beside},
};

/// Records the frames of a plan; those whose files are all there and whole are kept, unless `files` overwrites.
///
/// # Errors
/// As [`Recorder::record`] and [`Recording::write`](crate::label::Recording::write); frames that are there by then
/// are whole.
pub fn record_film(
    recorder: &mut Recorder,
    config: &Config,
    (plan, files): (&FilmPlan, &FrameFiles),
    mut told: impl FnMut(Progress),
) -> Result<Progress> {
    let (wanted, pattern) = (recorder.wanted().clone(), files.pattern());
    let own: Vec<u64> = plan.own_frames().collect();
    let is_done = |frame: &u64| !files.overwrites() && wanted.is_done(&pattern.stem(*frame));
    let missing: Vec<u64> = own.par_iter().copied().filter(|frame| !is_done(frame)).collect();
    let mut progress = Progress::before(own.len(), missing.len());
    told(progress);
    if missing.is_empty() {
        return Ok(progress);
    }
    files.begin()?;
    let write = |(frame, exposed): (u64, Exposed)| {
        let written = exposed
            .develop()
            .and_then(|recording| recording.write(&wanted, &pattern.stem(frame)));
        written.with_context(|| format!("frame {frame}"))
    };
    with_workers(workers(), write, |desk| {
        for &frame in &missing {
            let scene = &recorder.observer().scene;
            let at = |time: f64| Moment::of(config, scene, time);
            let moments = plan.moments(frame).map(at).collect::<Result<Vec<_>, _>>()?;
            let next = at(plan.time(frame + 1))?;
            let exposed = recorder.expose(frame, &moments, Some(&next));
            let exposed = exposed.with_context(|| format!("frame {frame}"))?;
            desk.send((frame, exposed))?;
            progress.drawn += 1;
            told(progress);
        }
        Ok(())
    })?;
    Ok(progress)
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
    let path = pattern.labels();
    let mut all = CocoFile::begin(&path)?;
    all.add(&frames.map(of).collect::<Vec<_>>())?;
    all.finish()?;
    Ok(Some(path))
}

pub(crate) fn read_json(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is no JSON", path.display()))
}
