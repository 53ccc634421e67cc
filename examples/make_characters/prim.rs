//! Primitives of signed distance shapes: distances, bounds, mirror images.

use crate::sdf::{Shape, smooth_min};
use glam::{Quat, Vec2, Vec3, vec2, vec3};

/// One elliptical cross-section of a [`Prim::Loft`], at height `y` along its axis.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    pub y: f32,
    /// Half-widths along X and Z.
    pub r: Vec2,
    /// Centre offset along X and Z.
    pub c: Vec2,
}

/// A ring centred on the axis except for a shift along Z.
pub fn ring(y: f32, rx: f32, rz: f32, cz: f32) -> Ring {
    Ring {
        y,
        r: vec2(rx, rz),
        c: vec2(0.0, cz),
    }
}

#[derive(Clone, Debug)]
pub enum Prim {
    /// Tapered capsule from `a` to `b`.
    Cone {
        a: Vec3,
        b: Vec3,
        ra: f32,
        rb: f32,
    },
    Ellipsoid {
        c: Vec3,
        r: Vec3,
        rot: Quat,
    },
    /// Box with rounded edges; `half` includes the rounding.
    Block {
        c: Vec3,
        half: Vec3,
        round: f32,
        rot: Quat,
    },
    /// Stack of ellipses along the local +Y axis, closed by caps rounded with radius `cap`.
    Loft {
        origin: Vec3,
        rot: Quat,
        rings: Vec<Ring>,
        cap: f32,
        power: f32,
    },
    Group(Shape),
    /// A shape joined with its mirror image.
    Twin(Shape, f32),
    /// Half-space on the inner side of the plane `dot(n, p) = d`.
    Half {
        n: Vec3,
        d: f32,
    },
}

impl Prim {
    /// Mirrors the primitive across the plane x = 0.
    pub fn mirrored(&self) -> Self {
        mirror(self)
    }

    pub fn dist(&self, p: Vec3) -> f32 {
        match self {
            Prim::Cone { a, b, ra, rb } => cone_dist(p, *a, *b, *ra, *rb),
            Prim::Ellipsoid { c, r, rot } => ellipsoid_dist(rot.inverse() * (p - *c), *r),
            Prim::Block { c, half, round, rot } => {
                let q = (rot.inverse() * (p - *c)).abs() - *half + Vec3::splat(*round);
                q.max(Vec3::ZERO).length() + q.max_element().min(0.0) - *round
            }
            Prim::Loft {
                origin,
                rot,
                rings,
                cap,
                power,
            } => loft_dist(rot.inverse() * (p - *origin), rings, *cap, *power),
            Prim::Group(s) => s.dist(p),
            Prim::Twin(s, k) => smooth_min(s.dist(p), s.dist(vec3(-p.x, p.y, p.z)), *k),
            Prim::Half { n, d } => n.dot(p) - d,
        }
    }

    pub fn bounds(&self) -> (Vec3, Vec3) {
        match self {
            Prim::Cone { a, b, ra, rb } => {
                let r = Vec3::splat(ra.max(*rb));
                (a.min(*b) - r, a.max(*b) + r)
            }
            Prim::Ellipsoid { c, r, .. } => ball_bounds(*c, r.max_element()),
            Prim::Block { c, half, .. } => ball_bounds(*c, half.length()),
            Prim::Loft { origin, rot, rings, .. } => loft_bounds(*origin, *rot, rings),
            Prim::Group(s) => s.bounds(),
            Prim::Twin(s, _) => {
                let (lo, hi) = s.bounds();
                let x = hi.x.max(-lo.x);
                (lo.with_x(-x), hi.with_x(x))
            }
            Prim::Half { .. } => (Vec3::ZERO, Vec3::ZERO),
        }
    }
}

fn ball_bounds(c: Vec3, r: f32) -> (Vec3, Vec3) {
    (c - Vec3::splat(r), c + Vec3::splat(r))
}

fn loft_bounds(origin: Vec3, rot: Quat, rings: &[Ring]) -> (Vec3, Vec3) {
    let mut lo = Vec3::splat(1e3);
    let mut hi = Vec3::splat(-1e3);
    for r in rings {
        for (sx, sz) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let q = vec3(r.c.x + sx * r.r.x, r.y, r.c.y + sz * r.r.y);
            let w = origin + rot * q;
            lo = lo.min(w);
            hi = hi.max(w);
        }
    }
    (lo, hi)
}

/// Returns the exact distance to a capsule whose radius changes linearly along it.
fn cone_dist(p: Vec3, a: Vec3, b: Vec3, ra: f32, rb: f32) -> f32 {
    let ba = b - a;
    let l2 = ba.length_squared();
    let rr = ra - rb;
    let a2 = l2 - rr * rr;
    if a2 <= 0.0 {
        return ((p - a).length() - ra).min((p - b).length() - rb);
    }
    let il2 = 1.0 / l2;
    let pa = p - a;
    let y = pa.dot(ba);
    let z = y - l2;
    let x2 = (pa * l2 - ba * y).length_squared();
    let y2 = y * y * l2;
    let z2 = z * z * l2;
    let k = rr.signum() * rr * rr * x2;
    if z.signum() * a2 * z2 > k {
        return (x2 + z2).sqrt() * il2 - rb;
    }
    if y.signum() * a2 * y2 < k {
        return (x2 + y2).sqrt() * il2 - ra;
    }
    ((x2 * a2 * il2).sqrt() + y * rr) * il2 - ra
}

fn ellipsoid_dist(p: Vec3, r: Vec3) -> f32 {
    let k0 = (p / r).length();
    let k1 = (p / (r * r)).length();
    if k1 < 1e-6 {
        -r.min_element()
    } else {
        k0 * (k0 - 1.0) / k1
    }
}

/// Estimates the distance to a super-ellipse; `power` 2 is an ellipse, larger is boxier.
fn ellipse_dist(p: Vec2, r: Vec2, power: f32) -> f32 {
    let q = (p / r).abs();
    let k0 = if power == 2.0 {
        q.length()
    } else {
        (q.x.powf(power) + q.y.powf(power)).powf(1.0 / power)
    };
    let k1 = (p / (r * r)).length() / q.length().max(1e-6);
    if k1 < 1e-6 { -r.min_element() } else { (k0 - 1.0) / k1 }
}

fn loft_dist(p: Vec3, rings: &[Ring], cap: f32, power: f32) -> f32 {
    let (lo, hi) = (rings[0].y, rings[rings.len() - 1].y);
    let section = section_at(rings, p.y.clamp(lo, hi));
    let radial = ellipse_dist(vec2(p.x, p.z) - section.c, section.r, power);
    let axial = (lo - p.y).max(p.y - hi);
    let q = vec2(radial + cap, axial + cap);
    q.max(Vec2::ZERO).length() + q.max_element().min(0.0) - cap
}

/// Returns the ring at height `y` on a Catmull-Rom curve through the rings (Y ascending).
fn section_at(rings: &[Ring], y: f32) -> Ring {
    let last = rings.len() - 1;
    let i = rings.iter().take(last).rposition(|r| r.y <= y).unwrap_or(0);
    let at = |k: usize| &rings[k.min(last)];
    let (p0, p1, p2, p3) = (at(i.saturating_sub(1)), at(i), at(i + 1), at(i + 2));
    let span = (p2.y - p1.y).max(1e-6);
    let t = (y - p1.y) / span;
    let tangent = |a: &Ring, b: &Ring, f: fn(&Ring) -> Vec2| (f(b) - f(a)) * (span / (b.y - a.y).max(1e-6));
    let blend = |f: fn(&Ring) -> Vec2| {
        let (m1, m2) = (tangent(p0, p2, f), tangent(p1, p3, f));
        let (t2, t3) = (t * t, t * t * t);
        f(p1) * (2.0 * t3 - 3.0 * t2 + 1.0) + m1 * (t3 - 2.0 * t2 + t) + f(p2) * (3.0 * t2 - 2.0 * t3) + m2 * (t3 - t2)
    };
    Ring {
        y,
        r: blend(|r| r.r).max(Vec2::splat(1e-3)),
        c: blend(|r| r.c),
    }
}

fn mirror(prim: &Prim) -> Prim {
    let flip = |v: Vec3| vec3(-v.x, v.y, v.z);
    let flip_rot = |q: Quat| Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
    match prim.clone() {
        Prim::Cone { a, b, ra, rb } => Prim::Cone {
            a: flip(a),
            b: flip(b),
            ra,
            rb,
        },
        Prim::Ellipsoid { c, r, rot } => Prim::Ellipsoid {
            c: flip(c),
            r,
            rot: flip_rot(rot),
        },
        Prim::Block { c, half, round, rot } => Prim::Block {
            c: flip(c),
            half,
            round,
            rot: flip_rot(rot),
        },
        Prim::Loft {
            origin,
            rot,
            rings,
            cap,
            power,
        } => {
            let rings = rings
                .iter()
                .map(|r| Ring {
                    c: vec2(-r.c.x, r.c.y),
                    ..*r
                })
                .collect();
            Prim::Loft {
                origin: flip(origin),
                rot: flip_rot(rot),
                rings,
                cap,
                power,
            }
        }
        // Groups and twins are symmetric in all their uses.
        Prim::Group(s) => Prim::Group(s),
        Prim::Twin(s, k) => Prim::Twin(s, k),
        Prim::Half { n, d } => Prim::Half { n: flip(n), d },
    }
}

/// A tapered capsule.
pub fn cone(a: Vec3, b: Vec3, ra: f32, rb: f32) -> Prim {
    Prim::Cone { a, b, ra, rb }
}

pub fn ball(c: Vec3, r: f32) -> Prim {
    Prim::Cone {
        a: c,
        b: c + Vec3::Y * 1e-4,
        ra: r,
        rb: r,
    }
}

pub fn ellipsoid(c: Vec3, r: Vec3) -> Prim {
    Prim::Ellipsoid {
        c,
        r,
        rot: Quat::IDENTITY,
    }
}

pub fn ellipsoid_rot(c: Vec3, r: Vec3, rot: Quat) -> Prim {
    Prim::Ellipsoid { c, r, rot }
}

pub fn block(c: Vec3, half: Vec3, round: f32, rot: Quat) -> Prim {
    Prim::Block { c, half, round, rot }
}

/// An upright elliptical loft in model space.
pub fn loft(rings: Vec<Ring>, cap: f32) -> Prim {
    Prim::Loft {
        origin: Vec3::ZERO,
        rot: Quat::IDENTITY,
        rings,
        cap,
        power: 2.0,
    }
}

/// A round tube along `a`..`b` through radii spaced evenly, with flat rounded ends.
pub fn tube(a: Vec3, b: Vec3, radii: &[f32], cap: f32) -> Prim {
    let axis = b - a;
    let step = axis.length() / (radii.len() - 1) as f32;
    let rings = radii.iter().enumerate();
    let rings = rings.map(|(i, r)| ring(i as f32 * step, *r, *r, 0.0)).collect();
    let rot = Quat::from_rotation_arc(Vec3::Y, axis.normalize());
    Prim::Loft {
        origin: a,
        rot,
        rings,
        cap,
        power: 2.0,
    }
}

/// Makes the half-space on the inner side of the plane through `p` with outward normal `n`.
pub fn half(p: Vec3, n: Vec3) -> Prim {
    let n = n.normalize();
    Prim::Half { n, d: n.dot(p) }
}

/// A shape used as a primitive of another.
pub fn group(shape: Shape) -> Prim {
    Prim::Group(shape)
}
