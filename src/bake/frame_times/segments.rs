//! Splits a clip into segments at its jumps.

use glam::Affine3A;

use crate::bake::frame_times::{
    error_probes::{ErrorProbe, pose_error_probes},
    motion::{ClipSegment, PoseSource, just_before},
    rows::{Rows, worst_squared},
};
use crate::{
    bake::{
        memory,
        pose::{self, Poser},
    },
    model::{Clip, Interpolation},
};

/// Longest segment (s): distributes long clips over cores.
const LONGEST: f32 = 10.0;
/// Shortest length of a segment (s) to which the memory limit of its samples shortens it.
const SHORTEST: f32 = 0.5;
/// Memory limit of a segment's samples (bytes), at `RATE` samples per second; fast motion may be sampled more densely.
const SAMPLE_BYTES: f32 = (64 << 20) as f32;
const RATE: f32 = 120.0;
/// Jumps below this share of the bound are ignored.
const IGNORED_JUMP: f32 = 1.0 / 8.0;

/// Segments of a clip in order; a clip without length has an empty one.
pub(super) fn segments(source: &PoseSource<'_>, error_probes: &[ErrorProbe], bound: f32) -> Vec<ClipSegment> {
    let duration = source.clip.duration.max(0.0);
    let longest = (SAMPLE_BYTES / RATE / memory::frame_bytes(source.model).max(1) as f32).clamp(SHORTEST, LONGEST);
    let felt = |time: &f32| jump(source, error_probes, *time) > bound * IGNORED_JUMP;
    let mut segments = Vec::new();
    let mut from = SegmentEnd {
        time: 0.0,
        jumps: false,
    };
    for time in steps(source.clip).into_iter().filter(felt) {
        let jump = SegmentEnd { time, jumps: true };
        split(&mut segments, longest, from, jump);
        from = jump;
    }
    let end = SegmentEnd {
        time: duration,
        jumps: false,
    };
    split(&mut segments, longest, from, end);
    segments
}

/// End of a range of a clip.
#[derive(Clone, Copy)]
struct SegmentEnd {
    /// Time in the clip (s).
    time: f32,
    /// True if the clip jumps there.
    jumps: bool,
}

/// Splits the range between two ends into segments of at most `longest` (s).
fn split(segments: &mut Vec<ClipSegment>, longest: f32, from: SegmentEnd, to: SegmentEnd) {
    let (start, end) = (from.time, to.time);
    let parts = ((end - start) / longest).ceil().max(1.0) as u32;
    for part in 0..parts {
        let at = |i: u32| {
            if i == parts {
                end
            } else {
                start + (end - start) * i as f32 / parts as f32
            }
        };
        segments.push(ClipSegment {
            start: at(part),
            end: at(part + 1),
            jumps: to.jumps && part + 1 == parts,
            follows_jump: from.jumps && part == 0,
        });
    }
}

/// Key times at which a STEP channel changes, ascending.
fn steps(clip: &Clip) -> Vec<f32> {
    let joints = clip.channels.iter().filter(|c| c.interpolation == Interpolation::Step);
    let of_joints = joints.flat_map(|c| c.keys.changes().map(|key| c.times[key]));
    let morphs = clip.morphs.iter().filter(|c| c.interpolation == Interpolation::Step);
    let of_morphs = morphs.flat_map(|c| {
        let changed = c.values.windows(2).enumerate().filter(|(_, w)| w[0] != w[1]);
        changed.map(|(key, _)| c.times[key + 1])
    });
    let inside = |t: &f32| *t > 0.0 && *t <= clip.duration;
    let mut times: Vec<f32> = of_joints.chain(of_morphs).filter(inside).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Largest displacement of any error probe by a jump at a time (m).
fn jump(source: &PoseSource<'_>, error_probes: &[ErrorProbe], time: f32) -> f32 {
    let PoseSource {
        model,
        clip,
        displacements,
        ..
    } = *source;
    let mut palette = vec![Affine3A::IDENTITY; model.skeleton.slots.len()];
    let mut weights = vec![0.0; model.morphs.len()];
    let mut points = Rows::of_points(error_probes.len());
    let mut poser = Poser::default();
    for moment in [just_before(time), time] {
        poser.palette(&model.skeleton, Some(clip), moment, &mut palette);
        pose::morph_weights(model, Some(clip), moment, &mut weights);
        let mut row = vec![0.0; points.width()];
        pose_error_probes(error_probes, displacements, &palette, &weights, &mut row);
        points.push(&row);
    }
    worst_squared(points.row(1), points.row(0), points.row(0), 0.0).sqrt()
}
