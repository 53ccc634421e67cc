//! Normals and colours of a level turned and scaled, each as little as does, so that crowds of it are as bright as
//! those of full detail from all sides, in all poses and under all suns.
//!
//! Between few vertices normals are straight where the full mesh's are bent, and other parts are seen: no fit of single
//! points mends what is left of that on average. How bright a crowd is is nearly linear in the normals and in
//! the colours: one equation for every picture and sun, and the smallest change that solves each of them is made,
//! one after the other, over and over (Kaczmarz 1937).

use glam::{Mat3A, Vec3, Vec3A};

use crate::{
    bake::levels::{
        crowd::{self, Crowd, GROUND, Light, POINT, Picture},
        raster::{Canvas, Posed, disc_normal_parts, luminance_of, point},
        shape::Shape,
        surface_color::{SKYLIGHT, SUNS, highlight, light, slope},
    },
    model::{linear_from_srgb, srgb_from_linear},
};

/// How often every equation is solved.
const ROUNDS: usize = 16;
/// The part of each solution that is gone.
const STEP: f32 = 0.5;
/// How much rather normals turn, by so many radians, than colours change by a whole.
const COLOR: f32 = 0.3;
/// How far a colour goes from what it was, as a part of it in either direction.
const FARTHEST: f32 = 0.25;
/// Good enough, display luminance: poses that built nothing are off by more.
const GOOD: f64 = 0.6 / 255.0;

/// What changes of a level: of every vertex its normal, and a factor of its colour.
#[derive(Clone)]
struct Look {
    normals: Vec<Vec3A>,
    factors: Vec<f32>,
}

/// What a picture shows of a level.
struct Equations<'a> {
    picture: &'a Picture,
    points: Vec<Point>,
    /// How the pose turns the normal of every vertex, and what morph targets add to it before.
    turns: Vec<(Mat3A, Vec3A)>,
    /// Linear luminance that no light changes, ground included.
    own: f32,
    /// Linear luminance, under every sun, with which it is as bright as full detail is on a display.
    wanted: Light,
}

/// A point of a level in a crowd.
struct Point {
    corners: [usize; 3],
    shares: [f32; 3],
    /// What the corners count in the normal, and the rest of it: of a disc, what a ball has there.
    bend: f32,
    rest: Vec3A,
    /// Linear luminance of what it reflects, as a part of the picture's.
    base: f32,
    /// The part of the sky's light that reaches it, and whether that changes with its colour.
    open: f32,
    occludes: bool,
    roughness: Option<f32>,
}

/// What becomes of a normal that faces away from the viewer: linear, and its own transpose.
#[derive(Clone, Copy)]
enum Side {
    /// Nothing.
    Own,
    /// What is seen from both sides faces the viewer.
    Turned,
    /// What is seen of a disc is its front.
    Mirrored,
}

impl Side {
    fn of(self, along: Vec3A, towards: Vec3A) -> Vec3A {
        match self {
            Self::Own => along,
            Self::Turned => -along,
            Self::Mirrored => along - towards * (2.0 * along.dot(towards)),
        }
    }
}

impl Crowd<'_> {
    /// The level with changed normals and colours; as it is where crowds of it are good already: what turns normals for
    /// the whole is off a little more at single points.
    pub(super) fn balance(&self, mut level: Shape) -> Shape {
        let mut canvas = Canvas::default();
        let equations = self
            .pictures
            .iter()
            .map(|picture| self.equations(&level, picture, &mut canvas));
        let equations: Vec<Equations<'_>> = equations.collect();
        let vertices = &mut level.mesh.vertices;
        let mut look = Look {
            normals: vertices.iter().map(|v| v.normal.into()).collect(),
            factors: vec![1.0; vertices.len()],
        };
        let side = match (level.radii.is_empty(), self.outfits.of_picture(0).is_two_sided) {
            (false, _) => Side::Mirrored,
            (true, true) => Side::Turned,
            (true, false) => Side::Own,
        };
        for _ in 0..ROUNDS {
            let mut off = Vec::with_capacity(equations.len() * SUNS);
            let before = look.clone();
            for equations in &equations {
                for (sun, wanted) in self.suns.iter().zip(equations.wanted) {
                    let brighter = equations.solve((*sun, wanted), side, &mut look);
                    off.push(srgb_from_linear(wanted + brighter) - srgb_from_linear(wanted));
                }
            }
            if crowd::off(&off, f32::INFINITY) <= GOOD {
                look = before;
                break;
            }
        }
        for (vertex, normal) in vertices.iter_mut().zip(look.normals) {
            vertex.normal = Vec3::from(normal).normalize_or(vertex.normal);
        }
        level.scale_colors(|vertex| Vec3::splat(look.factors[vertex]));
        level
    }

    fn equations<'p>(&self, level: &Shape, picture: &'p Picture, canvas: &mut Canvas) -> Equations<'p> {
        let vertices = picture.pose.skinned(level);
        let (triangles, _) = level.mesh.indices.as_chunks::<3>();
        let shader = self.outfits.of_picture(picture.number);
        let mut own = GROUND;
        let posed = Posed {
            mesh: &level.mesh,
            vertices: &vertices,
            radii: &level.radii,
        };
        let [linear, display] = self.light(posed, (&picture.frame, picture.number), canvas);
        // Displays show less of what is uneven, and levels are not as uneven as full detail.
        let uneven: Light = std::array::from_fn(|sun| srgb_from_linear(linear[sun]) - display[sun]);
        let seen = self.seen(posed, &picture.frame, canvas);
        let points = seen.into_iter().map(|(shown, _)| {
            let point = point(posed, shader, &picture.frame, &shown);
            own += POINT * (luminance_of(point.own) - GROUND);
            let (shares, (bend, rest)) = match level.radii.is_empty() {
                true => (shown.shares, (1.0, Vec3::ZERO)),
                false => (Vec3::X, disc_normal_parts(shown.shares, picture.frame.axes)),
            };
            Point {
                corners: triangles[shown.triangle as usize].map(|i| i as usize),
                shares: shares.to_array(),
                bend,
                rest: rest.into(),
                base: POINT * luminance_of(point.base),
                open: point.open,
                occludes: point.occludes,
                roughness: point.roughness,
            }
        });
        Equations {
            points: points.collect(),
            turns: picture.pose.turns(level),
            wanted: std::array::from_fn(|sun| linear_from_srgb(picture.display[sun] + uneven[sun])),
            picture,
            own,
        }
    }
}

impl Equations<'_> {
    /// Makes a part of the smallest change after which the level is, to first order, as bright as full detail; how much
    /// brighter it was, linear.
    fn solve(&self, (sun, wanted): (Vec3, f32), side: Side, look: &mut Look) -> f32 {
        let sun = Vec3A::from(sun);
        let towards = Vec3A::from(self.picture.frame.axes[2]);
        let mut bright = self.own;
        let mut by_normal = vec![Vec3A::ZERO; look.normals.len()];
        let mut by_factor = vec![0.0_f32; look.normals.len()];
        for point in &self.points {
            let parts = || point.corners.into_iter().zip(point.shares);
            let posed = |corner: usize| {
                let (turn, moved) = self.turns[corner];
                turn * (look.normals[corner] + moved)
            };
            let shown: Vec3A = parts().map(|(corner, share)| posed(corner) * share).sum();
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
            bright += point.base * factor * light;
            let (mirrored, along) = highlight([normal.into(), towards.into()], point.roughness, sun.into());
            bright += POINT * mirrored;
            let turned = slope(normal.into(), sun.into()) * (point.base * factor) + along * POINT;
            let turned = facing(Vec3A::from(turned) * (point.bend / length));
            let also = if point.occludes { SKYLIGHT * open } else { 0.0 };
            for (corner, share) in parts() {
                by_normal[corner] += self.turns[corner].0.transpose() * turned * share;
                by_factor[corner] += point.base * (light + also) * share;
            }
        }
        let normals: f32 = by_normal.iter().map(|g| g.length_squared()).sum();
        let factors: f32 = by_factor.iter().map(|g| g * g).sum();
        let squared = normals + COLOR * COLOR * factors;
        let step = STEP * (wanted - bright) / squared;
        if !step.is_finite() {
            return 0.0;
        }
        for (normal, by) in look.normals.iter_mut().zip(by_normal) {
            *normal = (*normal + by * step).normalize_or(*normal);
        }
        for (factor, by) in look.factors.iter_mut().zip(by_factor) {
            *factor = (*factor + COLOR * COLOR * by * step).clamp(1.0 - FARTHEST, 1.0 + FARTHEST);
        }
        bright - wanted
    }
}
