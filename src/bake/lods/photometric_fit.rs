//! Photometric fit: changes normals and colours of an LOD as little as possible. Crowds of it should be as bright as
//! those of full detail from all sides, in all poses and under all suns.
//!
//! Normals of an LOD vary linearly between few vertices, where those of the full mesh curve, and other parts are
//! visible. A fit of single points leaves an error on average. The brightness of a crowd is nearly linear in normals
//! and colours, so some pictures under one sun give one equation. The solver makes the smallest change that solves each
//! equation, one after the other, repeatedly (Kaczmarz 1937).
//!
//! Equations depend on how people stand. If all have one pose, each picture is an equation. If all face one way,
//! pictures from one side in all poses are one. If people stand anyhow, pictures from all sides are one, with the sun
//! on one side of the viewer. Fewer equations change the look of single people less. People wear other colours than the
//! file has, so every material has to be as bright as in full detail.

mod points;

use glam::{Mat3A, Vec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bake::lods::{
        crowd::{self, CrowdCoverage, CrowdLight, CrowdPicture, CrowdPictures, CrowdPoint, GROUND},
        highlight::Highlights,
        photometric_fit::points::{FitPoint, FitPoints, FitView},
        raster::splat_normal_parts,
        shape::Shape,
        surface_color::SUNS,
    },
    model::{LUMINANCE, Vertex, display_of_grey, grey_of_display},
};

/// Rounds of solving every equation before the normal bias is chosen again, and after that.
const ROUNDS: [usize; 2] = [3, 8];
/// Relaxation: share of each solution that is applied.
const STEP: f32 = 0.5;
/// Weight of a colour change by a factor of one against a rotation of a normal by one radian.
const COLOR: f32 = 0.3;
/// Largest change of a colour in either direction (share of it).
const FARTHEST: f32 = 0.25;
/// Damping of a material's change, relative to the square of all light: it halves changes of a material that is a
/// twentieth of the picture.
const DAMPING: f32 = 1e-4;
/// Tolerances (display luminance): crowds in one pose, crowds who face one way (in formation, and otherwise), and
/// crowds who stand anyhow. Errors in other poses are larger.
const ALIKE: f64 = 1.2 / 255.0;
const FACING_IN_FORMATION: f64 = 0.2 / 255.0;
const FACING: f64 = 0.6 / 255.0;
const ANYHOW: f64 = 0.1 / 255.0;

/// Arrangement of the people of a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Carried objects, oriented in any way: crowds show no particular sides of them.
    Carried,
    /// Everybody has another pose, and many face one way.
    Anyhow,
    /// Many people share a pose and face one way.
    Formation,
}

impl Order {
    /// Elevations of the views for the fit (rad). Low ones show mostly heads. Crowds who stand anyhow differ in height,
    /// so views from lower still matter, too.
    pub(super) fn elevations(self) -> &'static [f32] {
        match self {
            Self::Formation => &[0.1, 0.2, 0.4, 0.8],
            Self::Anyhow | Self::Carried => &[0.05, 0.1, 0.2, 0.4, 0.8],
        }
    }
}

/// Groups of pictures, an equation each, with their tolerance.
struct Family {
    groups: Vec<Vec<usize>>,
    good: f64,
}

/// Variables of the photometric fit.
#[derive(Clone)]
struct FitVariables {
    /// Normals of the vertices.
    normals: Vec<Vec3A>,
    /// Colour factor of every vertex.
    factors: Vec<f32>,
    /// Upper limit of each factor.
    brightest: Vec<f32>,
    materials: Vec<usize>,
}

/// Terms of the equations of one picture.
struct Equations<'a> {
    picture: &'a CrowdPicture,
    /// Matrix by which the pose transforms the normal of every vertex, and the offset that morph targets add before.
    turns: Vec<(Mat3A, Vec3A)>,
    /// Transposed matrices of `turns`.
    back: Vec<Mat3A>,
    points: FitPoints,
    /// Share of the picture that a point covers.
    point_share: f32,
    /// Linear luminance of every material that is independent of normals and colours: its emission, and its reflection
    /// of the sky, which changes little.
    own: Vec<CrowdLight>,
    /// Target: linear luminance of every visible material of the LOD under every sun. Their sum is as bright as full
    /// detail on a display.
    wanted: Vec<CrowdLight>,
    /// Light of all materials and the ground.
    whole: CrowdLight,
}

/// Linear luminance of every material, and its gradient by every variable.
struct Slopes {
    /// Luminance minus the target.
    brighter: Vec<f32>,
    wanted: f32,
    normals: Vec<Vec3A>,
    factors: Vec<f32>,
}

/// Map of a normal that faces away from the viewer: linear, and equal to its own transpose.
#[derive(Clone, Copy, Debug)]
enum NormalSide {
    /// Unchanged.
    Own,
    /// Flipped towards the viewer, for two-sided surfaces.
    Turned,
    /// Mirrored towards the viewer, for splats, whose front is always visible.
    Mirrored,
}

impl Slopes {
    fn new(vertices: usize, materials: usize) -> Self {
        Self {
            brighter: vec![0.0; materials],
            wanted: 0.0,
            normals: vec![Vec3A::ZERO; vertices],
            factors: vec![0.0; vertices],
        }
    }
}

impl NormalSide {
    fn of(self, along: Vec3A, towards: Vec3A) -> Vec3A {
        match self {
            Self::Own => along,
            Self::Turned => -along,
            Self::Mirrored => along - towards * (2.0 * along.dot(towards)),
        }
    }
}

impl CrowdPictures<'_> {
    /// Fits normals and colours of an LOD, and its normal bias, which depends on the normals. Leaves families of
    /// equations alone that are within their tolerance, since a fit of the whole adds small errors at single points.
    /// `coverage` is that of the LOD.
    pub(super) fn photometric_fit(&self, lod: Shape, coverage: &CrowdCoverage, order: Order) -> Shape {
        let [before, after] = ROUNDS;
        let lod = self.fit_rounds(lod, coverage, order, before);
        // Splats have no bias.
        let lod = match lod.radii.is_empty() {
            true => self.with_normal_bias(lod, coverage),
            false => lod,
        };
        self.fit_rounds(lod, coverage, order, after)
    }

    fn fit_rounds(&self, mut lod: Shape, coverage: &CrowdCoverage, order: Order, rounds: usize) -> Shape {
        let families = self.families(order);
        if families.is_empty() {
            return lod;
        }
        let equations = self.pictures.par_iter();
        let equations: Vec<Equations<'_>> = equations
            .map(|picture| self.equations(&lod, coverage, picture))
            .collect();
        let mut look = FitVariables::of(&lod);
        let side = match (lod.radii.is_empty(), self.variants.of_picture(0).is_two_sided) {
            (false, _) => NormalSide::Mirrored,
            (true, true) => NormalSide::Turned,
            (true, false) => NormalSide::Own,
        };
        for _ in 0..rounds {
            let solved = families.iter().filter(|family| {
                let before = look.clone();
                let off = look.solve_all(&equations, family, side);
                let is_good = crowd::off(&off, f32::INFINITY) <= family.good;
                if is_good {
                    look = before;
                }
                !is_good
            });
            if solved.count() == 0 {
                break;
            }
        }
        for (vertex, normal) in lod.mesh.vertices.iter_mut().zip(look.normals) {
            vertex.normal = Vec3::from(normal).normalize_or(vertex.normal);
        }
        lod.scale_colors(|vertex| Vec3::splat(look.factors[vertex]));
        lod
    }

    /// Families of equations for an arrangement of people.
    fn families(&self, order: Order) -> Vec<Family> {
        let by = |key: fn(&CrowdPicture) -> usize, good: f64| {
            let mut groups: Vec<Vec<usize>> = Vec::new();
            for (number, picture) in self.pictures.iter().enumerate() {
                let key = key(picture);
                groups.resize_with(groups.len().max(key + 1), Vec::new);
                groups[key].push(number);
            }
            Family { groups, good }
        };
        let alike = |good| by(|picture| picture.number, good);
        let facing = |good| by(|picture| 2 * picture.side + picture.turn, good);
        let anyhow = |good| by(|picture| 2 * picture.elevation + picture.turn, good);
        match order {
            Order::Carried => Vec::new(),
            Order::Anyhow => vec![facing(FACING), anyhow(ANYHOW)],
            Order::Formation => vec![alike(ALIKE), facing(FACING_IN_FORMATION), anyhow(ANYHOW)],
        }
    }

    fn equations<'p>(&self, lod: &Shape, coverage: &CrowdCoverage, picture: &'p CrowdPicture) -> Equations<'p> {
        let vertices = picture.pose.skinned(lod);
        let (triangles, _) = lod.mesh.indices.as_chunks::<3>();
        let seen = self.shaded(lod.form().posed(&vertices), coverage, picture);
        let suns = picture.viewed_suns();
        let mirrored: Vec<CrowdLight> = seen.iter().map(|seen| seen.point.mirrored(&suns)).collect();
        let [linear, display] = self.light_with(&seen, &mirrored, &suns);
        let point_share = self.point_share();
        // A display compresses uneven light, and LODs are less uneven than full detail: this is the difference.
        let uneven: CrowdLight = std::array::from_fn(|sun| display_of_grey(linear[sun]) - display[sun]);
        let whole: CrowdLight = std::array::from_fn(|sun| grey_of_display(picture.display[sun] + uneven[sun]));
        let point = |CrowdPoint { shown, point, .. }: &CrowdPoint| {
            let (shares, (bend, rest)) = match lod.radii.is_empty() {
                true => (shown.shares, (1.0, picture.frame.axes[2] * lod.normal_bias)),
                false => (Vec3::X, splat_normal_parts(shown.shares, picture.frame.axes)),
            };
            FitPoint {
                corners: triangles[shown.triangle as usize],
                shares: shares.to_array(),
                bend,
                rest: rest.into(),
                base: point_share * point.base.dot(LUMINANCE),
                open: point.open,
                occludes: point.occludes,
                roughness: point.roughness,
            }
        };
        let materials = lod.mesh.vertices.iter().map(|v| usize::from(v.material) + 1).max();
        let mut own = vec![[0.0; SUNS]; materials.unwrap_or(0)];
        let mut wanted = vec![[0.0; SUNS]; own.len()];
        for (seen, mirrored) in seen.iter().zip(&mirrored) {
            let emitted = seen.point.own.dot(LUMINANCE);
            let lights = own[seen.material].iter_mut().zip(mirrored);
            lights.for_each(|(own, mirrored)| *own += point_share * (emitted + mirrored));
            wanted[seen.material] = picture.materials.get(seen.material).copied().unwrap_or_default();
        }
        let ground = GROUND * (1.0 - point_share * seen.len() as f32);
        for (sun, whole) in whole.iter().enumerate() {
            let scale = (whole - ground) / wanted.iter().map(|wanted| wanted[sun]).sum::<f32>();
            wanted.iter_mut().for_each(|wanted| wanted[sun] *= scale);
        }
        let turns = picture.pose.turns(lod);
        Equations {
            points: FitPoints::new(&seen.iter().map(point).collect::<Vec<_>>()),
            point_share,
            back: turns.iter().map(|(turn, _)| turn.transpose()).collect(),
            turns,
            picture,
            own,
            wanted,
            whole,
        }
    }
}

impl FitVariables {
    fn of(lod: &Shape) -> Self {
        let vertices = &lod.mesh.vertices;
        // White cannot become brighter.
        let brightest = |v: &Vertex| v.color.truncate().max_element().recip().min(1.0 + FARTHEST);
        Self {
            normals: vertices.iter().map(|v| v.normal.into()).collect(),
            factors: vec![1.0; vertices.len()],
            brightest: vertices.iter().map(brightest).collect(),
            materials: vertices.iter().map(|v| usize::from(v.material)).collect(),
        }
    }

    /// Solves every group of a family under every sun. Returns the display brightness errors before.
    fn solve_all(&mut self, equations: &[Equations<'_>], family: &Family, side: NormalSide) -> Vec<f32> {
        let mut off = Vec::with_capacity(family.groups.len() * SUNS);
        for group in family.groups.iter().filter(|group| !group.is_empty()) {
            let share = 1.0 / group.len() as f32;
            let group = || group.iter().map(|&picture| &equations[picture]);
            for sun in 0..SUNS {
                let wanted = share * group().map(|e| e.whole[sun]).sum::<f32>();
                let brighter = share * self.solve(group(), sun, side);
                off.push(display_of_grey(wanted + brighter) - display_of_grey(wanted));
            }
        }
        off
    }

    /// Applies a share of the smallest change with which some pictures become as bright as full detail to first order,
    /// by material and in total. Returns the linear brightness error before.
    fn solve<'e>(&mut self, pictures: impl Iterator<Item = &'e Equations<'e>>, sun: usize, side: NormalSide) -> f32 {
        let mut slopes = Slopes::new(self.normals.len(), 0);
        for equations in pictures {
            equations.add(self, sun, side, &mut slopes);
        }
        let brighter: f32 = slopes.brighter.iter().sum();
        let mut squared = vec![0.0_f32; slopes.brighter.len()];
        for ((normal, factor), &material) in slopes.normals.iter().zip(&slopes.factors).zip(&self.materials) {
            if let Some(squared) = squared.get_mut(material) {
                *squared += normal.length_squared() + COLOR * COLOR * factor * factor;
            }
        }
        let damping = DAMPING * slopes.wanted * slopes.wanted;
        let own = |(brighter, squared): (&f32, &f32)| -STEP * brighter / (squared + damping);
        let steps: Vec<f32> = slopes.brighter.iter().zip(&squared).map(own).collect();
        let gone: f32 = steps.iter().zip(&squared).map(|(step, squared)| step * squared).sum();
        let combined = (-STEP * brighter - gone) / squared.iter().sum::<f32>();
        if !combined.is_finite() {
            return 0.0;
        }
        for (vertex, &material) in self.materials.iter().enumerate() {
            let step = combined + steps.get(material).unwrap_or(&0.0);
            let normal = &mut self.normals[vertex];
            *normal = (*normal + slopes.normals[vertex] * step).normalize_or(*normal);
            let factor = self.factors[vertex] + COLOR * COLOR * slopes.factors[vertex] * step;
            self.factors[vertex] = factor.clamp(1.0 - FARTHEST, self.brightest[vertex]);
        }
        brighter
    }
}

impl Equations<'_> {
    /// Adds the luminance of the picture under a sun, and its gradient.
    fn add(&self, look: &FitVariables, number: usize, side: NormalSide, slopes: &mut Slopes) {
        let (sun, towards) = (self.picture.suns[number], self.picture.frame.axes[2]);
        slopes.brighter.resize(self.wanted.len(), 0.0);
        for ((brighter, own), wanted) in slopes.brighter.iter_mut().zip(&self.own).zip(&self.wanted) {
            *brighter += own[number] - wanted[number];
            slopes.wanted += wanted[number];
        }
        let normals = self.turns.iter().zip(&look.normals);
        let posed: Vec<Vec3A> = normals
            .map(|((turn, moved), normal)| *turn * (*normal + *moved))
            .collect();
        let view = FitView {
            highlights: Highlights::new(towards, sun),
            sun,
            towards: towards.into(),
            point_share: self.point_share,
            posed: &posed,
            back: &self.back,
            side,
        };
        self.points.add(look, &view, slopes);
    }
}
