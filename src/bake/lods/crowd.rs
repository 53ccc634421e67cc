//! Pictures of dense crowds in formation: everybody has the same pose and stands in rows. Errors of an LOD do not
//! average out there, and no ground shows that would hide them.

use std::f32::consts::TAU;

use glam::{Mat2, Vec2, Vec3};
use rayon::prelude::*;

use crate::{
    bake::{
        lods::{
            poses::LodPose,
            raster::{Canvas, CoveredSurface, Form, Frame, PosedMesh, SurfacePoints, SurfaceSamples},
            shape::Shape,
            surface_color::{Point, SUNS, VariantShaders, ViewedSun, suns},
        },
        skinning::SkinnedVertex,
    },
    model::{LUMINANCE, Model, NORMAL_BIAS_MAX, NORMAL_BIAS_STEPS, display_luminance, grey_of_display},
};

/// Distance between neighbours (share of the character's largest edge), as for the soldiers of the army scene.
const SPACING: f32 = 0.64;
/// Elevations (rad) of the views that evaluate; [`Order::elevations`](super::photometric_fit::Order::elevations) has
/// those of the fit.
pub(super) const EVALUATION_ELEVATIONS: &[f32] = &[0.15, 0.35, 0.7];
/// Samples along the height of the character, in pictures that evaluate and in those of the fit.
pub(super) const EVALUATION_SAMPLES: f32 = 256.0;
pub(super) const FIT_SAMPLES: f32 = 128.0;
/// Largest edge of a picture (samples).
const LONGEST: usize = 1024;
/// Margin of a picture (samples), for LODs that extend beyond full detail.
const MARGIN: usize = 16;
/// Pixels along either edge of one person's ground cell.
const PIXELS: usize = 8;
/// Points along either edge of a ground cell, in pictures that evaluate and in those of the fit. Errors of the fit's
/// points average out over the pictures of an equation.
pub(super) const EVALUATION_POINTS: usize = 8 * PIXELS;
pub(super) const FIT_POINTS: usize = 4 * PIXELS;
/// Edge of a tile (sample rows): 16 pixels of four samples each.
const TILE: f32 = 32.0;
/// Number of neighbours in the same pose.
const ALIKE: f32 = 16.0;
/// Elevation from which a tile shows them (rad).
const TILE_ELEVATION: f32 = 0.4;
/// Share of pictures that must keep within the limit of crowds.
const MOST: f32 = 0.95;
/// Largest number of neighbours to either side that may occlude a person.
const FARTHEST: f32 = 24.0;
/// Linear luminance of the ground, and of the background of a single character.
pub(super) const GROUND: f32 = 0.2;

/// Views from which pictures of crowds are taken.
#[derive(Clone, Copy)]
pub(super) struct CrowdViews<'a> {
    pub poses: &'a [LodPose],
    /// Number of views of every pose, spread all around.
    pub sides: usize,
    /// Elevations of the views (rad), which alternate.
    pub elevations: &'a [f32],
    /// Points along either edge of one person's ground cell, a multiple of the number of pixels there.
    pub points: usize,
    /// Samples along the height of the character.
    pub samples: f32,
    /// True for two alternating arrangements of suns.
    pub turns: bool,
}

/// Pictures of crowds of one character in full detail.
pub(super) struct CrowdPictures<'a> {
    pub variants: &'a VariantShaders<'a>,
    pub pictures: Vec<CrowdPicture>,
    /// Distance between neighbours (m).
    spacing: f32,
    /// Points along either edge of a ground cell, as [`CrowdViews::points`].
    points: usize,
}

/// Picture of a crowd from one side.
pub(super) struct CrowdPicture {
    pub pose: LodPose,
    pub frame: Frame,
    /// Number of the picture, which selects the material variant.
    pub number: usize,
    /// Index of the azimuth, shared by pictures in all poses.
    pub side: usize,
    /// Index of the elevation, shared by pictures from all sides.
    pub elevation: usize,
    /// Index of the sun arrangement, 0 or 1: it selects which suns are low.
    pub turn: usize,
    /// Directions towards the suns; each sun is on the same side of the viewer in every picture.
    pub suns: [Vec3; SUNS],
    /// Mean display luminance of full detail under every sun.
    pub display: CrowdLight,
    /// Mean cosine of the angle between full detail's normals and the direction towards the viewer.
    pub facing: f32,
    /// Linear luminance of each of full detail's materials, as a share of the picture's.
    pub materials: Vec<CrowdLight>,
}

/// One value per sun.
pub(super) type CrowdLight = [f32; SUNS];

/// Surface that covers one point of a person's ground cell.
#[derive(Clone, Copy)]
struct CoveredPoint {
    shown: CoveredSurface,
    pixel: u16,
}

/// Surfaces that cover the points of every picture. They depend on the positions of an LOD alone: it is rasterised once,
/// however often its normals and colours change.
pub(super) struct CrowdCoverage(Vec<Vec<CoveredPoint>>);

/// Visible surface at one point of a person's ground cell.
pub(super) struct CrowdPoint {
    pub shown: CoveredSurface,
    pub material: usize,
    /// Surface point before lighting.
    pub point: Point,
    pixel: usize,
}

impl CrowdPicture {
    /// Suns, prepared for the viewer of the picture.
    pub(super) fn viewed_suns(&self) -> [ViewedSun; SUNS] {
        self.suns.map(|sun| ViewedSun::new(sun, self.frame.axes[2]))
    }
}

impl<'a> CrowdPictures<'a> {
    /// Renders crowds in full detail.
    pub(super) fn new(model: &Model, variants: &'a VariantShaders<'a>, views: CrowdViews<'_>) -> Self {
        let CrowdViews {
            poses,
            sides,
            elevations,
            points,
            samples,
            turns,
        } = views;
        let extent = model.largest_edge();
        let mut crowd = Self {
            variants,
            pictures: Vec::new(),
            spacing: SPACING * extent,
            points,
        };
        let look = |index: usize| {
            let pose = &poses[index / sides];
            let full = pose.full(model);
            let points: Vec<Vec3> = full.iter().map(|v| v.position).collect();
            let (number, side) = (index / sides, index % sides);
            let azimuth = TAU * side as f32 / sides as f32;
            let elevation = (number + side) % elevations.len();
            let turn = turns.then_some(number % 2);
            let suns = suns(azimuth, turn);
            let frame = Frame::around(&points, azimuth, elevations[elevation], samples / extent, MARGIN);
            let frame = frame.within(LONGEST);
            let posed = PosedMesh::mesh(&model.mesh, &full);
            let seen = crowd.seen(posed, &frame, index, &mut Canvas::default());
            let viewed = suns.map(|sun| ViewedSun::new(sun, frame.axes[2]));
            let [_, display] = crowd.light(&seen, &viewed);
            let mut materials = vec![[0.0; SUNS]; model.materials.len()];
            for seen in &seen {
                if let Some(material) = materials.get_mut(seen.material) {
                    let mirrored = seen.point.mirrored(&viewed);
                    let lights = viewed
                        .iter()
                        .zip(mirrored)
                        .map(|(sun, mirrored)| seen.point.with_mirrored(sun, mirrored));
                    let sums = material.iter_mut().zip(lights);
                    sums.for_each(|(sum, light)| *sum += crowd.point_share() * light.dot(LUMINANCE));
                }
            }
            let facing: f32 = seen.iter().map(|seen| seen.point.normal.dot(frame.axes[2])).sum();
            CrowdPicture {
                facing: facing / seen.len().max(1) as f32,
                materials,
                pose: pose.clone(),
                frame,
                number: index,
                side,
                elevation,
                turn: turn.unwrap_or(0),
                suns,
                display,
            }
        };
        crowd.pictures = (0..poses.len() * sides).into_par_iter().map(look).collect();
        crowd
    }

    /// Display luminance of crowds of another mesh, or of splats, minus that of full detail; one number for every pose,
    /// view and sun.
    pub(super) fn brightness_errors(
        &self,
        form: Form<'_>,
        posed: impl Fn(&LodPose) -> Vec<SkinnedVertex> + Sync,
    ) -> Vec<f32> {
        self.errors(|canvas, picture| {
            let vertices = posed(&picture.pose);
            self.seen(form.posed(&vertices), &picture.frame, picture.number, canvas)
        })
    }

    /// Display luminance of what each picture shows, minus that of full detail, under every sun.
    fn errors(&self, seen: impl Fn(&mut Canvas, &CrowdPicture) -> Vec<CrowdPoint> + Sync) -> Vec<f32> {
        let look = |canvas: &mut Canvas, picture: &CrowdPicture| {
            let [_, light] = self.light(&seen(canvas, picture), &picture.viewed_suns());
            let brightness_errors: CrowdLight = std::array::from_fn(|sun| light[sun] - picture.display[sun]);
            brightness_errors
        };
        let lights: Vec<CrowdLight> = self.pictures.par_iter().map_init(Canvas::default, look).collect();
        lights.into_iter().flatten().collect()
    }

    /// Rasterises an LOD in every picture.
    pub(super) fn cover(&self, lod: &Shape) -> CrowdCoverage {
        let cover = |canvas: &mut Canvas, picture: &CrowdPicture| {
            let vertices = picture.pose.placed(lod);
            self.covered(lod.form().posed(&vertices), &picture.frame, canvas)
        };
        CrowdCoverage(self.pictures.par_iter().map_init(Canvas::default, cover).collect())
    }

    /// Scales all colours by one factor, so that crowds of the LOD are on average as bright as those of full detail.
    /// `coverage` is that of the LOD.
    pub(super) fn relight(&self, lod: Shape, coverage: &CrowdCoverage) -> Shape {
        let mean = |numbers: &[f32]| numbers.iter().sum::<f32>() / numbers.len().max(1) as f32;
        let displays: Vec<f32> = self.pictures.iter().flat_map(|picture| picture.display).collect();
        let display = mean(&displays);
        lod.relit(0.0, |lod| {
            let brightness_errors = self.errors(|_, picture| {
                let vertices = picture.pose.skinned(lod);
                self.shaded(lod.form().posed(&vertices), coverage, picture)
            });
            let factor = grey_of_display(display) / grey_of_display(display + mean(&brightness_errors));
            move |_| factor
        })
    }

    /// Chooses the normal bias with which surfaces face the viewer as much as those of full detail do on average. Light
    /// from the viewer's side then has the same brightness. Two-sided characters get no bias: their back faces would
    /// turn away.
    /// `coverage` is that of the LOD.
    pub(super) fn with_normal_bias(&self, lod: Shape, coverage: &CrowdCoverage) -> Shape {
        if self.variants.of_picture(0).is_two_sided {
            return lod;
        }
        let upright = Shape {
            normal_bias: 0.0,
            ..lod
        };
        let look = |picture: &CrowdPicture| -> Vec<[f32; 2]> {
            let vertices = picture.pose.skinned(&upright);
            let (triangles, _) = upright.mesh.indices.as_chunks::<3>();
            let mixed = |seen: &CoveredPoint| {
                let corners = triangles[seen.shown.triangle as usize];
                let parts = corners.iter().zip(seen.shown.shares.to_array());
                let mixed: Vec3 = parts
                    .map(|(&corner, share)| vertices[corner as usize].normal * share)
                    .sum();
                [mixed.dot(picture.frame.axes[2]), mixed.length_squared()]
            };
            coverage.0[picture.number].iter().map(mixed).collect()
        };
        let mixed: Vec<Vec<[f32; 2]>> = self.pictures.par_iter().map(look).collect();
        let facing = |normal_bias: f32| {
            let of = |&[along, squared]: &[f32; 2]| {
                let length = (squared + normal_bias * (2.0 * along + normal_bias)).max(0.0).sqrt();
                f64::from((along + normal_bias) / length.max(f32::MIN_POSITIVE))
            };
            let all = mixed.iter().flatten();
            all.clone().map(of).sum::<f64>() / all.count().max(1) as f64
        };
        let full = self.pictures.iter().map(|p| f64::from(p.facing)).sum::<f64>() / self.pictures.len().max(1) as f64;
        let off = |normal_bias: &f32| (facing(*normal_bias) - full).abs();
        let normal_biases = (0..)
            .map(|step| step as f32 / NORMAL_BIAS_STEPS)
            .take_while(|normal_bias| *normal_bias <= NORMAL_BIAS_MAX);
        let normal_bias = normal_biases.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0.0);
        Shape { normal_bias, ..upright }
    }

    /// Visible surface of a crowd of a posed mesh at the points of one person's ground cell, in the material variant of
    /// a picture.
    pub(super) fn seen(
        &self,
        posed: PosedMesh<'_>,
        frame: &Frame,
        number: usize,
        canvas: &mut Canvas,
    ) -> Vec<CrowdPoint> {
        let covered = self.covered(posed, frame, canvas);
        self.points(posed, frame, number, &covered)
    }

    /// Visible surface of an LOD in a picture.
    pub(super) fn shaded(
        &self,
        posed: PosedMesh<'_>,
        coverage: &CrowdCoverage,
        picture: &CrowdPicture,
    ) -> Vec<CrowdPoint> {
        self.points(posed, &picture.frame, picture.number, &coverage.0[picture.number])
    }

    fn points(&self, posed: PosedMesh<'_>, frame: &Frame, number: usize, covered: &[CoveredPoint]) -> Vec<CrowdPoint> {
        let mut points = SurfacePoints::new(posed, self.variants.of_picture(number), frame.axes);
        let point = |&CoveredPoint { shown, pixel }: &CoveredPoint| {
            let first = posed.mesh.indices[3 * shown.triangle as usize];
            CrowdPoint {
                material: usize::from(posed.mesh.vertices[first as usize].material),
                point: points.at(&shown),
                pixel: usize::from(pixel),
                shown,
            }
        };
        covered.iter().map(point).collect()
    }

    /// Surfaces that cover the points of one person's ground cell.
    fn covered(&self, posed: PosedMesh<'_>, frame: &Frame, canvas: &mut Canvas) -> Vec<CoveredPoint> {
        // Holes are the same in every variant.
        let samples = SurfaceSamples::new(posed, self.variants.of_picture(0), frame, canvas);
        let steps = [Vec3::X, Vec3::Z].map(|axis| frame.axes.map(|a| a.dot(axis) * self.spacing));
        let on_picture = steps.map(|step| Vec2::new(step[0], step[1]) * frame.scale);
        let size = Vec2::new(frame.size[0] as f32, frame.size[1] as f32);
        let inverse = Mat2::from_cols(on_picture[0], on_picture[1]).inverse();
        // Number of neighbours to either side that can cover a point.
        let reach = inverse.x_axis.abs() * (0.5 * size.x) + inverse.y_axis.abs() * (0.5 * size.y);
        let reach = reach.min(Vec2::splat(FARTHEST));
        let edge = self.points;
        let per_pixel = edge / PIXELS;
        let look = |place: usize| {
            let (column, row) = (place % edge, place / edge);
            let place = Vec2::new(column as f32, row as f32) / edge as f32;
            let range = |place: f32, reach: f32| (place - reach).ceil() as i32..=(place + reach).floor() as i32;
            let mut nearest = None;
            let mut depth = f32::NEG_INFINITY;
            for x in range(place.x, reach.x) {
                for z in range(place.y, reach.y) {
                    let away = place - Vec2::new(x as f32, z as f32);
                    let at = 0.5 * size + on_picture[0] * away.x + on_picture[1] * away.y;
                    let sample = at.as_uvec2().min(size.as_uvec2() - 1);
                    let sample = sample.y as usize * frame.size[0] + sample.x as usize;
                    let here = samples.depth(sample) + steps[0][2] * x as f32 + steps[1][2] * z as f32;
                    if here > depth {
                        (nearest, depth) = (Some(sample), here);
                    }
                }
            }
            Some(CoveredPoint {
                shown: samples.at(nearest?)?,
                pixel: (row / per_pixel * PIXELS + column / per_pixel) as u16,
            })
        };
        (0..edge * edge).filter_map(look).collect()
    }

    /// Share of a crowd's picture that one point of a ground cell covers.
    pub(super) fn point_share(&self) -> f32 {
        1.0 / (self.points * self.points) as f32
    }

    /// Mean linear and mean display luminance of a crowd under each sun.
    fn light(&self, seen: &[CrowdPoint], suns: &[ViewedSun; SUNS]) -> [CrowdLight; 2] {
        let mirrored: Vec<CrowdLight> = seen.iter().map(|seen| seen.point.mirrored(suns)).collect();
        self.light_with(seen, &mirrored, suns)
    }

    /// Mean linear and mean display luminance of a crowd under each sun, given the reflection of the sky at every
    /// point.
    pub(super) fn light_with(
        &self,
        seen: &[CrowdPoint],
        mirrored: &[CrowdLight],
        suns: &[ViewedSun; SUNS],
    ) -> [CrowdLight; 2] {
        let share = (PIXELS * PIXELS) as f32 * self.point_share();
        let mut pixels = [[Vec3::splat(GROUND); SUNS]; PIXELS * PIXELS];
        for (CrowdPoint { point, pixel, .. }, mirrored) in seen.iter().zip(mirrored) {
            for ((sum, sun), &mirrored) in pixels[*pixel].iter_mut().zip(suns).zip(mirrored) {
                *sum += share * (point.with_mirrored(sun, mirrored) - GROUND);
            }
        }
        let mean = |of: fn(Vec3) -> f32| -> CrowdLight {
            std::array::from_fn(|sun| pixels.iter().map(|p| of(p[sun])).sum::<f32>() / pixels.len() as f32)
        };
        [mean(|light| light.dot(LUMINANCE)), mean(display_luminance)]
    }
}

/// Luminance error that most tiles of crowds keep within at a height (sample rows). It follows from the brightness
/// errors of crowds in one pose. Only some people of a tile share a pose; the errors of the others average out.
pub(super) fn off(brightness_errors: &[f32], rows: f32) -> f64 {
    let across = TILE / (SPACING * rows);
    let part = (ALIKE * TILE_ELEVATION.sin() / (across * across)).min(1.0);
    let mean = brightness_errors.iter().sum::<f32>() / brightness_errors.len().max(1) as f32;
    let mut off: Vec<f32> = brightness_errors
        .iter()
        .map(|b| (mean + (b - mean) * part).abs())
        .collect();
    off.sort_by(f32::total_cmp);
    let at = (off.len() as f32 * MOST) as usize;
    off.get(at).or(off.last()).map_or(0.0, |off| f64::from(*off))
}
