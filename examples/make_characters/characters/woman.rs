//! A woman in a knee-length dress with a belt, her hair in a bun.

use super::{Character, looks, variant_look};
use crate::actor::{Actor, Extras, STYLE, Style};
use crate::body::{self, FACE, Face, on_skull};
use crate::parts::{Part, Skin, SkirtSkin, Slot, srgb};
use crate::rig::{HEAD, Proportions, Rig};
use crate::sdf::{Shape, ball, ellipsoid, ellipsoid_rot, group, half, loft, ring};
use glam::{Quat, Vec3, vec3};

pub fn build() -> Character {
    let props = Proportions {
        shoulder: vec3(0.142, 1.345, -0.008),
        ..Proportions::ADULT.scaled(1.0, 1.1)
    };
    let mut rig = Rig::new(props);
    let panels = body::skirt_joints(&mut rig, 8, props.hips_y + 0.02, 0.1);
    let skirt = SkirtSkin {
        panels,
        top: 0.95,
        blend: 0.16,
    };
    let face = Face {
        lashes: 0.07,
        brow_tilt: 0.045,
        smile: 0.1,
        nose: 0.85,
        jaw: 0.94,
        neck: 0.86,
        ..FACE
    };
    let mut parts = body::head_parts(&props, &face, Slot::Hair);
    parts.extend(body::hands_and_arms(&props, 0.3, 0.88));
    parts.push(body::bare_legs(&props, 0.1, 0.95, Slot::Legs));
    parts.push(body::shoes(
        &props,
        0.9,
        -0.03,
        Slot::Trim,
        Vec3::ONE,
        Vec3::splat(0.55),
    ));
    parts.extend(halves_of_dress(&props, &skirt));
    parts.push(belt(&skirt));
    parts.push(hair(&props));
    parts.push(collar());
    let style = Style {
        sway: 1.3,
        arm_out: 0.2,
        toe_out: 0.1,
        ..STYLE
    };
    let extra = Extras {
        skirt: Some(skirt),
        strands: vec![],
        waist: 0.12,
        chest: 0.118,
    };
    let actor = Actor::new(rig, style, extra);
    let (skin, cloth, trim) = (srgb(0xe8b796), srgb(0xd97b66), srgb(0xf0dcc0));
    let mut looks = looks(skin, srgb(0x7a4a2e), cloth, trim);
    // Variants: a dress with sleeves or stockings; a blouse with a skirt; a skirt in neutrals.
    let [s, c, t] = ["skin", "cloth", "trim"];
    looks.extend([
        variant_look(Slot::Top, cloth, [c, c, c, c, t, t, c, c]),
        variant_look(Slot::Bottom, cloth, [c, c, c, c, c, c, t, t]),
        variant_look(Slot::Arms, skin, [s, c, s, c, s, t, s, c]),
        variant_look(Slot::Legs, skin, [s, s, t, t, s, s, s, t]),
    ]);
    Character {
        name: "woman",
        actor,
        parts,
        looks,
        triangles: 3400,
    }
}

/// Height at which the dress is cut in two, under the belt (m).
const WAIST: f32 = 1.035;

/// Makes the two halves of the dress, which overlap slightly.
fn halves_of_dress(p: &Proportions, skirt: &SkirtSkin) -> [Part; 2] {
    let lap = Vec3::Y * 0.004;
    [(Slot::Top, Vec3::NEG_Y), (Slot::Bottom, Vec3::Y)].map(|(slot, beyond)| {
        let cut = half(Vec3::Y * WAIST + beyond * lap, beyond);
        let shape = dress_shape(p).keep(0.004, cut);
        Part::new(shape, slot, Skin::Skirt(skirt.clone())).hides_inner()
    })
}

fn dress_shape(p: &Proportions) -> Shape {
    let rings = vec![
        ring(0.5, 0.232, 0.2, 0.0),
        ring(0.62, 0.212, 0.18, 0.0),
        ring(0.8, 0.182, 0.15, -0.006),
        ring(0.92, 0.15, 0.12, -0.006),
        ring(1.04, 0.112, 0.09, 0.0),
        ring(1.16, 0.126, 0.1, 0.006),
        ring(1.26, 0.136, 0.105, 0.01),
        ring(1.34, 0.115, 0.085, -0.004),
        ring(1.4, 0.06, 0.056, -0.012),
    ];
    let hollow = loft(vec![ring(0.4, 0.22, 0.188, 0.0), ring(0.6, 0.198, 0.166, 0.0)], 0.02);
    let sleeves = body::sleeve(p, 0.42, 0.056, 0.062).and_mirror();
    body::torso(p, rings, 0.05, 0.006)
        .add(0.03, group(sleeves))
        .cut(0.004, hollow)
}

fn belt(skirt: &SkirtSkin) -> Part {
    let band = vec![ring(1.012, 0.128, 0.106, 0.0), ring(1.058, 0.125, 0.104, 0.0)];
    Part::new(
        Shape::new().add(0.0, loft(band, 0.01)),
        Slot::Trim,
        Skin::Skirt(skirt.clone()),
    )
}

fn hair(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(0.0, ellipsoid(at(0.0, 0.16, -0.1), r * vec3(1.1, 0.98, 1.06)))
        .add(0.03, ellipsoid(at(0.0, -0.2, -0.3), r * vec3(1.07, 0.75, 0.82)))
        .cut(0.03, ellipsoid(at(0.0, -0.5, 1.0), r * vec3(0.95, 1.02, 0.92)))
        .add2(0.02, ellipsoid(at(0.45, 0.72, 0.62), r * vec3(0.5, 0.3, 0.42)))
        .add(0.01, ball(at(0.0, 0.8, -0.92), r.x * 0.56));
    Part::new(shape, Slot::Hair, Skin::Rigid(HEAD)).grid(0.007)
}

/// Makes a round collar in two halves.
fn collar() -> Part {
    let flat = |x: f32, z: f32, turn: f32| {
        let rot = Quat::from_rotation_y(turn) * Quat::from_rotation_x(0.5);
        ellipsoid_rot(vec3(x, 1.384, z), vec3(0.044, 0.012, 0.03), rot)
    };
    let band = loft(
        vec![ring(1.372, 0.071, 0.066, -0.012), ring(1.398, 0.062, 0.057, -0.012)],
        0.01,
    );
    let shape = Shape::new().add(0.0, band).add2(0.01, flat(0.036, 0.052, 0.45));
    Part::new(shape, Slot::Trim, Skin::Body).grid(0.006)
}
