//! Equations of the fit to first order: brightness of groups of pictures, and its gradient by normals and colours.
//!
//! All points of all pictures are shaded once; rounds of the solver then cost a few numbers per vertex. Changes are small,
//! so the gradient holds for some rounds. Gradients are sparse: a picture shows no more vertices than it has corners of
//! points, however many the mesh has.

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    bake::lods::{
        photometric_fit::{Equations, Family, FitVariables, NormalSide, Slopes},
        surface_color::SUNS,
    },
    model::display_of_grey,
};

/// Relaxation: share of each solution that is applied.
const STEP: f32 = 0.5;
/// Weight of a colour change by a factor of one against a rotation of a normal by one radian.
const COLOR: f32 = 0.3;
/// Largest change of a colour in either direction (share of it).
pub(super) const FARTHEST: f32 = 0.25;
/// Damping of a material's change, relative to the square of all light: it halves changes of a material that is a
/// twentieth of the picture.
const DAMPING: f32 = 1e-4;

/// Equations of all families around given normals and colours.
pub(super) struct LinearSystem {
    around: FitVariables,
    /// Equations by sun, family and group.
    equations: Vec<Vec<Vec<LinearEquation>>>,
}

/// Equation of one group of pictures under one sun.
#[derive(Clone)]
struct LinearEquation {
    pictures: usize,
    /// Sum over the pictures of the linear luminance that they should have, ground included.
    whole: f32,
    slopes: SparseSlopes,
    /// Square of the gradient by the variables of each material.
    squared: Vec<f32>,
}

/// [`Slopes`] of the vertices that pictures show.
#[derive(Clone, Default)]
struct SparseSlopes {
    brighter: Vec<f32>,
    wanted: f32,
    /// Slopes by ascending vertex.
    vertices: Vec<VertexSlope>,
}

/// Gradient by the variables of one vertex.
#[derive(Clone, Copy)]
struct VertexSlope {
    vertex: usize,
    normal: Vec3A,
    factor: f32,
}

impl LinearSystem {
    pub(super) fn around(
        look: &FitVariables,
        equations: &[Equations<'_>],
        families: &[Family],
        side: NormalSide,
    ) -> Self {
        let materials = equations.first().map_or(0, |equations| equations.wanted.len());
        let empty = LinearEquation {
            pictures: 0,
            whole: 0.0,
            slopes: SparseSlopes {
                brighter: vec![0.0; materials],
                ..SparseSlopes::default()
            },
            squared: vec![0.0; materials],
        };
        // Every sun adds up its pictures in order: sums do not depend on the number of threads.
        let under = |sun: usize| {
            let mut of_sun: Vec<Vec<LinearEquation>> = families
                .iter()
                .map(|family| vec![empty.clone(); family.groups])
                .collect();
            for (picture, equations) in equations.iter().enumerate() {
                let slopes = SparseSlopes::of(equations.slopes(look, sun, side));
                for (family, of_family) in families.iter().zip(&mut of_sun) {
                    of_family[family.group_of[picture]].add(&slopes, equations.whole[sun]);
                }
            }
            for equation in of_sun.iter_mut().flatten() {
                equation.squared = equation.slopes.squared(&look.materials);
            }
            of_sun
        };
        Self {
            around: look.clone(),
            equations: (0..SUNS).into_par_iter().map(under).collect(),
        }
    }

    /// Solves every equation of a family, one after the other. Returns the display brightness errors before.
    pub(super) fn solve(&self, look: &mut FitVariables, family: usize) -> Vec<f32> {
        let solve = |equation: &LinearEquation| equation.solve(look, &self.around);
        self.of_family(family).map(solve).collect()
    }

    fn of_family(&self, family: usize) -> impl Iterator<Item = &LinearEquation> {
        let groups = self.equations.first().map_or(0, |of_sun| of_sun[family].len());
        let of_group = move |group: usize| self.equations.iter().map(move |of_sun| &of_sun[family][group]);
        (0..groups).flat_map(of_group).filter(|equation| equation.pictures > 0)
    }

    /// Display brightness errors of a family.
    #[cfg(test)]
    pub(super) fn errors(&self, look: &FitVariables, family: usize) -> Vec<f32> {
        let error = |equation: &LinearEquation| {
            equation.display_error(equation.slopes.brighter_at(look, &self.around).iter().sum())
        };
        self.of_family(family).map(error).collect()
    }
}

impl LinearEquation {
    fn add(&mut self, slopes: &SparseSlopes, whole: f32) {
        self.pictures += 1;
        self.whole += whole;
        self.slopes.add(slopes);
    }

    /// Applies a share of the smallest change with which the pictures become as bright as full detail, by material and in
    /// total. Returns the display brightness error before.
    fn solve(&self, look: &mut FitVariables, around: &FitVariables) -> f32 {
        let Self { slopes, squared, .. } = self;
        let by_material = slopes.brighter_at(look, around);
        let brighter: f32 = by_material.iter().sum();
        let damping = DAMPING * slopes.wanted * slopes.wanted;
        let own = |(brighter, squared): (&f32, &f32)| -STEP * brighter / (squared + damping);
        let steps: Vec<f32> = by_material.iter().zip(squared).map(own).collect();
        let gone: f32 = steps.iter().zip(squared).map(|(step, squared)| step * squared).sum();
        let combined = (-STEP * brighter - gone) / squared.iter().sum::<f32>();
        if !combined.is_finite() {
            return 0.0;
        }
        let mut shown = slopes.vertices.iter().peekable();
        for (vertex, &material) in look.materials.iter().enumerate() {
            let step = combined + steps.get(material).unwrap_or(&0.0);
            let slope = shown.next_if(|slope| slope.vertex == vertex);
            let (by_normal, by_factor) = slope.map_or((Vec3A::ZERO, 0.0), |slope| (slope.normal, slope.factor));
            let normal = &mut look.normals[vertex];
            *normal = (*normal + by_normal * step).normalize_or(*normal);
            let factor = look.factors[vertex] + COLOR * COLOR * by_factor * step;
            look.factors[vertex] = factor.clamp(1.0 - FARTHEST, look.brightest[vertex]);
        }
        self.display_error(brighter)
    }

    /// Error of the mean picture on a display, from the sum of the linear errors.
    fn display_error(&self, brighter: f32) -> f32 {
        let share = 1.0 / self.pictures as f32;
        let wanted = share * self.whole;
        display_of_grey(wanted + share * brighter) - display_of_grey(wanted)
    }
}

impl SparseSlopes {
    fn of(slopes: Slopes) -> Self {
        let all = slopes.normals.into_iter().zip(slopes.factors).enumerate();
        let all = all.map(|(vertex, (normal, factor))| VertexSlope { vertex, normal, factor });
        Self {
            brighter: slopes.brighter,
            wanted: slopes.wanted,
            vertices: all.filter(|v| v.normal != Vec3A::ZERO || v.factor != 0.0).collect(),
        }
    }

    fn add(&mut self, other: &Self) {
        let brighter = self.brighter.iter_mut().zip(&other.brighter);
        brighter.for_each(|(sum, part)| *sum += part);
        self.wanted += other.wanted;
        let (mut here, mut there) = (self.vertices.iter().peekable(), other.vertices.iter().peekable());
        let mut both = Vec::with_capacity(self.vertices.len().max(other.vertices.len()));
        while let Some(next) = [here.peek(), there.peek()]
            .into_iter()
            .flatten()
            .map(|v| v.vertex)
            .min()
        {
            let slopes = [&mut here, &mut there].map(|slopes| slopes.next_if(|slope| slope.vertex == next));
            let none = VertexSlope {
                vertex: next,
                normal: Vec3A::ZERO,
                factor: 0.0,
            };
            both.push(slopes.into_iter().flatten().fold(none, |sum, part| VertexSlope {
                normal: sum.normal + part.normal,
                factor: sum.factor + part.factor,
                ..sum
            }));
        }
        self.vertices = both;
    }

    /// Square of the gradient by the variables of each material.
    fn squared(&self, materials: &[usize]) -> Vec<f32> {
        let mut squared = vec![0.0_f32; self.brighter.len()];
        for slope in &self.vertices {
            if let Some(squared) = squared.get_mut(materials[slope.vertex]) {
                *squared += slope.normal.length_squared() + COLOR * COLOR * slope.factor * slope.factor;
            }
        }
        squared
    }

    /// Luminance of every material minus the target, to first order, at other variables than those that the gradient is
    /// taken at.
    fn brighter_at(&self, look: &FitVariables, around: &FitVariables) -> Vec<f32> {
        let mut brighter = self.brighter.clone();
        for slope in &self.vertices {
            let vertex = slope.vertex;
            let turned = look.normals[vertex] - around.normals[vertex];
            let scaled = look.factors[vertex] - around.factors[vertex];
            if let Some(brighter) = brighter.get_mut(look.materials[vertex]) {
                *brighter += slope.normal.dot(turned) + slope.factor * scaled;
            }
        }
        brighter
    }
}
