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

/// Sample at which both meshes show the same material.
struct VisibleSample {
    corners: [usize; 3],
    shares: [f32; 3],
    /// Surface point of the full mesh.
    full: Point,
    /// Surface point of the LOD.
    lod: Point,
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

    /// Optimizes the normals of an LOD.
    pub(super) fn turned(&self, mut lod: Shape) -> Shape {
        let samples = self.samples(&lod);
        let turns: Vec<Vec<(Mat3A, Vec3A)>> = self.pictures.par_iter().map(|p| p.pose.turns(&lod)).collect();
        let mut weights = vec![0.0_f32; lod.mesh.vertices.len()];
        for sample in samples.iter().flatten() {
            for (corner, share) in sample.parts() {
                weights[corner] += share;
            }
        }
        let mut normals: Vec<Vec3A> = lod.mesh.vertices.iter().map(|v| v.normal.into()).collect();
        for _ in 0..STEPS {
            let mut steps = vec![Vec3A::ZERO; normals.len()];
            for ((samples, turns), picture) in samples.iter().zip(&turns).zip(&self.pictures) {
                let bias = Vec3A::from(picture.frame.axes[2]) * lod.normal_bias;
                for sample in samples {
                    let posed = |corner: usize| turns[corner].0 * (normals[corner] + turns[corner].1);
                    let mixed: Vec3A = sample.parts().map(|(corner, share)| posed(corner) * share).sum();
                    let normal = mixed + bias;
                    let full = Vec3A::from(sample.full.normal);
                    // Two-sided surfaces compare the side that the LOD calls its front.
                    let is_back_face = self.shader.is_two_sided && full.dot(normal) < 0.0;
                    let off = if is_back_face { -full } else { full } - normal;
                    for (corner, share) in sample.parts() {
                        steps[corner] += turns[corner].0.transpose() * off * share;
                    }
                }
            }
            for ((normal, step), &weight) in normals.iter_mut().zip(steps).zip(&weights) {
                if weight > 0.0 {
                    *normal += step / weight;
                }
            }
        }
        for (vertex, normal) in lod.mesh.vertices.iter_mut().zip(normals) {
            vertex.normal = Vec3::from(normal).normalize_or(vertex.normal);
        }
        lod
    }

    /// Optimizes the colours of an LOD: summed over all suns, as much light should come from around a vertex as in full
    /// detail.
    pub(super) fn colored(&self, mut lod: Shape) -> Shape {
        let samples: Vec<VisibleSample> = self.samples(&lod).into_iter().flatten().collect();
        let all = |point: &Point| -> Vec3 {
            let lights = self.suns.iter().map(|&sun| point.light(sun));
            point.base * lights.sum::<f32>()
        };
        let vertices = &lod.mesh.vertices;
        let mut factors = vec![Vec3::ONE; vertices.len()];
        for _ in 0..STEPS {
            let mut sums = vec![[Vec3::ZERO; 2]; vertices.len()];
            for sample in &samples {
                let colors = || {
                    sample
                        .parts()
                        .map(|(corner, share)| (corner, share * vertices[corner].color.truncate()))
                };
                let before: Vec3 = colors().map(|(_, color)| color).sum();
                let now: Vec3 = colors().map(|(corner, color)| color * factors[corner]).sum();
                let (full, shown) = (all(&sample.full), all(&sample.lod));
                for (corner, part) in colors() {
                    // Light that this corner contributes, and the part that would be right.
                    let given = shown * ratio(part, before);
                    sums[corner][0] += given * ratio(full * before, shown * now);
                    sums[corner][1] += given;
                }
            }
            for (factor, [right, given]) in factors.iter_mut().zip(sums) {
                let least = Vec3::splat(1.0 / FARTHEST);
                *factor = (*factor * ratio(right, given)).clamp(least, Vec3::splat(FARTHEST));
            }
        }
        lod.scale_colors(|vertex| factors[vertex]);
        lod
    }

    /// Samples of every picture at which both meshes show the same material.
    fn samples(&self, lod: &Shape) -> Vec<Vec<VisibleSample>> {
        let look = |canvas: &mut Canvas, picture: &FullDetailPicture| picture.samples(self.shader, lod, canvas);
        self.pictures.par_iter().map_init(Canvas::default, look).collect()
    }
}

impl FullDetailPicture {
    fn samples(&self, shader: &Shader<'_>, lod: &Shape, canvas: &mut Canvas) -> Vec<VisibleSample> {
        let posed: Vec<SkinnedVertex> = self.pose.skinned(lod);
        let mesh = &lod.mesh;
        let posed = lod.form().posed(&posed);
        let samples = SurfaceSamples::new(posed, shader, &self.frame, canvas);
        let (triangles, _) = mesh.indices.as_chunks::<3>();
        let both = self.full.iter().enumerate();
        let sample = |(number, full): (usize, &Option<(u8, Point)>)| {
            let (material, full) = (*full)?;
            let shown = samples.at(number)?;
            let triangle = &triangles[shown.triangle as usize];
            let corners = triangle.map(|i| i as usize);
            if mesh.vertices[corners[0]].material != material {
                return None;
            }
            let patch = shader.patch(posed, triangle);
            Some(VisibleSample {
                corners,
                shares: shown.shares.to_array(),
                full,
                lod: shader.point(&patch, shown.shares, self.frame.axes[2]),
            })
        };
        both.filter_map(sample).collect()
    }
}

impl VisibleSample {
    fn parts(&self) -> impl Iterator<Item = (usize, f32)> {
        self.corners.into_iter().zip(self.shares)
    }
}

/// Ratio of each channel; 1 where either is 0.
fn ratio(part: Vec3, whole: Vec3) -> Vec3 {
    let of = |part: f32, whole: f32| if part > 0.0 && whole > 0.0 { part / whole } else { 1.0 };
    Vec3::new(of(part.x, whole.x), of(part.y, whole.y), of(part.z, whole.z))
}
