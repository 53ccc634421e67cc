//! The square: a fountain with watchers, benches, a street musician with an audience, circles of people who talk,
//! people on their own.
//! Walkers are on promenades and avenues.
//!
//! The square around the fountain is cut into rings, and each ring into cells about as wide as it is deep.
//! A cell holds one circle of talkers or a few people by themselves, all within the cell's inner disc.
//! Neighbouring cells therefore need not know of each other: everyone keeps the minimum distance by construction, and
//! any thread can make any ring.

mod cells;
mod centre;
mod walkers;

use std::f32::consts::{FRAC_PI_4, PI, TAU};

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::{
    config::Group,
    crowd::paths::Path,
    scene::{
        Placement,
        layouts::spread,
        scenery::{PropPlacement, props},
    },
};

/// Depth of a ring and width of a cell, in spacings.
const RING: f32 = 2.1;
/// Period of promenades: each ring whose number is a multiple of this is one, the innermost included.
const PROMENADES: u32 = 7;
/// Half of an avenue's width that standing people keep clear, in spacings.
const AVENUE_HALF: f32 = 1.15;
/// Distance of watchers from the middle of the fountain (m).
const WATCHERS: f32 = 4.0;

/// Places the first `count` people: stage and fountain first, then ring by ring outwards.
pub(crate) fn place(count: usize, spacing: f32, seed: u64) -> Vec<Placement> {
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

/// Radius (m) within which `count` people stand; an estimate from above.
pub(crate) fn radius(count: usize, spacing: f32) -> f32 {
    let plaza = Plaza::new(spacing, 0);
    // The number of people in a cell varies around the expected one, so add a ring.
    plaza.inner(plaza.rings_for(0, count) + 1)
}

/// The first `count` paths that walkers follow, in the order of [`Placement::path`]; `speed` is a factor on their
/// pace.
pub(crate) fn paths(count: u32, spacing: f32, seed: u64, speed: f32) -> Vec<Path> {
    let plaza = Plaza::new(spacing, seed);
    (0..count).map(|path| plaza.path(path, speed)).collect()
}

struct Plaza {
    spacing: f32,
    seed: u64,
    props: Vec<PropPlacement>,
    /// Position of the musician (m).
    stage: Vec3,
}

impl Plaza {
    fn new(spacing: f32, seed: u64) -> Self {
        // Behind the ring of lamps, with the audience outside the first promenade.
        let distance = (WATCHERS + 6.9 * spacing).max(11.0);
        Self {
            spacing,
            seed,
            props: props(),
            stage: Vec3::new(-distance, 0.0, 0.0),
        }
    }

    /// Radius of a ring's inner edge (m).
    fn inner(&self, ring: u32) -> f32 {
        WATCHERS + (0.6 + RING * ring as f32) * self.spacing
    }

    /// Radius of a ring's middle (m).
    fn middle(&self, ring: u32) -> f32 {
        self.inner(ring) + 0.5 * RING * self.spacing
    }

    /// Number of cells that fit into a ring.
    fn cells(&self, ring: u32) -> u32 {
        (PI / (0.5 * RING * self.spacing / self.middle(ring)).asin()) as u32
    }

    /// Number of rings from `first` on that probably hold `missing` people; at least 1.
    fn rings_for(&self, first: u32, missing: usize) -> u32 {
        let people_per_cell = 2.9;
        let mut expected = 0.0;
        let holds = |ring| {
            expected += people_per_cell * self.cells(ring) as f32;
            expected >= missing as f32
        };
        (first..).position(holds).map_or(1, |rings| rings as u32 + 1)
    }

    /// People of a ring, in an order that fills it evenly.
    fn ring(&self, ring: u32) -> Vec<Placement> {
        if ring == 0 {
            // The benches stand around the first promenade.
            return self.promenade(ring).into_iter().chain(self.sitters()).collect();
        }
        if ring.is_multiple_of(PROMENADES) {
            return self.promenade(ring);
        }
        let cells = spread(self.cells(ring));
        let mut people: Vec<_> = cells.flat_map(|cell| self.cell(ring, cell)).collect();
        people.extend(self.avenues(ring));
        people
    }

    fn turned(&self, position: Vec3, yaw: f32, group: Group) -> Placement {
        let turn = position.x.atan2(position.z) / TAU;
        Placement {
            position,
            yaw: yaw.rem_euclid(TAU),
            group,
            phase: turn.rem_euclid(1.0).fract(),
            path: None,
        }
    }

    /// Radius around the musician that is kept clear for the audience (m).
    fn stage_radius(&self) -> f32 {
        4.2 * self.spacing
    }

    /// True if a person of the rings is clear of props, stage and avenues.
    fn open(&self, person: &Placement) -> bool {
        let at = person.position;
        let stage = self.stage.distance(at) > self.stage_radius();
        stage && !self.on_avenue(at) && clear_of(&self.props, at)
    }

    fn on_avenue(&self, at: Vec3) -> bool {
        let axis = Vec2::from(FRAC_PI_4.sin_cos());
        let ground = Vec2::new(at.x, at.z);
        let across = ground.dot(axis).abs().min(ground.perp_dot(axis).abs());
        across < AVENUE_HALF * self.spacing
    }
}

/// True if a person at `at` is clear of all `props`.
fn clear_of(props: &[PropPlacement], at: Vec3) -> bool {
    let beyond = at.length_squared() > 36.0 * 36.0;
    beyond
        || props
            .iter()
            .all(|prop| prop.position.distance(at) >= prop.kind.clearance())
}

/// Ground point at `radius` metres from the origin, `angle` radians from +Z towards +X.
fn polar(radius: f32, angle: f32) -> Vec3 {
    let (sin, cos) = angle.sin_cos();
    Vec3::new(radius * sin, 0.0, radius * cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::scenery::Prop;

    #[test]
    fn the_square_is_mixed() {
        let people = place(2000, 1.6, 7);
        let share = |group| people.iter().filter(|p| p.group == group).count();
        assert!((900..1700).contains(&share(Group::Talkers)));
        assert!((80..400).contains(&share(Group::Walkers)));
        assert!((15..60).contains(&share(Group::Audience)));
        // There are so few watchers that one seed says little: take the mean of several.
        let watchers = |seed| {
            place(2000, 1.6, seed)
                .iter()
                .filter(|p| p.group == Group::Watchers)
                .count()
        };
        let mean = (0..16).map(watchers).sum::<usize>() as f64 / 16.0;
        assert!((8.0..30.0).contains(&mean), "{mean}");
        assert_eq!(share(Group::Musician), 1);
    }

    #[test]
    fn nobody_stands_in_the_fountain_or_a_prop() {
        for spacing in [0.5, 1.6, 3.0] {
            for person in place(4000, spacing, 3).iter().filter(|p| p.group != Group::Sitters) {
                let at = person.position;
                let inside = props()
                    .into_iter()
                    .find(|p| p.position.distance(at) < p.kind.clearance());
                assert!(inside.is_none(), "{person:?} stands in {inside:?}");
            }
        }
    }

    #[test]
    fn most_seats_are_taken_each_by_one_who_looks_ahead() {
        let benches: Vec<_> = props().into_iter().filter(|prop| prop.kind == Prop::Bench).collect();
        for (spacing, seed) in [(0.5, 1), (1.6, 1), (1.6, 7), (1.65, 3)] {
            let people = place(600, spacing, seed);
            let sitters: Vec<_> = people.iter().filter(|p| p.group == Group::Sitters).collect();
            let seats = 2 * benches.len();
            assert!(
                (seats / 2..=seats).contains(&sitters.len()),
                "{} of {seats}",
                sitters.len()
            );
            for (i, person) in sitters.iter().enumerate() {
                let own = benches.iter().find(|bench| {
                    let turned = (bench.yaw - person.yaw + PI).rem_euclid(TAU) - PI;
                    bench.position.distance(person.position) < 0.6 && turned.abs() < 0.1
                });
                assert!(own.is_some(), "{person:?} sits on no bench");
                let neighbours = sitters[..i]
                    .iter()
                    .filter(|other| other.position.distance(person.position) < 0.9);
                assert_eq!(neighbours.count(), 0, "{person:?}");
            }
        }
        let roomy = place(600, 3.0, 1);
        assert!(roomy.iter().all(|p| p.group != Group::Sitters), "seats are too narrow");
    }

    #[test]
    fn the_middle_is_busier_than_the_edge() {
        let people = place(9000, 1.6, 7);
        let density = |from: f32, to: f32| {
            let ring = people.iter().filter(|p| (from..to).contains(&p.position.length()));
            ring.count() as f32 / (PI * (to * to - from * from))
        };
        let (near, far) = (density(18.0, 30.0), density(60.0, 80.0));
        assert!(near > 1.1 * far, "{near} {far}");
    }

    #[test]
    fn talkers_face_someone() {
        let people = place(800, 1.6, 7);
        let talkers: Vec<_> = people.iter().filter(|p| p.group == Group::Talkers).collect();
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
