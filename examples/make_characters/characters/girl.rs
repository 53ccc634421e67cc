//! A bouncy school girl: hoodie, shorts, pigtails and a backpack.

use super::{Character, looks, variant_look};
use crate::actor::{Actor, Extras, Gait, RUN, STYLE, Strand, Style, WALK};
use crate::body::{self, FACE, Face, Trousers, on_skull};
use crate::parts::{Part, Skin, Slot, srgb};
use crate::rig::{CHEST, HEAD, Proportions, Rig};
use crate::sdf::{Shape, ball, block, cone, ellipsoid, group, half, loft, ring};
use glam::{Quat, Vec3, vec3};

const S: f32 = 0.74;

pub fn build() -> Character {
    let mut props = Proportions::ADULT.scaled(S, 1.04);
    props.shoulder = vec3(0.108, 1.345 * S, -0.008);
    let mut rig = Rig::new(props);
    let (tails, strands) = pigtails(&mut rig);
    let face = Face {
        eye: 1.2,
        nose: 0.7,
        jaw: 0.98,
        chin: 0.9,
        cheeks: 1.08,
        smile: 0.1,
        lashes: 0.05,
        neck: 0.72,
        blush: 0.8,
        brow_size: 0.85,
        brow_tilt: 0.04,
        ..FACE
    };
    let mut parts = body::head_parts(&props, &face, Slot::Hair);
    parts.push(body::bare_arms(&props, 1.85, 1.1));
    parts.push(body::bare_legs(&props, 0.6, 1.02, Slot::Legs));
    let sneaker = body::shoes(&props, 0.98, 0.0, Slot::Details, srgb(0xd8554d), srgb(0xf2eee6));
    parts.push(sneaker);
    parts.push(socks(&props));
    let cut = Trousers {
        hip: 0.078,
        knee: 0.07,
        hem: 0.07,
        hem_y: 0.4,
        seat: (0.112, 0.098),
    };
    parts.push(body::trousers(&props, &cut, Slot::Bottom));
    parts.push(hoodie(&props));
    parts.extend(backpack(&props));
    parts.push(hair(&props));
    parts.extend(tails);
    let walk = Gait {
        speed: 1.15,
        cycle: 0.84,
        lift: 0.075,
        bounce: 0.024,
        arm: 0.62,
        twist: 0.15,
        crouch: 0.02,
        ..WALK
    };
    let run = Gait {
        speed: 2.5,
        cycle: 0.56,
        lift: 0.18,
        bounce: 0.04,
        crouch: 0.04,
        ..RUN
    };
    let style = Style {
        tempo: 0.85,
        energy: 1.25,
        toe_out: 0.02,
        arm_out: 0.26,
        stance: 0.006,
        walk,
        run,
        ..STYLE
    };
    let extra = Extras {
        skirt: None,
        strands,
        waist: 0.118,
        chest: 0.12,
    };
    let (skin, cloth, trim) = (srgb(0xc98d63), srgb(0xf2c14e), srgb(0x4f8a8b));
    let mut looks = looks(skin, srgb(0x33241d), cloth, trim);
    // Bare legs or leggings; shorts in the colour of the hoodie or of the bag. Some wear neutrals with a bright bag.
    let [s, c, t] = ["skin", "cloth", "trim"];
    looks.extend([
        variant_look(Slot::Top, cloth, [c, c, c, c, c, t, t, c]),
        variant_look(Slot::Bottom, trim, [t, t, c, t, c, t, c, t]),
        variant_look(Slot::Legs, skin, [s, t, s, s, t, s, s, c]),
        variant_look(Slot::Straps, trim, [t, t, t, c, t, c, c, t]),
    ]);
    Character {
        name: "girl",
        actor: Actor::new(rig, style, extra),
        parts,
        looks,
        triangles: 3700,
    }
}

fn hoodie(p: &Proportions) -> Part {
    let y = |v: f32| v * S;
    let rings = vec![
        ring(y(0.85), 0.122, 0.114, -0.006),
        ring(y(0.9), 0.13, 0.118, -0.004),
        ring(y(1.0), 0.128, 0.114, 0.004),
        ring(y(1.15), 0.12, 0.106, 0.004),
        ring(y(1.28), 0.112, 0.096, 0.0),
        ring(y(1.36), 0.09, 0.078, -0.008),
        ring(y(1.41), 0.055, 0.055, -0.012),
    ];
    let sleeves = body::sleeve(p, 1.93, 0.05, 0.041).and_mirror();
    let hood = ellipsoid(vec3(0.0, y(1.385), -0.062), vec3(0.098, 0.046, 0.068));
    let collar = loft(
        vec![
            ring(y(1.375), 0.086, 0.082, -0.006),
            ring(y(1.425), 0.078, 0.075, -0.006),
        ],
        0.012,
    );
    let shape = body::torso(p, rings, 0.044, 0.008)
        .add(0.03, group(sleeves))
        .add(0.02, collar)
        .add(0.03, hood)
        .add(
            0.01,
            block(
                vec3(0.0, y(0.985), 0.108),
                vec3(0.07, 0.042, 0.018),
                0.015,
                Quat::IDENTITY,
            ),
        );
    Part::new(shape, Slot::Top, Skin::Body).hides_inner()
}

fn socks(p: &Proportions) -> Part {
    let top = p.ankle.lerp(p.knee, 0.3);
    let shape = Shape::new()
        .add(0.0, cone(p.ankle, top, 0.031, 0.039))
        .keep(0.004, half(top, Vec3::Y));
    body::both_sides(shape, Slot::Details, Skin::Body)
        .detail(0.8)
        .color(srgb(0xf2eee6))
}

fn backpack(p: &Proportions) -> Vec<Part> {
    let y = p.shoulder.y;
    let bag = Shape::new()
        .add(
            0.0,
            block(
                vec3(0.0, y - 0.1, -0.158),
                vec3(0.095, 0.125, 0.056),
                0.05,
                Quat::IDENTITY,
            ),
        )
        .add(
            0.008,
            block(
                vec3(0.0, y - 0.15, -0.215),
                vec3(0.066, 0.055, 0.022),
                0.02,
                Quat::IDENTITY,
            ),
        );
    let straps = Shape::new()
        .add2(
            0.0,
            cone(vec3(0.066, y - 0.16, 0.088), vec3(0.07, y - 0.03, 0.086), 0.014, 0.014),
        )
        .add2(
            0.0,
            cone(vec3(0.07, y - 0.03, 0.086), vec3(0.072, y + 0.036, 0.0), 0.014, 0.014),
        )
        .add2(
            0.0,
            cone(vec3(0.072, y + 0.036, 0.0), vec3(0.066, y - 0.01, -0.1), 0.014, 0.014),
        )
        .add2(
            0.0,
            cone(vec3(0.066, y - 0.16, 0.088), vec3(0.112, y - 0.2, 0.03), 0.012, 0.012),
        )
        .add2(
            0.0,
            cone(vec3(0.112, y - 0.2, 0.03), vec3(0.09, y - 0.19, -0.11), 0.012, 0.012),
        );
    vec![
        Part::new(bag, Slot::Straps, Skin::Rigid(CHEST)),
        Part::new(straps, Slot::Straps, Skin::Body)
            .grid(0.006)
            .detail(0.8)
            .color(Vec3::splat(0.7)),
    ]
}

fn hair(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(0.0, ellipsoid(at(0.0, 0.14, -0.1), r * vec3(1.1, 0.99, 1.07)))
        .add(0.03, ellipsoid(at(0.0, -0.1, -0.3), r * vec3(1.04, 0.72, 0.84)))
        .cut(0.015, ellipsoid(at(0.0, -0.55, 1.0), r * vec3(0.96, 1.06, 1.0)))
        .add2(0.02, ellipsoid(at(0.3, 0.62, 0.76), r * vec3(0.46, 0.26, 0.3)));
    Part::new(shape, Slot::Hair, Skin::Rigid(HEAD)).grid(0.007)
}

/// Makes two pigtails that swing from bobbles at the back of the ears.
fn pigtails(rig: &mut Rig) -> (Vec<Part>, Vec<Strand>) {
    let p = rig.props;
    let mut parts = Vec::new();
    let mut strands = Vec::new();
    for (side, x) in [("l", 1.0), ("r", -1.0)] {
        let at = |dx: f32, y: f32, z: f32| on_skull(&p, x * dx, y, z);
        let (root, mid, tip) = (at(1.02, 0.16, -0.4), at(1.5, -0.3, -0.5), at(1.62, -1.0, -0.5));
        let a = rig.add(&format!("pigtail_{side}_1"), HEAD, root);
        let b = rig.add(&format!("pigtail_{side}_2"), a, mid);
        let hair = Shape::new()
            .add(0.0, cone(root, mid, 0.03, 0.044))
            .add(0.02, cone(mid, tip, 0.044, 0.014));
        let skin = Skin::Chain {
            joints: vec![a, b],
            points: vec![root, mid],
        };
        parts.push(Part::new(hair, Slot::Hair, skin).grid(0.007));
        let bobble = Shape::new().add(0.0, ball(root, 0.037));
        parts.push(Part::new(bobble, Slot::Trim, Skin::Rigid(HEAD)).grid(0.006));
        strands.push(Strand {
            joints: vec![a, b],
            tip,
            stiffness: 160.0,
        });
    }
    (parts, strands)
}
