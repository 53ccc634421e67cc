//! Adaptive placement of frames: times (and values) such that blending neighbours keeps every vertex within a bound at
//! every time. The search finds few frames quickly, not the fewest.
//!
//! A clip is split into segments in which nothing jumps. STEP keys jump: two frames stand at one time there. A segment
//! is sampled exactly, as densely as it moves ([`motion`]). Frames are chosen by error probes that represent all
//! vertices ([`error_probes`], [`search`]). Then every vertex is checked where the probes' errors are largest
//! ([`check`]); vertices with larger errors become probes too.

mod check;
mod chosen;
mod error_probes;
mod fit;
mod motion;
mod rows;
mod search;
mod segments;
mod similar;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use self::{
    error_probes::{Displacements, ErrorProbe},
    fit::{Values, fraction},
    motion::{ClipSegment, Motion, PoseSource},
    rows::farthest_point,
    search::Choice,
};
use crate::{
    bake::{VertexGroups, memory},
    model::{ChosenFrames, ChosenSegment, Model},
};

/// Rounds of checks of all vertices; in the second half the bound shrinks.
const CHECKS: usize = 10;

/// Error bound of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameBound {
    /// Largest displacement of any vertex by blending at any time (m).
    pub position: f32,
    /// True if frames may leave the motion by as much where that takes fewer of them. Slots that only rotate, move and
    /// scale uniformly keep doing so, which every format can store.
    pub optimized: bool,
}

/// A frame of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedFrame {
    /// Clip time (s); two frames at one time are a jump.
    pub time: f32,
    /// Matrix of every slot, twelve numbers column by column.
    pub matrices: Vec<f32>,
    /// Weight of every morph target.
    pub morphs: Vec<f32>,
}

/// Finds the frames of every clip of a model within a bound; `progress` is called with values in `0..=1` from any
/// thread. Stops when there are more frames than an atlas or [`memory`] holds.
///
/// # Errors
/// Number of frames found so far.
pub fn timed_frames(
    model: &Model,
    bound: FrameBound,
    progress: &(dyn Fn(f32) + Sync),
) -> Result<Vec<Vec<TimedFrame>>, u64> {
    let mut clips: Vec<Vec<TimedFrame>> = model.clips.iter().map(|_| Vec::new()).collect();
    for (job, solved) in solve_all(model, bound, progress)? {
        append(&mut clips[job.clip], job.segment, solved.frames);
    }
    Ok(clips)
}

/// Choice of the frames of every clip of a model within a bound, for its file: [`timed_frames`] then need not search.
/// `progress` is as there.
///
/// # Errors
/// As [`timed_frames`].
pub fn choose_frames(model: &Model, bound: FrameBound, progress: &(dyn Fn(f32) + Sync)) -> Result<ChosenFrames, u64> {
    let solved = solve_all(model, bound, progress)?;
    let chosen = |(job, solved): (Job, Solved)| solved.choice.chosen(job.clip, job.segment);
    Ok(ChosenFrames {
        bound: bound.position,
        segments: solved.into_iter().map(chosen).collect(),
    })
}

/// A segment of a clip to find frames for.
#[derive(Clone, Copy)]
struct Job {
    /// Index of the clip.
    clip: usize,
    segment: ClipSegment,
}

/// Frames of a segment.
#[derive(Default)]
struct Solved {
    choice: Choice,
    frames: Vec<TimedFrame>,
}

/// Finds the frames of all segments, in the order of clips and times; see [`timed_frames`].
fn solve_all(model: &Model, bound: FrameBound, progress: &(dyn Fn(f32) + Sync)) -> Result<Vec<(Job, Solved)>, u64> {
    let displacements = Displacements::new(model);
    let error_probes = error_probes::error_probes(model);
    let groups = VertexGroups::new(&model.mesh.vertices);
    let shapes = similar::shapes(&model.skeleton, &model.mesh.vertices);
    let source = |clip: usize| PoseSource {
        model,
        clip: &model.clips[clip],
        displacements: &displacements,
        groups: &groups,
        shapes: &shapes,
    };
    let of_clip = |clip: usize| {
        let segments = segments::segments(&source(clip), &error_probes, bound.position);
        segments.into_iter().map(move |segment| Job { clip, segment })
    };
    let jobs: Vec<Job> = (0..model.clips.len()).into_par_iter().flat_map_iter(of_clip).collect();
    let chosen = model
        .chosen_frames
        .as_ref()
        .filter(|chosen| chosen::are_for(chosen, bound));
    let most = memory::most_frames(model);
    let (done, found) = (AtomicUsize::new(0), AtomicU64::new(0));
    let solved: Vec<(Job, Solved)> = jobs
        .par_iter()
        .with_max_len(1)
        .map(|&job| {
            if found.load(Ordering::Relaxed) > most {
                return (job, Solved::default());
            }
            let chosen = chosen.and_then(|chosen| chosen.segment(job.clip, job.segment.start));
            let solved = solve(&source(job.clip), &error_probes, job.segment, bound, chosen);
            found.fetch_add(solved.frames.len() as u64, Ordering::Relaxed);
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(count as f32 / jobs.len() as f32);
            (job, solved)
        })
        .collect();
    match found.into_inner() {
        found if found > most => Err(found),
        _ => Ok(solved),
    }
}

/// Appends the frames of a segment to those before it. Both share the frame at their common end, unless the motion
/// jumps there.
fn append(clip: &mut Vec<TimedFrame>, segment: ClipSegment, mut frames: Vec<TimedFrame>) {
    if clip.last().is_some_and(|last| last.time == segment.start) && !segment.follows_jump {
        clip.pop();
    }
    if segment.start == segment.end {
        frames.truncate(1);
    }
    clip.append(&mut frames);
}

/// Frames of one segment: those that its file brings, if they keep the bound, else those that a search finds.
fn solve(
    source: &PoseSource<'_>,
    error_probes: &[ErrorProbe],
    segment: ClipSegment,
    bound: FrameBound,
    chosen: Option<&ChosenSegment>,
) -> Solved {
    let motion = Motion::sample(source, error_probes, segment, bound.position);
    let known = chosen.and_then(|chosen| chosen::checked(source, &motion, chosen, bound.position));
    let (choice, values) = match known {
        Some(known) => known,
        None => return search_frames(source, motion, bound),
    };
    Solved {
        frames: frames(&motion, &choice, &values, source.model),
        choice,
    }
}

/// Searches for the frames of one segment.
fn search_frames(source: &PoseSource<'_>, mut motion: Motion, bound: FrameBound) -> Solved {
    let mut found = Choice {
        frames: vec![0, motion.count() - 1],
        weights: None,
    };
    let mut values = found.values(&motion, source.displacements);
    // Few error probes ever have the largest error: the search uses only these.
    let mut watched = Vec::new();
    watch(&mut watched, &motion, &found, &values, 0.0);
    let mut position = bound.position;
    // Frames on the motion are found faster, and show which vertices must become error probes as well.
    let ways = if bound.optimized { &[false, true][..] } else { &[false] };
    for &optimized in ways {
        for round in 1..=CHECKS {
            found = search::choose(&motion.of(&watched), source.displacements, position, optimized);
            values = found.values(&motion, source.displacements);
            let mut worst = watch(&mut watched, &motion, &found, &values, bound.position);
            if worst <= bound.position {
                let errors = search::errors(&motion, &found.frames, &values);
                let offenders = check::offenders(source, &motion, &found, &values, &errors, bound.position);
                if offenders.is_empty() {
                    break;
                }
                worst = offenders.iter().map(|o| o.error).fold(worst, f32::max);
                watched.extend((0..offenders.len()).map(|i| motion.error_probes.len() + i));
                motion.add(
                    source,
                    offenders.iter().map(|o| ErrorProbe::vertex(source.model, o.vertex)),
                );
            }
            if round > CHECKS / 2 {
                position *= bound.position / worst * 0.98;
            }
        }
    }
    Solved {
        frames: frames(&motion, &found, &values, source.model),
        choice: found,
    }
}

/// Adds the error probe with the largest error in every interval, if it exceeds `limit` (m). Returns the largest error
/// of all (m).
fn watch(watched: &mut Vec<usize>, motion: &Motion, choice: &Choice, values: &Values, limit: f32) -> f32 {
    let mut most = 0.0_f32;
    for (index, pair) in choice.frames.windows(2).enumerate() {
        let (a, b) = (values.points.row(index), values.points.row(index + 1));
        let off = (pair[0]..=pair[1]).map(|k| {
            let u = fraction(&motion.times, pair[0], pair[1], k);
            farthest_point(motion.points.row(k), a, b, u)
        });
        let (error_probe, square) = off.fold((0, 0.0), |worst, new| if new.1 > worst.1 { new } else { worst });
        most = most.max(square.sqrt());
        if square.sqrt() > limit && !watched.contains(&error_probe) {
            watched.push(error_probe);
        }
    }
    most
}

fn frames(motion: &Motion, choice: &Choice, values: &Values, model: &Model) -> Vec<TimedFrame> {
    let numbers = 12 * model.skeleton.slots.len();
    let frame = |(index, &sample): (usize, &usize)| TimedFrame {
        time: motion.times[sample],
        matrices: values.palettes.row(index)[..numbers].to_vec(),
        morphs: values.palettes.row(index)[numbers..].to_vec(),
    };
    choice.frames.iter().enumerate().map(frame).collect()
}
