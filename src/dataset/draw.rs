//! Draws the pictures of a set that are missing.

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::{
    config::Config,
    dataset::{Ranges, SampleSpec, SetFiles, Vary},
    film::{FrameProgress, Shard, with_workers, workers},
    label::{LabelCapture, Recorder},
};

/// Plan of a set.
#[derive(Clone, Debug)]
pub struct SetPlan {
    /// Pictures, numbered from 0.
    pub pictures: u64,
    /// From which all follows.
    pub seed: u64,
    /// Parameters that vary.
    pub vary: Vary,
    /// Within which bounds.
    pub ranges: Ranges,
    /// Share of the pictures that are kept for validation.
    pub validation: f64,
    /// Settings that do not vary.
    pub base: Config,
    /// Scene time of all pictures where it does not vary, seconds.
    pub time: f64,
    /// Which of the pictures are made here.
    pub shard: Shard,
    /// This picture alone.
    pub only: Option<u64>,
}

/// Seconds to the picture that motion leads to.
const NEXT: f64 = 1.0 / 24.0;

impl SetPlan {
    /// The picture of a number.
    #[must_use]
    pub fn sample(&self, number: u64) -> SampleSpec {
        let base = (&self.base, self.time);
        SampleSpec::new((self.seed, number), base, (&self.vary, &self.ranges), self.validation)
    }

    /// Numbers of the pictures that are made here.
    pub fn own(&self) -> impl Iterator<Item = u64> + '_ {
        let all = 0..self.pictures;
        all.filter(|&number| match self.only {
            Some(only) => number == only,
            None => self.shard.has(number),
        })
    }
}

/// Makes the pictures of a plan that are not there yet; whole ones are kept.
///
/// # Errors
/// As [`Recorder::record`] and [`RecordedPicture::write`](crate::label::Recording::write); pictures that are there by then
/// are whole.
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
        let written = capture
            .encode()
            .and_then(|recording| recording.write(&wanted, &files.stem(&sample)))
            .and_then(|()| files.note(&sample, &wanted));
        written.with_context(|| format!("picture {}", sample.number))
    };
    let mut shown = plan.base.clone();
    with_workers(workers(), write, |work_queue| {
        for &number in &missing {
            let sample = plan.sample(number);
            let config = sample.config(&plan.base);
            if config.scene != shown.scene {
                recorder.repopulate(&config)?;
                shown = config.clone();
            }
            let scene = &recorder.aov_renderer().scene;
            let varied = (&plan.vary, &plan.ranges);
            let moment = sample.moment(plan.seed, &config, scene, varied, sample.time)?;
            let next = sample.moment(plan.seed, &config, scene, varied, sample.time + NEXT)?;
            let capture = recorder.capture(number, &[moment], Some(&next));
            let capture = capture.with_context(|| format!("picture {number}"))?;
            work_queue.send((sample, capture))?;
            progress.drawn += 1;
            told(progress);
        }
        Ok(())
    })?;
    Ok(progress)
}
