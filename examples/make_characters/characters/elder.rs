//! A stooped old man: long coat, scarf, flat cap and a full white beard.

use super::{Character, LEATHER, looks, variant_look};
use crate::actor::{Actor, Extras, Gait, RUN, STYLE, Style, WALK};
use crate::body::{self, FACE, Face, Trousers, on_skull};
use crate::parts::{Part, Skin, SkirtSkin, Slot, srgb};
use crate::rig::{HEAD, Proportions, Rig};
use crate::sdf::{Shape, ball, block, cone, ellipsoid, ellipsoid_rot, group, half, loft, ring};
use glam::{Quat, Vec3, vec3};

const S: f32 = 0.95;

pub fn build() -> Character {
    let mut props = Proportions::ADULT.scaled(S, 1.12);
    props.shoulder = vec3(0.15, 1.335 * S, -0.012);
    let mut rig = Rig::new(props);
    let panels = body::skirt_joints(&mut rig, 8, props.hips_y + 0.02, 0.11);
    let skirt = SkirtSkin {
        panels,
        top: 0.94 * S,
        blend: 0.16,
    };
    let face = Face {
        nose: 1.45,
        cheeks: 1.05,
        eye: 0.82,
        brow_size: 1.5,
        brow_tilt: 0.03,
        blush: 0.7,
        ..FACE
    };
    let mut parts = body::head_parts(&props, &face, Slot::Hair);
    parts.push(body::bare_arms(&props, 1.8, 1.05));
    parts.push(body::shoes(
        &props,
        1.1,
        0.0,
        Slot::Details,
        srgb(LEATHER),
        srgb(0x33261e),
    ));
    let cut = Trousers {
        hip: 0.07,
        knee: 0.064,
        hem: 0.06,
        hem_y: 0.07,
        seat: (0.122, 0.094),
    };
    let mut legs = body::trousers(&props, &cut, Slot::Bottom);
    legs.hides_inner = false;
    parts.push(legs);
    parts.push(coat(&props, &skirt));
    parts.push(buttons(&props, &skirt));
    parts.push(scarf());
    parts.push(cap(&props));
    parts.push(beard(&props));
    let walk = Gait {
        speed: 0.78,
        cycle: 1.2,
        duty: 0.66,
        lift: 0.04,
        strike: 0.18,
        toe_off: 0.36,
        bounce: 0.01,
        sway: 0.034,
        twist: 0.05,
        tilt: 0.05,
        arm: 0.26,
        elbow: 0.5,
        arm_mid: 0.1,
        ..WALK
    };
    let run = Gait {
        speed: 1.9,
        cycle: 0.66,
        duty: 0.42,
        lift: 0.1,
        toe_off: 0.5,
        bounce: 0.02,
        arm: 0.5,
        lean: 0.12,
        sway: 0.025,
        ..RUN
    };
    let style = Style {
        tempo: 1.25,
        energy: 0.72,
        stoop: 0.34,
        head_drop: 0.05,
        crouch: 0.028,
        stance: 0.02,
        toe_out: 0.3,
        arm_out: 0.24,
        sway: 0.8,
        walk,
        run,
        ..STYLE
    };
    let extra = Extras {
        skirt: Some(skirt),
        strands: vec![],
        waist: 0.165,
        chest: 0.158,
    };
    let (cloth, trim) = (srgb(0x7f8f6f), srgb(0xb0563f));
    let mut looks = looks(srgb(0xe2ab8b), srgb(0xe9e6e0), cloth, trim);
    // Coat, scarf and cap: two of one colour, or one that contrasts. Trousers: neutrals or the colour of the file.
    let [n, c, t] = ["none", "cloth", "trim"];
    looks.extend([
        variant_look(Slot::Top, cloth, [c, c, c, c, t, t, t, c]),
        variant_look(Slot::Scarf, trim, [t, c, t, c, c, t, c, t]),
        variant_look(Slot::Hat, trim, [t, t, c, c, t, c, c, t]),
        variant_look(Slot::Bottom, srgb(0x5b5a5e), [n, t, n, t, n, n, t, t]),
    ]);
    Character {
        name: "elder",
        actor: Actor::new(rig, style, extra),
        parts,
        looks,
        triangles: 3600,
    }
}

fn coat_rings() -> Vec<crate::sdf::Ring> {
    let y = |v: f32| v * S;
    vec![
        ring(y(0.46), 0.212, 0.188, -0.01),
        ring(y(0.62), 0.196, 0.172, -0.008),
        ring(y(0.8), 0.178, 0.152, -0.002),
        ring(y(0.95), 0.166, 0.142, 0.008),
        ring(y(1.08), 0.162, 0.138, 0.014),
        ring(y(1.22), 0.16, 0.128, 0.006),
        ring(y(1.32), 0.142, 0.112, -0.008),
        ring(y(1.395), 0.075, 0.075, -0.012),
    ]
}

fn coat(p: &Proportions, skirt: &SkirtSkin) -> Part {
    let y = |v: f32| v * S;
    let hollow = loft(
        vec![ring(y(0.36), 0.2, 0.176, -0.01), ring(y(0.56), 0.186, 0.162, -0.008)],
        0.02,
    );
    let sleeves = body::sleeve(p, 1.9, 0.064, 0.052).and_mirror();
    let cuff = body::sleeve(p, 1.9, 0.056, 0.057).keep(
        0.004,
        half(p.along_arm(0, p.upper_arm + p.forearm * 0.68), -p.arm_dir(0)),
    );
    let slit = block(vec3(0.0, y(0.45), 0.2), vec3(0.006, 0.16, 0.09), 0.004, Quat::IDENTITY);
    let shape = body::torso(p, coat_rings(), 0.058, 0.006)
        .add(0.035, group(sleeves))
        .add(0.004, group(cuff.and_mirror()))
        .cut(0.004, hollow)
        .cut(0.004, slit);
    Part::new(shape, Slot::Top, Skin::Skirt(skirt.clone())).hides_inner()
}

fn buttons(p: &Proportions, skirt: &SkirtSkin) -> Part {
    let coat = coat(p, skirt).shape;
    let mut shape = Shape::new();
    for y in [0.92, 1.01, 1.1, 1.19] {
        let from = vec3(0.028, y * S, 0.4);
        let at = coat.hit(from, Vec3::NEG_Z).unwrap_or(from);
        shape = shape.add(0.0, ellipsoid(at, vec3(0.014, 0.014, 0.011)));
    }
    Part::new(shape, Slot::Details, Skin::Skirt(skirt.clone()))
        .grid(0.004)
        .detail(0.8)
        .color(srgb(0x3d2c22))
}

fn scarf() -> Part {
    let y = |v: f32| v * S;
    let wrap = loft(
        vec![
            ring(y(1.345), 0.084, 0.086, -0.004),
            ring(y(1.375), 0.094, 0.096, -0.004),
            ring(y(1.415), 0.078, 0.08, -0.006),
        ],
        0.02,
    );
    let end = block(
        vec3(0.062, y(1.245), 0.13),
        vec3(0.032, 0.105, 0.016),
        0.012,
        Quat::from_rotation_x(-0.26),
    );
    let shape = Shape::new().add(0.0, wrap).add(0.015, end);
    Part::new(shape, Slot::Scarf, Skin::Body).grid(0.007)
}

fn cap(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(
            0.0,
            ellipsoid_rot(
                at(0.0, 0.56, -0.06),
                r * vec3(1.14, 0.5, 1.16),
                Quat::from_rotation_x(0.16),
            ),
        )
        .keep(0.012, half(at(0.0, 0.38, 0.0), vec3(0.0, -1.0, 0.12)))
        .add(
            0.012,
            ellipsoid_rot(
                at(0.0, 0.42, 0.98),
                r * vec3(0.74, 0.075, 0.5),
                Quat::from_rotation_x(0.22),
            ),
        )
        .add(0.006, ball(at(0.0, 1.05, -0.06), r.x * 0.09));
    Part::new(shape, Slot::Hat, Skin::Rigid(HEAD)).grid(0.007)
}

/// Full beard, moustache and a fringe of hair below the cap.
fn beard(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(0.0, ellipsoid(at(0.0, -0.62, 0.4), r * vec3(0.86, 0.62, 0.68)))
        .add(
            0.05,
            cone(at(0.0, -0.8, 0.62), at(0.0, -1.25, 0.74), r.x * 0.42, r.x * 0.16),
        )
        .cut(0.02, ellipsoid(at(0.0, -0.1, 0.86), r * vec3(0.8, 0.48, 0.6)))
        .cut(0.02, half(at(0.0, -0.3, -0.1), vec3(0.0, -0.3, 1.0)))
        .add2(
            0.015,
            ellipsoid_rot(
                at(0.24, -0.43, 0.95),
                r * vec3(0.3, 0.11, 0.15),
                Quat::from_rotation_z(-0.3),
            ),
        )
        .add(0.02, group(fringe(p)));
    Part::new(shape, Slot::Hair, Skin::Rigid(HEAD)).grid(0.007)
}

fn fringe(p: &Proportions) -> Shape {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    Shape::new()
        .add(0.0, ellipsoid(at(0.0, 0.1, -0.12), r * vec3(1.07, 0.75, 1.02)))
        .keep(0.02, half(at(0.0, -0.3, 0.14), vec3(0.0, 0.2, 1.0)))
        .keep(0.02, half(at(0.0, 0.5, 0.0), Vec3::Y))
}
