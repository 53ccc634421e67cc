//! Roadside: people along both sides of a path that a scene file describes, in rows that look at it.
//!
//! Rows are lines parallel to the path. A row has nobody where the bends of the path leave it no room. People for whom
//! the pavements have no room stand in rows around everything.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, Vec3, vec2};
use rayon::prelude::*;

use crate::{
    config::{Group, PathConfig, SceneConfig},
    crowd::{
        hash::Draws,
        paths::{PATH_WAYPOINTS, Path, Spot, path_spot},
    },
    scene::{
        Placement,
        layouts::{
            facing,
            lanes::{leg_metres, rounded},
            spread,
        },
    },
};

/// Hash salt of the random numbers of this file.
const SALT: u32 = 0x0_40ad;
/// Distance from the outermost lane to the first row (m): a kerb and a barrier.
const GAP: f32 = 1.2;
/// Depth of a row, in spacings.
const ROW_DEPTH: f32 = 1.0;
/// Number of rows on the pavement of one side.
const ROWS: u32 = 7;
/// Share of the places that are taken in each row: nearly all along the barrier, fewer in rows further back.
const TAKEN: [f32; ROWS as usize] = [0.96, 0.9, 0.78, 0.6, 0.42, 0.28, 0.16];
/// Distance (m) from the outermost points of the path to the rows around everything.
const AROUND: f32 = 60.0;
/// Corners (m) of the default path, for a scene that describes none: the four streets of a block.
const DEFAULT_CORNERS: [[f32; 2]; 4] = [[-70.0, -40.0], [70.0, -40.0], [70.0, 40.0], [-70.0, 40.0]];
/// Distance between samples of a line (m).
const STEP: f32 = 2.0;

/// Side of the path, as seen by people who walk along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl Side {
    /// Both sides.
    pub(crate) const ALL: [Self; 2] = [Self::Left, Self::Right];

    /// Sign of offsets on this side: 1 to the left, -1 to the right.
    #[must_use]
    pub(crate) const fn sign(self) -> f32 {
        match self {
            Self::Left => 1.0,
            Self::Right => -1.0,
        }
    }
}

/// Path that people stand along, with its samples.
pub(crate) struct Course {
    way: PathConfig,
    spacing: f32,
    /// Points of the middle line, [`STEP`] metres apart.
    samples: Vec<Vec2>,
}

/// Closed line parallel to the path.
pub(crate) struct Line {
    table: Vec<Path>,
    /// Length of a round (m).
    pub(crate) length: f32,
}

impl Course {
    /// The course along the scene's first path, or around a block if there is none.
    #[must_use]
    pub(crate) fn of(scene: &SceneConfig) -> Self {
        let usual = || PathConfig {
            points: DEFAULT_CORNERS.to_vec(),
            radius: 10.0,
            lanes: 4,
            ..PathConfig::default()
        };
        let way = scene.paths.first().cloned().unwrap_or_else(usual);
        let samples = Line::of(&way, 0.0).samples(STEP).map(|spot| spot.ground).collect();
        Self {
            way,
            spacing: scene.spacing,
            samples,
        }
    }

    /// Distance from the middle of the path to the kerb (m).
    #[must_use]
    pub(crate) fn half_width(&self) -> f32 {
        self.way.half_width() + 0.35
    }

    /// Distance from the middle of the path to the outer edge of the pavements (m).
    #[must_use]
    pub(crate) fn pavement(&self) -> f32 {
        self.row_offset(ROWS) + 0.6
    }

    /// Line `offset` metres to the left of the middle of the path.
    #[must_use]
    pub(crate) fn line(&self, offset: f32) -> Line {
        Line::of(&self.way, offset)
    }

    /// Distance (m) from a point on the ground to the middle of the path.
    #[must_use]
    pub(crate) fn distance(&self, ground: Vec2) -> f32 {
        let squares = self.samples.iter().map(|sample| sample.distance_squared(ground));
        squares.fold(f32::MAX, f32::min).sqrt()
    }

    /// Distance from the middle of the path to the middle of a row (m).
    fn row_offset(&self, row: u32) -> f32 {
        self.way.half_width() + GAP + (row as f32 + 0.5) * ROW_DEPTH * self.spacing
    }

    /// People of a row, in an order that fills it evenly.
    fn row(&self, row: u32, side: Side, seed: u64) -> Vec<Placement> {
        let offset = self.row_offset(row);
        let line = self.line(side.sign() * offset);
        let seats = (line.length / self.spacing) as u32;
        let order: Vec<u32> = spread(seats).collect();
        let salt = SALT ^ row << 2 ^ side as u32;
        let person = |&seat: &u32| {
            let draws = Draws::new(seed, salt, seat);
            let taken = draws.unit(0) < TAKEN[row as usize];
            let along = (seat as f32 + 0.5 + 0.12 * draws.signed(1)) / seats as f32;
            let spot = taken.then(|| line.at(along * line.length))?;
            let room = self.has_room(spot, side, offset) && !line.is_sharp(along * line.length, self.spacing);
            room.then(|| self.watcher(spot, along, side, draws))
        };
        order.par_iter().filter_map(person).collect()
    }

    /// True if a person at `spot` has room. Another part of the path must not come too near, nor people from its other
    /// side stand further out.
    /// The offset line must also not have turned inside out, as happens beside a path of short sides.
    fn has_room(&self, spot: Spot, side: Side, offset: f32) -> bool {
        let away = vec2(spot.yaw.cos(), -spot.yaw.sin()) * side.sign();
        let far = |metres: f32| self.distance(spot.ground + away * metres);
        let here = far(0.0);
        here > offset - 0.2 && far(0.5 * self.spacing) > offset + 0.35 * self.spacing - 0.1 && far(-1.0) < here - 0.5
    }

    /// A spectator beside the path who looks across it, slightly towards the people who approach.
    fn watcher(&self, spot: Spot, along: f32, side: Side, draws: Draws) -> Placement {
        let across = spot.yaw - side.sign() * (FRAC_PI_2 + 0.35);
        let away = vec2(spot.yaw.cos(), -spot.yaw.sin()) * side.sign();
        let ground = spot.ground + away * (0.12 * self.spacing * draws.signed(2));
        Placement {
            phase: along.rem_euclid(1.0).fract(),
            ..Placement::on_ground(
                ground.x,
                ground.y,
                (across + 0.3 * draws.signed(3)).rem_euclid(TAU),
                Group::Spectators,
            )
        }
    }

    /// Row of spectators around everything.
    fn outer_row(&self, row: u32, seed: u64) -> Vec<Placement> {
        let corners = self.samples.iter();
        let (low, high) = corners.fold((Vec2::MAX, Vec2::MIN), |(low, high), p| (low.min(*p), high.max(*p)));
        let far = AROUND.max(self.pavement() + 2.0 * self.spacing) + row as f32 * ROW_DEPTH * self.spacing;
        let (low, high) = (low - far, high + far);
        let around = PathConfig {
            points: vec![[low.x, low.y], [high.x, low.y], [high.x, high.y], [low.x, high.y]],
            radius: far,
            ..PathConfig::default()
        };
        let line = Line::of(&around, 0.0);
        let seats = (line.length / self.spacing) as u32;
        let person = |seat: u32| {
            let draws = Draws::new(seed, SALT ^ (row + 1) << 8, seat);
            let along = (seat as f32 + 0.5 + 0.2 * draws.signed(1)) / seats as f32;
            let ground = line.at(along * line.length).ground;
            let inwards = facing(Vec3::new(ground.x, 0.0, ground.y), Vec3::ZERO);
            Placement {
                phase: along.rem_euclid(1.0).fract(),
                ..Placement::on_ground(ground.x, ground.y, inwards, Group::Spectators)
            }
        };
        spread(seats).map(person).collect()
    }
}

impl Line {
    fn of(way: &PathConfig, offset: f32) -> Self {
        let legs = rounded(way, offset);
        let length = legs.last().map_or(0.0, |leg| leg.along + leg_metres(leg));
        let path = Path {
            kind: PATH_WAYPOINTS,
            length,
            first: 1,
            count: legs.len() as u32,
            ..Path::default()
        };
        let table = std::iter::once(path).chain(legs).collect();
        Self { table, length }
    }

    /// Point and heading of the line at a distance (m) along it.
    #[must_use]
    pub(crate) fn at(&self, metres: f32) -> Spot {
        let turn = f64::from(metres) / f64::from(self.length.max(1e-3));
        path_spot(
            &self.table,
            &self.table[0],
            (turn.rem_euclid(1.0) * 4_294_967_296.0) as u32,
        )
    }

    /// True if the line turns so sharply at a place that neighbours at `spacing` would collide.
    fn is_sharp(&self, metres: f32, spacing: f32) -> bool {
        let [before, after] = [-spacing, spacing].map(|step| self.at(metres + step).yaw);
        (after - before + PI).rem_euclid(TAU) - PI > 1.2 || (before - after + PI).rem_euclid(TAU) - PI > 1.2
    }

    /// Samples all along the line, at most `step` metres apart.
    pub(crate) fn samples(&self, step: f32) -> impl Iterator<Item = Spot> + '_ {
        let count = (self.length / step).ceil().max(3.0) as u32;
        (0..count).map(move |i| self.at(i as f32 / count as f32 * self.length))
    }
}

/// Places the first `count` people: from the barriers backwards, both sides in turn, then in rows around everything.
pub(crate) fn place(scene: &SceneConfig, count: usize) -> Vec<Placement> {
    let course = Course::of(scene);
    let mut people = Vec::new();
    for row in 0..ROWS {
        for side in Side::ALL {
            if people.len() < count {
                people.extend(course.row(row, side, scene.seed));
            }
        }
    }
    for row in 0.. {
        if people.len() >= count {
            break;
        }
        people.extend(course.outer_row(row, scene.seed));
    }
    people.truncate(count);
    people
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(points: Vec<[f32; 2]>) -> SceneConfig {
        let way = PathConfig {
            points,
            radius: 12.0,
            lanes: 6,
            ..PathConfig::default()
        };
        SceneConfig {
            paths: vec![way],
            spacing: 0.75,
            ..SceneConfig::default()
        }
    }

    #[test]
    fn nobody_stands_on_the_way_and_everyone_looks_at_it() {
        for points in [
            DEFAULT_CORNERS.to_vec(),
            vec![[-90.0, -50.0], [60.0, -60.0], [10.0, 0.0], [70.0, 60.0], [-80.0, 40.0]],
            vec![[0.0, 0.0], [14.0, 0.0], [0.0, 14.0]],
        ] {
            let scene = scene(points);
            let course = Course::of(&scene);
            for person in place(&scene, 900) {
                let ground = vec2(person.position.x, person.position.z);
                let far = course.distance(ground);
                assert!(far > course.half_width() + 0.2, "{far} m from the middle");
                if far < course.pavement() {
                    let ahead = ground + vec2(person.yaw.sin(), person.yaw.cos()) * 2.0;
                    assert!(course.distance(ahead) < far + 0.4, "{person:?}");
                }
            }
        }
    }

    #[test]
    fn more_people_than_pavements_hold_stand_around_it_all() {
        let scene = scene(DEFAULT_CORNERS.to_vec());
        let many = place(&scene, 20_000);
        assert_eq!(many.len(), 20_000);
        assert_eq!(place(&scene, 500), many[..500]);
        let course = Course::of(&scene);
        let far = many.last().map(|p| course.distance(vec2(p.position.x, p.position.z)));
        assert!(far.is_some_and(|far| far >= AROUND - 1.0), "{far:?}");
    }

    #[test]
    fn lines_beside_the_way_keep_their_distance() {
        let course = Course::of(&scene(DEFAULT_CORNERS.to_vec()));
        for offset in [-14.0, -3.0, 6.0, 25.0] {
            for spot in course.line(offset).samples(3.0) {
                let far = course.distance(spot.ground);
                assert!((far - offset.abs()).abs() < 0.4, "{offset}: {far}");
            }
        }
    }
}
