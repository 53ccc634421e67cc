//! Line whose crossings are counted: on the ground, with the number of people to both sides up to the moment.

use egui::{Align2, Color32, FontId, Painter, Pos2, Stroke, vec2};
use glam::{DVec2, Vec3};

use crate::{
    app::annotate::{Annotations, INK, SHADE},
    tracks::{DirectedFlow, FlowLine},
};

/// Colour of the line.
pub(crate) const LINE: Color32 = Color32::from_rgb(255, 80, 160);
/// Length of the arrows to both sides (m).
const ARROW: f64 = 0.6;
/// Time (s) between the first and the last crossing from which on a rate means something.
const RATED_AFTER: f64 = 2.0;
/// Parts of the line, each of which is left out where the camera does not face it.
const PARTS: u32 = 32;

/// Paints the line of the settings, if there is one.
pub(super) fn paint(painter: &Painter, what: &Annotations<'_>) {
    let (Some(tracks), Some(ends)) = (&what.scene.tracks, what.config.flow_ends()) else {
        return;
    };
    let line = FlowLine::from(ends);
    if line.from == line.to {
        return;
    }
    let world = |place: DVec2| {
        let ground = tracks.map.absolute(place.to_array()).as_vec2();
        Vec3::new(ground.x, 0.0, ground.y)
    };
    let (from, to) = (DVec2::from(line.from), DVec2::from(line.to));
    segment(painter, what, world(from), world(to));
    let flows = tracks.flow(line).until(what.time + tracks.map.first_time());
    let across = (to - from).normalize().perp();
    for (across, flow) in [across, -across].into_iter().zip(flows) {
        let middle = 0.5 * (from + to);
        let ends = [middle, middle + ARROW * across].map(|place| what.place(painter, world(place)));
        if let [Some(tail), Some(tip)] = ends {
            painter.arrow(tail, tip - tail, Stroke::new(2.0, LINE));
            count(painter, tip, tip - tail, &flow);
        }
    }
}

/// Paints a line on the ground (m).
pub(crate) fn segment(painter: &Painter, what: &Annotations<'_>, from: Vec3, to: Vec3) {
    let at = |part: u32| what.place(painter, from.lerp(to, part as f32 / PARTS as f32));
    let points: Vec<Option<Pos2>> = (0..=PARTS).map(at).collect();
    for run in points.split(Option::is_none).filter(|run| run.len() > 1) {
        let run: Vec<Pos2> = run.iter().copied().flatten().collect();
        painter.line(run.clone(), Stroke::new(5.0, SHADE));
        painter.line(run, Stroke::new(3.0, LINE));
    }
}

/// Paints the number of people to one side beyond the tip of its arrow.
fn count(painter: &Painter, tip: Pos2, along: egui::Vec2, flow: &DirectedFlow) {
    let galley = painter.layout_no_wrap(text(flow), FontId::proportional(13.0), INK);
    let room = galley.size() + vec2(8.0, 4.0);
    let away = along.normalized() * (0.5 * room.length() + 4.0);
    let shade = Align2::CENTER_CENTER.anchor_size(tip + away, room);
    painter.rect_filled(shade, 3.0, SHADE);
    painter.galley(shade.min + vec2(4.0, 2.0), galley, INK);
}

/// Number of people, and their rate once crossings lasted for [`RATED_AFTER`].
fn text(flow: &DirectedFlow) -> String {
    let lasted = flow.first_s.zip(flow.last_s).map_or(0.0, |(first, last)| last - first);
    match flow.persons_per_s.filter(|_| lasted >= RATED_AFTER) {
        Some(rate) => format!("{} · {rate:.2}/s", flow.persons),
        None => flow.persons.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_people_at_once_have_no_rate_yet() {
        let flow = |last: f64| DirectedFlow {
            crossings: 4,
            persons: 4,
            first_s: Some(1.0),
            last_s: Some(last),
            persons_per_s: Some(3.0 / (last - 1.0)),
        };
        assert_eq!([flow(1.2), flow(7.0)].map(|flow| text(&flow)), ["4", "4 · 0.50/s"]);
        assert_eq!(text(&DirectedFlow::default()), "0");
    }
}
