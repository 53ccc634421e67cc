//! The road, its kerbs and barriers, and the gate where it begins.

use glam::{Vec2, Vec3, Vec4, vec2};

use crate::{
    crowd::paths::Spot,
    model::Model,
    scene::{
        layouts::{Course, Side},
        scenery::{
            solid::{Solid, SolidStance, around, material},
            street::{ground, linear},
        },
    },
};

const ASPHALT: u8 = 0;
const STONE: u8 = 1;
const PAINT: u8 = 2;
const CLOTH: u8 = 3;

/// Heights (m) of layers on the ground: pavement, road, paint.
const LIFTS: [f32; 3] = [0.006, 0.012, 0.018];
/// Distance between cross-sections (m).
const STEP: f32 = 2.5;
/// Height of a kerb (m).
const KERB: f32 = 0.1;
/// Height of the barriers (m).
const BARRIER: f32 = 0.92;
/// Length of a barrier section (m); one of every so many sections is left out.
const SECTION: f32 = 2.5;
const GATES: u32 = 17;

/// Colours of barriers (sRGB), in turn.
const CLOTHS: [[u8; 3]; 4] = [[214, 72, 48], [240, 236, 226], [38, 84, 150], [240, 236, 226]];

pub(super) fn model(course: &Course) -> Model {
    let mut solid = Solid::default();
    let half = course.half_width();
    strip(&mut solid, course, -half, half, LIFTS[1], Vec3::ONE, ASPHALT);
    for side in Side::ALL {
        let edges = |a: f32, b: f32| if side == Side::Left { [a, b] } else { [-b, -a] };
        let [right, left] = edges(half, course.pavement() + 1.6);
        strip(&mut solid, course, right, left, LIFTS[0], Vec3::splat(1.0), STONE);
        kerb(&mut solid, course, side);
        barriers(&mut solid, course, side);
    }
    // The blue line marks the shortest route, as in marathons.
    let blue = linear(30, 96, 190);
    strip(&mut solid, course, -0.09, 0.09, LIFTS[2], blue, PAINT);
    gate(&mut solid, course);
    let materials = vec![
        material("asphalt", Vec4::new(0.085, 0.086, 0.09, 1.0), 0.92),
        material("stone", Vec4::new(0.36, 0.34, 0.31, 1.0), 0.9),
        material("paint", Vec4::ONE, 0.6),
        material("cloth", Vec4::ONE, 0.85),
    ];
    solid.model("road", materials)
}

/// Adds a strip of ground between two lines parallel to the path.
fn strip(solid: &mut Solid, course: &Course, right: f32, left: f32, lift: f32, color: Vec3, material: u8) {
    let middle: Vec<Spot> = course.line(0.0).samples(STEP).collect();
    let across = |spot: Spot, offset: f32| {
        let side = vec2(spot.yaw.cos(), -spot.yaw.sin());
        ground(spot.ground + side * offset) + Vec3::Y * lift
    };
    for (from, to) in around(&middle) {
        let corners = [
            across(from, left),
            across(from, right),
            across(to, right),
            across(to, left),
        ];
        solid.quad(corners, color, material);
    }
}

/// Adds a kerb, a low step between road and pavement.
fn kerb(solid: &mut Solid, course: &Course, side: Side) {
    let line = course.line(side.sign() * course.half_width());
    let samples: Vec<Spot> = line.samples(STEP).collect();
    for (from, to) in around(&samples) {
        let stance = between(from, to);
        let long = 0.5 * from.ground.distance(to.ground) + 0.02;
        let size = [Vec3::new(-0.08, 0.0, -long), Vec3::new(0.08, KERB, long)];
        solid.block(&stance, size, Vec3::splat(1.25), STONE);
    }
}

/// Frame in the middle between two spots, facing from one to the other.
fn between(from: Spot, to: Spot) -> SolidStance {
    let way = to.ground - from.ground;
    SolidStance::new(0.5 * (from.ground + to.ground), way.x.atan2(way.y))
}

/// Adds barriers: cloth on rails, in sections, with gaps for people.
fn barriers(solid: &mut Solid, course: &Course, side: Side) {
    let line = course.line(side.sign() * (course.half_width() + 0.45));
    let samples: Vec<Spot> = line.samples(SECTION).collect();
    for (number, (from, to)) in (0_u32..).zip(around(&samples)) {
        if number % GATES == 0 {
            continue;
        }
        let stance = between(from, to);
        let long = 0.5 * from.ground.distance(to.ground) - 0.06;
        let [r, g, b] = CLOTHS[(number / 4) as usize % CLOTHS.len()];
        let cloth = [Vec3::new(-0.02, 0.14, -long), Vec3::new(0.02, BARRIER - 0.06, long)];
        solid.block(&stance, cloth, linear(r, g, b), CLOTH);
        let rail = [Vec3::new(-0.03, BARRIER - 0.06, -long), Vec3::new(0.03, BARRIER, long)];
        solid.block(&stance, rail, Vec3::splat(0.5), CLOTH);
        for end in [-long, long] {
            let post = [
                Vec3::new(-0.035, 0.0, end - 0.03),
                Vec3::new(0.035, BARRIER, end + 0.03),
            ];
            solid.block(&stance, post, Vec3::splat(0.5), CLOTH);
        }
    }
}

/// Adds the gate: two towers and a chequered beam over the line where a round begins.
fn gate(solid: &mut Solid, course: &Course) {
    let spot = course.line(0.0).at(0.0);
    let stance = SolidStance::new(spot.ground, spot.yaw);
    let half = course.half_width() + 0.9;
    let (low, high) = (4.4, 6.0);
    let tower = linear(214, 72, 48);
    for side in [-1.0, 1.0] {
        let x = side * half;
        solid.block(
            &stance,
            [Vec3::new(x - 0.45, 0.0, -0.45), Vec3::new(x + 0.45, high, 0.45)],
            tower,
            CLOTH,
        );
    }
    let beam = [Vec3::new(-half - 0.45, low, -0.4), Vec3::new(half + 0.45, high, 0.4)];
    solid.block(&stance, beam, linear(240, 236, 226), CLOTH);
    chequers(solid, spot, half, low, high);
    // Start line on the road.
    let edge = course.half_width();
    let stripe = |z: f32| [-edge, edge].map(|x| stance.at(x, LIFTS[2], z));
    let [[a, b], [d, c]] = [stripe(0.25), stripe(-0.25)];
    solid.quad([a, b, c, d], Vec3::splat(0.85), PAINT);
}

/// Adds chequers to both faces of the beam.
fn chequers(solid: &mut Solid, spot: Spot, half: f32, low: f32, high: f32) {
    let cell = 0.4;
    let columns = (2.0 * half / cell) as i32;
    for turned in [0.0, std::f32::consts::PI] {
        let face = SolidStance::new(spot.ground, spot.yaw + turned);
        for (row, base) in [low + 0.1, high - 0.1 - 2.0 * cell]
            .into_iter()
            .flat_map(|b| [(0, b), (1, b + cell)])
        {
            for column in (row..columns).step_by(2) {
                let x = -half + column as f32 * cell;
                let cells = [Vec2::new(x, base), Vec2::new(x + cell, base + cell)];
                solid.panel(&face, 0.405, cells, Vec3::splat(0.02), CLOTH);
            }
        }
        let band = [Vec2::new(-0.72 * half, low + 0.98), Vec2::new(0.72 * half, high - 0.98)];
        solid.panel(&face, 0.41, band, linear(38, 84, 150), CLOTH);
    }
}
