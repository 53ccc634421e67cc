//! Stadium: stands around a pitch, with rows of seats on rounded rectangles, each outside and above the last.
//!
//! Rows are offset curves: rounded rectangles whose corner radius grows. Seats thus keep their distance in every row,
//! and aisles run straight up the stands.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{Vec2, Vec3, vec2};
use rayon::prelude::*;

use crate::{
    config::Group,
    crowd::hash::Draws,
    scene::{
        Placement,
        layouts::{facing, spread},
    },
};

/// Hash salt of the random numbers of this file.
const SALT: u32 = 0x57_ad1;
/// Half of the straight sides of every row, along X and Z (m).
const STRAIGHT: Vec2 = vec2(39.5, 21.0);
/// Corner radius of the first row (m).
const CORNER: f32 = 22.0;
/// Number of blocks of seats between aisles: per long side, per short side and per corner.
const LONG_BLOCKS: u32 = 4;
const SHORT_BLOCKS: u32 = 2;
const CORNER_BLOCKS: u32 = 2;
/// Width of an aisle (m).
const AISLE: f32 = 1.4;
/// Depth of a row, in spacings.
const ROW_DEPTH: f32 = 1.1;
/// Number of rows in a tier; between tiers lies a walkway of three rows and a storey of height.
const TIER_ROWS: u32 = 14;
const WALKWAY_ROWS: u32 = 3;
/// Share of seats that stay empty.
const EMPTY: f32 = 0.03;
/// Number of people of each team lined up on the pitch, and of referees between both teams.
const SIDE: u32 = 11;
const REFEREES: u32 = 3;
/// Number of people on the pitch.
const PLAYERS: u32 = 2 * SIDE + REFEREES;

/// Places the first `count` people: those on the pitch, then row by row from the front.
pub(crate) fn place(count: usize, spacing: f32, seed: u64) -> Vec<Placement> {
    let stadium = Stadium::new(spacing, seed);
    let mut people: Vec<_> = (0..PLAYERS).map(|i| stadium.player(i)).collect();
    let mut first = 0;
    while people.len() < count {
        let rows = stadium.rows_for(first, count - people.len());
        let people_in_row: Vec<_> = (first..first + rows)
            .into_par_iter()
            .map(|row| stadium.people_in_row(&stadium.row(row)))
            .collect();
        people.extend(people_in_row.into_iter().flatten());
        first += rows;
    }
    people.truncate(count);
    people
}

/// Row of the stands to draw: a step all around the pitch.
#[derive(Clone, Debug, PartialEq)]
pub struct StandRow {
    /// Front edge once around, counter-clockwise seen from above: X and Z (m).
    pub front: Vec<Vec2>,
    /// Back edge; each point lies behind the point of `front` with the same index.
    pub back: Vec<Vec2>,
    /// Height of the step on which people stand (m).
    pub height: f32,
}

/// Steps under the first `count` people of a stadium.
#[must_use]
pub(crate) fn stands(count: u32, spacing: f32, seed: u64) -> Vec<StandRow> {
    let stadium = Stadium::new(spacing, seed);
    let mut left = i64::from(count) - i64::from(PLAYERS);
    let mut rows = Vec::new();
    while left > 0 {
        let row = stadium.row(rows.len() as u32);
        left -= stadium.people_in_row(&row).len() as i64;
        rows.push(row);
    }
    rows.iter().map(|row| stadium.step(row)).collect()
}

/// Size of a stadium and its pitch relative to real ones: above a spacing of 2 m everything grows with the spacing.
#[must_use]
pub(crate) fn stadium_scale(spacing: f32) -> f32 {
    (spacing / 2.0).max(1.0)
}

struct Stadium {
    /// Size of the pitch relative to a real one.
    metres: f32,
    spacing: f32,
    seed: u64,
    blocks: Vec<Block>,
}

/// Block of seats between two aisles.
struct Block {
    /// Centre of the corner, or the middle of a straight block's first row (m).
    origin: Vec2,
    /// Outward direction of the block's middle, from +Z towards +X (radians).
    outward: f32,
    /// Length along the first row (m), for straight blocks.
    length: f32,
    /// Angle covered (rad); 0 for straight blocks.
    angle: f32,
}

/// One row of seats.
struct SeatRow {
    index: u32,
    /// Distance behind the first row (m).
    depth: f32,
    /// Radius at the corners (m).
    radius: f32,
    /// Height of the floor (m).
    height: f32,
}

impl Stadium {
    fn new(spacing: f32, seed: u64) -> Self {
        let metres = stadium_scale(spacing);
        let blocks = blocks(metres);
        Self {
            metres,
            spacing,
            seed,
            blocks,
        }
    }

    /// Player or referee, in a line in front of the main stand.
    fn player(&self, index: u32) -> Placement {
        let step = 1.5 * self.spacing;
        let x = (index as f32 - 0.5 * (PLAYERS - 1) as f32) * step;
        let group = match index {
            _ if index < SIDE => Group::Players,
            _ if index < SIDE + REFEREES => Group::Referees,
            _ => Group::Visitors,
        };
        Placement::on_ground(x, 8.0 * self.metres, 0.0, group)
    }

    /// Geometry of a row; each tier is steeper than the one below.
    fn row(&self, index: u32) -> SeatRow {
        let tier = index / TIER_ROWS;
        let depth = (index + tier * WALKWAY_ROWS) as f32 * ROW_DEPTH * self.spacing;
        let rise = |tier: u32| (0.55 + 0.12 * tier as f32).min(0.95) * self.spacing;
        let below: f32 = (0..tier)
            .map(|tier| rise(tier) * (TIER_ROWS + WALKWAY_ROWS) as f32)
            .sum();
        SeatRow {
            index,
            depth,
            radius: CORNER * self.metres + depth,
            height: 1.0 + below + (index % TIER_ROWS) as f32 * rise(tier),
        }
    }

    /// People of a row, in an order that fills it evenly.
    fn people_in_row(&self, row: &SeatRow) -> Vec<Placement> {
        let mut seats = Vec::new();
        for block in &self.blocks {
            let count = self.seats(block, row);
            let seat = |slot| self.seat(block, row, slot as f32 - 0.5 * (count as f32 - 1.0));
            seats.extend((0..count).map(seat));
        }
        let person = |slot: u32| {
            let draws = Draws::new(self.seed, SALT ^ row.index, slot);
            let taken = draws.unit(0) >= EMPTY;
            taken.then(|| self.settle(seats[slot as usize], draws))
        };
        spread(seats.len() as u32).filter_map(person).collect()
    }

    /// Number of rows from `first` on that probably seat `missing` people; at least 1.
    fn rows_for(&self, first: u32, missing: usize) -> u32 {
        let mut expected = 0.0;
        let seats = |index| {
            let row = self.row(index);
            let seats: u32 = self.blocks.iter().map(|block| self.seats(block, &row)).sum();
            expected += seats as f32 * (1.0 - EMPTY);
            expected >= missing as f32
        };
        (first..).position(seats).map_or(1, |rows| rows as u32 + 1)
    }

    /// Adds small random differences of place and heading to a seat.
    fn settle(&self, mut seat: Placement, draws: Draws) -> Placement {
        let (sin, cos) = seat.yaw.sin_cos();
        let shift = draws.signed(1) * 0.06 * self.spacing;
        seat.position += Vec3::new(cos, 0.0, -sin) * shift;
        seat.yaw += draws.signed(2) * 0.15;
        seat
    }

    /// Number of seats of a block in a row.
    fn seats(&self, block: &Block, row: &SeatRow) -> u32 {
        let length = block.length + block.angle * row.radius;
        ((length - AISLE * self.metres) / self.spacing).max(0.0) as u32
    }

    /// A seat `offset` spacings along the row from the middle of the block.
    fn seat(&self, block: &Block, row: &SeatRow, offset: f32) -> Placement {
        let ground = block.at(row.depth, row.radius, offset * self.spacing);
        let position = Vec3::new(ground.x, row.height, ground.y);
        let visitors = position.x > 0.6 * STRAIGHT.x * self.metres;
        Placement {
            position,
            yaw: facing(position, Vec3::new(0.6 * position.x, 0.0, 0.3 * position.z)),
            group: if visitors { Group::Away } else { Group::Home },
            phase: (position.x.atan2(position.z) / TAU).rem_euclid(1.0).fract(),
            path: None,
        }
    }

    /// Step of a row, as drawn.
    fn step(&self, row: &SeatRow) -> StandRow {
        let half = 0.5 * ROW_DEPTH * self.spacing;
        let edge = |shift: f32| {
            let corners = self.blocks.iter().filter(|block| block.angle > 0.0);
            let points = corners.flat_map(|block| {
                (-4..=4).map(move |i| {
                    let along = i as f32 / 8.0 * block.angle * (row.radius + shift);
                    block.at(row.depth + shift, row.radius + shift, along)
                })
            });
            points.collect()
        };
        StandRow {
            front: edge(-half),
            back: edge(half),
            height: row.height,
        }
    }
}

impl Block {
    /// Ground point `along` metres from the block's middle in the row at `depth` and `radius` (m).
    fn at(&self, depth: f32, radius: f32, along: f32) -> Vec2 {
        if self.angle > 0.0 {
            let outward = Vec2::from((self.outward + along / radius).sin_cos());
            return self.origin + outward * radius;
        }
        let (normal, tangent) = axes(self.outward);
        self.origin + normal * depth + tangent * along
    }
}

/// All blocks, once around, for a pitch `metres` times the real size.
fn blocks(metres: f32) -> Vec<Block> {
    let half = STRAIGHT * metres;
    let mut blocks = Vec::with_capacity(24);
    for quarter in 0..4_u32 {
        let outward = quarter as f32 * FRAC_PI_2;
        let (normal, along) = axes(outward);
        let (length, parts) = if quarter % 2 == 0 {
            (2.0 * half.x, LONG_BLOCKS)
        } else {
            (2.0 * half.y, SHORT_BLOCKS)
        };
        let edge = normal * (half + CORNER * metres).dot(normal.abs());
        for part in 0..parts {
            let middle = ((part as f32 + 0.5) / parts as f32 - 0.5) * length;
            let length = length / parts as f32;
            blocks.push(Block {
                origin: edge + along * middle,
                outward,
                length,
                angle: 0.0,
            });
        }
        let corner = half * (normal + along);
        for part in 0..CORNER_BLOCKS {
            let angle = FRAC_PI_2 / CORNER_BLOCKS as f32;
            let outward = outward + (part as f32 + 0.5) * angle;
            blocks.push(Block {
                origin: corner,
                outward,
                length: 0.0,
                angle,
            });
        }
    }
    blocks
}

/// Outward and along-the-row unit vectors (X, Z) of a side.
fn axes(outward: f32) -> (Vec2, Vec2) {
    let normal = Vec2::from(outward.sin_cos()).round();
    (normal, vec2(normal.y, -normal.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_rise_and_stay_outside_the_pitch() {
        let people = place(30_000, 0.8, 1);
        let stands = &people[PLAYERS as usize..];
        assert!(
            stands
                .iter()
                .all(|p| p.position.x.abs() > 52.5 || p.position.z.abs() > 34.0)
        );
        let top = stands.last().map_or(0.0, |p| p.position.y);
        assert!((25.0..70.0).contains(&top), "{top}");
    }

    #[test]
    fn everyone_in_the_stands_stands_on_a_step() {
        let people = place(5_000, 0.8, 1);
        let steps = stands(5_000, 0.8, 1);
        let height = people.iter().fold(0.0_f32, |height, p| height.max(p.position.y));
        assert_eq!(steps.last().map(|step| step.height), Some(height));
        for step in &steps {
            assert_eq!(step.front.len(), step.back.len());
            let pairs = step.front.iter().zip(&step.back);
            assert!(
                pairs
                    .into_iter()
                    .all(|(a, b)| (a.distance(*b) - ROW_DEPTH * 0.8).abs() < 1e-3)
            );
        }
    }

    #[test]
    fn everyone_looks_inwards() {
        for person in &place(5_000, 0.8, 1)[PLAYERS as usize..] {
            let look = Vec3::new(person.yaw.sin(), 0.0, person.yaw.cos());
            assert!(look.dot(person.position) < 0.0, "{person:?}");
        }
    }
}
