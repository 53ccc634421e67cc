//! A lively square: a fountain that people watch, a street musician with an audience, circles of
//! people talking, people on their own, and walkers on promenades and avenues.
//!
//! Around the fountain the square is cut into rings and each ring into cells about as wide as it
//! is deep. A cell holds one circle of talkers or a few people by themselves, all within the
//! cell's inner disc, so that neighbouring cells need not know of each other: everyone keeps the
//! minimum distance by construction, and any ring can be made on any thread.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::{
    group::Group,
    hash::Draws,
    layout::{Placement, facing, spread},
    props::{PropPlacement, props},
};

/// Salts of the draws of cells, promenades, avenues and of the stage.
const CELL: u32 = 0x9_1a2a;
const PROMENADE: u32 = 0x9_1a2b;
const AVENUE: u32 = 0x9_1a2c;
const STAGE: u32 = 0x9_1a2d;
/// Depth of a ring and width of a cell, in spacings.
const RING: f32 = 2.1;
/// People stay within this distance of their cell's middle, in spacings: two neighbouring cells
/// leave 0.6 of a spacing between them.
const REACH: f32 = 0.5 * RING - 0.305;
/// Neighbours in a circle of talkers, in spacings.
const TALKING: f32 = 0.68;
/// Each ring of this number is a promenade, the innermost included.
const PROMENADES: u32 = 7;
/// Half the width of an avenue that standing people keep clear, in spacings.
const AVENUE_HALF: f32 = 1.15;
/// Watchers stand this far from the fountain's middle, metres.
const WATCHERS: f32 = 4.0;

/// The first `count` people: stage and fountain first, then ring by ring outwards.
pub(super) fn place(count: usize, spacing: f32, seed: u64) -> Vec<Placement> {
    let plaza = Plaza::new(spacing, seed);
    let mut people = plaza.centre();
    let mut first = 0;
    while people.len() < count {
        let rings = plaza.rings_for(first, count - people.len());
        let outer: Vec<_> = (first..first + rings)
            .into_par_iter()
            .map(|ring| plaza.ring(ring))
            .collect();
        people.extend(outer.into_iter().flatten());
        first += rings;
    }
    people.truncate(count);
    people
}

struct Plaza {
    spacing: f32,
    seed: u64,
    props: Vec<PropPlacement>,
    /// Where the musician stands, metres.
    stage: Vec3,
}

impl Plaza {
    fn new(spacing: f32, seed: u64) -> Self {
        // Behind the ring of lamps, and its audience outside the first promenade.
        let distance = (WATCHERS + 6.9 * spacing).max(11.0);
        Self {
            spacing,
            seed,
            props: props(),
            stage: Vec3::new(-distance, 0.0, 0.0),
        }
    }

    /// Musician, dancers, audience and watchers, mixed so that any number of them looks right.
    fn centre(&self) -> Vec<Placement> {
        let mut people = vec![self.turned(self.stage, FRAC_PI_2, Group::Musician)];
        let (mut audience, mut watchers) =
            (self.audience().into_iter(), self.watchers().into_iter());
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

    /// The point at `radius` metres from the musician, `angle` radians off the line to the
    /// fountain.
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

    /// Inner edge of a ring, metres.
    fn inner(&self, ring: u32) -> f32 {
        WATCHERS + (0.6 + RING * ring as f32) * self.spacing
    }

    /// Middle of a ring, metres.
    fn middle(&self, ring: u32) -> f32 {
        self.inner(ring) + 0.5 * RING * self.spacing
    }

    /// Cells that fit into a ring.
    fn cells(&self, ring: u32) -> u32 {
        (PI / (0.5 * RING * self.spacing / self.middle(ring)).asin()) as u32
    }

    /// How many rings from `first` on probably hold `missing` people; at least one.
    fn rings_for(&self, first: u32, missing: usize) -> u32 {
        let people_per_cell = 2.9;
        let mut expected = 0.0;
        let holds = |ring| {
            expected += people_per_cell * self.cells(ring) as f32;
            expected >= missing as f32
        };
        (first..)
            .position(holds)
            .map_or(1, |rings| rings as u32 + 1)
    }

    /// Everyone in a ring, in an order that fills it evenly.
    fn ring(&self, ring: u32) -> Vec<Placement> {
        if ring.is_multiple_of(PROMENADES) {
            return self.promenade(ring);
        }
        let cells = spread(self.cells(ring));
        let mut people: Vec<_> = cells.flat_map(|cell| self.cell(ring, cell)).collect();
        people.extend(self.avenues(ring));
        people
    }

    /// Walkers in two lanes around the fountain, the inner one against the outer one.
    fn promenade(&self, ring: u32) -> Vec<Placement> {
        let lane = |side: f32| {
            let radius = self.middle(ring) + side * 0.36 * self.spacing;
            let seats = (TAU * radius / (1.9 * self.spacing)) as u32;
            spread(seats).filter_map(move |seat| {
                let draws = Draws::new(
                    self.seed,
                    PROMENADE ^ ring << 8,
                    seat << 1 | u32::from(side > 0.0),
                );
                let turn = (seat as f32 + 0.3 * draws.signed(1)) / seats as f32 * TAU;
                let walker =
                    self.turned(polar(radius, turn), turn - side * FRAC_PI_2, Group::Walkers);
                (draws.unit(0) < 0.75 && self.open(&walker, false)).then_some(walker)
            })
        };
        lane(1.0).chain(lane(-1.0)).collect()
    }

    /// Walkers on the four avenues where they cross a ring: outwards on the right, back on the
    /// other side.
    fn avenues(&self, ring: u32) -> Vec<Placement> {
        let step = 1.6 * self.spacing;
        let (from, to) = (self.inner(ring), self.inner(ring + 1));
        let slots = ((from / step).ceil() as u32)..((to / step).ceil() as u32);
        let mut people = Vec::new();
        for (avenue, slot) in
            (0..8).flat_map(|avenue| slots.clone().map(move |slot| (avenue, slot)))
        {
            let draws = Draws::new(self.seed, AVENUE ^ avenue << 4, slot);
            if draws.unit(0) > 0.7 {
                continue;
            }
            let side = if avenue % 2 == 0 { 1.0 } else { -1.0 };
            let heading = (avenue / 2) as f32 * FRAC_PI_2 + FRAC_PI_4;
            let along = (slot as f32 + 0.25 * draws.signed(1)) * step;
            let place =
                polar(along, heading) + polar(side * 0.45 * self.spacing, heading - FRAC_PI_2);
            let yaw = if side > 0.0 { heading } else { heading + PI };
            let walker = self.turned(place, yaw, Group::Walkers);
            if (from..to).contains(&along) && self.open(&walker, false) {
                people.push(walker);
            }
        }
        people
    }

    /// The people of one cell; nobody if a prop, the stage or an avenue is in the way.
    fn cell(&self, ring: u32, cell: u32) -> Vec<Placement> {
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
        let clear = people.iter().all(|person| self.open(person, true));
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

    fn turned(&self, position: Vec3, yaw: f32, group: Group) -> Placement {
        let turn = position.x.atan2(position.z) / TAU;
        Placement {
            position,
            yaw: yaw.rem_euclid(TAU),
            group,
            phase: turn.rem_euclid(1.0),
        }
    }

    /// Whether someone from the rings is clear of props and stage, and of avenues if asked.
    fn open(&self, person: &Placement, avoid_avenues: bool) -> bool {
        let at = person.position;
        let stage = self.stage.distance_squared(at) > (4.2 * self.spacing).powi(2);
        stage && !(avoid_avenues && self.on_avenue(at)) && clear_of(&self.props, at)
    }

    fn on_avenue(&self, at: Vec3) -> bool {
        let axis = Vec2::from(FRAC_PI_4.sin_cos());
        let ground = Vec2::new(at.x, at.z);
        let across = ground.dot(axis).abs().min(ground.perp_dot(axis).abs());
        across < AVENUE_HALF * self.spacing
    }
}

/// Whether nobody at `at` would stand in one of `props`.
fn clear_of(props: &[PropPlacement], at: Vec3) -> bool {
    let beyond = at.length_squared() > 36.0 * 36.0;
    beyond
        || props
            .iter()
            .all(|prop| prop.position.distance(at) >= prop.kind.clearance())
}

/// The ground point at `radius` metres from the origin, `angle` radians from +Z towards +X.
fn polar(radius: f32, angle: f32) -> Vec3 {
    let (sin, cos) = angle.sin_cos();
    Vec3::new(radius * sin, 0.0, radius * cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::Prop;

    #[test]
    fn the_square_is_mixed() {
        let people = place(2000, 1.6, 7);
        let share = |group| people.iter().filter(|p| p.group == group).count();
        assert!((900..1700).contains(&share(Group::Talkers)));
        assert!((80..400).contains(&share(Group::Walkers)));
        assert!((15..60).contains(&share(Group::Audience)));
        assert!((8..30).contains(&share(Group::Watchers)));
        assert_eq!(share(Group::Musician), 1);
    }

    #[test]
    fn nobody_stands_in_the_fountain_or_a_prop() {
        for spacing in [0.5, 1.6, 3.0] {
            for person in place(4000, spacing, 3) {
                let at = person.position;
                let inside = props()
                    .into_iter()
                    .find(|p| p.position.distance(at) < p.kind.clearance());
                assert!(inside.is_none(), "{person:?} stands in {inside:?}");
            }
        }
    }

    #[test]
    fn the_middle_is_busier_than_the_edge() {
        let people = place(9000, 1.6, 7);
        let density = |from: f32, to: f32| {
            let ring = people
                .iter()
                .filter(|p| (from..to).contains(&p.position.length()));
            ring.count() as f32 / (PI * (to * to - from * from))
        };
        let (near, far) = (density(18.0, 30.0), density(60.0, 80.0));
        assert!(near > 1.1 * far, "{near} {far}");
    }

    #[test]
    fn talkers_face_someone() {
        let people = place(800, 1.6, 7);
        let talkers: Vec<_> = people
            .iter()
            .filter(|p| p.group == Group::Talkers)
            .collect();
        let faces = |p: &&&Placement| {
            let look = Vec3::new(p.yaw.sin(), 0.0, p.yaw.cos());
            let near = |q: &&Placement| (0.1..2.6).contains(&p.position.distance(q.position));
            talkers
                .iter()
                .filter(|q| near(q))
                .any(|q| look.dot((q.position - p.position).normalize()) > 0.75)
        };
        // The count may cut the last circle short.
        assert!(talkers.iter().filter(faces).count() + 1 >= talkers.len());
    }

    #[test]
    fn the_fountain_is_the_first_prop() {
        assert_eq!(props()[0].kind, Prop::Fountain);
        assert_eq!(props()[0].position, Vec3::ZERO);
    }
}
