//! Normals and colours of a level turned and scaled, each as little as does, so that crowds of it are as bright as
//! those of full detail from all sides, in all poses and under all suns.
//!
//! Between few vertices normals are straight where the full mesh's are bent, and other parts are seen: no fit of single
//! points mends what is left of that on average. How bright a crowd is is nearly linear in the normals and in
//! the colours: one equation for some pictures under a sun, and the smallest change that solves each of them is made,
//! one after the other, over and over (Kaczmarz 1937). Where all stand alike, pictures count one by one; where all face
//! one way, together with those from the same side in other poses; where people stand anyhow, from all sides, with the
//! sun on one side of the viewer. The fewer equations, the less they bend what single people look like.
//! People wear other colours than the file has: every material is to be as bright.

use glam::{Mat3A, Vec3, Vec3A};

use crate::{
    bake::lods::{
        crowd::{self, CrowdLight, CrowdPicture, CrowdPictures, CrowdTile, GROUND, POINT},
        highlight::Highlights,
        raster::{Canvas, splat_normal_parts},
        shape::Shape,
        surface_color::{SUNS, light, skylight, slope},
    },
    model::{LUMINANCE, Vertex, display_of_grey, grey_of_display},
};

/// How often every equation is solved, and how often where normals are made to lean after it, and balanced again.
pub(super) const ROUNDS: usize = 8;
pub(super) const FEW_ROUNDS: usize = 3;
/// The part of each solution that is gone.
const STEP: f32 = 0.5;
/// How much rather normals turn, by so many radians, than colours change by a whole.
const COLOR: f32 = 0.3;
/// How far a colour goes from what it was, as a part of it in either direction.
const FARTHEST: f32 = 0.25;
/// Damping of a material's change, in parts of the square of all light: changes of a material that is a twentieth of
/// the picture are halved.
const DAMPING: f32 = 1e-4;
/// Good enough, display luminance, of crowds who all stand alike, who face one way (in ranks, and else), and who stand
/// anyhow: poses that built nothing are off by more.
const ALIKE: f64 = 1.2 / 255.0;
const FACING_IN_RANKS: f64 = 0.2 / 255.0;
const FACING: f64 = 0.6 / 255.0;
const ANYHOW: f64 = 0.1 / 255.0;

/// How the people of a crowd stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Not at all: things that somebody carries, turned in any way. No sides of these are those that crowds show.
    Carried,
    /// Everybody does something else, and many face one way.
    Anyhow,
    /// Many in one pose face one way.
    Ranks,
}

impl Order {
    /// Elevations from which crowds are seen that levels are balanced by, radians: from low ones heads are most of what
    /// is seen, and of who stands anyhow, some larger than others, one sees them from lower still.
    pub(super) fn elevations(self) -> &'static [f32] {
        match self {
            Self::Ranks => &[0.1, 0.2, 0.4, 0.8],
            Self::Anyhow | Self::Carried => &[0.05, 0.1, 0.2, 0.4, 0.8],
        }
    }
}

/// Pictures that are balanced together, and how well.
struct Family {
    groups: Vec<Vec<usize>>,
    good: f64,
}

/// Variables of the fit.
#[derive(Clone)]
struct FitVariables {
    /// Normal of every vertex.
    normals: Vec<Vec3A>,
    /// Factor of the colour of every vertex.
    factors: Vec<f32>,
    /// The most that each factor may be.
    brightest: Vec<f32>,
    materials: Vec<usize>,
}

/// Equations of one picture.
struct Equations<'a> {
    picture: &'a CrowdPicture,
    /// How the pose turns the normal of every vertex, and what morph targets add to it before.
    turns: Vec<(Mat3A, Vec3A)>,
    /// Transposes of those.
    back: Vec<Mat3A>,
    points: Vec<FitPoint>,
    /// Linear luminance that does not change with normals and colours, of every material: its own, and what it mirrors
    /// of the sky, which changes little.
    own: Vec<CrowdLight>,
    /// Linear luminance of every material, under every sun, with which all together are as bright as full detail is on
    /// a display; of those that the level shows.
    wanted: Vec<CrowdLight>,
    /// Light of all materials, ground included.
    whole: CrowdLight,
}

/// A point of a level in a crowd.
struct FitPoint {
    corners: [usize; 3],
    shares: [f32; 3],
    /// Weight of the vertices in the normal, and the rest of it: the bias towards the viewer, or for a splat the
    /// normal of a ball.
    bend: f32,
    rest: Vec3A,
    /// Linear luminance of what it reflects, as a part of the picture's.
    base: f32,
    /// The part of the sky's light that reaches it, and whether that changes with its colour.
    open: f32,
    occludes: bool,
    roughness: Option<f32>,
}

/// Linear luminance of every material, and how it changes with every number of a level.
struct Slopes {
    /// Less what is wanted.
    brighter: Vec<f32>,
    wanted: f32,
    normals: Vec<Vec3A>,
    factors: Vec<f32>,
}

/// Change of a normal that faces away from the viewer: linear, and its own transpose.
#[derive(Clone, Copy)]
enum NormalSide {
    /// Nothing.
    Own,
    /// Two-sided surface: it faces the viewer.
    Turned,
    /// Splat: its front is visible.
    Mirrored,
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
    /// The level with changed normals and colours; as it is where crowds of it are good already: what turns normals for
    /// the whole is off a little more at single points.
    pub(super) fn photometric_fit(&self, mut lod: Shape, (order, rounds): (Order, usize)) -> Shape {
        let families = self.families(order);
        if families.is_empty() {
            return lod;
        }
        let mut canvas = Canvas::default();
        let equations = self
            .pictures
            .iter()
            .map(|picture| self.equations(&lod, picture, &mut canvas));
        let equations: Vec<Equations<'_>> = equations.collect();
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

    /// Families of equations for an order of people.
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
            Order::Ranks => vec![alike(ALIKE), facing(FACING_IN_RANKS), anyhow(ANYHOW)],
        }
    }

    fn equations<'p>(&self, lod: &Shape, picture: &'p CrowdPicture, canvas: &mut Canvas) -> Equations<'p> {
        let vertices = picture.pose.skinned(lod);
        let (triangles, _) = lod.mesh.indices.as_chunks::<3>();
        let posed = lod.form().posed(&vertices);
        let seen = self.seen(posed, (&picture.frame, picture.number), canvas);
        let [linear, display] = crowd::light(&seen, &picture.suns);
        // Displays show less of what is uneven, and levels are not as uneven as full detail.
        let uneven: CrowdLight = std::array::from_fn(|sun| display_of_grey(linear[sun]) - display[sun]);
        let whole: CrowdLight = std::array::from_fn(|sun| grey_of_display(picture.display[sun] + uneven[sun]));
        let point = |CrowdTile { shown, point, .. }: &CrowdTile| {
            let (shares, (bend, rest)) = match lod.radii.is_empty() {
                true => (shown.shares, (1.0, picture.frame.axes[2] * lod.normal_bias)),
                false => (Vec3::X, splat_normal_parts(shown.shares, picture.frame.axes)),
            };
            FitPoint {
                corners: triangles[shown.triangle as usize].map(|i| i as usize),
                shares: shares.to_array(),
                bend,
                rest: rest.into(),
                base: POINT * point.base.dot(LUMINANCE),
                open: point.open,
                occludes: point.occludes,
                roughness: point.roughness,
            }
        };
        let materials = lod.mesh.vertices.iter().map(|v| usize::from(v.material) + 1).max();
        let mut own = vec![[0.0; SUNS]; materials.unwrap_or(0)];
        let mut wanted = vec![[0.0; SUNS]; own.len()];
        for seen in &seen {
            let lights = own[seen.material].iter_mut().zip(&picture.suns);
            lights.for_each(|(own, sun)| *own += POINT * (seen.point.own.dot(LUMINANCE) + seen.point.mirrored(*sun)));
            wanted[seen.material] = picture.materials.get(seen.material).copied().unwrap_or_default();
        }
        let ground = GROUND * (1.0 - POINT * seen.len() as f32);
        for (sun, whole) in whole.iter().enumerate() {
            let scale = (whole - ground) / wanted.iter().map(|wanted| wanted[sun]).sum::<f32>();
            wanted.iter_mut().for_each(|wanted| wanted[sun] *= scale);
        }
        let turns = picture.pose.turns(lod);
        Equations {
            points: seen.iter().map(point).collect(),
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
        // What is white cannot be brighter.
        let brightest = |v: &Vertex| v.color.truncate().max_element().recip().min(1.0 + FARTHEST);
        Self {
            normals: vertices.iter().map(|v| v.normal.into()).collect(),
            factors: vec![1.0; vertices.len()],
            brightest: vertices.iter().map(brightest).collect(),
            materials: vertices.iter().map(|v| usize::from(v.material)).collect(),
        }
    }

    /// Solves every group of a family under every sun; how much brighter each was on a display.
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

    /// Makes a part of the smallest change after which every material, and all together, are to first order as bright
    /// in some pictures as full detail's are; how much brighter they were, linear.
    fn solve<'e>(&mut self, pictures: impl Iterator<Item = &'e Equations<'e>>, sun: usize, side: NormalSide) -> f32 {
        let mut slopes = Slopes {
            brighter: Vec::new(),
            wanted: 0.0,
            normals: vec![Vec3A::ZERO; self.normals.len()],
            factors: vec![0.0; self.normals.len()],
        };
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
    /// Adds how bright the picture is under a sun, and its slopes.
    fn add(&self, look: &FitVariables, number: usize, side: NormalSide, slopes: &mut Slopes) {
        let sun = Vec3A::from(self.picture.suns[number]);
        let towards = Vec3A::from(self.picture.frame.axes[2]);
        slopes.brighter.resize(self.wanted.len(), 0.0);
        for ((brighter, own), wanted) in slopes.brighter.iter_mut().zip(&self.own).zip(&self.wanted) {
            *brighter += own[number] - wanted[number];
            slopes.wanted += wanted[number];
        }
        let highlights = Highlights::new(towards.into(), sun.into());
        let normals = self.turns.iter().zip(&look.normals);
        let posed: Vec<Vec3A> = normals
            .map(|((turn, moved), normal)| *turn * (*normal + *moved))
            .collect();
        for point in &self.points {
            let parts = || point.corners.into_iter().zip(point.shares);
            let shown: Vec3A = parts().map(|(corner, share)| posed[corner] * share).sum();
            let is_away = shown.dot(towards) < 0.0;
            let facing = |along: Vec3A| if is_away { side.of(along, towards) } else { along };
            let mixed = facing(shown) * point.bend + point.rest;
            let length = mixed.length();
            if length <= 0.0 {
                continue;
            }
            let normal = mixed / length;
            let factor: f32 = parts().map(|(corner, share)| look.factors[corner] * share).sum();
            let open = if point.occludes {
                point.open * factor
            } else {
                point.open
            };
            let light = light((normal.into(), open), sun.into());
            let (mirrored, along) = highlights.on(normal.into(), point.roughness);
            slopes.brighter[look.materials[point.corners[0]]] += point.base * factor * light + POINT * mirrored;
            let turned = slope((normal.into(), open), sun.into()) * (point.base * factor) + along * POINT;
            let turned = facing(Vec3A::from(turned) * (point.bend / length));
            let also = if point.occludes {
                skylight(normal.into()) * open
            } else {
                0.0
            };
            for (corner, share) in parts() {
                slopes.normals[corner] += self.back[corner] * turned * share;
                slopes.factors[corner] += point.base * (light + also) * share;
            }
        }
    }
}
