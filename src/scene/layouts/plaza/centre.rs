//! The middle of the square: fountain, benches and stage.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::Vec3;

use crate::{
    config::Group,
    crowd::hash::Draws,
    scene::{
        Placement,
        layouts::{
            facing,
            plaza::{Plaza, WATCHERS, clear_of, polar},
            spread,
        },
        scenery::{Prop, PropPlacement},
    },
};

/// Hash salts of the random numbers of stage and fountain.
const STAGE: u32 = 0x9_1a2d;
/// Distance (m) from the middle of a bench to the point between a sitter's feet. Clip `sit` has the hips a thigh
/// further back.
const BEFORE_BENCH: f32 = 0.26;
/// Distance (m) from the middle of a bench to the middle of a seat.
const SEAT: f32 = 0.5;
/// Largest spacing (m) up to which two people on a bench, and a person beside it, keep the distance of everybody else.
const WIDEST: f32 = 1.65;

impl Plaza {
    /// Musician, dancers, audience and watchers, mixed so that any number of them looks right.
    pub(crate) fn centre(&self) -> Vec<Placement> {
        let mut people = vec![self.turned(self.stage, FRAC_PI_2, Group::Musician)];
        let (mut audience, mut watchers) = (self.audience().into_iter(), self.watchers().into_iter());
        loop {
            let pair = (audience.next(), watchers.next());
            if pair == (None, None) {
                return people;
            }
            let pair = [pair.0, pair.1].into_iter().flatten();
            people.extend(pair.filter(|person| clear_of(&self.props, person.position)));
        }
    }

    /// Two dancers and a half-ring of three rows facing the musician.
    fn audience(&self) -> Vec<Placement> {
        let mut people = Vec::new();
        for side in [-1.0, 1.0] {
            let place = self.beside_stage(1.1 * self.spacing, side);
            people.push(self.turned(place, facing(place, self.stage), Group::Dancers));
        }
        for row in 0..3 {
            let radius = (1.9 + 0.75 * row as f32) * self.spacing;
            let arc = 3.5_f32;
            let seats = (arc * radius / (0.8 * self.spacing)) as u32;
            for seat in spread(seats) {
                let draws = Draws::new(self.seed, STAGE, row << 8 | seat);
                if draws.unit(0) < 0.12 {
                    continue;
                }
                let middle = seat as f32 + 0.5 + 0.08 * draws.signed(1);
                let angle = (middle / seats as f32 - 0.5) * arc;
                let radius = radius + 0.06 * self.spacing * draws.signed(2);
                let place = self.beside_stage(radius, angle);
                let yaw = facing(place, self.stage) + 0.2 * draws.signed(3);
                people.push(self.turned(place, yaw, Group::Audience));
            }
        }
        people
    }

    /// Point at `radius` metres from the musician, `angle` radians off the line to the fountain.
    fn beside_stage(&self, radius: f32, angle: f32) -> Vec3 {
        self.stage + polar(radius, FRAC_PI_2 + angle)
    }

    /// People around the fountain, looking at it.
    fn watchers(&self) -> Vec<Placement> {
        let seats = (TAU * WATCHERS / (0.85 * self.spacing)) as u32;
        let seat = |seat: u32| {
            let draws = Draws::new(self.seed, STAGE, 1 << 16 | seat);
            let turn = (seat as f32 + 0.1 * draws.signed(1)) / seats as f32;
            let place = polar(WATCHERS + 0.25 * self.spacing * draws.unit(2), turn * TAU);
            let yaw = facing(place, Vec3::ZERO) + 0.35 * draws.signed(3);
            (draws.unit(0) < 0.62).then(|| self.turned(place, yaw, Group::Watchers))
        };
        spread(seats).filter_map(seat).collect()
    }

    /// People on the benches, two seats each, most of them taken; nobody if the spacing is wider than a seat.
    pub(crate) fn sitters(&self) -> Vec<Placement> {
        let benches = self.props.iter().filter(|prop| prop.kind == Prop::Bench);
        let benches: Vec<&PropPlacement> = benches.filter(|_| self.spacing <= WIDEST).collect();
        let seat = |seat: u32| {
            let draws = Draws::new(self.seed, STAGE, 2 << 16 | seat);
            let bench = benches[seat as usize / 2];
            let side = if seat.is_multiple_of(2) { -SEAT } else { SEAT };
            let (sin, cos) = bench.yaw.sin_cos();
            let (ahead, aside) = (Vec3::new(sin, 0.0, cos), Vec3::new(cos, 0.0, -sin));
            let place = bench.position + BEFORE_BENCH * ahead + side * aside;
            let yaw = bench.yaw + 0.08 * draws.signed(1);
            (draws.unit(0) < 0.75).then(|| self.turned(place, yaw, Group::Sitters))
        };
        spread(2 * benches.len() as u32).filter_map(seat).collect()
    }
}
