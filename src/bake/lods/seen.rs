//! Optimizes normals and colours of an LOD for what pictures show at each sample. Hidden parts do not count, and parts
//! that are large in the pictures count most.
//!
//! Normals come first, by least squares: the normal of a pose is linear in that of the rest pose. Normals vary linearly
//! between few vertices, where those of the full mesh curve. Colours then correct the remaining mean error under suns
//! all around. Each vertex gets a factor of its own by expectation maximisation, which preserves the sum of all light.

use std::f32::consts::TAU;

use glam::{Mat3A, Vec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bake::{
        lods::{
            poses::LodPose,
            raster::{Canvas, Frame, PosedMesh, SurfaceSamples},
            shape::Shape,
            surface_color::{Point, SUNS, Shader, suns},
        },
        skinning::SkinnedVertex,
    },
    model::Model,
};

/// Views of each pose; azimuths follow the golden section.
const VIEWS: usize = 4;
/// Elevations of the views (rad).
const ELEVATIONS: [f32; VIEWS] = [0.2, 0.4, 0.1, 0.8];
/// Samples along the height of the character.
const SAMPLES: f32 = 96.0;
/// Largest edge of a picture (samples).
const LONGEST: usize = 384;
/// Margin of a picture (samples).
const MARGIN: usize = 8;
/// Iterations of either fit.
const STEPS: usize = 8;
/// Largest change of a colour, as a factor in either direction.
const FARTHEST: f32 = 1.5;

/// Pictures of full detail that LODs are optimized for.
pub(super) struct VisibilitySampling<'a> {
    shader: &'a Shader<'a>,
    suns: [Vec3; SUNS],
    pictures: Vec<FullDetailPicture>,
}

struct FullDetailPicture {
    pose: LodPose,
    frame: Frame,
    /// Material and surface point of full detail at every sample.
    full: Vec<Option<(u8, Point)>>,
}

/// Samples of every picture at which an LOD shows the material of full detail. They depend on its positions alone.
pub(super) struct VisibleSamples(Vec<Vec<VisibleSample>>);

/// Sample at which both meshes show the same material.
struct VisibleSample {
    /// Number of the sample in its picture.
    number: usize,
    /// Triangle of the LOD.
    triangle: usize,
    corners: [usize; 3],
    shares: Vec3,
}

impl<'a> VisibilitySampling<'a> {
    /// Renders full detail in the given poses.
    pub(super) fn new(model: &Model, shader: &'a Shader<'a>, poses: &[LodPose]) -> Self {
        let scale = SAMPLES / model.largest_edge();
        let (triangles, _) = model.mesh.indices.as_chunks::<3>();
        let look = |index: usize| {
            let pose = &poses[index / VIEWS];
            let posed = pose.full(model);
            let points: Vec<Vec3> = posed.iter().map(|v| v.position).collect();
            let azimuth = TAU * (index as f32 * 0.618_034).fract();
            let frame = Frame::around(&points, azimuth, ELEVATIONS[index % VIEWS], scale, MARGIN).within(LONGEST);
            let posed = PosedMesh::mesh(&model.mesh, &posed);
            let mut canvas = Canvas::default();
            let samples = SurfaceSamples::new(posed, shader, &frame, &mut canvas);
            let full = samples.each().map(|shown| {
                let shown = shown?;
                let triangle = &triangles[shown.triangle as usize];
                let patch = shader.patch(posed, triangle);
                let material = model.mesh.vertices[triangle[0] as usize].material;
                Some((material, shader.point(&patch, shown.shares, frame.axes[2])))
            });
            let full = full.collect();
            FullDetailPicture {
                pose: pose.clone(),
                frame,
                full,
            }
        };
        Self {
            shader,
            suns: suns(0.0, None),
            pictures: (0..poses.len() * VIEWS).into_par_iter().map(look).collect(),
        }
    }

    /// Samples at which an LOD shows the material of full detail.
    pub(super) fn samples(&self, lod: &Shape) -> VisibleSamples {
        let look = |canvas: &mut Canvas, picture: &FullDetailPicture| picture.samples(self.shader, lod, canvas);
        VisibleSamples(self.pictures.par_iter().map_init(Canvas::default, look).collect())
    }

    /// Optimizes the normals of an LOD. `samples` are those of the LOD.
    pub(super) fn turned(&self, mut lod: Shape, samples: &VisibleSamples) -> Shape {
        let VisibleSamples(samples) = samples;
        let turns: Vec<Vec<(Mat3A, Vec3A)>> = self.pictures.par_iter().map(|p| p.pose.turns(&lod)).collect();
        let mut weights = vec![0.0_f32; lod.mesh.vertices.len()];
        for sample in samples.iter().flatten() {
            for (corner, share) in sample.parts() {
                weights[corner] += share;
            }
        }
        let mut normals: Vec<Vec3A> = lod.mesh.vertices.iter().map(|v| v.normal.into()).collect();
        for _ in 0..STEPS {
            let of_picture = |number: usize| {
                let picture = &self.pictures[number];
                picture.steps(&samples[number], &turns[number], &normals, lod.normal_bias, self.shader)
            };
            let of_pictures: Vec<Vec<Vec3A>> = (0..samples.len()).into_par_iter().map(of_picture).collect();
            // A parallel sum has no fixed order; a sequential one is deterministic.
            let step = |vertex: usize| of_pictures.iter().map(|steps| steps[vertex]).sum::<Vec3A>();
            for (vertex, normal) in normals.iter_mut().enumerate() {
                if weights[vertex] > 0.0 {
                    *normal += step(vertex) / weights[vertex];
                }
            }
        }
        for (vertex, normal) in lod.mesh.vertices.iter_mut().zip(normals) {
            vertex.normal = Vec3::from(normal).normalize_or(vertex.normal);
        }
        lod
    }

    /// Optimizes the colours of an LOD: summed over all suns, as much light should come from around a vertex as in full
    /// detail. `samples` are those of the LOD.
    pub(super) fn colored(&self, mut lod: Shape, samples: &VisibleSamples) -> Shape {
        let VisibleSamples(samples) = samples;
        let lit: Vec<Vec<[Vec3; 2]>> = (self.pictures.par_iter().zip(samples))
            .map(|(picture, samples)| self.lights(picture, &lod, samples))
            .collect();
        let colors: Vec<Vec3> = lod.mesh.vertices.iter().map(|v| v.color.truncate()).collect();
        let mut factors = vec![Vec3::ONE; colors.len()];
        for _ in 0..STEPS {
            let of_pictures: Vec<Vec<[Vec3; 2]>> = (samples.par_iter().zip(&lit))
                .map(|(samples, lit)| right_and_given(samples, lit, &colors, &factors))
                .collect();
            let sum = |vertex: usize, of: usize| of_pictures.iter().map(|sums| sums[vertex][of]).sum::<Vec3>();
            for (vertex, factor) in factors.iter_mut().enumerate() {
                let least = Vec3::splat(1.0 / FARTHEST);
                *factor = (*factor * ratio(sum(vertex, 0), sum(vertex, 1))).clamp(least, Vec3::splat(FARTHEST));
            }
        }
        lod.scale_colors(|vertex| factors[vertex]);
        lod
    }

    /// Light of full detail and of the LOD at every sample of a picture, summed over all suns.
    fn lights(&self, picture: &FullDetailPicture, lod: &Shape, samples: &[VisibleSample]) -> Vec<[Vec3; 2]> {
        let all = |point: &Point| -> Vec3 {
            let lights = self.suns.iter().map(|&sun| point.light(sun));
            point.base * lights.sum::<f32>()
        };
        let vertices: Vec<SkinnedVertex> = picture.pose.skinned(lod);
        let posed = lod.form().posed(&vertices);
        let (triangles, _) = lod.mesh.indices.as_chunks::<3>();
        let lit = |sample: &VisibleSample| {
            let patch = self.shader.patch(posed, &triangles[sample.triangle]);
            let shown = self.shader.point(&patch, sample.shares, picture.frame.axes[2]);
            let full = picture.full[sample.number]
                .as_ref()
                .map_or(Vec3::ZERO, |(_, full)| all(full));
            [full, all(&shown)]
        };
        samples.iter().map(lit).collect()
    }
}

/// Light that should come from around every vertex, and light that it gives.
fn right_and_given(samples: &[VisibleSample], lit: &[[Vec3; 2]], colors: &[Vec3], factors: &[Vec3]) -> Vec<[Vec3; 2]> {
    let mut sums = vec![[Vec3::ZERO; 2]; colors.len()];
    for (sample, [full, shown]) in samples.iter().zip(lit) {
        let parts = || sample.parts().map(|(corner, share)| (corner, share * colors[corner]));
        let before: Vec3 = parts().map(|(_, color)| color).sum();
        let now: Vec3 = parts().map(|(corner, color)| color * factors[corner]).sum();
        for (corner, part) in parts() {
            // Light that this corner contributes, and the part that would be right.
            let given = *shown * ratio(part, before);
            sums[corner][0] += given * ratio(*full * before, *shown * now);
            sums[corner][1] += given;
        }
    }
    sums
}

impl FullDetailPicture {
    fn samples(&self, shader: &Shader<'_>, lod: &Shape, canvas: &mut Canvas) -> Vec<VisibleSample> {
        let posed = self.pose.placed(lod);
        let mesh = &lod.mesh;
        let samples = SurfaceSamples::new(lod.form().posed(&posed), shader, &self.frame, canvas);
        let (triangles, _) = mesh.indices.as_chunks::<3>();
        let both = self.full.iter().enumerate();
        let sample = |(number, full): (usize, &Option<(u8, Point)>)| {
            let (material, _) = full.as_ref()?;
            let shown = samples.at(number)?;
            let triangle = shown.triangle as usize;
            let corners = triangles[triangle].map(|i| i as usize);
            let is_alike = mesh.vertices[corners[0]].material == *material;
            is_alike.then_some(VisibleSample {
                number,
                triangle,
                corners,
                shares: shown.shares,
            })
        };
        both.filter_map(sample).collect()
    }

    /// Sum of what the normal of every vertex at rest lacks, for the samples of the picture.
    fn steps(
        &self,
        samples: &[VisibleSample],
        turns: &[(Mat3A, Vec3A)],
        normals: &[Vec3A],
        normal_bias: f32,
        shader: &Shader<'_>,
    ) -> Vec<Vec3A> {
        let posed = turns.iter().zip(normals);
        let posed: Vec<Vec3A> = posed
            .map(|((turn, moved), normal)| *turn * (*normal + *moved))
            .collect();
        let bias = Vec3A::from(self.frame.axes[2]) * normal_bias;
        let mut steps = vec![Vec3A::ZERO; normals.len()];
        for sample in samples {
            let Some((_, full)) = &self.full[sample.number] else {
                continue;
            };
            let mixed: Vec3A = sample.parts().map(|(corner, share)| posed[corner] * share).sum();
            let normal = mixed + bias;
            let full = Vec3A::from(full.normal);
            // Two-sided surfaces compare the side that the LOD calls its front.
            let is_back_face = shader.is_two_sided && full.dot(normal) < 0.0;
            let off = if is_back_face { -full } else { full } - normal;
            for (corner, share) in sample.parts() {
                steps[corner] += off * share;
            }
        }
        for (step, (turn, _)) in steps.iter_mut().zip(turns) {
            *step = turn.transpose() * *step;
        }
        steps
    }
}

impl VisibleSample {
    fn parts(&self) -> impl Iterator<Item = (usize, f32)> {
        self.corners.into_iter().zip(self.shares.to_array())
    }
}

/// Ratio of each channel; 1 where either is 0.
fn ratio(part: Vec3, whole: Vec3) -> Vec3 {
    let of = |part: f32, whole: f32| if part > 0.0 && whole > 0.0 { part / whole } else { 1.0 };
    Vec3::new(of(part.x, whole.x), of(part.y, whole.y), of(part.z, whole.z))
}
