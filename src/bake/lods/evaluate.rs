//! Image-based evaluation: the heights at which an LOD cannot be told from full detail. Pictures of both have 64
//! samples per pixel and more. Their poses and views are not those that the LODs were made from. Allowed is the
//! difference that full detail shows when it moves by an eighth of a pixel.

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
            crowd::{self, CrowdPictures, CrowdViews},
            effort::EvaluationEffort,
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

/// Views of every pose.
pub(super) const VIEWS: usize = 3;
/// Views of every pose of a crowd.
const CROWDS: usize = 6;
/// Elevations of the views (rad): eye level, a hill, a tower.
const ELEVATIONS: [f32; VIEWS] = [0.07, 0.35, 0.9];
/// Stages of evaluation: cheap pictures of small people first, and at last heights between those before. Stages are
/// left out for subjects that have failed at smaller heights. Heights are about a tenth apart; an LOD is used up to the
/// last one that it passes.
pub(super) const STAGES: [EvaluationStage; 16] = [
    stage(4, &[16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128]),
    stage(8, &[16, 24, 40, 56, 72, 88]),
    stage(6, &[16, 24, 32, 40, 56]),
    stage(7, &[16, 24, 32, 40, 48]),
    stage(10, &[16]),
    stage(12, &[16]),
    stage(14, &[16]),
    stage(16, &[16]),
    stage(20, &[16]),
    stage(24, &[16]),
    stage(32, &[16]),
    stage(32, &[8]),
    stage(9, &[16]),
    stage(11, &[16]),
    stage(18, &[16]),
    stage(28, &[16]),
];
/// Stages of quick LODs. Heights beyond 16 sample rows are first measured with 64 samples a pixel.
pub(super) const QUICK_STAGES: [EvaluationStage; 3] = [
    stage(4, &[8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128]),
    stage(6, &[8, 16]),
    stage(8, &[8, 16, 24]),
];
/// Margin of a picture (samples), for LODs that extend beyond full detail; small pictures have a part of it.
const MARGIN: usize = 64;
/// Largest edge of a picture (heights of the character); everything farther out is cut off in all pictures alike.
const LONGEST: usize = 4;
/// Largest number of pictures in memory at the same time.
const MAX_CONCURRENT: usize = 8;
/// Subject that is compared with full detail.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    /// LOD.
    Lod(&'a Shape),
    /// Empty picture.
    Empty,
    /// Full detail, scaled about its centre.
    Scaled(f32),
    /// Full detail in the first pose of the clip.
    Frozen,
}

/// Name of the control that applies only to characters with motion.
pub(super) const FROZEN: &str = "frozen";

/// Stage of evaluation: pictures of one size.
#[derive(Debug)]
pub(super) struct EvaluationStage {
    /// Samples along the height, as a share of all in units of 1/[`PARTS`].
    parts: usize,
    /// Edges of a pixel (samples), each a multiple of [`PIXEL`](super::raster::PIXEL), so that an eighth of it is
    /// whole. At least 16 (256 samples per pixel) except at the largest height.
    edges: &'static [usize],
}

/// Unit of [`EvaluationStage::parts`].
const PARTS: usize = 32;

const fn stage(parts: usize, edges: &'static [usize]) -> EvaluationStage {
    EvaluationStage { parts, edges }
}

impl EvaluationStage {
    /// Scales a number of samples by the stage's share.
    fn of(&self, samples: usize) -> usize {
        samples * self.parts / PARTS
    }

    /// Heights of the character (sample rows), of pictures with `samples` samples along it in all.
    fn heights(&self, samples: usize) -> impl Iterator<Item = f32> {
        self.edges
            .iter()
            .map(move |&edge| self.of(samples) as f32 / edge as f32)
    }
}

/// Height (sample rows) below which all are of interest for a subject by its number, given its results so far, the
/// largest height first.
pub(super) type InterestingBelow<'a> = &'a (dyn Fn(usize, &[Height]) -> f32 + Sync);

/// Negative controls with their names: the gates must reject them.
pub(super) const CONTROLS: [(&str, Subject<'static>); 4] = [
    ("empty", Subject::Empty),
    ("scaled by 0.9", Subject::Scaled(0.9)),
    ("scaled by 0.7", Subject::Scaled(0.7)),
    (FROZEN, Subject::Frozen),
];

/// Evaluator of LODs of one character: poses, material variants and resolution.
pub(super) struct Evaluator<'a> {
    model: &'a Model,
    palettes: &'a Palettes,
    variants: VariantShaders<'a>,
    poses: Vec<LodPose>,
    effort: EvaluationEffort,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(model: &'a Model, palettes: &'a Palettes, effort: EvaluationEffort) -> Self {
        let poses = poses::evaluation_poses(palettes, effort.moments);
        // Characters with fewer poses, such as objects without motion, are viewed from more sides instead.
        let poses = poses.iter().cycle().take(effort.moments).cloned().collect();
        Self {
            model,
            palettes,
            variants: VariantShaders::of(model),
            poses,
            effort,
        }
    }

    /// Evaluates every subject in the stages that have heights of interest for it. Results have the largest height
    /// first.
    pub(super) fn evaluate(
        &self,
        subjects: &[Subject<'_>],
        interesting_below: InterestingBelow<'_>,
        progress: &(dyn Fn(f32) + Sync),
    ) -> Vec<Vec<Height>> {
        let crowds = match self.effort.formation || self.effort.reports_crowds {
            true => self.crowds(subjects),
            false => vec![Vec::new(); subjects.len()],
        };
        let mut heights: Vec<Vec<Height>> = vec![Vec::new(); subjects.len()];
        let cost = |stages: &[EvaluationStage]| stages.iter().map(|stage| stage.parts.pow(2)).sum::<usize>() as f32;
        let stages = self.effort.stages;
        for (number, stage) in stages.iter().enumerate() {
            let is_open = |subject: &usize| {
                let below = interesting_below(*subject, &heights[*subject]);
                stage.heights(self.effort.samples).any(|rows| rows < below)
            };
            let open: Vec<usize> = (0..subjects.len()).filter(is_open).collect();
            let seen: Vec<Subject<'_>> = open.iter().map(|&subject| subjects[subject]).collect();
            let [before, this, all] = [&stages[..number], &stages[number..=number], stages].map(cost);
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
                    crowd_allowed: if self.effort.formation { CROWD } else { f64::INFINITY },
                    ..height
                }));
                heights.sort_by(|a, b| b.rows.total_cmp(&a.rows));
            }
        }
        heights
    }

    /// Brightness errors of crowds of every subject.
    fn crowds(&self, subjects: &[Subject<'_>]) -> Vec<Vec<f32>> {
        let crowd = CrowdPictures::new(
            self.model,
            &self.variants,
            CrowdViews {
                poses: &self.poses,
                sides: CROWDS,
                elevations: crowd::EVALUATION_ELEVATIONS,
                points: crowd::EVALUATION_POINTS,
                samples: crowd::EVALUATION_SAMPLES,
                turns: false,
            },
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

    /// Evaluates subjects at the heights of a stage, the largest first.
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
        // Small pictures need little memory.
        let at_once = MAX_CONCURRENT * (PARTS / stage.parts).pow(2);
        let run = pictures.len().div_ceil(at_once).max(1);
        let sums: Vec<Vec<Vec<Sums>>> = pictures
            .par_chunks(run)
            .flat_map_iter(|run| {
                let mut tools = Tools::default();
                let look = |&(pose, view): &(usize, usize)| {
                    let sums = self.compare(stage, pose, view, subjects, &mut tools);
                    tell();
                    sums
                };
                run.iter().map(look).collect::<Vec<_>>()
            })
            .collect();
        let of = |subject: usize| {
            let at = |(index, rows): (usize, f32)| {
                let pictures = || sums.iter().map(move |picture| picture[subject][index]);
                let all = pictures().fold(Sums::default(), Sums::plus);
                let poses: Vec<Sums> = pictures().collect();
                let poses = poses
                    .chunks(VIEWS)
                    .map(|views| views.iter().copied().fold(Sums::default(), Sums::plus));
                all.height(rows, poses)
            };
            stage.heights(self.effort.samples).enumerate().map(at).collect()
        };
        (0..subjects.len()).map(of).collect()
    }

    /// Compares one picture of every subject with full detail, at every height of the stage.
    fn compare(
        &self,
        stage: &EvaluationStage,
        pose: usize,
        view: usize,
        subjects: &[Subject<'_>],
        tools: &mut Tools,
    ) -> Vec<Vec<Sums>> {
        let index = pose * VIEWS + view;
        let pose = &self.poses[pose];
        let azimuth = (index as f32 * 0.618_034).fract() * TAU + 0.3;
        let full = pose.full(self.model);
        let points: Vec<Vec3> = full.iter().map(|v| v.position).collect();
        let scale = stage.of(self.effort.samples) as f32 / self.model.largest_edge();
        let frame = Frame::around(&points, azimuth, ELEVATIONS[view], scale, stage.of(MARGIN));
        let frame = frame.within((LONGEST * stage.of(self.effort.samples)).next_multiple_of(PIXEL));
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
                .map(|&edge| sums(reference, picture, &frame, index, edge))
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

/// Judges meshes before the fits of normals and colours, by a few small pictures of people of few rows: no fit makes up
/// for what is far off there.
pub(super) struct Screen<'a>(Evaluator<'a>);

/// Pictures of the screen.
const SCREEN: EvaluationStage = stage(PARTS, &[96, 128]);
/// Samples along the height of the character in them, and the largest number of poses.
const SCREEN_SAMPLES: usize = 256;
const SCREEN_POSES: usize = 4;
/// Largest difference of coverage or colour, relative to the allowed one: fits make it smaller, evaluation in more
/// poses shows more of it.
const SCREEN_MOST: f64 = 1.0;

impl<'a> Screen<'a> {
    pub(super) fn new(model: &'a Model, palettes: &'a Palettes, effort: EvaluationEffort) -> Self {
        let effort = EvaluationEffort {
            moments: effort.moments.min(SCREEN_POSES),
            samples: SCREEN_SAMPLES,
            ..effort
        };
        Self(Evaluator::new(model, palettes, effort))
    }

    /// True if an LOD is so far off that it will pass at no height.
    pub(super) fn is_hopeless(&self, lod: &Shape) -> bool {
        let found = self.0.look(&SCREEN, &[Subject::Lod(lod)], &|_| ());
        let is_off = |height: &Height| {
            height.coverage > SCREEN_MOST * height.coverage_allowed || height.color > SCREEN_MOST * height.color_allowed
        };
        found.iter().flatten().all(is_off)
    }
}

/// Buffers that a thread reuses for all pictures.
#[derive(Default)]
struct Tools {
    canvas: Canvas,
    reference: SampledPicture,
    picture: SampledPicture,
}
