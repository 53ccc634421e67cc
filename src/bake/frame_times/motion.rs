//! A stretch of a clip in which nothing jumps, sampled exactly from its keys as densely as it moves.

use glam::Affine3A;

use crate::bake::frame_times::{
    error_probes::{Displacements, ErrorProbe, pose_error_probes},
    rows::{Rows, place, worst_squared},
    similar::{SlotShape, is_similar},
};
use crate::{
    bake::pose::{self, Poser},
    model::{Clip, Model},
};

/// Longest step between two samples, seconds.
const STEP: f32 = 1.0 / 60.0;
/// A step is halved while its middle is off its chord by more than this share of the bound.
const FINE: f32 = 1.0 / 16.0;
/// Most halvings of a step between two keys: to half a millisecond and below.
const HALVINGS: u32 = 5;

/// From one moment to a later one, seconds; nothing jumps in between, but it may at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipSegment {
    pub(super) start: f32,
    pub(super) end: f32,
    /// The end is looked at from before: at that very moment the clip has jumped.
    pub(super) jumps: bool,
    /// The start is the moment after a jump.
    pub(super) follows_jump: bool,
}

/// Inputs for posing a model.
#[derive(Clone, Copy)]
pub(super) struct PoseSource<'a> {
    pub(super) model: &'a Model,
    pub(super) clip: &'a Clip,
    pub(super) displacements: &'a Displacements,
    /// Shape of every slot's transforms.
    pub(super) shapes: &'a [SlotShape],
}

/// Exact samples of a stretch.
#[derive(Clone, Default)]
pub(super) struct Motion {
    /// Seconds, ascending; the first and the last are the ends.
    pub(super) times: Vec<f32>,
    /// Matrices of all slots, column by column, 12 numbers each; after them the morph weights.
    pub(super) palettes: Rows,
    /// Positions of the error probes.
    pub(super) points: Rows,
    /// Error probes whose positions these are.
    pub(super) error_probes: Vec<ErrorProbe>,
    /// Shapes of slots that are only turned, moved and scaled uniformly; none for others.
    pub(super) shapes: Vec<Option<SlotShape>>,
}

/// A moment in full.
struct MotionSample {
    time: f32,
    palette: Vec<f32>,
    points: Vec<f32>,
}

impl Motion {
    /// Samples a stretch so densely that between two samples nothing is off its chord by more than
    /// a small share of `bound`, metres.
    pub(super) fn sample(
        source: &PoseSource<'_>,
        error_probes: &[ErrorProbe],
        segment: ClipSegment,
        bound: f32,
    ) -> Self {
        let mut sampler = Sampler {
            source,
            segment,
            limit: (bound * FINE).powi(2),
            poser: Poser::default(),
            palette: vec![Affine3A::IDENTITY; source.model.skeleton.slots.len()],
            weights: vec![0.0; source.model.morphs.len()],
            motion: Self {
                times: Vec::new(),
                palettes: Rows::new(row_width(source.model)),
                points: Rows::of_points(error_probes.len()),
                error_probes: error_probes.to_vec(),
                shapes: source.shapes.iter().copied().map(Some).collect(),
            },
        };
        let moments = moments(source.clip, segment);
        let mut before = sampler.sample(moments[0]);
        for &moment in &moments[1..] {
            let next = sampler.sample(moment);
            sampler.keep(&before);
            sampler.halve(&before, &next, HALVINGS);
            before = next;
        }
        sampler.keep(&before);
        sampler.motion
    }

    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    /// Has more vertices looked at.
    pub(super) fn add(&mut self, source: &PoseSource<'_>, more: impl Iterator<Item = ErrorProbe>) {
        self.error_probes.extend(more);
        let mut points = Rows::of_points(self.error_probes.len());
        let mut row = vec![0.0; points.width()];
        for k in 0..self.count() {
            self.pose(source.displacements, self.palettes.row(k), &mut row);
            points.push(&row);
        }
        self.points = points;
    }

    /// Positions of the error probes under a row of matrices and weights.
    pub(super) fn pose(&self, displacements: &Displacements, palette: &[f32], row: &mut [f32]) {
        let slots = self.shapes.len();
        let matrices: Vec<Affine3A> = matrices(palette, slots).collect();
        pose_error_probes(
            &self.error_probes,
            displacements,
            &matrices,
            &palette[12 * slots..],
            row,
        );
    }

    /// Motion of a subset of error probes and of the slots that move them.
    pub(super) fn of(&self, error_probes: &[usize]) -> Self {
        let mut slots: Vec<u16> = error_probes
            .iter()
            .flat_map(|&w| self.error_probes[w].slots())
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let morphs = self.palettes.width() - 12 * self.shapes.len();
        let mut part = Self {
            times: self.times.clone(),
            palettes: Rows::new(12 * slots.len() + morphs),
            points: Rows::of_points(error_probes.len()),
            error_probes: error_probes
                .iter()
                .map(|&w| self.error_probes[w].among(&slots))
                .collect(),
            shapes: slots.iter().map(|&slot| self.shapes[usize::from(slot)]).collect(),
        };
        let (mut palette, mut points) = (vec![0.0; part.palettes.width()], vec![0.0; part.points.width()]);
        for k in 0..self.count() {
            let (from, all) = (self.palettes.row(k), self.points.row(k));
            for (to, &slot) in palette.as_chunks_mut::<12>().0.iter_mut().zip(&slots) {
                to.copy_from_slice(&from[12 * usize::from(slot)..][..12]);
            }
            palette[12 * slots.len()..].copy_from_slice(&from[12 * self.shapes.len()..]);
            part.palettes.push(&palette);
            for (index, &error_probe) in error_probes.iter().enumerate() {
                (0..3).for_each(|axis| points[place(index, axis)] = all[place(error_probe, axis)]);
            }
            part.points.push(&points);
        }
        part
    }
}

/// Numbers of a palette row.
pub(super) fn row_width(model: &Model) -> usize {
    12 * model.skeleton.slots.len() + model.morphs.len()
}

/// Matrices of a palette row.
pub(super) fn matrices(row: &[f32], slots: usize) -> impl Iterator<Item = Affine3A> {
    let columns = row[..12 * slots].as_chunks::<12>().0.iter();
    columns.map(Affine3A::from_cols_array)
}

/// Key times within a stretch, steps of at most [`STEP`] between them, and both ends.
fn moments(clip: &Clip, segment: ClipSegment) -> Vec<f32> {
    let of_joints = clip.channels.iter().filter(|c| c.keys.vary()).flat_map(|c| &c.times);
    let of_morphs = clip.morphs.iter().flat_map(|c| &c.times);
    let inside = |t: &f32| *t > segment.start && *t < segment.end;
    let mut keys: Vec<f32> = of_joints.chain(of_morphs).copied().filter(inside).collect();
    keys.push(segment.end);
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let mut moments = vec![segment.start];
    let mut from = segment.start;
    for key in keys {
        let steps = ((key - from) / STEP).ceil().max(1.0);
        moments.extend((1..steps as u32).map(|i| from + (key - from) * i as f32 / steps));
        moments.push(key);
        from = key;
    }
    moments
}

struct Sampler<'a> {
    source: &'a PoseSource<'a>,
    segment: ClipSegment,
    /// Square of how far a middle may be off its chord.
    limit: f32,
    poser: Poser,
    palette: Vec<Affine3A>,
    weights: Vec<f32>,
    motion: Motion,
}

impl Sampler<'_> {
    fn sample(&mut self, time: f32) -> MotionSample {
        let PoseSource {
            model,
            clip,
            displacements,
            ..
        } = *self.source;
        let at_jump = self.segment.jumps && time == self.segment.end;
        let inspected = if at_jump { just_before(time) } else { time };
        self.poser
            .palette(&model.skeleton, Some(clip), inspected, &mut self.palette);
        pose::morph_weights(model, Some(clip), inspected, &mut self.weights);
        let mut points = vec![0.0; self.motion.points.width()];
        let error_probes = &self.motion.error_probes;
        pose_error_probes(error_probes, displacements, &self.palette, &self.weights, &mut points);
        for (shape, &matrix) in self.motion.shapes.iter_mut().zip(&self.palette) {
            shape.take_if(|_| !is_similar(matrix));
        }
        let columns = self.palette.iter().flat_map(|m| m.to_cols_array());
        MotionSample {
            time,
            palette: columns.chain(self.weights.iter().copied()).collect(),
            points,
        }
    }

    fn keep(&mut self, sample: &MotionSample) {
        self.motion.times.push(sample.time);
        self.motion.palettes.push(&sample.palette);
        self.motion.points.push(&sample.points);
    }

    /// Keeps what lies between two samples: the middle, and where that is off, the middles of the halves…
    fn halve(&mut self, a: &MotionSample, b: &MotionSample, halvings: u32) {
        let time = a.time + (b.time - a.time) * 0.5;
        if time <= a.time || time >= b.time {
            return;
        }
        let middle = self.sample(time);
        let bent = worst_squared(&middle.points, &a.points, &b.points, 0.5) > self.limit;
        let finer = bent && halvings > 0;
        if finer {
            self.halve(a, &middle, halvings - 1);
        }
        self.keep(&middle);
        if finer {
            self.halve(&middle, b, halvings - 1);
        }
    }
}

/// The last moment at which a step at `time` is not taken yet: [`pose`] takes steps up to four
/// rounding errors early.
pub(super) fn just_before(time: f32) -> f32 {
    time - 6.0 * f32::EPSILON * time
}
