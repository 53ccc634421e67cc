//! Annotations of people: identities above heads, and trails on the ground.

use std::collections::HashMap;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, vec2};
use glam::Vec3;

use crate::{
    app::{
        annotate::{Annotations, INK, SHADE},
        person::pick,
    },
    config::TrajectoryColor,
    crowd::{clock::Clock, tints::RAMP_LEN, trajectory::ABSENT},
    scene::{PersonRef, track_color},
};

/// Most people with identities and trails: those nearest to the camera.
const MOST: usize = 1000;
/// Room between a head and the text above it (m).
const ABOVE: f32 = 0.15;
/// Points of a trail per second, and most of one trail.
const RATE: f64 = 10.0;
const LONGEST: u32 = 600;
/// Colour of trails where clothes have no meaning.
const PLAIN: Color32 = Color32::from_rgb(255, 190, 90);

/// Paints trails, and identities over them, of the people nearest to the camera.
pub(super) fn paint(painter: &Painter, what: &Annotations<'_>) {
    let has_trails = what.config.trails > 0.0;
    if !has_trails && !what.config.ids {
        return;
    }
    let people = nearest(what);
    if has_trails {
        trails(painter, what, &people);
    }
    if what.config.ids {
        ids(painter, what, &people);
    }
}

/// Paints the identity of everybody who is there above their heads.
fn ids(painter: &Painter, what: &Annotations<'_>, people: &[PersonRef]) {
    // The nearest first: a text that would cover another is left out.
    let mut taken = TakenPlaces::default();
    for &person in people {
        let Some(track) = what.scene.track_of(person) else {
            continue;
        };
        let Some((ground, height)) = standing(what, person) else {
            continue;
        };
        let Some(at) = what.place(painter, ground + Vec3::Y * (height + ABOVE)) else {
            continue;
        };
        let galley = painter.layout_no_wrap(track.id, FontId::proportional(12.0), INK);
        let shade = Align2::CENTER_BOTTOM.anchor_size(at, galley.size() + vec2(6.0, 2.0));
        if !taken.take(shade) {
            continue;
        }
        painter.rect_filled(shade, 3.0, SHADE);
        painter.galley(shade.min + vec2(3.0, 1.0), galley, INK);
    }
}

/// Places of texts, in a grid of cells so wide that no text of an id spans more than a few.
#[derive(Default)]
struct TakenPlaces {
    cells: HashMap<(i32, i32), Vec<Rect>>,
}

impl TakenPlaces {
    const CELL: f32 = 48.0;

    /// Takes a place (points) unless it overlaps another.
    fn take(&mut self, place: Rect) -> bool {
        let cell = |at: f32| (at / Self::CELL).floor() as i32;
        let rows = cell(place.min.y)..=cell(place.max.y);
        let around = rows.flat_map(|row| (cell(place.min.x)..=cell(place.max.x)).map(move |column| (column, row)));
        let around: Vec<(i32, i32)> = around.collect();
        let others = around.iter().filter_map(|at| self.cells.get(at)).flatten();
        if others.into_iter().any(|other| other.intersects(place)) {
            return false;
        }
        for at in around {
            self.cells.entry(at).or_default().push(place);
        }
        true
    }
}

/// Paints where people went before the moment, on the ground.
fn trails(painter: &Painter, what: &Annotations<'_>, people: &[PersonRef]) {
    let length = what.config.trails.min(what.time);
    if length <= 0.0 {
        return;
    }
    let steps = ((length * RATE).ceil() as u32).clamp(1, LONGEST);
    for &person in people {
        let at = |step: u32| {
            let time = what.time - length * f64::from(step) / f64::from(steps);
            let place = what.place(painter, ground_at(what, person, time)?)?;
            Some((place, color_of(what, person, time)))
        };
        let points: Vec<Option<(Pos2, Color32)>> = (0..=steps).map(at).collect();
        // A pause without samples parts a trail.
        for run in points.split(Option::is_none) {
            let run: Vec<(Pos2, Color32)> = run.iter().copied().flatten().collect();
            // Both parts hold the point at which the colour changes.
            let mut first = 0;
            for part in run.chunk_by(|a, b| a.1 == b.1) {
                let end = first + part.len();
                let places = run[first..(end + 1).min(run.len())].iter().map(|point| point.0);
                let places: Vec<Pos2> = places.collect();
                if places.len() > 1 {
                    painter.line(places, Stroke::new(2.0, part[0].1));
                }
                first = end;
            }
        }
    }
}

/// People who are there, nearest to the camera first.
fn nearest(what: &Annotations<'_>) -> Vec<PersonRef> {
    let there = what.scene.everyone().filter_map(|person| {
        let ground = ground_at(what, person, what.time)?;
        Some((ground.distance_squared(what.view.eye), person))
    });
    let mut there: Vec<(f32, PersonRef)> = there.collect();
    there.sort_by(|a, b| a.0.total_cmp(&b.0));
    there.into_iter().take(MOST).map(|(_, person)| person).collect()
}

/// Ground point of somebody at a time (s); `None` while absent.
fn ground_at(what: &Annotations<'_>, person: PersonRef, time: f64) -> Option<Vec3> {
    let (_, pose) = pick::pose_of(what.scene, person, Clock::from_seconds(time))?;
    (pose.position.x < 0.5 * ABSENT.x).then_some(pose.position)
}

/// Ground point and height (m) of somebody who is there.
fn standing(what: &Annotations<'_>, person: PersonRef) -> Option<(Vec3, f32)> {
    let ground = ground_at(what, person, what.time)?;
    let instance = what.scene.crowd.per_character.get(person.character)?;
    let scale = instance.get(person.index as usize)?.scale();
    let height = what.scene.characters.get(person.character)?.rest_bounds.max.y;
    Some((ground, height * scale))
}

/// Colour of somebody's trail at a time (s): that of the clothes where it has a meaning.
fn color_of(what: &Annotations<'_>, person: PersonRef, time: f64) -> Color32 {
    let color = what.config.color;
    match pick::colored(what.scene, person, Clock::from_seconds(time)) {
        Some(instance) if color != TrajectoryColor::None => {
            let [_, _, cloth, _] = instance.tints();
            let [r, g, b] = track_color(color, f32::from(cloth) / (RAMP_LEN - 1) as f32);
            Color32::from_rgb(r, g, b)
        }
        _ => PLAIN,
    }
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    #[test]
    fn texts_that_overlap_others_are_left_out() {
        let mut taken = TakenPlaces::default();
        let place = |x: f32, y: f32| Rect::from_min_size(pos2(x, y), vec2(30.0, 14.0));
        assert!(taken.take(place(40.0, 40.0)));
        assert!(!taken.take(place(60.0, 50.0)), "in another cell, too");
        assert!(taken.take(place(71.0, 40.0)) && taken.take(place(40.0, 55.0)));
        assert!(!taken.take(place(40.0, 41.0)) && taken.take(place(-500.0, -20.0)));
    }
}
