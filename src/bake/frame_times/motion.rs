//! Exact samples of a segment of a clip in which nothing jumps, as dense as its motion needs.

use glam::Affine3A;

use crate::bake::frame_times::{
    error_probes::{Displacements, ErrorProbe, pose_error_probes},
    rows::{Rows, place, worst_squared},
    similar::{SlotShape, is_similar},
};
use crate::{
    bake::{
        VertexGroups,
        pose::{self, Poser},
    },
    model::{Clip, Model},
};

/// Longest step between two samples (s).
const STEP: f32 = 1.0 / 60.0;
/// A step is halved while its middle deviates from its chord by more than this share of the bound.
const FINE: f32 = 1.0 / 16.0;
/// Most halvings of a step between two keys: half a millisecond and below.
const HALVINGS: u32 = 5;

/// Segment of a clip (s) in which nothing jumps; the clip may jump at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClipSegment {
    pub(super) start: f32,
    pub(super) end: f32,
    /// True if the clip jumps at the end: the segment ends with the pose just before.
    pub(super) jumps: bool,
    /// True if the start is the pose after a jump.
    pub(super) follows_jump: bool,
}

/// Inputs for posing a model.
#[derive(Clone, Copy)]
pub(super) struct PoseSource<'a> {
    pub(super) model: &'a Model,
    pub(super) clip: &'a Clip,
    pub(super) displacements: &'a Displacements,
    /// Vertices of the mesh.
    pub(super) groups: &'a VertexGroups,
    /// Point distribution of every slot.
    pub(super) shapes: &'a [SlotShape],
}

/// Exact samples of a segment.
#[derive(Clone, Default)]
pub(super) struct Motion {
    /// Times (s), ascending; the first and the last are the ends.
    pub(super) times: Vec<f32>,
    /// Matrices of all slots, column by column, 12 numbers each; after them the morph weights.
    pub(super) palettes: Rows,
    /// Positions of the error probes.
    pub(super) points: Rows,
    /// Error probes of `points`.
    pub(super) error_probes: Vec<ErrorProbe>,
    /// Point distributions of slots that only rotate, move and scale uniformly; `None` for others.
    pub(super) shapes: Vec<Option<SlotShape>>,
}

/// A sample: all matrices, weights and probe positions at one time.
struct MotionSample {
    time: f32,
    palette: Vec<f32>,
    points: Vec<f32>,
}

impl Motion {
    /// Samples a segment so densely that between two samples no probe deviates from its chord by more than a small
    /// share of `bound` (m).
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

    /// Adds error probes.
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

    /// Computes the positions of the error probes for a row of matrices and weights.
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

/// Numbers in a palette row.
pub(super) fn row_width(model: &Model) -> usize {
    12 * model.skeleton.slots.len() + model.morphs.len()
}

/// Matrices of a palette row.
pub(super) fn matrices(row: &[f32], slots: usize) -> impl Iterator<Item = Affine3A> {
    let columns = row[..12 * slots].as_chunks::<12>().0.iter();
    columns.map(Affine3A::from_cols_array)
}

/// Key times within a segment, steps of at most [`STEP`] between them, and both ends.
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
    /// Squared limit of the distance between a middle and its chord (m²).
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

    /// Adds the samples between two others: the middle, and recursively the middles of the halves while the middle
    /// deviates from its chord.
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

/// Last time at which a step at `time` has not happened yet: [`pose`] takes steps up to four rounding errors early.
pub(super) fn just_before(time: f32) -> f32 {
    time - 6.0 * f32::EPSILON * time
}
