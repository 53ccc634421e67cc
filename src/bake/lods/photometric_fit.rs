//! Photometric fit: changes normals and colours of an LOD as little as possible. Crowds of it should be as bright as
//! those of full detail from all sides, in all poses and under all suns.
//!
//! Normals of an LOD vary linearly between few vertices, where those of the full mesh curve, and other parts are
//! visible. A fit of single points leaves an error on average. The brightness of a crowd is nearly linear in normals
//! and colours, so some pictures under one sun give one equation. The solver makes the smallest change that solves each
//! equation, one after the other, repeatedly (Kaczmarz 1937), on equations to first order (`linear`).
//!
//! Equations depend on how people stand. If all have one pose, each picture is an equation. If all face one way,
//! pictures from one side in all poses are one. If people stand anyhow, pictures from all sides are one, with the sun
//! on one side of the viewer. Fewer equations change the look of single people less. People wear other colours than the
//! file has, so every material has to be as bright as in full detail.

mod linear;
mod points;
#[cfg(test)]
mod tests;

use glam::{Mat3A, Vec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bake::lods::{
        crowd::{self, CrowdCoverage, CrowdLight, CrowdPicture, CrowdPictures, CrowdPoint, GROUND},
        highlight::Highlights,
        photometric_fit::{
            linear::{FARTHEST, LinearSystem},
            points::{FitPoint, FitPoints, FitView},
        },
        raster::splat_normal_parts,
        shape::Shape,
        surface_color::SUNS,
    },
    model::{LUMINANCE, Vertex, display_of_grey, grey_of_display},
};

/// Rounds of solving every equation before the normal bias is chosen again, and after that.
const ROUNDS: [usize; 2] = [3, 8];
/// Rounds after which the gradient is taken again.
const LINEAR_ROUNDS: usize = 2;
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
    /// Group of every picture, below the number of groups. Groups may be empty.
    group_of: Vec<usize>,
    groups: usize,
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
        let mut left = rounds;
        while left > 0 {
            let system = LinearSystem::around(&look, &equations, &families, side);
            let rounds = left.min(LINEAR_ROUNDS);
            if (0..rounds).take_while(|_| look.solve_round(&system, &families)).count() == 0 {
                break;
            }
            left -= rounds;
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
            let group_of: Vec<usize> = self.pictures.iter().map(key).collect();
            Family {
                groups: group_of.iter().max().map_or(0, |last| last + 1),
                group_of,
                good,
            }
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

    /// Solves the families of equations that are beyond their tolerance; false if there is none.
    fn solve_round(&mut self, system: &LinearSystem, families: &[Family]) -> bool {
        let mut is_off = false;
        for (number, family) in families.iter().enumerate() {
            let before = self.clone();
            let off = system.solve(self, number);
            if crowd::off(&off, f32::INFINITY) <= family.good {
                *self = before;
            } else {
                is_off = true;
            }
        }
        is_off
    }
}

impl Equations<'_> {
    /// Luminance of the picture under a sun, and its gradient.
    fn slopes(&self, look: &FitVariables, number: usize, side: NormalSide) -> Slopes {
        let (sun, towards) = (self.picture.suns[number], self.picture.frame.axes[2]);
        let mut slopes = Slopes::new(look.normals.len(), self.wanted.len());
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
            side,
        };
        self.points.add(look, &view, &mut slopes);
        // Points add up what normals in the pose do; those of the rest pose are what changes.
        for (slope, (turn, _)) in slopes.normals.iter_mut().zip(&self.turns) {
            *slope = turn.transpose() * *slope;
        }
        slopes
    }
}
