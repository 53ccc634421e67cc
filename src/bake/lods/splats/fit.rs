//! Optimizes position, radius, colour and normal of splats by gradient descent (Adam) on the squared difference to
//! pictures of full detail. Pictures are blurred as those of people of few rows are. The gradient of coverage is
//! sampled along each splat's rim (edge sampling, Li et al. 2018): it is the difference between inside and outside.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3, Vec3A, Vec4, Vec4Swizzles};
use rayon::prelude::*;

use crate::{
    bake::{
        lods::{
            poses::LodPose,
            raster::{Canvas, Frame, PosedMesh, SampledPicture, Splats, cover, draw, sample_at},
            shape::Shape,
            surface_color::Shader,
        },
        skinning,
    },
    model::Vertex,
};

/// Batches of pictures that the steps of the descent look at in turn.
const BATCHES: usize = 4;
/// First steps of position and radius (shares of the extent), colour and normal; the last step is a tenth of the first.
const PLACE: f32 = 0.004;
const RADIUS: f32 = 0.003;
const COLOR: f32 = 0.04;
const NORMAL: f32 = 0.1;
/// Steps of matching radii and brightness, and the tolerance (share of the whole).
const MATCH_STEPS: usize = 12;
const EXACT: f32 = 0.0005;
/// Decay rates of the means of gradients and of their squares.
const SLOWLY: [f32; 2] = [0.9, 0.97];
/// Smallest and largest radius (share of the extent).
const RADII: [f32; 2] = [0.002, 0.25];
/// Half widths of the box blurs (samples), and the weight of each.
const BLURS: [(usize, f32); 3] = [(2, 12.0), (6, 2.0), (12, 4.0)];
/// Weight of the sum over a whole picture.
const WHOLE: f32 = 1.0;
/// Weight of a colour difference relative to coverage.
const BRIGHT: f32 = 1.5;
/// Sampled positions on a rim.
const RIM: usize = 24;
/// Samples of full detail along the edge of one sample of the splats.
const FINER: usize = 4;

/// Target picture: coverage and linear colour of every sample.
pub(super) struct FitTarget<'a> {
    pose: LodPose,
    frame: Frame,
    shader: &'a Shader<'a>,
    shown: Vec<Vec4>,
    /// Sum of coverage and linear colour over all samples.
    sum: Vec4,
    /// Visible samples and colour by material.
    shares: Shares,
}

impl<'a> FitTarget<'a> {
    /// Renders full detail.
    pub(super) fn new(full: PosedMesh<'_>, shader: &'a Shader<'a>, pose: LodPose, frame: Frame) -> Self {
        let finer = Frame {
            scale: frame.scale * FINER as f32,
            size: frame.size.map(|samples| samples * FINER),
            ..frame
        };
        let (mut canvas, mut picture) = (Canvas::default(), SampledPicture::default());
        draw(full, shader, &finer, &mut canvas, &mut picture);
        let [width, height] = frame.size;
        let at = |sample: usize| {
            let place = [sample % width, sample / width].map(|x| (x * FINER) as isize);
            picture.over(place, FINER as isize) / (FINER * FINER) as f32
        };
        let shown: Vec<Vec4> = (0..width * height).map(at).collect();
        let sample = |(sample, triangle): (usize, &u32)| {
            let vertex = *full.mesh.indices.get(3 * *triangle as usize)?;
            let place = [sample % finer.size[0], sample / finer.size[0]].map(|x| x as isize);
            let share = picture.over(place, 1) / (FINER * FINER) as f32;
            Some((usize::from(full.mesh.vertices[vertex as usize].material), share))
        };
        Self {
            shares: by_material(canvas.shown().iter().enumerate().filter_map(sample)),
            pose,
            frame,
            shader,
            sum: shown.iter().copied().sum(),
            shown,
        }
    }
}

/// Visible area (samples) and linear colour of each material.
type Shares = Vec<Vec4>;

/// Scales radii and colours by one factor each per material, until its area and light equal full detail's. People wear
/// other colours than the file has, so each material counts. Area and light of materials without splats go to the
/// others.
pub(super) fn match_materials(mut splats: Shape, targets: &[FitTarget<'_>]) -> Shape {
    let materials: Vec<usize> = splats.mesh.vertices.iter().map(|v| usize::from(v.material)).collect();
    let full = wanted(&materials, targets);
    let all: Vec4 = full.iter().copied().sum();
    let mut sizes = vec![Size::default(); full.len()];
    let mut best = (f32::INFINITY, splats.clone());
    let radii = splats.radii.clone();
    for _ in 0..MATCH_STEPS {
        let mut shown = shown(&splats, targets);
        shown.resize(full.len(), Vec4::ZERO);
        let off = shown.iter().zip(&full).map(|(shown, full)| (*shown - *full).abs());
        let off: Vec4 = off.sum::<Vec4>() / all;
        if off.element_sum() < best.0 {
            best = (off.element_sum(), splats.clone());
        }
        if off.max_element() <= EXACT || !off.is_finite() {
            break;
        }
        for ((size, shown), full) in sizes.iter_mut().zip(&shown).zip(&full) {
            size.step(shown.x / full.x - 1.0);
        }
        splats.radii = (radii.iter().zip(&materials))
            .map(|(before, &material)| before * sizes[material].factor)
            .collect();
        let lights: Vec<Vec3> = shown.iter().zip(&full).map(|(s, f)| as_bright(*s, *f)).collect();
        splats.scale_colors(|splat| lights[materials[splat]]);
    }
    best.1
}

/// Target area and colour of every material that has splats.
fn wanted(materials: &[usize], targets: &[FitTarget<'_>]) -> Shares {
    let mut full = by_material(
        targets
            .iter()
            .flat_map(|target| target.shares.iter().copied().enumerate()),
    );
    let all: Vec4 = full.iter().copied().sum();
    for (material, full) in full.iter_mut().enumerate() {
        if !materials.contains(&material) {
            *full = Vec4::ZERO;
        }
    }
    let kept: Vec4 = full.iter().copied().sum();
    full.iter_mut().for_each(|full| *full *= all / kept);
    let last = materials.iter().max().map_or(0, |last| last + 1);
    full.resize(full.len().max(last), Vec4::ZERO);
    full
}

fn shown(splats: &Shape, targets: &[FitTarget<'_>]) -> Shares {
    let of_target = targets
        .par_iter()
        .map(|target| SplatFit::at(splats, target).shares(splats));
    // A parallel sum has no fixed order; a sequential one is deterministic.
    let of_target: Vec<Shares> = of_target.collect();
    by_material(of_target.into_iter().flat_map(|shares| shares.into_iter().enumerate()))
}

fn by_material(parts: impl Iterator<Item = (usize, Vec4)>) -> Shares {
    let mut sums = Shares::new();
    for (material, part) in parts {
        sums.resize(sums.len().max(material + 1), Vec4::ZERO);
        sums[material] += part;
    }
    sums
}

/// Factors of a material's colour channels that give its visible part the same brightness.
fn as_bright(shown: Vec4, full: Vec4) -> Vec3 {
    let factor = (full.yzw() / full.x) / (shown.yzw() / shown.x);
    let usable = |x: f32| if x.is_finite() { x.clamp(0.5, 2.0) } else { 1.0 };
    Vec3::new(usable(factor.x), usable(factor.y), usable(factor.z))
}

/// Secant search for the factor of a material's radii.
#[derive(Clone)]
struct Size {
    factor: f32,
    /// Previous factor and its relative excess of visible area.
    before: Option<(f32, f32)>,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            factor: 1.0,
            before: None,
        }
    }
}

impl Size {
    fn step(&mut self, bias: f32) {
        if !bias.is_finite() {
            return;
        }
        let slope = self.before.map(|(at, was)| (bias - was) / (self.factor - at));
        // Covered area grows with the radii, at most with their square.
        let slope = slope.filter(|slope| (0.2..2.5).contains(slope)).unwrap_or(1.0);
        self.before = Some((self.factor, bias));
        self.factor = (self.factor - bias / slope).clamp(0.25 * self.factor, 4.0 * self.factor);
    }
}

/// Position (3), radius, colour (3) and normal (3) of a splat, or gradients by them.
type Numbers = [f32; 10];

/// Optimizes splats for the targets by a number of steps.
pub(super) fn fit(splats: Shape, targets: &[FitTarget<'_>], extent: f32, steps: usize) -> Shape {
    // Dark characters get the same weight of colour as bright ones.
    let sum: Vec4 = targets.iter().map(|target| target.sum).sum();
    let bright = (sum.x / (sum.y + sum.z + sum.w)).min(100.0) * BRIGHT;
    let counts = Vec4::new(1.0, bright, bright, bright);
    let mut here = splats;
    let mut means = vec![[[0.0_f32; 10]; 2]; here.radii.len()];
    for step in 0..steps {
        // Stochastic gradients: every step looks at other pictures. Neighbours in the list show one pose from several
        // elevations, all of which belong into every batch.
        let of_step = |number: &usize| (number + number / BATCHES) % BATCHES == step % BATCHES;
        let batch: Vec<&FitTarget<'_>> = (0..targets.len())
            .filter(of_step)
            .map(|number| &targets[number])
            .collect();
        let found = batch
            .par_iter()
            .map(|target| SplatFit::at(&here, target).slopes(&here, target, counts));
        let found: Vec<Vec<Numbers>> = found.collect();
        let speed = 1.0 - 0.9 * step as f32 / steps as f32;
        for (splat, means) in means.iter_mut().enumerate() {
            let slopes = std::array::from_fn(|k| found.iter().map(|slopes| slopes[splat][k]).sum());
            let change = adam(means, slopes, step as i32 + 1).map(|x| x * speed);
            advance(&mut here, splat, change, extent);
        }
    }
    here
}

/// Steps of Adam (Kingma and Ba 2015), of length 1 at first.
fn adam(moments: &mut [Numbers; 2], slopes: Numbers, count: i32) -> Numbers {
    let [means, squares] = moments;
    std::array::from_fn(|k| {
        means[k] += (1.0 - SLOWLY[0]) * (slopes[k] - means[k]);
        squares[k] += (1.0 - SLOWLY[1]) * (slopes[k] * slopes[k] - squares[k]);
        let mean = means[k] / (1.0 - SLOWLY[0].powi(count));
        let square = squares[k] / (1.0 - SLOWLY[1].powi(count));
        let step = -mean / square.sqrt();
        if step.is_finite() { step } else { 0.0 }
    })
}

fn advance(splats: &mut Shape, splat: usize, steps: Numbers, extent: f32) {
    let [x, y, z, radius, red, green, blue, turn @ ..] = steps;
    let Vertex {
        position,
        color,
        normal,
        ..
    } = &mut splats.mesh.vertices[splat];
    *position += Vec3::new(x, y, z) * (PLACE * extent);
    let changed = color.truncate() + Vec3::new(red, green, blue) * COLOR;
    *color = changed.clamp(Vec3::ZERO, Vec3::ONE).extend(color.w);
    *normal = (*normal + Vec3::from(turn) * NORMAL).normalize_or(*normal);
    let [least, most] = RADII.map(|r| r * extent);
    splats.radii[splat] = (splats.radii[splat] + radius * (RADIUS * extent)).clamp(least, most);
}

/// Picture of splats in the view of a target.
struct SplatFit<'a> {
    shown: Vec<Vec4>,
    canvas: Canvas,
    projected: Vec<Vec3>,
    splats: Splats<'a>,
    size: [usize; 2],
}

impl<'a> SplatFit<'a> {
    fn at(
        splats: &Shape,
        FitTarget {
            pose, frame, shader, ..
        }: &FitTarget<'a>,
    ) -> Self {
        let vertices = pose.skinned(splats);
        let posed = splats.form().posed(&vertices);
        let mut canvas = Canvas::default();
        let projected = cover(posed, shader, frame, &mut canvas);
        let splats = Splats::new(posed, &projected, shader, frame);
        let width = frame.size[0];
        let color = |(sample, &splat): (usize, &u32)| {
            if splat == u32::MAX {
                return Vec4::ZERO;
            }
            let color = splats.color(shader, splat, sample_at(sample % width, sample / width));
            Vec4::new(1.0, color.x, color.y, color.z)
        };
        Self {
            shown: canvas.shown().iter().enumerate().map(color).collect(),
            canvas,
            projected,
            splats,
            size: frame.size,
        }
    }

    fn shares(&self, splats: &Shape) -> Shares {
        let vertices = &splats.mesh.vertices;
        let material = |splat: u32| vertices.get(splat as usize).map(|v| usize::from(v.material));
        let samples = self.canvas.shown().iter().zip(&self.shown);
        by_material(samples.filter_map(|(splat, shown)| Some((material(*splat)?, *shown))))
    }

    /// Gradient of the picture's loss by every number of every splat. Vertex `k` is the centre of splat `k`.
    fn slopes(&self, splats: &Shape, target: &FitTarget<'_>, counts: Vec4) -> Vec<Numbers> {
        let FitTarget { pose, frame, .. } = target;
        let differences = self
            .shown
            .iter()
            .zip(&target.shown)
            .map(|(shown, full)| (*shown - *full) * counts);
        let mut loss_gradient = loss_gradient(&differences.collect::<Vec<Vec4>>(), self.size, target.sum.x.max(1.0));
        loss_gradient
            .iter_mut()
            .for_each(|loss_gradient| *loss_gradient *= counts);
        let mut slopes = vec![[0.0; 10]; splats.radii.len()];
        let covered = self
            .canvas
            .shown()
            .iter()
            .enumerate()
            .filter(|(_, splat)| **splat != u32::MAX);
        for (sample, &splat) in covered {
            let (colors, slopes) = (loss_gradient[sample].yzw(), &mut slopes[splat as usize]);
            let place = sample_at(sample % self.size[0], sample / self.size[0]);
            let turned = self.splats.slope(target.shader, splat, place, colors);
            let along = colors.to_array().into_iter().chain(turned.to_array());
            slopes[4..].iter_mut().zip(along).for_each(|(sum, slope)| *sum += slope);
        }
        for (splat, slopes) in slopes.iter_mut().enumerate() {
            let (moved, grown) = self.rim(splat as u32, splats.radii[splat] * frame.scale, &loss_gradient);
            let [right, up, _] = frame.axes;
            let back = skinning::blend(&splats.mesh.vertices[splat], &pose.palette)
                .matrix3
                .transpose();
            let moved = back * Vec3A::from(right * moved.x + up * moved.y);
            let turned = back * Vec3A::new(slopes[7], slopes[8], slopes[9]);
            slopes[..3].copy_from_slice(&moved.to_array());
            slopes[3] = grown;
            slopes[7..].copy_from_slice(&turned.to_array());
        }
        slopes
    }

    /// Gradients by a splat's position in the picture and by its radius, from the samples on both sides of its rim.
    fn rim(&self, splat: u32, radius: f32, loss_gradient: &[Vec4]) -> (Vec2, f32) {
        let middle = self.projected[splat as usize];
        let (mut moved, mut grown) = (Vec2::ZERO, 0.0);
        for place in 0..RIM {
            let outward = Vec2::from_angle(TAU * (place as f32 + 0.5) / RIM as f32);
            let at = |distance: f32| self.sample(Vec2::new(middle.x, middle.y) + outward * distance);
            let (Some(inside), Some(outside)) = (at((radius - 0.7).max(0.0)), at(radius + 0.7)) else {
                continue;
            };
            let beyond = self.canvas.shown()[outside];
            let is_hidden = beyond != u32::MAX && self.projected[beyond as usize].z > middle.z;
            if self.canvas.shown()[inside] != splat || is_hidden {
                continue;
            }
            let gained = self.shown[inside] - self.shown[outside];
            let slope = 0.5 * (loss_gradient[inside] + loss_gradient[outside]).dot(gained) * radius * TAU / RIM as f32;
            moved += outward * slope;
            grown += slope;
        }
        (moved, grown)
    }

    fn sample(&self, at: Vec2) -> Option<usize> {
        let [width, height] = self.size;
        let is_inside = at.x >= 0.0 && at.y >= 0.0 && at.x < width as f32 && at.y < height as f32;
        is_inside.then(|| at.y as usize * width + at.x as usize)
    }
}

/// Half of the gradient of the loss by the differences; the loss is the sum of squares of the blurred differences.
fn loss_gradient(differences: &[Vec4], size: [usize; 2], area: f32) -> Vec<Vec4> {
    let sum: Vec4 = differences.iter().copied().sum();
    let mut loss_gradient = vec![sum * (WHOLE / area); differences.len()];
    for (half, counts) in BLURS {
        let blurred = blur(differences, size, half);
        let again = blur(&blurred, size, half);
        loss_gradient
            .iter_mut()
            .zip(again)
            .for_each(|(loss_gradient, x)| *loss_gradient += x * counts);
    }
    loss_gradient
}

/// Box blur: means over squares of `2 * half + 1` samples; 0 outside the picture.
fn blur(values: &[Vec4], size: [usize; 2], half: usize) -> Vec<Vec4> {
    let [width, height] = size;
    let mut across = vec![Vec4::ZERO; values.len()];
    for (from, to) in values
        .chunks_exact(width.max(1))
        .zip(across.chunks_exact_mut(width.max(1)))
    {
        let mut sum = Vec4::ZERO;
        for k in 0..width + half {
            if k < width {
                sum += from[k];
            }
            if k > 2 * half {
                sum -= from[k - 2 * half - 1];
            }
            if k >= half {
                to[k - half] = sum;
            }
        }
    }
    // All columns at once, row by row, as they lie in memory.
    let row = |y: usize| y * width..(y + 1) * width;
    let mut sums = vec![Vec4::ZERO; width];
    let mut both = vec![Vec4::ZERO; values.len()];
    for k in 0..height + half {
        if k < height {
            sums.iter_mut().zip(&across[row(k)]).for_each(|(sum, x)| *sum += x);
        }
        if k > 2 * half {
            let left = &across[row(k - 2 * half - 1)];
            sums.iter_mut().zip(left).for_each(|(sum, x)| *sum -= x);
        }
        if k >= half {
            both[row(k - half)].copy_from_slice(&sums);
        }
    }
    let edge = (2 * half + 1) as f32;
    both.iter_mut().for_each(|sum| *sum /= edge * edge);
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blurred_are_means_over_squares() {
        let size = [9, 7];
        let mut values = vec![Vec4::ZERO; 63];
        values[3 * 9 + 4] = Vec4::splat(9.0);
        let blurred = blur(&values, size, 1);
        for y in 0..7 {
            for x in 0..9_usize {
                let is_near = x.abs_diff(4) <= 1 && 3_usize.abs_diff(y) <= 1;
                let found = blurred[y * 9 + x].x;
                assert!(
                    (found - if is_near { 1.0 } else { 0.0 }).abs() < 1e-5,
                    "{x}, {y}: {found}"
                );
            }
        }
    }
}
