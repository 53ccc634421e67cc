//! A football pitch with its lines, goals, corner flags and boards around it: a model that never moves.
//!
//! Measures in metres are those of the Laws of the Game, law 1.
//! <https://www.theifab.com/laws/latest/the-field-of-play/>

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Vec2, Vec3, Vec4, vec2, vec3};

use crate::{
    model::Model,
    scene::scenery::solid::{Solid, SolidStance, around, material},
};

/// Half the size of the pitch; goals stand at the ends of X.
const HALF: Vec2 = vec2(52.5, 34.0);
/// Width of a painted line.
const LINE: f32 = 0.12;
/// Height of painted lines above the grass.
const LIFT: f32 = 0.012;
/// Radius of the centre circle, and of the arcs before the penalty areas.
const CIRCLE: f32 = 9.15;
/// From the goal line to the penalty mark.
const MARK: f32 = 11.0;
/// Depth of the penalty area and of the goal area, and half of their widths.
const PENALTY_AREA: Vec2 = vec2(16.5, 20.16);
const GOAL_AREA: Vec2 = vec2(5.5, 9.16);
/// Half of a goal's width, and its height; depth of its net at the top and on the ground.
const GOAL: Vec2 = vec2(3.66, 2.44);
const NET: Vec2 = vec2(0.9, 2.0);
/// Thickness of posts, of the frame that holds the net, and of the net's strings.
const POST: f32 = 0.12;
const FRAME: f32 = 0.05;
const STRING: f32 = 0.018;
/// Distance from the lines to the boards, and length of boards along the sides: the corners of the stands are round.
const BOARDS: f32 = 3.6;
const BOARDED: Vec2 = vec2(48.0, 30.0);
/// Length, height and thickness of a board.
const BOARD: Vec3 = vec3(6.0, 0.9, 0.16);
/// Colours of boards, linear, by turns; the first of two has letters.
const COLOURS: [[Vec3; 2]; 3] = [
    [vec3(0.62, 0.08, 0.07), vec3(0.82, 0.80, 0.76)],
    [vec3(0.03, 0.12, 0.36), vec3(0.80, 0.52, 0.04)],
    [vec3(0.02, 0.24, 0.20), vec3(0.70, 0.70, 0.68)],
];
/// Rows of a letter from the top, three squares each, the left one in the highest bit.
const LETTERS: [[u8; 5]; 6] = [
    [0b111, 0b010, 0b010, 0b010, 0b010],
    [0b101, 0b101, 0b111, 0b101, 0b101],
    [0b110, 0b101, 0b110, 0b101, 0b101],
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b110, 0b101, 0b101, 0b101, 0b101],
    [0b111, 0b100, 0b101, 0b101, 0b111],
];
/// Edge length of one square of a letter.
const SQUARE: f32 = 0.11;

const PAINT: u8 = 0;
const BOARD_PAINT: u8 = 1;

/// Model of a pitch `metres` times as large as a real one, around the origin.
pub(super) fn model(metres: f32) -> Model {
    let mut pitch = Pitch {
        solid: Solid::default(),
        metres,
    };
    pitch.lines();
    for end in [-1.0, 1.0] {
        pitch.goal(end);
        pitch.corner_flags(end);
    }
    pitch.boards();
    let materials = [
        material("paint", Vec4::new(0.80, 0.80, 0.78, 1.0), 0.9),
        material("boards", Vec4::ONE, 0.6),
    ];
    pitch.solid.model("pitch", materials.into())
}

struct Pitch {
    solid: Solid,
    metres: f32,
}

impl Pitch {
    fn lines(&mut self) {
        let corner = |x: f32, z: f32| vec2(x, z) * HALF;
        self.closed(&[
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ]);
        self.line(corner(0.0, -1.0), corner(0.0, 1.0));
        self.arc(Vec2::ZERO, CIRCLE, 0.0, TAU);
        self.spot(Vec2::ZERO);
        for end in [-1.0, 1.0] {
            for area in [PENALTY_AREA, GOAL_AREA] {
                let [outer, inner] = [HALF.x * end, (HALF.x - area.x) * end];
                self.line(vec2(outer, -area.y), vec2(inner, -area.y));
                self.line(vec2(inner, -area.y), vec2(inner, area.y));
                self.line(vec2(inner, area.y), vec2(outer, area.y));
            }
            let mark = vec2((HALF.x - MARK) * end, 0.0);
            self.spot(mark);
            // Arc of the circle around the mark that lies outside the penalty area.
            let half = ((PENALTY_AREA.x - MARK) / CIRCLE).acos();
            let middle = if end > 0.0 { PI } else { 0.0 };
            self.arc(mark, CIRCLE, middle - half, middle + half);
            for side in [-1.0, 1.0] {
                let inwards = (-side * HALF.y).atan2(-end * HALF.x);
                let quarter = (inwards / FRAC_PI_2).floor() * FRAC_PI_2;
                self.arc(corner(end, side), 1.0, quarter, quarter + FRAC_PI_2);
            }
        }
    }

    fn closed(&mut self, points: &[Vec2]) {
        around(points).for_each(|(a, b)| self.line(a, b));
    }

    /// Adds an arc of a line between two angles, from X towards Z (radians).
    fn arc(&mut self, middle: Vec2, radius: f32, from: f32, to: f32) {
        let steps = ((to - from) / TAU * 96.0).ceil().max(4.0) as u32;
        let point = |step: u32| middle + Vec2::from_angle(from + (to - from) * step as f32 / steps as f32) * radius;
        for step in 0..steps {
            self.line(point(step), point(step + 1));
        }
    }

    fn line(&mut self, a: Vec2, b: Vec2) {
        let along = (b - a).normalize_or_zero();
        let side = along.perp() * LINE * 0.5;
        let (a, b) = (a - along * LINE * 0.5, b + along * LINE * 0.5);
        self.flat([a + side, b + side, b - side, a - side]);
    }

    /// Adds a mark, twice as wide as a line.
    fn spot(&mut self, middle: Vec2) {
        let at = |step: u32| middle + Vec2::from_angle(-(step as f32) * TAU / 8.0) * LINE;
        self.flat([at(0), at(1), at(2), at(3)]);
        self.flat([at(0), at(3), at(4), at(7)]);
        self.flat([at(4), at(5), at(6), at(7)]);
    }

    /// Adds paint on the grass, visible from above.
    fn flat(&mut self, corners: [Vec2; 4]) {
        let at = |p: Vec2| vec3(p.x * self.metres, LIFT, p.y * self.metres);
        let corners = corners.map(at);
        self.solid.quad(corners, Vec3::ONE, PAINT);
    }

    /// Adds the goal at one end of the pitch: -1 or 1.
    fn goal(&mut self, end: f32) {
        let at = |out: f32, y: f32, z: f32| vec3((HALF.x + out) * end, y, z);
        let back = |y: f32| NET.y + (NET.x - NET.y) * y / GOAL.y;
        for side in [-GOAL.x, GOAL.x] {
            self.bar([at(0.0, 0.0, side), at(0.0, GOAL.y, side)], POST);
            self.bar([at(0.0, GOAL.y, side), at(NET.x, GOAL.y, side)], FRAME);
            self.bar([at(NET.x, GOAL.y, side), at(NET.y, 0.0, side)], FRAME);
            for y in [0.25, 0.5, 0.75].map(|part| part * GOAL.y) {
                self.bar([at(0.0, y, side), at(back(y), y, side)], STRING);
            }
            for out in [0.5 * NET.x, NET.x, 0.5 * (NET.x + NET.y)] {
                let top = GOAL.y * ((NET.y - out) / (NET.y - NET.x)).min(1.0);
                self.bar([at(out, 0.0, side), at(out, top, side)], STRING);
            }
        }
        self.bar([at(0.0, GOAL.y, -GOAL.x), at(0.0, GOAL.y, GOAL.x)], POST);
        for (y, thick) in [
            (1.0, FRAME),
            (0.75, STRING),
            (0.5, STRING),
            (0.25, STRING),
            (0.0, FRAME),
        ] {
            let y = y * GOAL.y;
            self.bar([at(back(y), y, -GOAL.x), at(back(y), y, GOAL.x)], thick);
        }
        for string in 1..12 {
            let z = GOAL.x * (string as f32 / 6.0 - 1.0);
            self.bar([at(0.0, GOAL.y, z), at(NET.x, GOAL.y, z)], STRING);
            self.bar([at(NET.x, GOAL.y, z), at(NET.y, 0.0, z)], STRING);
        }
    }

    fn corner_flags(&mut self, end: f32) {
        for side in [-1.0, 1.0] {
            let foot = vec3(HALF.x * end, 0.0, HALF.y * side);
            let top = foot + Vec3::Y * 1.5;
            self.bar([foot, top], 0.04);
            let [low, away] = [top - Vec3::Y * 0.32, Vec3::X * -end * 0.42];
            let cloth = [low, low + away, top + away, top].map(|p| p * self.metres);
            let [a, b, c, d] = cloth;
            for corners in [cloth, [d, c, b, a]] {
                self.solid.quad(corners, vec3(0.75, 0.42, 0.03), BOARD_PAINT);
            }
        }
    }

    /// Adds a bar of square section between two points, without its ends.
    fn bar(&mut self, ends: [Vec3; 2], thick: f32) {
        let along = (ends[1] - ends[0]).normalize_or(Vec3::Y);
        let side = along.any_orthonormal_vector();
        let (u, v) = (side * thick * 0.5, along.cross(side) * thick * 0.5);
        let edges = [u + v, v - u, -u - v, u - v];
        for (a, b) in around(&edges) {
            let corners = [ends[0] + a, ends[0] + b, ends[1] + b, ends[1] + a];
            let corners = corners.map(|p| p * self.metres);
            self.solid.quad(corners, Vec3::ONE, PAINT);
        }
    }

    /// Adds boards around the pitch that face inwards.
    fn boards(&mut self) {
        let sides = [
            (vec2(0.0, -1.0), BOARDED.x, HALF.y),
            (vec2(0.0, 1.0), BOARDED.x, HALF.y),
            (vec2(-1.0, 0.0), BOARDED.y, HALF.x),
            (vec2(1.0, 0.0), BOARDED.y, HALF.x),
        ];
        let mut number = 0;
        for (outward, reach, edge) in sides {
            let count = (2.0 * reach / BOARD.x) as u32;
            for place in 0..count {
                let along = (place as f32 + 0.5) * BOARD.x - reach;
                let middle = outward * (edge + BOARDS) + outward.perp() * along;
                self.board(
                    &SolidStance::new(middle * self.metres, (-outward.x).atan2(-outward.y)),
                    number,
                );
                number += 1;
            }
        }
    }

    fn board(&mut self, stance: &SolidStance, number: usize) {
        let half = vec3(0.5 * BOARD.x, 0.0, 0.5 * BOARD.z);
        let [ground, letters] = COLOURS[number / 2 % COLOURS.len()];
        let lettered = number.is_multiple_of(2);
        let color = if lettered { ground } else { letters };
        let size = [-half, half + Vec3::Y * BOARD.y].map(|p| p * self.metres);
        self.solid.block(stance, size, color, BOARD_PAINT);
        if lettered {
            self.letters(stance, letters);
        }
    }

    /// Adds letters in front of a board, as seen from the pitch.
    fn letters(&mut self, stance: &SolidStance, color: Vec3) {
        let width = SQUARE * (4 * LETTERS.len() - 1) as f32;
        let low = vec2(-0.5 * width, 0.5 * (BOARD.y - 5.0 * SQUARE));
        for (number, rows) in LETTERS.iter().enumerate() {
            for (row, squares) in rows.iter().enumerate() {
                for column in (0..3).filter(|column| squares & (0b100 >> column) != 0) {
                    let place = low + vec2((4 * number + column) as f32, (4 - row) as f32) * SQUARE;
                    let size = [place, place + SQUARE].map(|p| p * self.metres);
                    let before = (0.5 * BOARD.z + 0.01) * self.metres;
                    self.solid.panel(stance, before, size, color, BOARD_PAINT);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::layouts::stands;

    #[test]
    fn everything_stands_before_the_first_row() {
        for spacing in [0.8, 3.0] {
            let metres = crate::scene::layouts::stadium_scale(spacing);
            let rows = stands(2_000, spacing, 1);
            let front = &rows[0].front;
            let holds = |p: Vec2| {
                // Neighbouring blocks of corners share points, so skip edges without length.
                let mut edges = around(front).filter(|(a, b)| a.distance(*b) > 1e-3);
                edges.all(|(a, b)| (b - a).perp_dot(p - a) < 0.0)
            };
            assert!(holds(Vec2::ZERO) && !holds(vec2(70.0, 0.0) * metres));
            for vertex in &model(metres).mesh.vertices {
                let p = vertex.position;
                assert!(holds(vec2(p.x, p.z)), "{p}");
                assert!((-0.1..3.0 * metres).contains(&p.y), "{p}");
            }
        }
    }

    #[test]
    fn lines_are_seen_from_above_and_boards_from_the_pitch() {
        let model = model(1.0);
        let lines = model.mesh.vertices.iter().filter(|v| v.position.y == LIFT);
        assert!(lines.clone().count() > 800 && lines.into_iter().all(|v| v.normal.y > 0.99));
        // Letters lie in planes of their own, a square of four vertices each.
        let plane = HALF + BOARDS - 0.5 * BOARD.z - 0.01;
        let lettered = model.mesh.vertices.iter().filter(|v| {
            let from = (vec2(v.position.x, v.position.z).abs() - plane).abs();
            v.material == BOARD_PAINT && from.min_element() < 1e-3
        });
        let inwards = |v: &&crate::model::Vertex| v.normal.dot(v.position.with_y(0.0)) < 0.0;
        let boards = (2.0 * BOARDED / BOARD.x).element_sum() as usize * 2;
        let squares: u32 = LETTERS.as_flattened().iter().map(|row| row.count_ones()).sum();
        assert_eq!(lettered.clone().count(), boards / 2 * squares as usize * 4);
        assert!(lettered.into_iter().all(|v| inwards(&v)));
    }
}
