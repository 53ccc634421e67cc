//! Model of the stadium's steps, which never moves.

use glam::{Vec2, Vec3, Vec4};

use crate::{
    model::Model,
    scene::{
        layouts::StandRow,
        scenery::solid::{Solid, around, material},
    },
};

const CONCRETE: u8 = 0;

/// Model of the steps of `rows`, front rows first.
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
    let concrete = material("concrete", Vec4::new(0.40, 0.39, 0.38, 1.0), 0.9);
    solid.model("stands", vec![concrete])
}

/// Adds the tread of a row and the riser in front of it.
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

/// Adds the wall from the back of the last row to the ground.
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
