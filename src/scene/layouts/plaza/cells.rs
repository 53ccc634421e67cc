//! Cells of the square: circles of people who talk, and people by themselves.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

use crate::{
    config::Group,
    crowd::hash::Draws,
    scene::{
        Placement,
        layouts::{
            facing,
            plaza::{Plaza, RING, polar},
        },
    },
};

/// Salt of the draws of cells.
const CELL: u32 = 0x9_1a2a;
/// Maximum distance of people from the middle of their cell, in spacings: two neighbouring cells leave 0.6 of a
/// spacing between them.
const REACH: f32 = 0.5 * RING - 0.305;
/// Distance between neighbours in a circle of talkers, in spacings.
const TALKING: f32 = 0.68;

impl Plaza {
    /// People of one cell; none if a prop, the stage or an avenue is in the way.
    pub(crate) fn cell(&self, ring: u32, cell: u32) -> Vec<Placement> {
        let draws = Draws::new(self.seed, CELL ^ ring << 8, cell);
        let offset = Draws::new(self.seed, CELL ^ ring << 8, u32::MAX).unit(0);
        let angle = (cell as f32 + offset) / self.cells(ring) as f32 * TAU;
        let radius = self.middle(ring);
        // Towards the middle of the square fewer cells are empty and circles are larger.
        let bustle = 1.0 - ((radius - 10.0) / 45.0).clamp(0.0, 1.0);
        let middle = polar(radius, angle);
        let kind = draws.unit(0);
        let empty = 0.24 - 0.21 * bustle;
        let people = if kind < empty {
            Vec::new()
        } else if kind < empty + 0.2 {
            self.loners(middle, draws)
        } else {
            self.talkers(middle, draws, bustle)
        };
        let clear = people.iter().all(|person| self.open(person));
        if clear { people } else { Vec::new() }
    }

    /// Two to six people in a circle, facing its middle.
    fn talkers(&self, middle: Vec3, draws: Draws, bustle: f32) -> Vec<Placement> {
        let count = 2 + (5.0 * draws.unit(1).powf(1.9 - bustle)) as u32;
        let radius = 0.5 * TALKING / (PI / count as f32).sin();
        let room = (REACH - 1.08 * radius).max(0.0) * draws.unit(2).sqrt();
        let middle = middle + polar(room * self.spacing, draws.unit(3) * TAU);
        let first = draws.unit(4) * TAU;
        let person = |i: u32| {
            let turn = first + i as f32 / count as f32 * TAU + 0.05 * draws.signed(10 + i);
            let radius = radius * (1.0 + 0.08 * draws.unit(20 + i)) * self.spacing;
            let yaw = turn + PI + 0.3 * draws.signed(30 + i);
            self.turned(middle + polar(radius, turn), yaw, Group::Talkers)
        };
        (0..count).map(person).collect()
    }

    /// One to three people by themselves, half of them looking towards the fountain.
    fn loners(&self, middle: Vec3, draws: Draws) -> Vec<Placement> {
        let count = 1 + draws.below(1, 3);
        let first = draws.unit(4) * TAU;
        let person = |i: u32| {
            let turn = first + i as f32 / 3.0 * TAU;
            let radius = (0.45 + 0.2 * draws.unit(20 + i)) * self.spacing;
            let place = middle + polar(radius, turn);
            let yaw = if draws.unit(30 + i) < 0.5 {
                facing(place, Vec3::ZERO) + 0.5 * draws.signed(40 + i)
            } else {
                draws.unit(40 + i) * TAU
            };
            self.turned(place, yaw, Group::Standers)
        };
        (0..count).map(person).collect()
    }
}
