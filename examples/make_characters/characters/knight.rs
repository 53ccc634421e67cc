//! A stocky knight: open helmet with a plume, mail, tabard and tall boots.

use super::{Character, LEATHER, looks};
use crate::actor::{Actor, Extras, Gait, RUN, STYLE, Strand, Style, WALK};
use crate::body::{self, FACE, Face, Trousers, on_skull};
use crate::parts::{Part, Skin, SkirtSkin, Slot, srgb};
use crate::rig::{Arm, HEAD, Proportions, Rig, SIDES, arm, side_of, sign};
use crate::sdf::{Ring, Shape, ball, block, cone, ellipsoid, ellipsoid_rot, group, half, loft, ring};
use glam::{Quat, Vec3, vec3};

const STEEL: u32 = 0xa9b2bd;
const MAIL: u32 = 0x6d747e;

pub fn build() -> Character {
    let mut props = Proportions::ADULT.scaled(1.02, 1.1);
    props.shoulder = vec3(0.188, 1.37, -0.01);
    let mut rig = Rig::new(props);
    let panels = body::skirt_joints(&mut rig, 8, props.hips_y + 0.02, 0.11);
    let skirt = SkirtSkin {
        panels,
        top: 0.96,
        blend: 0.16,
    };
    let (plume, strand) = plume(&mut rig);
    let face = Face {
        jaw: 1.12,
        chin: 1.08,
        nose: 1.15,
        brow_size: 1.3,
        brow_tilt: -0.05,
        neck: 1.1,
        blush: 0.3,
        smile: 0.04,
        ..FACE
    };
    let mut parts = body::head_parts(&props, &face, Slot::Hair);
    parts.push(moustache(&props));
    parts.push(plume);
    parts.push(helmet(&props));
    parts.push(gloves(&props));
    parts.push(body::shoes(
        &props,
        1.18,
        0.13,
        Slot::Details,
        srgb(LEATHER),
        srgb(0x2e2119),
    ));
    let cut = Trousers {
        hip: 0.074,
        knee: 0.068,
        hem: 0.062,
        hem_y: 0.16,
        seat: (0.135, 0.104),
    };
    let mut legs = body::trousers(&props, &cut, Slot::Details).color(srgb(MAIL));
    legs.hides_inner = false;
    parts.push(legs);
    parts.push(mail(&props));
    parts.push(tabard(&props, &skirt));
    parts.push(belt(&skirt));
    parts.push(emblem(&skirt));
    parts.extend(pauldrons(&props));
    let walk = Gait {
        speed: 1.2,
        cycle: 1.04,
        sway: 0.03,
        tilt: 0.06,
        bounce: 0.02,
        arm: 0.42,
        elbow: 0.5,
        ..WALK
    };
    let run = Gait {
        speed: 2.8,
        cycle: 0.68,
        ..RUN
    };
    let style = Style {
        energy: 0.95,
        sway: 0.8,
        stance: 0.04,
        toe_out: 0.28,
        arm_out: 0.3,
        crouch: 0.014,
        walk,
        run,
        ..STYLE
    };
    let extra = Extras {
        skirt: Some(skirt),
        strands: vec![strand],
        waist: 0.17,
        chest: 0.152,
    };
    Character {
        name: "knight",
        actor: Actor::new(rig, style, extra),
        parts,
        looks: looks(srgb(0xe0a987), srgb(0x9a5a2c), srgb(0x4a6fa5), srgb(0xc9a24b)),
        triangles: 3900,
    }
}

fn mail(p: &Proportions) -> Part {
    let rings = vec![
        ring(0.92, 0.15, 0.12, 0.0),
        ring(1.08, 0.152, 0.122, 0.004),
        ring(1.25, 0.166, 0.126, 0.002),
        ring(1.36, 0.15, 0.106, -0.008),
        ring(1.42, 0.08, 0.08, -0.012),
        ring(1.47, 0.075, 0.076, -0.012),
    ];
    let sleeves = body::sleeve(p, 1.85, 0.07, 0.054).and_mirror();
    let shape = body::torso(p, rings, 0.062, 0.01).add(0.035, group(sleeves));
    Part::new(shape, Slot::Details, Skin::Body)
        .hides_inner()
        .color(srgb(MAIL))
}

fn tabard(p: &Proportions, skirt: &SkirtSkin) -> Part {
    let hollow = loft(vec![ring(0.42, 0.212, 0.182, 0.0), ring(0.62, 0.196, 0.168, 0.0)], 0.02);
    let rings = tabard_rings(0.0);
    let hole = cone(
        p.shoulder - Vec3::X * 0.012,
        p.shoulder + p.arm_dir(0) * 0.3,
        0.078,
        0.1,
    );
    let slit = block(vec3(0.23, 0.55, 0.0), vec3(0.09, 0.2, 0.006), 0.004, Quat::IDENTITY);
    let shape = Shape::new()
        .add(0.0, loft(rings, 0.008))
        .cut(0.004, hollow)
        .cut(0.01, hole.clone())
        .cut(0.01, hole.mirrored())
        .cut(0.004, slit.clone())
        .cut(0.004, slit.mirrored());
    Part::new(shape, Slot::Cloth, Skin::Skirt(skirt.clone())).hides_inner()
}

/// Cross-sections of the tabard, enlarged by `grow` (m).
fn tabard_rings(grow: f32) -> Vec<Ring> {
    let ring = |y, rx: f32, rz: f32, cz| ring(y, rx + grow, rz + grow, cz);
    vec![
        ring(0.5, 0.225, 0.195, 0.0),
        ring(0.7, 0.206, 0.178, 0.0),
        ring(0.9, 0.178, 0.15, 0.002),
        ring(1.02, 0.158, 0.13, 0.004),
        ring(1.16, 0.17, 0.138, 0.006),
        ring(1.28, 0.182, 0.142, 0.002),
        ring(1.37, 0.16, 0.122, -0.008),
        ring(1.425, 0.098, 0.098, -0.012),
    ]
}

/// Makes a chevron on the chest: a layer of the tabard slightly above its surface.
fn emblem(skirt: &SkirtSkin) -> Part {
    let bar = |y: f32| {
        let slope = Quat::from_rotation_z(-0.75);
        block(vec3(0.048, y, 0.14), vec3(0.075, 0.021, 0.06), 0.008, slope)
    };
    let chevrons = Shape::new().add2(0.0, bar(1.25)).add2(0.0, bar(1.165));
    let shape = Shape::new()
        .add(0.0, group(chevrons))
        .keep(0.004, loft(tabard_rings(0.01), 0.008));
    Part::new(shape, Slot::Trim, Skin::Skirt(skirt.clone())).grid(0.006)
}

fn belt(skirt: &SkirtSkin) -> Part {
    let band = loft(
        vec![ring(1.0, 0.167, 0.14, 0.004), ring(1.05, 0.166, 0.139, 0.004)],
        0.012,
    );
    let buckle = block(vec3(0.0, 1.025, 0.146), vec3(0.03, 0.032, 0.012), 0.01, Quat::IDENTITY);
    let shape = Shape::new().add(0.0, band).add(0.003, buckle);
    Part::new(shape, Slot::Trim, Skin::Skirt(skirt.clone())).grid(0.007)
}

/// Shoulder plates: round enough to leave no gap around a raised arm. They follow the collar bones.
fn pauldrons(p: &Proportions) -> [Part; 2] {
    SIDES.map(|side| {
        let at = side_of(p.shoulder + vec3(0.008, 0.004, 0.0), side);
        let tilt = Quat::from_rotation_z(-0.55 * sign(side));
        let under = vec3(-0.35 * sign(side), -1.0, 0.0);
        let plate = Shape::new()
            .add(0.0, ellipsoid_rot(at, vec3(0.1, 0.088, 0.096), tilt))
            .keep(0.012, half(at - Vec3::Y * 0.048, under));
        let skin = Skin::Rigid(arm(side, Arm::Clavicle));
        Part::new(plate, Slot::Details, skin).color(srgb(STEEL))
    })
}

fn gloves(p: &Proportions) -> Part {
    let mut gloves = body::bare_arms(p, 1.7, 1.18).color(srgb(LEATHER));
    gloves.slot = Slot::Details;
    gloves
}

fn helmet(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let shape = Shape::new()
        .add(0.0, ellipsoid(at(0.0, 0.12, -0.06), r * vec3(1.15, 1.06, 1.16)))
        .add(0.04, ellipsoid(at(0.0, -0.42, -0.22), r * vec3(1.12, 0.72, 0.98)))
        .keep(0.01, half(at(0.0, -0.86, 0.0), vec3(0.0, -1.0, 0.3)))
        .cut(
            0.015,
            block(at(0.0, -0.42, 1.0), vec3(0.66, 0.86, 0.9) * r, 0.05, Quat::IDENTITY),
        )
        .add(0.01, ellipsoid(at(0.0, 0.47, 0.2), r * vec3(1.17, 0.1, 1.0)))
        .add(
            0.008,
            block(at(0.0, 0.75, -0.1), vec3(0.018, 0.075, 0.15), 0.016, Quat::IDENTITY),
        );
    Part::new(shape, Slot::Details, Skin::Rigid(HEAD))
        .grid(0.007)
        .hides_inner()
        .color(srgb(STEEL))
}

/// Makes a plume that trails from the crest.
fn plume(rig: &mut Rig) -> (Part, Strand) {
    let p = rig.props;
    let at = |y: f32, z: f32| on_skull(&p, 0.0, y, z);
    let (root, mid, tip) = (at(1.15, -0.1), at(1.5, -0.95), at(0.6, -1.75));
    let a = rig.add("plume_1", HEAD, root);
    let b = rig.add("plume_2", a, mid);
    let shape = Shape::new()
        .add(0.0, cone(root, mid, 0.024, 0.044))
        .add(0.02, cone(mid, tip, 0.044, 0.014));
    let skin = Skin::Chain {
        joints: vec![a, b],
        points: vec![root, mid],
    };
    let strand = Strand {
        joints: vec![a, b],
        tip,
        stiffness: 200.0,
    };
    (Part::new(shape, Slot::Trim, skin), strand)
}

fn moustache(p: &Proportions) -> Part {
    let r = p.skull_r;
    let at = |x, y, z| on_skull(p, x, y, z);
    let rot = Quat::from_rotation_z(-0.35);
    let shape = Shape::new()
        .add2(
            0.012,
            ellipsoid_rot(at(0.2, -0.43, 0.93), r * vec3(0.27, 0.1, 0.15), rot),
        )
        .add2(0.01, ball(at(0.4, -0.47, 0.8), r.x * 0.07));
    Part::new(shape, Slot::Hair, Skin::Rigid(HEAD)).grid(0.005)
}
