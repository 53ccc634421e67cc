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

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use self::{
    motion::{Motion, Source, Stretch},
    search::Choice,
    witnesses::{Displacements, Witness},
};
use crate::{
    bake::MAX_FRAMES,
    model::{Clip, Model},
};

/// Rounds of looking at all vertices; in the second half the bound becomes smaller.
const CHECKS: usize = 8;

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
/// from any thread. Gives up, with the number found so far, where there are more than an atlas holds.
///
/// # Errors
/// The number of frames.
pub fn timed_frames(
    model: &Model,
    bound: FrameBound,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Vec<Vec<TimedFrame>>, u64> {
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
    let (done, found) = (AtomicUsize::new(0), AtomicU64::new(0));
    let solved: Vec<Vec<TimedFrame>> = jobs
        .par_iter()
        .with_max_len(1)
        .map(|&(clip, stretch)| {
            if found.load(Ordering::Relaxed) > MAX_FRAMES {
                return Vec::new();
            }
            let source = Source::new(model, &model.clips[clip], &displacements);
            let frames = solve(&source, &witnesses, stretch, bound);
            found.fetch_add(frames.len() as u64, Ordering::Relaxed);
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(count as f32 / jobs.len() as f32);
            frames
        })
        .collect();
    let mut clips: Vec<Vec<TimedFrame>> = model.clips.iter().map(|_| Vec::new()).collect();
    for ((clip, stretch), frames) in jobs.into_iter().zip(solved) {
        append(&mut clips[clip], stretch, frames);
    }
    match found.into_inner() {
        found if found > MAX_FRAMES => Err(found),
        _ => Ok(clips),
    }
}

/// Puts a stretch's frames after those before it: the frame at which both meet stands once, unless
/// the motion jumps there.
fn append(clip: &mut Vec<TimedFrame>, stretch: Stretch, mut frames: Vec<TimedFrame>) {
    if clip.last().is_some_and(|last| last.time == stretch.start) && !stretch.follows_jump {
        clip.pop();
    }
    if stretch.start == stretch.end {
        frames.truncate(1);
    }
    clip.append(&mut frames);
}

/// The frames of one stretch.
fn solve(source: &Source<'_>, witnesses: &[Witness], stretch: Stretch, bound: FrameBound) -> Vec<TimedFrame> {
    let mut motion = Motion::sample(source, witnesses, stretch, bound.position);
    let mut active = witnesses.to_vec();
    let mut position = bound.position;
    // Frames on the motion are found faster, and tell who has to be a witness as well.
    let ways = if bound.fitted { &[false, true][..] } else { &[false] };
    let mut found = Choice::default();
    for &fitted in ways {
        for round in 1..=CHECKS {
            found = search::choose(&motion, position, fitted);
            let offenders = check::offenders(source, &motion, &found, bound.position);
            if offenders.is_empty() {
                break;
            }
            active.extend(offenders.iter().map(|o| Witness::vertex(source.model, o.vertex)));
            motion.points = check::pose_all(source, &active, &motion);
            if round > CHECKS / 2 {
                let worst = offenders.iter().map(|o| o.error).fold(bound.position, f32::max);
                position *= bound.position / worst * 0.98;
            }
        }
    }
    frames(&motion, &found, source.model)
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
