//! Drawing of the missing pictures of a data set.

use std::path::PathBuf;

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::{
    config::Config,
    dataset::{Ranges, SampleSpec, SetFiles, Splits, Vary, effects::PictureEffects, prepare::prepare_pictures},
    film::{FrameProgress, Shard, with_workers, workers},
    label::{LabelCapture, LabelRules, Recorder},
};

/// Plan of a data set.
#[derive(Clone, Debug)]
pub struct SetPlan {
    /// Number of pictures; their numbers start at 0.
    pub pictures: u64,
    /// Seed of all random parameters.
    pub seed: u64,
    /// Parameters that vary.
    pub vary: Vary,
    /// Ranges of these parameters.
    pub ranges: Ranges,
    /// Splits of the pictures.
    pub splits: Splits,
    /// Pictures and panoramas of which each may stand behind the people.
    pub backgrounds: Vec<PathBuf>,
    /// Rules of the set.
    pub rules: LabelRules,
    /// Settings that do not vary.
    pub base: Config,
    /// Scene time of all pictures (s), if it does not vary.
    pub time: f64,
    /// Part of the pictures that is drawn here.
    pub shard: Shard,
    /// Number of the only picture to draw.
    pub only: Option<u64>,
}

impl SetPlan {
    /// Returns the parameters of a picture.
    #[must_use]
    pub fn sample(&self, number: u64) -> SampleSpec {
        SampleSpec::new(self, number)
    }

    /// Returns the numbers of the pictures that are drawn here.
    pub fn own(&self) -> impl Iterator<Item = u64> + '_ {
        let all = 0..self.pictures;
        all.filter(|&number| match self.only {
            Some(only) => number == only,
            None => self.shard.has(number),
        })
    }
}

/// Draws the missing pictures of a plan; complete ones are kept.
///
/// # Errors
/// Errors of [`Recorder::record`] and [`RecordedPicture::write`](crate::label::RecordedPicture::write). Pictures that
/// exist by then are complete.
pub fn draw_set(
    recorder: &mut Recorder,
    plan: &SetPlan,
    files: &SetFiles,
    mut told: impl FnMut(FrameProgress),
) -> Result<FrameProgress> {
    let wanted = recorder.wanted().clone();
    let own: Vec<u64> = plan.own().collect();
    let missing: Vec<u64> = { own.par_iter().copied() }
        .filter(|&number| !files.is_done(number))
        .collect();
    let mut progress = FrameProgress::before(own.len(), missing.len());
    told(progress);
    if missing.is_empty() {
        return Ok(progress);
    }
    files.begin()?;
    let write = |(sample, capture): (SampleSpec, LabelCapture)| {
        let scene = capture.scene().clone();
        let written = capture
            .encode()
            .and_then(|recording| PictureEffects::of(plan, &sample).apply(recording, &scene))
            .and_then(|recording| recording.write(&wanted, &files.stem(&sample)))
            .and_then(|()| files.note(&sample, &wanted));
        written.with_context(|| format!("picture {}", sample.number))
    };
    with_workers(workers(), write, |work_queue| {
        let populator = recorder.populator();
        prepare_pictures(plan, &missing, populator, |prepared| {
            let number = prepared.sample.number;
            prepared.scene.map_or(Ok(()), |scene| recorder.show(scene))?;
            let capture = recorder.capture(number, &[prepared.moment], Some(&prepared.next));
            let capture = capture.with_context(|| format!("picture {number}"))?;
            work_queue.send((prepared.sample, capture))?;
            progress.drawn += 1;
            told(progress);
            Ok(())
        })
    })?;
    Ok(progress)
}
