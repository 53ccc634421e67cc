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
        crowd::{self, Crowd, GROUND, POINT, Picture},
        raster::{Canvas, Posed, luminance_of, point},
        shape::Shape,
        surface_color::{SKYLIGHT, SUNLIGHT, SUNS, light},
    },
    model::srgb_from_linear,
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
}

/// A point of a level in a crowd.
struct Point {
    corners: [usize; 3],
    shares: [f32; 3],
    /// Linear luminance of what it reflects, as a part of the picture's.
    base: f32,
    /// The part of the sky's light that reaches it, and whether that changes with its colour.
    open: f32,
    occludes: bool,
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
        for _ in 0..ROUNDS {
            let mut off = Vec::with_capacity(equations.len() * SUNS);
            let before = look.clone();
            for equations in &equations {
                for (sun, full) in self.suns.iter().zip(equations.picture.full) {
                    let brighter = equations.solve((*sun, full), self.outfits.of_picture(0).is_two_sided, &mut look);
                    off.push(srgb_from_linear(full + brighter) - srgb_from_linear(full));
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
        let posed = picture.pose.skinned(level);
        let (triangles, _) = level.mesh.indices.as_chunks::<3>();
        let shader = self.outfits.of_picture(picture.number);
        let mut own = GROUND;
        let posed = Posed::mesh(&level.mesh, &posed);
        let seen = self.seen(posed, &picture.frame, canvas);
        let points = seen.into_iter().map(|(shown, _)| {
            let point = point(posed, shader, &picture.frame, &shown);
            own += POINT * (luminance_of(point.own) - GROUND);
            Point {
                corners: triangles[shown.triangle as usize].map(|i| i as usize),
                shares: shown.shares.to_array(),
                base: POINT * luminance_of(point.base),
                open: point.open,
                occludes: point.occludes,
            }
        });
        Equations {
            points: points.collect(),
            turns: picture.pose.turns(level),
            picture,
            own,
        }
    }
}

impl Equations<'_> {
    /// Makes a part of the smallest change after which the level is, to first order, as bright as full detail; how much
    /// brighter it was, linear.
    fn solve(&self, (sun, full): (Vec3, f32), is_two_sided: bool, look: &mut Look) -> f32 {
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
            let mixed: Vec3A = parts().map(|(corner, share)| posed(corner) * share).sum();
            let length = mixed.length();
            if length <= 0.0 {
                continue;
            }
            let side = if is_two_sided && mixed.dot(towards) < 0.0 {
                -1.0
            } else {
                1.0
            };
            let normal = mixed * (side / length);
            let factor: f32 = parts().map(|(corner, share)| look.factors[corner] * share).sum();
            let open = if point.occludes {
                point.open * factor
            } else {
                point.open
            };
            let light = light((normal.into(), open), sun.into());
            bright += point.base * factor * light;
            let lit = normal.dot(sun);
            let turned = if lit > 0.0 {
                (sun - normal * lit) * (point.base * factor * SUNLIGHT * side / length)
            } else {
                Vec3A::ZERO
            };
            for (corner, share) in parts() {
                by_normal[corner] += self.turns[corner].0.transpose() * turned * share;
                let also = if point.occludes { SKYLIGHT * open } else { 0.0 };
                by_factor[corner] += point.base * (light + also) * share;
            }
        }
        let normals: f32 = by_normal.iter().map(|g| g.length_squared()).sum();
        let factors: f32 = by_factor.iter().map(|g| g * g).sum();
        let squared = normals + COLOR * COLOR * factors;
        let step = STEP * (full - bright) / squared;
        if !step.is_finite() {
            return 0.0;
        }
        for (normal, by) in look.normals.iter_mut().zip(by_normal) {
            *normal = (*normal + by * step).normalize_or(*normal);
        }
        for (factor, by) in look.factors.iter_mut().zip(by_factor) {
            *factor = (*factor + COLOR * COLOR * by * step).clamp(1.0 - FARTHEST, 1.0 + FARTHEST);
        }
        bright - full
    }
}
