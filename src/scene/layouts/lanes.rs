//! Geometry of a path that a scene file describes, and of lines parallel to it: closed, through waypoints, corners
//! rounded.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, vec2};

use crate::{
    config::PathConfig,
    crowd::paths::{PATH_LEG, Path},
};

/// Radius of the sharpest bend (m).
const SHARPEST: f32 = 0.05;

impl PathConfig {
    /// Offset of a lane to the left of the line (m); lanes are counted from the right.
    pub(crate) fn lane_offset(&self, lane: u32) -> f32 {
        (lane as f32 - 0.5 * (self.lanes - 1) as f32) * self.lane_width
    }

    /// Walking speed of a lane (m/s).
    pub(crate) fn lane_speed(&self, lane: u32) -> f32 {
        let side = 2.0 * lane as f32 / (self.lanes - 1).max(1) as f32 - 1.0;
        let side = if self.lanes > 1 { side } else { 0.0 };
        self.speed * (1.0 + self.lane_spread * side)
    }

    /// Distance from the line to the edge of its outermost lanes (m).
    pub(crate) fn half_width(&self) -> f32 {
        0.5 * self.lanes as f32 * self.lane_width
    }
}

/// Length of a leg (m): its straight part and the bend after it.
pub(crate) fn leg_metres(leg: &Path) -> f32 {
    leg.length + leg.radius * leg.direction.abs()
}

/// Legs of a line `offset` metres to the left of a path and parallel to it. Corners are rounded by the requested
/// radius, as far as their sides have room.
pub(crate) fn rounded(config: &PathConfig, offset: f32) -> Vec<Path> {
    let middle = Corners::new(config.points.iter().map(|&p| Vec2::from(p)).collect());
    let count = middle.points.len();
    let lane = Corners::new((0..count).map(|i| middle.beside(i, offset)).collect());
    // Corner at the end of side `i`: its turn, its radius, and the length that it takes of both sides.
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

/// Closed polygon with sharp corners.
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

    /// Radius of the corner at the end of side `i` (m): at most the requested `radius`, and no more than the sides
    /// have room for.
    fn fit_radius(&self, i: usize, radius: f32) -> f32 {
        let room = 0.5 * self.side(i).length().min(self.side(i + 1).length());
        radius.min(room / half_tangent(self.turn(i)))
    }

    /// Point `i` of the line `offset` metres to the left.
    fn beside(&self, i: usize, offset: f32) -> Vec2 {
        let left = |heading: f32| vec2(heading.cos(), -heading.sin());
        let (a, b) = (left(self.heading(i + self.points.len() - 1)), left(self.heading(i)));
        // Where a line turns straight back, no point is parallel to both of its sides: limit the mitre.
        self.points[i] + (a + b) * (offset / (1.0 + a.dot(b)).max(0.2))
    }
}

/// Length that a corner with a radius of 1 takes of each of its sides.
fn half_tangent(turn: f32) -> f32 {
    // In f32, a turn straight back lies beyond the pole of the tangent, where its sign changes.
    (0.5 * turn.abs()).min(FRAC_PI_2 - 1e-3).tan().max(1e-6)
}
