//! At which heights a level cannot be told from full detail: pictures of both, at 64 samples a pixel and more, in
//! poses and views that built nothing, against what full detail differs by when it moves by an eighth of a pixel.

use std::{
    f32::consts::TAU,
    sync::atomic::{AtomicUsize, Ordering},
};

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::{
    bake::{
        Palettes,
        levels::{
            gates::Height,
            poses::{self, Pose},
            raster::{Canvas, Frame, PIXEL, Picture, draw, luminance},
            surface_color::Shader,
        },
        skinning::{self, Skinned},
    },
    model::{Mesh, Model},
};

/// How closely levels are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Moments that judge; each is seen from [`VIEWS`] sides.
    pub moments: usize,
    /// Samples along the height of the character in the pictures.
    pub samples: usize,
}

impl Effort {
    /// Up to 256 rows.
    pub(super) const FULL: Self = Self {
        moments: 8,
        samples: 2048,
    };

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
/// Elevations of the views, radians: eye level, a hill, a tower.
const ELEVATIONS: [f32; VIEWS] = [0.07, 0.35, 0.9];
/// Edges of a pixel in samples, each a multiple of [`PIXEL`]: an eighth of it is a whole number.
const EDGES: [usize; 14] = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
/// Samples around a picture, for levels that reach farther than full detail.
const MARGIN: usize = 64;
/// Pixels along the edge of a tile.
const TILE: usize = 16;
/// Linear luminance of what lies behind the character.
const GROUND: f32 = 0.2;
/// Pictures that are in memory at once, at most.
const AT_ONCE: usize = 8;
/// What is compared with full detail.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    /// A level.
    Level(&'a Mesh),
    /// Nothing at all.
    Empty,
    /// Full detail, smaller about its middle.
    Scaled(f32),
    /// Full detail in the first pose of the clip.
    Frozen,
}

/// Name of the control that only characters with motion have.
pub(super) const FROZEN: &str = "frozen";

/// Controls that must be rejected, with their names.
pub(super) const CONTROLS: [(&str, Subject<'static>); 4] = [
    ("empty", Subject::Empty),
    ("scaled by 0.9", Subject::Scaled(0.9)),
    ("scaled by 0.7", Subject::Scaled(0.7)),
    (FROZEN, Subject::Frozen),
];

/// Sums over the pixels of a picture, at one height.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// Coverage and colour.
    full: [f64; 2],
    /// Coverage.
    subject: f64,
    /// Coverage and colour, as the next.
    moved: [f64; 2],
    differs: [f64; 2],
    /// Tiles that show something, and those that are off.
    tiles: [f64; 2],
}

/// Poses and pictures that judge one character.
pub(super) struct Judge<'a> {
    model: &'a Model,
    palettes: &'a Palettes,
    shader: Shader<'a>,
    poses: Vec<Pose>,
    samples: f32,
    scale: f32,
}

impl<'a> Judge<'a> {
    pub(super) fn new(model: &'a Model, palettes: &'a Palettes, effort: Effort) -> Self {
        let poses = poses::judges(palettes, effort.moments);
        // Who has fewer poses, as things without motion, is seen from more sides instead.
        let poses = poses.iter().cycle().take(effort.moments).cloned().collect();
        let samples = effort.samples as f32;
        Self {
            model,
            palettes,
            shader: Shader::new(model),
            poses,
            samples,
            scale: samples / model.mesh.bounds().size().max_element(),
        }
    }

    /// Every subject at every height, the largest first.
    pub(super) fn judge(&self, subjects: &[Subject<'_>], progress: &(dyn Fn(f32) + Sync)) -> Vec<Vec<Height>> {
        let seen = AtomicUsize::new(0);
        let total = (self.poses.len() * VIEWS) as f32;
        let tell = || progress((seen.fetch_add(1, Ordering::Relaxed) + 1) as f32 / total);
        let pictures: Vec<(usize, usize)> = (0..self.poses.len())
            .flat_map(|pose| (0..VIEWS).map(move |view| (pose, view)))
            .collect();
        let run = pictures.len().div_ceil(AT_ONCE).max(1);
        let sums: Vec<Vec<Vec<Sums>>> = pictures
            .par_chunks(run)
            .flat_map_iter(|run| {
                let mut tools = Tools::default();
                let look = |&picture: &(usize, usize)| {
                    let sums = self.compare(picture, subjects, &mut tools);
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
                all.height(self.samples / edge as f32, poses)
            };
            EDGES.iter().enumerate().map(at).collect()
        };
        (0..subjects.len()).map(of).collect()
    }

    /// Sums of one picture, of every subject at every height.
    fn compare(&self, (pose, view): (usize, usize), subjects: &[Subject<'_>], tools: &mut Tools) -> Vec<Vec<Sums>> {
        let index = pose * VIEWS + view;
        let pose = &self.poses[pose];
        let azimuth = (index as f32 * 0.618_034).fract() * TAU + 0.3;
        let full = pose.full(self.model);
        let points: Vec<Vec3> = full.iter().map(|v| v.position).collect();
        let frame = Frame::around(&points, (azimuth, ELEVATIONS[view]), self.scale, MARGIN);
        let Tools { canvas, truth, picture } = tools;
        draw((&self.model.mesh, &full), &self.shader, &frame, canvas, truth);
        let compared = subjects.iter().map(|subject| {
            let (mesh, posed) = self.posed(*subject, pose, &full);
            draw((mesh, &posed), &self.shader, &frame, canvas, picture);
            EDGES
                .iter()
                .map(|&edge| sums(truth, picture, (&frame, index), edge))
                .collect()
        });
        compared.collect()
    }

    fn posed<'s>(&'s self, subject: Subject<'s>, pose: &Pose, full: &[Skinned]) -> (&'s Mesh, Vec<Skinned>) {
        let mesh = &self.model.mesh;
        match subject {
            Subject::Level(level) => (level, skinning::skin(level, &pose.palette)),
            Subject::Empty => (mesh, vec![Skinned::default(); full.len()]),
            Subject::Scaled(factor) => {
                let sum: Vec3 = full.iter().map(|v| v.position).sum();
                let middle = sum / full.len().max(1) as f32;
                let moved = full.iter().map(|v| Skinned {
                    position: middle + (v.position - middle) * factor,
                    ..*v
                });
                (mesh, moved.collect())
            }
            Subject::Frozen => (mesh, skinning::skin_frame(self.model, self.palettes, pose.clip_start)),
        }
    }
}

/// What a thread keeps from picture to picture.
#[derive(Default)]
struct Tools {
    canvas: Canvas,
    truth: Picture,
    picture: Picture,
}

/// Compares pixels of `edge` samples; their grid lies differently in every picture.
fn sums(truth: &Picture, picture: &Picture, (frame, index): (&Frame, usize), edge: usize) -> Sums {
    let mut sums = Sums::default();
    let step = edge as isize;
    let phase = |ratio: f32| -((index as f32 * ratio).fract() * edge as f32) as isize;
    let start = [phase(0.569_840_3), phase(0.754_877_7)];
    let count = [0, 1].map(|axis| (frame.size[axis] as isize - start[axis]).max(0) as usize / edge + 1);
    let across = count[0].div_ceil(TILE);
    let mut tiles = vec![[0.0_f64; 3]; across * count[1].div_ceil(TILE)];
    for y in 0..count[1] {
        for x in 0..count[0] {
            let at = [start[0] + x as isize * step, start[1] + y as isize * step];
            let [full, subject] = [truth, picture].map(|p| p.over(at, step));
            let tile = &mut tiles[y / TILE * across + x / TILE];
            tile[0] += f64::from(full.x + subject.x);
            tile[1] += display(full, edge);
            tile[2] += display(subject, edge);
            sums.add_pixel(
                full,
                subject,
                [1, 0].map(|k| {
                    let shift = step / PIXEL as isize;
                    truth.over([at[0] + shift * k, at[1] + shift * (1 - k)], step)
                }),
            );
        }
    }
    for [shown, full, subject] in tiles {
        let is_off = (full - subject).abs() > (TILE * TILE) as f64 / 255.0;
        sums.tiles[0] += f64::from(u8::from(shown > 0.0));
        sums.tiles[1] += f64::from(u8::from(is_off));
    }
    sums
}

/// Display luminance of a pixel before an even ground.
fn display(sums: Vec4, edge: usize) -> f64 {
    let area = (edge * edge) as f32;
    let light = (luminance(sums) + GROUND * (area - sums.x)) / area;
    let encoded = if light <= 0.003_130_8 {
        12.92 * light
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    f64::from(encoded.min(1.0))
}

impl Sums {
    fn add_pixel(&mut self, full: Vec4, subject: Vec4, moved: [Vec4; 2]) {
        let colors = |a: Vec4, b: Vec4| f64::from((a - b).abs().dot(Vec4::new(0.0, 1.0, 1.0, 1.0)));
        let coverage = |a: Vec4, b: Vec4| f64::from((a.x - b.x).abs());
        self.full[0] += f64::from(full.x);
        self.full[1] += colors(full, Vec4::ZERO);
        self.subject += f64::from(subject.x);
        for moved in moved {
            self.moved[0] += 0.5 * coverage(full, moved);
            self.moved[1] += 0.5 * colors(full, moved);
        }
        self.differs[0] += coverage(full, subject);
        self.differs[1] += colors(full, subject);
    }

    fn plus(self, other: Self) -> Self {
        fn add<const N: usize>(a: [f64; N], b: [f64; N]) -> [f64; N] {
            std::array::from_fn(|i| a[i] + b[i])
        }
        Self {
            full: add(self.full, other.full),
            subject: self.subject + other.subject,
            moved: add(self.moved, other.moved),
            differs: add(self.differs, other.differs),
            tiles: add(self.tiles, other.tiles),
        }
    }

    /// Sums of all poses together, and of each, as shares.
    fn height(self, rows: f32, poses: impl Iterator<Item = Self>) -> Height {
        let [area, color] = self.full;
        // What nobody sees has no bias; black cannot be too dark.
        let of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Height {
            rows,
            coverage_bias: of(self.subject - area, area),
            tiles: of(self.tiles[1], self.tiles[0]),
            coverage: of(self.differs[0], area),
            coverage_allowed: of(self.moved[0], area),
            color: of(self.differs[1], color),
            color_allowed: of(self.moved[1], color),
            worst_pose: poses.map(|pose| of(pose.differs[0], pose.moved[0])).fold(0.0, f64::max),
        }
    }
}
