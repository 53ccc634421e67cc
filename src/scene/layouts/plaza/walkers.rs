//! Walkers: promenades around the fountain and avenues between them.
//!
//! The promenades divide the square into sections. Section `m` has six paths, from number `6 m` on: the outer and the
//! inner lane of its promenade, then the tracks of its four avenues.
//! No track reaches into a promenade, so that nobody on a path ever meets another path.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use glam::{Vec3, vec2};

use crate::{
    config::Group,
    crowd::{
        hash::Draws,
        paths::{PATH_CIRCLE, Path, path_spot, phase_of},
    },
    scene::{
        Placement,
        layouts::{
            plaza::{PROMENADES, Plaza, polar},
            spread,
        },
        scenery::PropPlacement,
    },
};

/// Hash salts of the random numbers of promenades, avenues and paths.
const PROMENADE: u32 = 0x9_1a2b;
const AVENUE: u32 = 0x9_1a2c;
const PATH: u32 = 0x9_1a2e;
/// Number of paths in a section.
const PATHS: u32 = 6;
/// Half the distance between the two lanes of an avenue, in spacings.
const LANE: f32 = 0.45;
/// Slowest walking speed, and the range above it (m/s).
const PACE: f32 = 1.2;
const PACE_SPREAD: f32 = 0.3;

impl Plaza {
    /// Path by its number; `speed` is a factor on its pace.
    pub(crate) fn path(&self, path: u32, speed: f32) -> Path {
        let (section, kind) = (path / PATHS, path % PATHS);
        let pace = PACE + PACE_SPREAD * Draws::new(self.seed, PATH, path).unit(0);
        let pace = pace * speed.abs();
        let ring = section * PROMENADES;
        if kind < 2 {
            let side = if kind == 0 { 1.0 } else { -1.0 };
            let radius = self.middle(ring) + side * 0.36 * self.spacing;
            return Path::circle(radius, -side, pace);
        }
        let turn = LANE * self.spacing;
        let (inner, outer) = (self.inner(ring + 1) + turn, self.inner(ring + PROMENADES) - turn);
        let heading = (kind - 2) as f32 * FRAC_PI_2 + FRAC_PI_4;
        Path::track(heading, inner, outer, turn, pace)
    }

    /// Walkers in two lanes around the fountain, the inner lane in the opposite direction to the outer one.
    pub(crate) fn promenade(&self, ring: u32) -> Vec<Placement> {
        let lane = |number: u32| {
            let number = ring / PROMENADES * PATHS + number;
            let path = self.path(number, 1.0);
            let seats = (path.length / (1.9 * self.spacing)) as u32;
            let seats = if self.is_clear(&path) { seats } else { 0 };
            spread(seats).filter_map(move |seat| {
                let draws = Draws::new(self.seed, PROMENADE ^ number << 8, seat);
                let turn = (seat as f32 + 0.3 * draws.unit(1)) / seats as f32;
                (draws.unit(0) < 0.75).then(|| self.walker(&path, number, turn))
            })
        };
        lane(0).chain(lane(1)).collect()
    }

    /// Walkers on the parts of the four avenues that cross a ring.
    pub(crate) fn avenues(&self, ring: u32) -> Vec<Placement> {
        let tracks = 2..PATHS;
        tracks
            .flat_map(|track| self.avenue(ring, ring / PROMENADES * PATHS + track))
            .collect()
    }

    fn avenue(&self, ring: u32, number: u32) -> Vec<Placement> {
        let path = self.path(number, 1.0);
        if !self.is_clear(&path) {
            return Vec::new();
        }
        let step = 1.6 * self.spacing;
        let (from, to) = (self.inner(ring).max(path.inner), self.inner(ring + 1).min(path.outer));
        let slots = ((from / step).floor() as u32)..((to / step).ceil() as u32);
        let lanes = slots.flat_map(|slot| [(slot, -1.0), (slot, 1.0)]);
        let walker = |(slot, side): (u32, f32)| {
            let draws = Draws::new(self.seed, AVENUE ^ number << 8, slot << 1 | u32::from(side > 0.0));
            let along = (slot as f32 + 0.5 * draws.unit(1)) * step;
            let place = polar(along, path.heading) + polar(side * path.radius, path.heading - FRAC_PI_2);
            let taken = draws.unit(0) < 0.7 && (from..to).contains(&along);
            let turn = phase_of(&path, vec2(place.x, place.z)) as f32 / 4_294_967_296.0;
            taken.then(|| self.walker(&path, number, turn))
        };
        lanes.filter_map(walker).collect()
    }

    /// Walker on a path, `turn` of a round from its start.
    fn walker(&self, path: &Path, number: u32, turn: f32) -> Placement {
        let place = path_spot(&[], path, (f64::from(turn.fract()) * 4_294_967_296.0) as u32);
        let position = Vec3::new(place.ground.x, 0.0, place.ground.y);
        Placement {
            path: Some(number),
            ..self.turned(position, place.yaw.rem_euclid(TAU), Group::Walkers)
        }
    }

    /// True if a path is clear of props and the stage.
    fn is_clear(&self, path: &Path) -> bool {
        let free = |prop: &PropPlacement| distance(path, prop.position) >= prop.kind.clearance();
        distance(path, self.stage) > self.stage_radius() && self.props.iter().all(free)
    }
}

/// Distance (m) from a point on the ground to the nearest point of a path.
fn distance(path: &Path, point: Vec3) -> f32 {
    let ground = vec2(point.x, point.z);
    if path.kind == PATH_CIRCLE {
        return (ground.length() - path.radius).abs();
    }
    let line = vec2(path.heading.sin(), path.heading.cos());
    let along = ground.dot(line).clamp(path.inner, path.outer);
    (ground.distance(line * along) - path.radius).max(0.0)
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::{
        crowd::{
            clock::{Clock, turns},
            paths::path_spot,
        },
        scene::layouts::plaza,
    };

    /// Ground positions of all people at a moment.
    fn at(people: &[Placement], paths: &[Path], clock: Clock) -> Vec<Vec2> {
        let place = |person: &Placement| {
            let ground = vec2(person.position.x, person.position.z);
            match person.path {
                None => ground,
                Some(number) => {
                    let path = &paths[number as usize];
                    let made = turns(clock, path.rate).phase;
                    path_spot(&[], path, made.wrapping_add(phase_of(path, ground))).ground
                }
            }
        };
        people.iter().map(place).collect()
    }

    fn count(people: &[Placement]) -> u32 {
        let last = people.iter().filter_map(|person| person.path).max();
        last.map_or(0, |last| last + 1)
    }

    #[test]
    fn nobody_ever_collides() {
        let people = plaza::place(3000, 1.6, 1);
        let paths = plaza::paths(count(&people), 1.6, 1, 1.0);
        let walking: Vec<_> = (0..people.len()).filter(|&i| people[i].path.is_some()).collect();
        assert!(walking.len() > 200);
        for seconds in [0.0, 7.3, 61.0, 500_000.0] {
            let spots = at(&people, &paths, Clock::from_seconds(seconds));
            for &walker in &walking {
                let others = spots.iter().enumerate().filter(|(other, _)| *other != walker);
                let least = others.fold(f32::MAX, |least, (_, spot)| least.min(spot.distance(spots[walker])));
                assert!(least > 0.55 * 1.6, "{seconds} s: {walker} {least}");
            }
        }
    }

    /// Pairs of people nearer than two bodies side by side, over a minute at four moments a second.
    fn overlaps_per_minute(count_of_people: usize, spacing: f32) -> usize {
        let people = plaza::place(count_of_people, spacing, 1);
        let paths = plaza::paths(count(&people), spacing, 1, 1.0);
        let walking: Vec<_> = (0..people.len()).filter(|&i| people[i].path.is_some()).collect();
        let overlaps = (0..240).map(|quarter| {
            let spots = at(&people, &paths, Clock::from_seconds(f64::from(quarter) * 0.25));
            let near = |i: &usize| {
                let others = spots.iter().enumerate().filter(|(other, _)| other != i);
                others.filter(|(_, spot)| spot.distance(spots[*i]) < 0.5).count()
            };
            walking.iter().map(near).sum::<usize>()
        });
        overlaps.sum()
    }

    #[test]
    fn walkers_pass_each_other_without_an_overlap() {
        for (count, spacing) in [(100, 1.6), (600, 1.6), (600, 1.0)] {
            assert_eq!(overlaps_per_minute(count, spacing), 0, "{count} at {spacing} m");
        }
    }

    #[test]
    fn at_the_start_everyone_is_where_they_were_placed() {
        let people = plaza::place(3000, 1.6, 1);
        let paths = plaza::paths(count(&people), 1.6, 1, 1.0);
        let spots = at(&people, &paths, Clock::default());
        for (person, spot) in people.iter().zip(spots) {
            assert!(spot.distance(vec2(person.position.x, person.position.z)) < 0.01);
        }
    }

    #[test]
    fn the_first_avenues_are_free_of_props() {
        let plaza = Plaza::new(1.6, 1);
        assert!((0..PATHS).all(|path| plaza.is_clear(&plaza.path(path, 1.0))));
    }
}
