//! The stadium's steps and the lines on its pitch as a model that never moves.

use glam::{Vec2, Vec3, Vec4};

use crate::{
    model::Model,
    scene::{
        layouts::StandRow,
        scenery::solid::{Solid, around, material},
    },
};

const CONCRETE: u8 = 0;
const PAINT: u8 = 1;
/// Width of a painted line, metres.
const LINE: f32 = 0.12;
/// Lines lie this far above the grass, metres.
const LIFT: f32 = 0.012;

/// Steps for `rows` (front rows first) and the lines of the pitch before them.
#[must_use]
pub fn stand_model(rows: &[StandRow]) -> Model {
    let mut solid = Solid::default();
    let mut below = 0.0;
    for row in rows {
        add_step(&mut solid, row, below);
        below = row.height;
    }
    if let Some(last) = rows.last() {
        add_back_wall(&mut solid, last);
    }
    if let Some(first) = rows.first() {
        add_lines(&mut solid, &first.front);
    }
    let materials = [
        ("concrete", Vec4::new(0.40, 0.39, 0.38, 1.0)),
        ("paint", Vec4::new(0.80, 0.80, 0.78, 1.0)),
    ];
    solid.model(
        "stands",
        materials.map(|(name, color)| material(name, color, 0.9)).into(),
    )
}

/// The tread of a row and the riser in front of it.
fn add_step(solid: &mut Solid, row: &StandRow, below: f32) {
    let edges = around(&row.front).zip(around(&row.back));
    for ((front, next_front), (back, next_back)) in edges {
        let at = |p: Vec2, y| Vec3::new(p.x, y, p.y);
        let tread = [
            at(front, row.height),
            at(back, row.height),
            at(next_back, row.height),
            at(next_front, row.height),
        ];
        solid.quad(tread, Vec3::ONE, CONCRETE);
        let riser = [
            at(front, below),
            at(front, row.height),
            at(next_front, row.height),
            at(next_front, below),
        ];
        solid.quad(riser, Vec3::splat(0.72), CONCRETE);
    }
}

/// From the back of the last row to the ground.
fn add_back_wall(solid: &mut Solid, row: &StandRow) {
    for (back, next) in around(&row.back) {
        let at = |p: Vec2, y| Vec3::new(p.x, y, p.y);
        let top = row.height + 1.1;
        let outside = [at(back, top), at(back, 0.0), at(next, 0.0), at(next, top)];
        solid.quad(outside, Vec3::splat(0.8), CONCRETE);
        let inside = [at(next, top), at(next, row.height), at(back, row.height), at(back, top)];
        solid.quad(inside, Vec3::splat(0.9), CONCRETE);
    }
}

/// Border, halfway line and centre circle inside the first row.
fn add_lines(solid: &mut Solid, front: &[Vec2]) {
    let reach = front.iter().fold(Vec2::ZERO, |r, p| r.max(p.abs()));
    let half = (reach - 4.0).max(Vec2::splat(4.0));
    let corner = |x: f32, z: f32| Vec2::new(x * half.x, z * half.y);
    let border = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    for (a, b) in around(&border) {
        add_line(solid, a, b);
    }
    let across = if half.x > half.y {
        [corner(0.0, -1.0), corner(0.0, 1.0)]
    } else {
        [corner(-1.0, 0.0), corner(1.0, 0.0)]
    };
    add_line(solid, across[0], across[1]);
    let radius = half.min_element() * 0.27;
    let circle: Vec<Vec2> = (0..48)
        .map(|i| Vec2::from_angle(i as f32 / 48.0 * std::f32::consts::TAU) * radius)
        .collect();
    for (a, b) in around(&circle) {
        add_line(solid, a, b);
    }
}

fn add_line(solid: &mut Solid, a: Vec2, b: Vec2) {
    let along = (b - a).normalize_or_zero();
    let side = along.perp() * LINE * 0.5;
    let (a, b) = (a - along * LINE * 0.5, b + along * LINE * 0.5);
    let at = |p: Vec2| Vec3::new(p.x, LIFT, p.y);
    solid.quad(
        [at(a + side), at(b + side), at(b - side), at(a - side)],
        Vec3::ONE,
        PAINT,
    );
}
