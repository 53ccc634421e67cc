//! Frames where the motion is: times (and values) of frames so that blending neighbours stays within
//! a bound of every vertex at every moment, with as few frames as can be found quickly.
//!
//! A clip falls into stretches in which nothing jumps: STEP keys jump, and their frames stand twice
//! at one time. A stretch is sampled exactly, as densely as it moves ([`motion`]), frames are chosen
//! by the vertices that speak for all others ([`witnesses`], [`search`]), and then every vertex is
//! looked at where these are off most ([`check`]): whoever is off more becomes a witness too.

mod check;
mod fit;
mod motion;
mod rows;
mod search;
mod stretches;
mod witnesses;

use rayon::prelude::*;

use self::{
    motion::{Motion, Source, Stretch},
    search::Choice,
    witnesses::{Displacements, Witness},
};
use crate::model::{Clip, Model};

/// Rounds of looking at all vertices.
const CHECKS: usize = 4;
/// Rounds with a smaller bound where the vertices still do not hold it.
const TIGHTER: usize = 3;

/// What frames must keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameBound {
    /// How far blending may move any vertex at any moment, metres.
    pub position: f32,
    /// Frames may leave the motion by as much, where fewer of them suffice then: half as many again
    /// would be needed without. Matrices are then no pure rotations.
    pub fitted: bool,
}

/// One frame of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedFrame {
    /// Clip time, seconds; two frames at one time are a jump.
    pub time: f32,
    /// Twelve numbers for the matrix of every slot, column by column.
    pub matrices: Vec<f32>,
    /// Weight of every morph target.
    pub morphs: Vec<f32>,
}

/// Frames of every clip of a model within a bound; `progress` is called with values in `0..=1`
/// from any thread.
#[must_use]
pub fn timed_frames(model: &Model, bound: FrameBound, progress: &(dyn Fn(f32) + Sync)) -> Vec<Vec<TimedFrame>> {
    let displacements = Displacements::new(model);
    let witnesses = witnesses::witnesses(model);
    let of_clip = |(index, clip): (usize, &Clip)| {
        let stretches = stretches::stretches(&Source::new(model, clip, &displacements), &witnesses, bound.position);
        stretches
            .into_iter()
            .map(|stretch| (index, stretch))
            .collect::<Vec<_>>()
    };
    let jobs: Vec<(usize, Stretch)> = model.clips.par_iter().enumerate().flat_map_iter(of_clip).collect();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let solved: Vec<Vec<TimedFrame>> = jobs
        .par_iter()
        .with_max_len(1)
        .map(|&(clip, stretch)| {
            let source = Source::new(model, &model.clips[clip], &displacements);
            let frames = solve(&source, &witnesses, stretch, bound);
            let count = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            progress(count as f32 / jobs.len() as f32);
            frames
        })
        .collect();
    let mut clips: Vec<Vec<TimedFrame>> = model.clips.iter().map(|_| Vec::new()).collect();
    for ((clip, stretch), frames) in jobs.into_iter().zip(solved) {
        append(&mut clips[clip], stretch, frames);
    }
    for (frames, clip) in clips.iter_mut().zip(&model.clips) {
        if clip.duration <= 0.0 {
            frames.truncate(1);
        }
    }
    clips
}

/// Puts a stretch's frames after those before it: the frame at which both meet stands once, unless
/// the motion jumps there.
fn append(clip: &mut Vec<TimedFrame>, stretch: Stretch, mut frames: Vec<TimedFrame>) {
    if clip.last().is_some_and(|last| last.time == stretch.start) && !stretch.follows_jump {
        clip.pop();
    }
    clip.append(&mut frames);
}

/// The frames of one stretch.
fn solve(source: &Source<'_>, witnesses: &[Witness], stretch: Stretch, bound: FrameBound) -> Vec<TimedFrame> {
    let motion = Motion::sample(source, witnesses, stretch, bound.position);
    let mut active = check::active(&motion, witnesses);
    let mut position = bound.position;
    let mut points = check::pose_all(source, &active, &motion);
    let mut motion = Motion { points, ..motion };
    for _ in 0..TIGHTER {
        let mut worst = 0.0_f32;
        for _ in 0..CHECKS {
            let choice = search::choose(&motion, position, bound.fitted);
            let offenders = check::offenders(source, &motion, &choice, bound.position);
            if offenders.is_empty() {
                return frames(&motion, &choice, source.model);
            }
            worst = offenders.iter().map(|o| o.error).fold(worst, f32::max);
            active.extend(offenders.iter().map(|o| Witness::vertex(source.model, o.vertex)));
            points = check::pose_all(source, &active, &motion);
            motion.points = points;
        }
        position *= bound.position / worst.max(bound.position) * 0.95;
    }
    let choice = search::choose(&motion, position, bound.fitted);
    frames(&motion, &choice, source.model)
}

fn frames(motion: &Motion, choice: &Choice, model: &Model) -> Vec<TimedFrame> {
    let values = choice.values(&motion.palettes, &motion.times);
    let numbers = 12 * model.skeleton.slots.len();
    let frame = |(index, &sample): (usize, &usize)| TimedFrame {
        time: motion.times[sample],
        matrices: values.row(index)[..numbers].to_vec(),
        morphs: values.row(index)[numbers..].to_vec(),
    };
    choice.frames.iter().enumerate().map(frame).collect()
}
