//! The line of a way that a scene file draws, and lines beside it: closed, through waypoints, corners rounded.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, vec2};

use crate::{
    config::PathConfig,
    crowd::paths::{PATH_LEG, Path},
};

/// Radius of the sharpest bend, metres.
const SHARPEST: f32 = 0.05;

impl PathConfig {
    /// How far left of the line a lane is, metres; they are counted from the right.
    pub(crate) fn lane_offset(&self, lane: u32) -> f32 {
        (lane as f32 - 0.5 * (self.lanes - 1) as f32) * self.lane_width
    }

    /// The pace of a lane, metres per second.
    pub(crate) fn lane_speed(&self, lane: u32) -> f32 {
        let side = 2.0 * lane as f32 / (self.lanes - 1).max(1) as f32 - 1.0;
        let side = if self.lanes > 1 { side } else { 0.0 };
        self.speed * (1.0 + self.lane_spread * side)
    }

    /// From the line to the edge of its outermost lanes, metres.
    pub(crate) fn half_width(&self) -> f32 {
        0.5 * self.lanes as f32 * self.lane_width
    }
}

/// Straight metres and those of the bend after them.
pub(crate) fn leg_metres(leg: &Path) -> f32 {
    leg.length + leg.radius * leg.direction.abs()
}

/// The legs of a line `offset` metres left of a path's, parallel to it. Corners are rounded as widely as asked for,
/// and as their sides have room for.
pub(crate) fn rounded(config: &PathConfig, offset: f32) -> Vec<Path> {
    let middle = Corners::new(config.points.iter().map(|&p| Vec2::from(p)).collect());
    let count = middle.points.len();
    let lane = Corners::new((0..count).map(|i| middle.beside(i, offset)).collect());
    // The corner at the end of side `i`: its turn, radius, and what it takes of both sides.
    let corner = |i: usize| {
        let turn = middle.turn(i);
        let asked = middle.fit_radius(i, config.radius) - offset * turn.signum();
        let radius = if offset == 0.0 {
            asked
        } else {
            lane.fit_radius(i, asked.max(SHARPEST))
        };
        (turn, radius, radius * half_tangent(turn))
    };
    let mut along = 0.0;
    let legs = (0..count).map(|i| {
        let (turn, radius, taken) = corner(i);
        let before = corner(i + count - 1).2;
        let heading = middle.heading(i);
        let start = lane.points[i] + vec2(heading.sin(), heading.cos()) * before;
        let leg = Path {
            kind: PATH_LEG,
            length: (lane.side(i).length() - before - taken).max(0.0),
            radius,
            inner: start.x,
            outer: start.y,
            heading,
            direction: turn,
            along,
            ..Path::default()
        };
        along += leg_metres(&leg);
        leg
    });
    legs.collect()
}

/// A closed line with sharp corners.
struct Corners {
    points: Vec<Vec2>,
}

impl Corners {
    const fn new(points: Vec<Vec2>) -> Self {
        Self { points }
    }

    fn side(&self, i: usize) -> Vec2 {
        let count = self.points.len();
        self.points[(i + 1) % count] - self.points[i % count]
    }

    fn heading(&self, i: usize) -> f32 {
        self.side(i).x.atan2(self.side(i).y)
    }

    /// Turn of the corner at the end of side `i` (radians), positive to the left.
    fn turn(&self, i: usize) -> f32 {
        (self.heading(i + 1) - self.heading(i) + PI).rem_euclid(TAU) - PI
    }

    /// The radius, at most as asked for, that the corner at the end of side `i` has room for.
    fn fit_radius(&self, i: usize, radius: f32) -> f32 {
        let room = 0.5 * self.side(i).length().min(self.side(i + 1).length());
        radius.min(room / half_tangent(self.turn(i)))
    }

    /// Point `i` of the line `offset` metres to the left.
    fn beside(&self, i: usize, offset: f32) -> Vec2 {
        let left = |heading: f32| vec2(heading.cos(), -heading.sin());
        let (a, b) = (left(self.heading(i + self.points.len() - 1)), left(self.heading(i)));
        // Where a line turns straight back, no point is beside both of its sides.
        self.points[i] + (a + b) * (offset / (1.0 + a.dot(b)).max(0.2))
    }
}

/// Length that a corner with a radius of one takes of its sides.
fn half_tangent(turn: f32) -> f32 {
    // Straight back, in f32, lies beyond where the tangent changes its sign.
    (0.5 * turn.abs()).min(FRAC_PI_2 - 1e-3).tan().max(1e-6)
}
