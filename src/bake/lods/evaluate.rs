//! At which heights a level cannot be told from full detail: pictures of both, at 64 samples a pixel and more, in
//! poses and views that built nothing, against what full detail differs by when it moves by an eighth of a pixel.

use std::{
    f32::consts::TAU,
    sync::atomic::{AtomicUsize, Ordering},
};

use glam::Vec3;
use rayon::prelude::*;

use crate::{
    bake::{
        Palettes,
        lods::{
            crowd::{self, CrowdPictures},
            gates::{CROWD, Height},
            poses::{self, LodPose},
            raster::{Canvas, Form, Frame, PIXEL, PosedMesh, SampledPicture, draw},
            shape::Shape,
            sums::{Sums, sums},
            surface_color::VariantShaders,
        },
        skinning::{self, SkinnedVertex},
    },
    model::Model,
};

/// How closely levels are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Moments that evaluate, each seen from [`VIEWS`] sides, and as many that levels are fitted to.
    pub moments: usize,
    /// Samples along the height of the character in the pictures.
    pub samples: usize,
    /// Levels are held to what ranks of people show who all stand alike.
    pub ranks: bool,
}

impl Effort {
    /// Up to 256 rows.
    pub(super) const FULL: Self = Self {
        moments: 8,
        samples: 2048,
        ranks: false,
    };
    /// Effort for characters who stand in ranks.
    pub(super) const RANKS: Self = Self {
        ranks: true,
        ..Self::FULL
    };

    /// Poses to which splats are fitted: more than those that evaluate.
    pub(super) fn fit_count(self) -> usize {
        5 * self.moments / 2
    }

    /// Poses in which crowds are balanced: of who stands in ranks each counts by itself, and so many make the others as
    /// good that built nothing.
    pub(super) fn photometric_poses(self) -> usize {
        if self.ranks { 2 * self.moments } else { self.moments }
    }

    /// Enough for controls, which fail by far where people are tall.
    pub(super) fn of_controls(self) -> Self {
        Self {
            samples: (self.samples / 4).max(256),
            ..self
        }
    }
}

/// Views of every moment.
const VIEWS: usize = 3;
/// Views of every moment of a crowd.
const CROWDS: usize = 6;
/// Elevations of the views, radians: eye level, a hill, a tower.
const ELEVATIONS: [f32; VIEWS] = [0.07, 0.35, 0.9];
/// Pictures of small people first, which cost little: most levels fail before there are pictures of larger ones.
/// Heights are an eighth apart, about: a level serves up to the last that it passes.
const STAGES: [EvaluationStage; 12] = [
    stage(6, &[16]),
    stage(7, &[16, 24]),
    stage(
        8,
        &[
            16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 112, 128, 144, 160, 192, 224, 256,
        ],
    ),
    stage(10, &[16]),
    stage(12, &[16]),
    stage(14, &[16]),
    stage(16, &[16]),
    stage(20, &[16]),
    stage(24, &[16]),
    stage(28, &[16]),
    stage(32, &[16]),
    stage(32, &[8]),
];
/// The first of them, which have the small heights between them: nobody is given up before they are through.
const SMALL: usize = 3;
/// Samples around a picture, for levels that reach farther than full detail; a part of them around small ones.
const MARGIN: usize = 64;
/// Edge of a picture, at most, in heights of the character: what is farther out is cut off, of everybody.
const LONGEST: usize = 4;
/// Pictures that are in memory at once, at most.
const MAX_CONCURRENT: usize = 8;
/// Mesh that is compared with full detail.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    /// A level.
    Lod(&'a Shape),
    /// Nothing at all.
    Empty,
    /// Full detail, smaller about its middle.
    Scaled(f32),
    /// Full detail in the first pose of the clip.
    Frozen,
}

/// Name of the control that only characters with motion have.
pub(super) const FROZEN: &str = "frozen";

/// Pictures of one size.
struct EvaluationStage {
    /// Their samples along the height, in [`PARTS`] of all.
    parts: usize,
    /// Edges of a pixel in samples, each a multiple of [`PIXEL`](super::raster::PIXEL): an eighth of it is a whole
    /// number. At least 16 where people are not tallest: 256 samples a pixel.
    edges: &'static [usize],
}

/// See [`EvaluationStage`].
const PARTS: usize = 32;

const fn stage(parts: usize, edges: &'static [usize]) -> EvaluationStage {
    EvaluationStage { parts, edges }
}

impl EvaluationStage {
    /// A part of a whole number of samples.
    fn of(&self, samples: usize) -> usize {
        samples * self.parts / PARTS
    }
}

/// Whether a subject that did so at its heights so far, the largest first, is looked at further.
pub(super) type KeepEvaluating<'a> = &'a (dyn Fn(usize, &[Height]) -> bool + Sync);

/// Controls that must be rejected, with their names.
pub(super) const CONTROLS: [(&str, Subject<'static>); 4] = [
    ("empty", Subject::Empty),
    ("scaled by 0.9", Subject::Scaled(0.9)),
    ("scaled by 0.7", Subject::Scaled(0.7)),
    (FROZEN, Subject::Frozen),
];

/// Poses and pictures that evaluate one character.
pub(super) struct Evaluator<'a> {
    model: &'a Model,
    palettes: &'a Palettes,
    variants: VariantShaders<'a>,
    poses: Vec<LodPose>,
    samples: usize,
    ranks: bool,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(model: &'a Model, palettes: &'a Palettes, effort: Effort) -> Self {
        let poses = poses::evaluation_poses(palettes, effort.moments);
        // Who has fewer poses, as things without motion, is seen from more sides instead.
        let poses = poses.iter().cycle().take(effort.moments).cloned().collect();
        Self {
            model,
            palettes,
            variants: VariantShaders::of(model),
            poses,
            samples: effort.samples,
            ranks: effort.ranks,
        }
    }

    /// Every subject at every height for which it goes on, the largest first.
    pub(super) fn evaluate(
        &self,
        subjects: &[Subject<'_>],
        goes_on: KeepEvaluating<'_>,
        progress: &(dyn Fn(f32) + Sync),
    ) -> Vec<Vec<Height>> {
        let crowds = self.crowds(subjects);
        let mut heights: Vec<Vec<Height>> = vec![Vec::new(); subjects.len()];
        let mut open: Vec<usize> = (0..subjects.len()).collect();
        let cost = |stages: &[EvaluationStage]| stages.iter().map(|stage| stage.parts.pow(2)).sum::<usize>() as f32;
        for (number, stage) in STAGES.iter().enumerate() {
            let seen: Vec<Subject<'_>> = open.iter().map(|&subject| subjects[subject]).collect();
            let [before, this, all] = [&STAGES[..number], &STAGES[number..=number], &STAGES].map(cost);
            let tell = |part: f32| progress((before + part * this) / all);
            let found = if seen.is_empty() {
                Vec::new()
            } else {
                self.look(stage, &seen, &tell)
            };
            for (&subject, found) in open.iter().zip(found) {
                let heights = &mut heights[subject];
                heights.extend(found.into_iter().map(|height| Height {
                    crowd: crowd::off(&crowds[subject], height.rows),
                    crowd_allowed: if self.ranks { CROWD } else { f64::INFINITY },
                    ..height
                }));
                heights.sort_by(|a, b| b.rows.total_cmp(&a.rows));
            }
            if number + 1 >= SMALL {
                open.retain(|&subject| goes_on(subject, &heights[subject]));
            }
        }
        heights
    }

    /// How much brighter crowds of every subject are.
    fn crowds(&self, subjects: &[Subject<'_>]) -> Vec<Vec<f32>> {
        let crowd = CrowdPictures::new(
            self.model,
            &self.variants,
            (&self.poses, CROWDS, crowd::EVALUATION_ELEVATIONS),
        );
        let of = |subject: &Subject<'_>| match *subject {
            Subject::Lod(lod) => crowd.brightness_errors(lod.form(), |pose| pose.skinned(lod)),
            control => crowd.brightness_errors(Form::mesh(&self.model.mesh), |pose| {
                let full = pose.full(self.model);
                self.posed(control, pose, &full).1
            }),
        };
        subjects.iter().map(of).collect()
    }

    /// Subjects at the heights of a stage, the largest first.
    fn look(
        &self,
        stage: &EvaluationStage,
        subjects: &[Subject<'_>],
        progress: &(dyn Fn(f32) + Sync),
    ) -> Vec<Vec<Height>> {
        let seen = AtomicUsize::new(0);
        let total = (self.poses.len() * VIEWS) as f32;
        let tell = || progress((seen.fetch_add(1, Ordering::Relaxed) + 1) as f32 / total);
        let pictures: Vec<(usize, usize)> = (0..self.poses.len())
            .flat_map(|pose| (0..VIEWS).map(move |view| (pose, view)))
            .collect();
        let run = pictures.len().div_ceil(MAX_CONCURRENT).max(1);
        let sums: Vec<Vec<Vec<Sums>>> = pictures
            .par_chunks(run)
            .flat_map_iter(|run| {
                let mut tools = Tools::default();
                let look = |&picture: &(usize, usize)| {
                    let sums = self.compare(stage, picture, subjects, &mut tools);
                    tell();
                    sums
                };
                run.iter().map(look).collect::<Vec<_>>()
            })
            .collect();
        let of = |subject: usize| {
            let at = |(index, &edge): (usize, &usize)| {
                let pictures = || sums.iter().map(move |picture| picture[subject][index]);
                let all = pictures().fold(Sums::default(), Sums::plus);
                let poses: Vec<Sums> = pictures().collect();
                let poses = poses
                    .chunks(VIEWS)
                    .map(|views| views.iter().copied().fold(Sums::default(), Sums::plus));
                all.height(stage.of(self.samples) as f32 / edge as f32, poses)
            };
            stage.edges.iter().enumerate().map(at).collect()
        };
        (0..subjects.len()).map(of).collect()
    }

    /// Sums of one picture, of every subject at every height.
    fn compare(
        &self,
        stage: &EvaluationStage,
        (pose, view): (usize, usize),
        subjects: &[Subject<'_>],
        tools: &mut Tools,
    ) -> Vec<Vec<Sums>> {
        let index = pose * VIEWS + view;
        let pose = &self.poses[pose];
        let azimuth = (index as f32 * 0.618_034).fract() * TAU + 0.3;
        let full = pose.full(self.model);
        let points: Vec<Vec3> = full.iter().map(|v| v.position).collect();
        let scale = stage.of(self.samples) as f32 / self.model.mesh.bounds().size().max_element();
        let frame = Frame::around(&points, (azimuth, ELEVATIONS[view]), scale, stage.of(MARGIN));
        let frame = frame.within((LONGEST * stage.of(self.samples)).next_multiple_of(PIXEL));
        let shader = self.variants.of_picture(index);
        let Tools {
            canvas,
            reference,
            picture,
        } = tools;
        draw(
            PosedMesh::mesh(&self.model.mesh, &full),
            shader,
            &frame,
            canvas,
            reference,
        );
        let compared = subjects.iter().map(|subject| {
            let (form, vertices) = self.posed(*subject, pose, &full);
            draw(form.posed(&vertices), shader, &frame, canvas, picture);
            (stage.edges.iter())
                .map(|&edge| sums(reference, picture, (&frame, index), edge))
                .collect()
        });
        compared.collect()
    }

    fn posed<'s>(
        &'s self,
        subject: Subject<'s>,
        pose: &LodPose,
        full: &[SkinnedVertex],
    ) -> (Form<'s>, Vec<SkinnedVertex>) {
        let mesh = Form::mesh(&self.model.mesh);
        match subject {
            Subject::Lod(lod) => (lod.form(), pose.skinned(lod)),
            Subject::Empty => (mesh, vec![SkinnedVertex::default(); full.len()]),
            Subject::Scaled(factor) => {
                let sum: Vec3 = full.iter().map(|v| v.position).sum();
                let middle = sum / full.len().max(1) as f32;
                let moved = full.iter().map(|v| SkinnedVertex {
                    position: middle + (v.position - middle) * factor,
                    ..*v
                });
                (mesh, moved.collect())
            }
            Subject::Frozen => (mesh, skinning::skin_frame(self.model, self.palettes, pose.clip_start)),
        }
    }
}

/// Buffers that a thread keeps from picture to picture.
#[derive(Default)]
struct Tools {
    canvas: Canvas,
    reference: SampledPicture,
    picture: SampledPicture,
}
