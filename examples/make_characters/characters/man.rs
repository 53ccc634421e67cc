//! A broad-shouldered man with a short beard, rolled-up sleeves and trousers with braces.

use super::{Character, LEATHER, looks, variant_look};
use crate::actor::{Actor, Extras, Gait, RUN, STYLE, Style, WALK};
use crate::body::{self, FACE, Face, Trousers, on_skull};
use crate::parts::{Part, Skin, Slot, srgb};
use crate::rig::{HEAD, Proportions, Rig};
use crate::sdf::{Shape, cone, ellipsoid, group, half, loft, ring};
use glam::{Vec3, vec3};

pub fn build() -> Character {
    let mut props = Proportions::ADULT.scaled(1.06, 1.1);
    props.shoulder = vec3(0.19, 1.42, -0.01);
    let face = Face {
        jaw: 1.1,
        chin: 1.06,
        nose: 1.2,
        neck: 1.15,
        brow_size: 1.35,
        brow_tilt: 0.03,
        blush: 0.3,
        ..FACE
    };
    let mut parts = body::head_parts(&props, &face, Slot::Hair);
    parts.extend(body::hands_and_arms(&props, 0.85, 1.2));
    parts.push(body::shoes(
        &props,
        1.12,
        0.01,
        Slot::Details,
        srgb(LEATHER),
        srgb(0x3a2a20),
    ));
    let cut = Trousers {
        hip: 0.098,
        knee: 0.072,
        hem: 0.066,
        hem_y: 0.075,
        seat: (0.16, 0.132),
    };
    parts.push(body::trousers(&props, &cut, Slot::Bottom));
    parts.push(shirt(&props));
    parts.push(braces(&props));
    parts.push(hair(&props));
    parts.push(beard(&props));
    let walk = Gait {
        speed: 1.38,
        cycle: 1.06,
        sway: 0.014,
        twist: 0.08,
        tilt: 0.035,
        arm: 0.46,
        ..WALK
    };
    let run = Gait { speed: 3.4, ..RUN };
    let style = Style {
        sway: 0.7,
        stance: 0.03,
        toe_out: 0.2,
        arm_out: 0.2,
        walk,
        run,
        ..STYLE
    };
    let extra = Extras {
        skirt: None,
        strands: vec![],
        waist: 0.155,
        chest: 0.145,
    };
    let (skin, cloth, trim) = (srgb(0xd9a27c), srgb(0xe9e3d3), srgb(0x66788f));
    let mut looks = looks(skin, srgb(0x4a3326), cloth, trim);
    // With or without braces, sleeves rolled up or down, shirt or trousers in neutrals.
    let [n, s, c, t] = ["none", "skin", "cloth", "trim"];
    looks.extend([
        variant_look(Slot::Top, cloth, [c, c, c, c, t, c, t, c]),
        variant_look(Slot::Bottom, trim, [t, t, t, t, c, t, t, t]),
        variant_look(Slot::Arms, skin, [s, c, s, c, t, s, s, c]),
        variant_look(Slot::Straps, srgb(0x6b4a33), [n, c, c, n, t, t, c, t]),
    ]);
    Character {
        name: "man",
        actor: Actor::new(Rig::new(props), style, extra),
        parts,
        looks,
        triangles: 3500,
    }
}

fn shirt(p: &Proportions) -> Part {
    let rings = vec![
        ring(0.95, 0.146, 0.118, -0.008),
        ring(1.06, 0.158, 0.134, -0.003),
        ring(1.2, 0.168, 0.13, 0.006),
        ring(1.32, 0.185, 0.135, 0.004),
        ring(1.42, 0.16, 0.112, -0.008),
        ring(1.485, 0.075, 0.074, -0.014),
    ];
    let sleeves = body::sleeve(p, 0.92, 0.074, 0.06).and_mirror();
    let cuff = body::sleeve(p, 0.92, 0.06, 0.064).keep(0.004, half(p.along_arm(0, p.upper_arm * 0.76), -p.arm_dir(0)));
    let shape = body::torso(p, rings, 0.066, 0.006)
        .add(0.035, group(sleeves))
        .add(0.004, group(cuff.and_mirror()));
    Part::new(shape, Slot::Top, Skin::Body).hides_inner()
}

/// Makes crossing braces and a belt, slightly above the surface of the shirt.
fn braces(p: &Proportions) -> Part {
    let shirt = shirt(p).shape;
    let on_shirt = |x: f32, y: f32, front: f32| {
        let from = vec3(x, y, front * 0.4);
        shirt.hit(from, Vec3::NEG_Z * front).unwrap_or(from)
    };
    let over = [1.0, 0.35, -0.35, -1.0].map(|z| {
        let from = vec3(0.086, 1.8, z * 0.085 - 0.01);
        shirt.hit(from, Vec3::NEG_Y).unwrap_or(from)
    });
    let mut shape = Shape::new();
    for (front, top) in [(1.0, over[0]), (-1.0, over[3])] {
        let points = [1.01, 1.08, 1.17, 1.26, 1.35, 1.42].map(|y| on_shirt(0.082, y, front));
        for w in points.windows(2) {
            shape = shape.add2(0.0, cone(w[0], w[1], 0.013, 0.013));
        }
        shape = shape.add2(0.0, cone(points[5], top, 0.013, 0.013));
    }
    for w in over.windows(2) {
        shape = shape.add2(0.0, cone(w[0], w[1], 0.013, 0.013));
    }
    shape = shape.add(
        0.0,
        loft(
            vec![ring(0.988, 0.169, 0.142, -0.004), ring(1.034, 0.169, 0.142, -0.002)],
            0.008,
        ),
    );
    Part::new(shape, Slot::Straps, Skin::Body).grid(0.006).detail(0.8)
}

fn hair(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(0.0, ellipsoid(at(0.0, 0.16, -0.1), r * vec3(1.07, 0.97, 1.04)))
        .cut(0.02, ellipsoid(at(0.0, -0.62, 0.95), r * vec3(1.02, 1.15, 0.98)))
        .keep(0.02, half(at(0.0, -0.45, -0.6), vec3(0.0, -1.0, 0.2)))
        .add(0.04, ellipsoid(at(0.14, 0.88, 0.42), r * vec3(0.74, 0.33, 0.6)))
        .add(0.03, ellipsoid(at(-0.34, 0.8, 0.46), r * vec3(0.45, 0.27, 0.45)));
    Part::new(shape, Slot::Hair, Skin::Rigid(HEAD)).grid(0.007)
}

fn beard(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(0.0, ellipsoid(at(0.0, -0.52, 0.2), r * vec3(0.9, 0.55, 0.8)))
        .cut(0.015, ellipsoid(at(0.0, -0.14, 0.78), r * vec3(0.78, 0.5, 0.62)))
        .cut(0.02, half(at(0.0, -0.3, -0.1), vec3(0.0, -0.35, 1.0)))
        .cut(0.008, ellipsoid(at(0.0, -0.585, 1.0), r * vec3(0.3, 0.085, 0.35)))
        .add2(0.012, ellipsoid(at(0.17, -0.435, 0.87), r * vec3(0.22, 0.07, 0.13)));
    Part::new(shape, Slot::Hair, Skin::Rigid(HEAD)).grid(0.006)
}
