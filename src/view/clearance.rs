//! Clearance of cameras among people. Views at eye level choose a direction in which nobody blocks the view.

use glam::{Vec2, Vec3, Vec3Swizzles};

use crate::{
    crowd::CrowdExtent,
    view::{
        Camera,
        framing::{close, street},
    },
};

/// Candidate turns (radians) from the preferred direction of a view, the best liked first.
const TURNS: [f32; 9] = [0.0, -1.0, 0.5, -0.5, 0.25, -0.25, -1.35, 0.85, -0.75];
/// Clearance (heights) that is always sufficient.
const ROOM: f32 = 0.5;
/// Fraction of the distance to the person that must be clear.
pub(crate) const FREE: f32 = 0.7;
/// Share of the default distance for a view from among the people around a person.
const AMONG: f32 = 0.75;
/// Distance ahead (heights) that must be free in street views.
pub(crate) const AHEAD: f32 = 1.5;

impl CrowdExtent {
    /// Turns the views at eye level to where people leave room. `people` are the feet of everyone; `fov` is the
    /// picture's vertical angle (radians).
    pub fn make_room(&mut self, fov: f32, people: impl Iterator<Item = Vec3>) {
        let far = 16.0 * self.height.max(self.width);
        let near = |p: &Vec3| p.distance(self.subject) < far || p.distance(self.centre()) < far;
        let people: Vec<Vec2> = people.filter(near).map(Vec3::xz).collect();
        let subject = self.subject.xz();
        let others: Vec<Vec2> = people
            .iter()
            .copied()
            .filter(|p| p.distance(subject) > 0.01 * self.height)
            .collect();
        let enough = ROOM * self.height;
        let before_person = |close_turn: f32, close_distance: f32| {
            let extent = Self {
                close_turn,
                close_distance,
                ..*self
            };
            close(&extent, fov, 1.0)
        };
        let around = |turn: f32| {
            let camera = before_person(turn, 1.0);
            room(&camera, FREE * camera.distance(), &others)
        };
        // A performer is seen from among the audience, not over their shoulders. People behind the lens block nothing.
        let among = |turn: &f32| {
            let camera = before_person(*turn, AMONG);
            let (eye, forward) = (camera.eye.xz(), camera.forward().xz());
            let ahead = others.iter().copied().filter(|other| (other - eye).dot(forward) > 0.0);
            room(&camera, FREE * camera.distance(), &ahead.collect::<Vec<_>>()) > enough
        };
        let turn = first_best(around, enough);
        let inside = || TURNS.into_iter().find(among).map(|turn| (turn, AMONG));
        let usual = (turn, 1.0);
        let (close_turn, close_distance) = if around(turn) > enough {
            usual
        } else {
            inside().unwrap_or(usual)
        };
        let on_street = |turn: f32| {
            let extent = Self {
                street_turn: turn,
                ..*self
            };
            room(&street(&extent, fov), AHEAD * self.height, &people)
        };
        let street_turn = first_best(on_street, enough);
        (self.close_turn, self.close_distance, self.street_turn) = (close_turn, close_distance, street_turn);
    }
}

/// First turn with sufficient clearance, otherwise the one with most.
fn first_best(room: impl Fn(f32) -> f32, enough: f32) -> f32 {
    let rooms = TURNS.map(|turn| (turn, room(turn)));
    let most = rooms
        .iter()
        .copied()
        .fold((0.0, f32::MIN), |a, b| if b.1 > a.1 { b } else { a });
    rooms
        .iter()
        .find(|(_, room)| *room > enough)
        .map_or(most.0, |(turn, _)| *turn)
}

/// Smallest distance (m, on the ground) of any person from the first `free` metres ahead of a camera.
pub(crate) fn room(camera: &Camera, free: f32, others: &[Vec2]) -> f32 {
    let (eye, way) = (camera.eye.xz(), camera.forward().xz().normalize_or_zero() * free);
    let apart = others.iter().map(|&other| {
        let along = ((other - eye).dot(way) / way.length_squared().max(1e-6)).clamp(0.0, 1.0);
        other.distance(eye + along * way)
    });
    apart.fold(f32::MAX, f32::min)
}
