//! Static models: set dressing for a plaza, and props for hands.
//!
//! Held props have their origin at the grip and +Y along the blade or pole, as the hand sockets expect. +Z points away
//! from the knuckles. Set dressing stands on y = 0.

use crate::gltf_out;
use crate::lathe;
use crate::mesh::{self, Primitive};
use crate::parts::{Look, Part, Skin, Slot, srgb};
use crate::rig::{Proportions, Rig};
use crate::sdf::{Shape, ball, block, cone, ellipsoid, ellipsoid_rot, half, loft, ring};
use anyhow::Result;
use glam::{Quat, Vec3, vec3};
use std::f32::consts::TAU;

pub struct Prop {
    pub name: &'static str,
    pub parts: Vec<Part>,
    pub looks: Vec<Look>,
    pub triangles: usize,
    /// Finished primitives beside the polygonised parts.
    pub turned: Vec<Primitive>,
}

impl Prop {
    pub fn build(self) -> Result<Vec<u8>> {
        let rig = Rig::new(Proportions::ADULT);
        let mut primitives = self.turned;
        if !self.parts.is_empty() {
            primitives.extend(mesh::build(&rig, &self.parts, self.triangles)?);
        }
        Ok(gltf_out::prop(self.name, &primitives, &self.looks))
    }
}

pub fn all() -> Vec<Prop> {
    vec![
        fountain(),
        tree(),
        lamp(),
        bench(),
        sword(),
        shield(),
        flag(),
        bag(),
        guitar(),
    ]
}

fn prop(name: &'static str, triangles: usize, parts: Vec<Part>) -> Prop {
    let looks = vec![
        Look::new(Slot::Cloth, srgb(0x4a6fa5), 0.8),
        Look::new(Slot::Trim, srgb(0xc9a24b), 0.7),
        Look::new(Slot::Details, Vec3::ONE, 0.7),
        Look::new(Slot::Steel, srgb(0x97a1ab), 0.3),
    ];
    Prop {
        name,
        parts,
        looks,
        triangles,
        turned: Vec::new(),
    }
}

/// A part coloured by its vertices.
fn painted(shape: Shape, grid: f32, color: u32) -> Part {
    Part::new(shape, Slot::Details, Skin::Rigid(0))
        .grid(grid)
        .color(srgb(color))
}

/// A round loft on the Y axis from (height, radius) pairs.
fn turned(profile: &[(f32, f32)], cap: f32) -> crate::sdf::Prim {
    loft(profile.iter().map(|(y, r)| ring(*y, *r, *r, 0.0)).collect(), cap)
}

fn fountain() -> Prop {
    let (stone, pale, water) = (srgb(0xc9c0ae), srgb(0xd8d0c0), srgb(0x5fa8c4));
    let k = lathe::knot;
    let basin = [
        k(1.6, 0.0, 0.6),
        k(1.6, 0.13, 1.0),
        k(1.5, 0.17, 0.75),
        k(1.5, 0.42, 0.85),
        k(1.6, 0.47, 0.9),
        k(1.6, 0.55, 1.0),
        k(1.31, 0.55, 1.0),
        k(1.29, 0.4, 0.6),
    ];
    let column = [
        k(0.34, 0.4, 0.6),
        k(0.26, 0.56, 0.9),
        k(0.15, 0.85, 0.95),
        k(0.19, 1.1, 0.65),
        k(0.56, 1.22, 0.7),
        k(0.74, 1.36, 1.0),
        k(0.66, 1.36, 1.0),
        k(0.6, 1.29, 0.7),
    ];
    let finial = [
        k(0.12, 1.29, 0.7),
        k(0.08, 1.5, 0.95),
        k(0.15, 1.58, 0.85),
        k(0.17, 1.68, 1.0),
        k(0.12, 1.79, 1.0),
        k(0.0, 1.84, 1.0),
    ];
    let mut out = lathe::empty(Slot::Details);
    lathe::turn(&mut out, &basin, 32, stone);
    lathe::turn(&mut out, &column, 20, pale);
    lathe::turn(&mut out, &finial, 14, pale);
    lathe::turn(
        &mut out,
        &[k(1.3, 0.42, 0.8), k(0.7, 0.42, 1.0), k(0.0, 0.42, 0.7)],
        32,
        water,
    );
    lathe::turn(&mut out, &[k(0.62, 1.31, 0.9), k(0.0, 1.31, 0.8)], 20, water);
    Prop {
        turned: vec![out],
        ..prop("fountain", 0, Vec::new())
    }
}

fn tree() -> Prop {
    let trunk = Shape::new()
        .add(0.0, cone(Vec3::ZERO, Vec3::Y * 1.7, 0.17, 0.12))
        .add(0.1, cone(Vec3::Y * 1.35, vec3(0.5, 2.2, 0.1), 0.09, 0.06))
        .add(0.1, cone(Vec3::Y * 1.5, vec3(-0.4, 2.3, -0.2), 0.09, 0.06))
        .add(0.12, ellipsoid(Vec3::ZERO, vec3(0.3, 0.14, 0.28)))
        .keep(0.01, half(Vec3::ZERO, Vec3::NEG_Y));
    let puffs = [
        (vec3(0.0, 3.1, 0.0), 0.98),
        (vec3(0.75, 2.65, 0.15), 0.66),
        (vec3(-0.7, 2.7, -0.25), 0.7),
        (vec3(0.1, 2.5, 0.72), 0.6),
        (vec3(-0.1, 2.6, -0.75), 0.62),
        (vec3(0.3, 3.75, -0.1), 0.56),
    ];
    let add = |s: Shape, p: &(Vec3, f32)| s.add(0.2, ball(p.0, p.1));
    let crown = puffs.iter().fold(Shape::new(), add);
    let leaves = painted(crown, 0.07, 0xffffff)
        .paint(|p| srgb(0x4e7f3a).lerp(srgb(0x93bb58), ((p.y - 1.9) / 2.3).clamp(0.0, 1.0)));
    prop("tree", 1100, vec![painted(trunk, 0.03, 0x7a5a41), leaves])
}

fn lamp() -> Prop {
    let post = Shape::new()
        .add(
            0.0,
            turned(
                &[(0.0, 0.17), (0.1, 0.16), (0.2, 0.09), (0.35, 0.1), (0.5, 0.055)],
                0.015,
            ),
        )
        .add(0.01, turned(&[(0.4, 0.055), (2.85, 0.04)], 0.01))
        .add(0.02, turned(&[(2.75, 0.05), (2.85, 0.12), (2.9, 0.14)], 0.01))
        .add(0.0, turned(&[(3.34, 0.26), (3.4, 0.2), (3.52, 0.05)], 0.01))
        .add(0.01, ball(Vec3::Y * 3.56, 0.045));
    let glass = Shape::new().add(0.0, turned(&[(2.88, 0.13), (3.1, 0.18), (3.36, 0.2)], 0.02));
    let parts = vec![painted(post, 0.016, 0x39434a), painted(glass, 0.02, 0xfff0c4)];
    prop("lamp", 620, parts)
}

/// Makes a bench with a seat 0.45 m high. A sitting person faces +Z with the feet about 0.33 m in front of the origin.
fn bench() -> Prop {
    let slat = |s: Shape, y: f32, z: f32, tilt: f32| {
        let rot = Quat::from_rotation_x(tilt);
        s.add(0.0, block(vec3(0.0, y, z), vec3(0.8, 0.018, 0.05), 0.012, rot))
    };
    let mut wood = [-0.16, -0.04, 0.08, 0.2]
        .iter()
        .fold(Shape::new(), |s, z| slat(s, 0.432, *z, 0.0));
    for (y, z) in [(0.6, -0.235), (0.73, -0.26), (0.86, -0.285)] {
        wood = slat(wood, y, z, 1.4);
    }
    let mut iron = Shape::new();
    for x in [-0.66, 0.66] {
        let at = |y: f32, z: f32| vec3(x, y, z);
        iron = iron
            .add(0.01, cone(at(0.025, 0.2), at(0.4, 0.19), 0.025, 0.022))
            .add(0.01, cone(at(0.025, -0.2), at(0.4, -0.2), 0.025, 0.022))
            .add(0.01, cone(at(0.4, 0.22), at(0.4, -0.2), 0.02, 0.02))
            .add(0.01, cone(at(0.4, -0.2), at(0.92, -0.31), 0.02, 0.018));
    }
    let parts = vec![painted(wood, 0.012, 0xa8784b), painted(iron, 0.012, 0x3b4146)];
    prop("bench", 1100, parts)
}

fn sword() -> Prop {
    let bar = block(Vec3::Y * 0.46, vec3(0.026, 0.42, 0.012), 0.001, Quat::IDENTITY);
    // A ridge along the middle gives the two halves of a face different light.
    let faces = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let ridged = faces.into_iter().fold(Shape::new().add(0.0, bar), |shape, (x, z)| {
        shape.keep(0.0, half(vec3(0.0, 0.0, 0.0095 * z), vec3(0.3 * x, 0.0, z)))
    });
    let blade = ridged
        .keep(0.004, half(vec3(0.0, 0.86, 0.0), vec3(1.0, 0.42, 0.0)))
        .keep(0.004, half(vec3(0.0, 0.86, 0.0), vec3(-1.0, 0.42, 0.0)));
    let hilt = Shape::new().add(0.0, cone(Vec3::Y * -0.07, Vec3::Y * 0.06, 0.015, 0.016));
    let guard = Shape::new()
        .add(
            0.0,
            block(Vec3::Y * 0.065, vec3(0.1, 0.014, 0.016), 0.012, Quat::IDENTITY),
        )
        .add(0.0, ball(Vec3::Y * -0.09, 0.025));
    let parts = vec![
        Part::new(blade, Slot::Steel, Skin::Rigid(0)).grid(0.003).detail(1.5),
        painted(hilt, 0.006, 0x5b3d2a),
        Part::new(guard, Slot::Trim, Skin::Rigid(0)).grid(0.006),
    ];
    prop("sword", 420, parts)
}

fn shield() -> Prop {
    let centre = vec3(0.0, 0.0, -0.62);
    let face = Shape::new()
        .add(
            0.0,
            block(vec3(0.0, -0.02, 0.06), vec3(0.23, 0.34, 0.1), 0.02, Quat::IDENTITY),
        )
        .keep(0.03, half(vec3(0.23, -0.02, 0.0), vec3(1.0, -0.62, 0.0)))
        .keep(0.03, half(vec3(-0.23, -0.02, 0.0), vec3(-1.0, -0.62, 0.0)))
        .keep(0.006, ball(centre, 0.72))
        .cut(0.006, ball(centre, 0.7));
    let boss = Shape::new().add(0.0, ellipsoid(vec3(0.0, 0.06, 0.095), vec3(0.065, 0.065, 0.04)));
    let strap = Shape::new()
        .add(0.0, cone(vec3(0.0, -0.07, 0.0), vec3(0.0, 0.07, 0.0), 0.012, 0.012))
        .add(0.005, cone(vec3(0.0, -0.07, 0.0), vec3(0.0, -0.1, 0.066), 0.012, 0.012))
        .add(0.005, cone(vec3(0.0, 0.07, 0.0), vec3(0.0, 0.1, 0.066), 0.012, 0.012));
    let parts = vec![
        Part::new(face, Slot::Cloth, Skin::Rigid(0)).grid(0.01),
        Part::new(boss, Slot::Trim, Skin::Rigid(0)).grid(0.008),
        painted(strap, 0.008, 0x5b3d2a),
    ];
    prop("shield", 600, parts)
}

fn flag() -> Prop {
    let pole = Shape::new().add(0.0, cone(Vec3::Y * -0.55, Vec3::Y * 1.75, 0.014, 0.012));
    let knob = Shape::new().add(0.0, ball(Vec3::Y * 1.78, 0.035));
    let mut cloth = Shape::new();
    let at = |i: i32| {
        let z = i as f32 * 0.07;
        vec3(0.035 * (z / 0.84 * TAU).sin(), 1.42, -z)
    };
    for i in 0..12 {
        let (a, b) = (at(i), at(i + 1));
        let mid = (a + b) * 0.5;
        let turn = Quat::from_rotation_arc(Vec3::NEG_Z, (b - a).normalize());
        cloth = cloth.add(0.002, block(mid, vec3(0.007, 0.27, 0.045), 0.006, turn));
    }
    let parts = vec![
        painted(pole, 0.01, 0x7a5a3c),
        Part::new(knob, Slot::Trim, Skin::Rigid(0)).grid(0.01),
        Part::new(cloth, Slot::Cloth, Skin::Rigid(0)).grid(0.009).detail(1.2),
    ];
    prop("flag", 560, parts)
}

/// Makes a bag that hangs along +Z, which points down when the arm does.
fn bag() -> Prop {
    let body = Shape::new()
        .add(
            0.0,
            block(vec3(0.0, 0.0, 0.3), vec3(0.055, 0.16, 0.11), 0.045, Quat::IDENTITY),
        )
        .cut(
            0.01,
            ellipsoid_rot(vec3(0.0, 0.0, 0.14), vec3(0.045, 0.14, 0.04), Quat::IDENTITY),
        );
    let mut handle = Shape::new();
    let point = |k: usize| {
        let a = k as f32 / 6.0 * std::f32::consts::PI;
        vec3(0.0, -0.1 * a.cos(), 0.2 - 0.2 * a.sin())
    };
    for k in 0..6 {
        handle = handle.add(0.004, cone(point(k), point(k + 1), 0.011, 0.011));
    }
    let parts = vec![
        Part::new(body, Slot::Trim, Skin::Rigid(0)).grid(0.01),
        painted(handle, 0.007, 0x5b3d2a),
    ];
    prop("bag", 420, parts)
}

/// Makes a guitar for the chest socket: +Y along the neck, the back of the body at z = 0.
fn guitar() -> Prop {
    let slab = |y: f32, w: f32, h: f32| ellipsoid(vec3(0.0, y, 0.03), vec3(w, h, 0.2));
    let body = Shape::new()
        .add(0.0, slab(-0.09, 0.125, 0.115))
        .add(0.06, slab(0.06, 0.095, 0.09))
        .keep(0.012, half(Vec3::Z * 0.06, Vec3::Z))
        .keep(0.012, half(Vec3::ZERO, Vec3::NEG_Z));
    let neck = block(vec3(0.0, 0.3, 0.055), vec3(0.017, 0.2, 0.011), 0.008, Quat::IDENTITY);
    let head = block(vec3(0.0, 0.53, 0.05), vec3(0.027, 0.055, 0.01), 0.008, Quat::IDENTITY);
    let bridge = block(
        vec3(0.0, -0.12, 0.062),
        vec3(0.035, 0.008, 0.006),
        0.004,
        Quat::IDENTITY,
    );
    let dark = Shape::new().add(0.0, neck).add(0.004, head).add(0.0, bridge);
    let hole = Shape::new().add(
        0.0,
        ellipsoid(Vec3::Z * 0.058 + Vec3::Y * 0.01, vec3(0.033, 0.033, 0.006)),
    );
    let parts = vec![
        Part::new(body, Slot::Trim, Skin::Rigid(0)).grid(0.009),
        painted(dark, 0.005, 0x4a3122),
        painted(hole, 0.005, 0x1d1511),
    ];
    prop("guitar", 560, parts)
}
