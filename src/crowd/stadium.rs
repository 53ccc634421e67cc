//! Stands around a pitch: rows of seats on rounded rectangles, each outside and above the last.
//!
//! Rows are offset curves (a rounded rectangle whose corner radius grows), so that seats keep
//! their distance in every row and aisles run straight up the stands.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{Vec2, Vec3, vec2};
use rayon::prelude::*;

use super::{
    group::Group,
    hash::Draws,
    layout::{Placement, facing, spread},
};

/// Salt of this file's draws.
const SALT: u32 = 0x57_ad1;
/// Half of the straight sides of every row, metres along X and Z.
const STRAIGHT: Vec2 = vec2(39.5, 21.0);
/// Corner radius of the first row, metres.
const CORNER: f32 = 22.0;
/// Blocks of seats between aisles, per long side, per short side and per corner.
const LONG_BLOCKS: u32 = 4;
const SHORT_BLOCKS: u32 = 2;
const CORNER_BLOCKS: u32 = 2;
/// Width of an aisle, metres.
const AISLE: f32 = 1.4;
/// Depth of a row, in spacings.
const ROW_DEPTH: f32 = 1.1;
/// Rows in a tier; between tiers lies a walkway of three rows and a storey of height.
const TIER_ROWS: u32 = 14;
const WALKWAY_ROWS: u32 = 3;
/// Share of seats that stay empty.
const EMPTY: f32 = 0.03;
/// People lined up on the pitch.
const PLAYERS: u32 = 25;

/// The first `count` people: those on the pitch, then row by row from the front.
pub(super) fn place(count: usize, spacing: f32, seed: u64) -> Vec<Placement> {
    // Seats scale with the spacing; beyond two metres the whole stadium grows with it.
    let metres = (spacing / 2.0).max(1.0);
    let stadium = Stadium {
        metres,
        spacing,
        seed,
    };
    let mut people: Vec<_> = (0..PLAYERS).map(|i| stadium.player(i)).collect();
    let mut first = 0;
    while people.len() < count {
        let missing = (count - people.len()) as u32;
        let rows = (missing / stadium.seats(first) / 2).max(1);
        let seated = (first..first + rows).into_par_iter();
        people.par_extend(seated.flat_map_iter(|row| stadium.row(row)));
        first += rows;
    }
    people.truncate(count);
    people
}

struct Stadium {
    /// Size of the pitch relative to a real one.
    metres: f32,
    spacing: f32,
    seed: u64,
}

/// A stretch of a row between two aisles.
struct Block {
    /// Centre of the corner, or the middle of a straight block's first row, metres.
    origin: Vec2,
    /// Outward direction of the block's middle, radians from +Z towards +X.
    outward: f32,
    /// Length along the first row, metres, for straight blocks.
    length: f32,
    /// Angle covered, radians; 0 for straight blocks.
    angle: f32,
}

impl Stadium {
    /// One of the teams and referees, in a line in front of the main stand.
    fn player(&self, index: u32) -> Placement {
        let step = 1.5 * self.spacing;
        let x = (index as f32 - 0.5 * (PLAYERS - 1) as f32) * step;
        Placement::on_ground(x, 8.0 * self.metres, 0.0, Group::Players)
    }

    /// Everyone in a row, in an order that fills it evenly.
    fn row(&self, row: u32) -> Vec<Placement> {
        let mut seats = Vec::with_capacity(self.seats(row) as usize);
        for block in self.blocks() {
            let count = self.block_seats(&block, row);
            let seat = |slot| self.seat(&block, row, slot as f32 - 0.5 * (count as f32 - 1.0));
            seats.extend((0..count).map(seat));
        }
        let taken = |&slot: &u32| self.draws(row, slot).unit(0) >= EMPTY;
        let order = spread(seats.len() as u32).filter(taken);
        order
            .map(|slot| self.settle(seats[slot as usize], self.draws(row, slot)))
            .collect()
    }

    /// Small differences between neighbours.
    fn settle(&self, mut seat: Placement, draws: Draws) -> Placement {
        let (sin, cos) = seat.yaw.sin_cos();
        let shift = draws.signed(1) * 0.06 * self.spacing;
        seat.position += Vec3::new(cos, 0.0, -sin) * shift;
        seat.yaw += draws.signed(2) * 0.15;
        seat
    }

    fn draws(&self, row: u32, slot: u32) -> Draws {
        Draws::new(self.seed, SALT ^ row, slot)
    }

    /// Upper bound of the seats in a row.
    fn seats(&self, row: u32) -> u32 {
        let blocks = self.blocks();
        let seats: u32 = blocks
            .iter()
            .map(|block| self.block_seats(block, row))
            .sum();
        seats.max(1)
    }

    fn block_seats(&self, block: &Block, row: u32) -> u32 {
        let length = block.length + block.angle * self.radius(row);
        ((length - AISLE * self.metres) / self.spacing).max(0.0) as u32
    }

    /// A seat `offset` spacings along the row from the middle of the block.
    fn seat(&self, block: &Block, row: u32, offset: f32) -> Placement {
        let along = offset * self.spacing;
        let radius = self.radius(row);
        let turn = if block.angle > 0.0 {
            along / radius
        } else {
            0.0
        };
        let outward = Vec2::from((block.outward + turn).sin_cos());
        let ground = if block.angle > 0.0 {
            block.origin + outward * radius
        } else {
            block.origin + outward * self.depth(row) + vec2(outward.y, -outward.x) * along
        };
        let position = Vec3::new(ground.x, self.height(row), ground.y);
        let side = if position.x > 0.6 * STRAIGHT.x * self.metres {
            Group::Away
        } else {
            Group::Home
        };
        Placement {
            position,
            yaw: facing(position, Vec3::new(0.6 * position.x, 0.0, 0.3 * position.z)),
            group: side,
            phase: (position.x.atan2(position.z) / TAU).rem_euclid(1.0),
        }
    }

    /// Rows and walkways between the first row and this one.
    fn steps(row: u32) -> f32 {
        (row + row / TIER_ROWS * WALKWAY_ROWS) as f32
    }

    /// Distance of a row behind the first, metres.
    fn depth(&self, row: u32) -> f32 {
        Self::steps(row) * ROW_DEPTH * self.spacing
    }

    /// Corner radius of a row, metres.
    fn radius(&self, row: u32) -> f32 {
        CORNER * self.metres + self.depth(row)
    }

    /// Height of a row's floor, metres: each tier is steeper than the one below.
    fn height(&self, row: u32) -> f32 {
        let tier = row / TIER_ROWS;
        let rise = |tier: u32| (0.55 + 0.12 * tier as f32).min(0.95) * self.spacing;
        let below: f32 = (0..tier)
            .map(|t| rise(t) * (TIER_ROWS + WALKWAY_ROWS) as f32)
            .sum();
        1.0 + below + (row % TIER_ROWS) as f32 * rise(tier)
    }

    /// All blocks, once around.
    fn blocks(&self) -> Vec<Block> {
        let half = STRAIGHT * self.metres;
        let mut blocks = Vec::with_capacity(24);
        for quarter in 0..4_u32 {
            let outward = quarter as f32 * FRAC_PI_2;
            let (normal, along) = axes(outward);
            let (length, parts) = if quarter % 2 == 0 {
                (2.0 * half.x, LONG_BLOCKS)
            } else {
                (2.0 * half.y, SHORT_BLOCKS)
            };
            let edge = normal * (half + CORNER * self.metres).dot(normal.abs());
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
    fn everyone_looks_inwards() {
        for person in &place(5_000, 0.8, 1)[PLAYERS as usize..] {
            let look = Vec3::new(person.yaw.sin(), 0.0, person.yaw.cos());
            assert!(look.dot(person.position) < 0.0, "{person:?}");
        }
    }
}
