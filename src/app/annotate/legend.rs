//! Legend of the colours of people on trajectories.

use std::f32::consts::TAU;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Vec2, pos2, vec2};

use crate::{
    app::annotate::{INK, SHADE},
    config::{TrajectoryColor, TrajectoryConfig},
    scene::{DENSEST_COLOR, FASTEST_COLOR, track_color},
};

/// Width of the legend and height of its bar (points).
const WIDTH: f32 = 170.0;
const BAR: f32 = 10.0;
/// Distance of contents from the edges of the shade (points).
const INSIDE: f32 = 8.0;
/// Steps of the bar.
const STEPS: u16 = 64;
/// Radius of the ring of directions (points).
const RING: f32 = 17.0;

/// True if settings colour people by a fact that a legend explains.
pub(super) fn has_legend(config: &TrajectoryConfig) -> bool {
    config.legend
        && matches!(
            config.color,
            TrajectoryColor::Speed | TrajectoryColor::Density | TrajectoryColor::Destination
        )
}

/// Paints the legend with its upper right corner at `corner` (points).
pub(super) fn paint(painter: &Painter, corner: Pos2, color: TrajectoryColor) {
    match color {
        TrajectoryColor::None | TrajectoryColor::Id => {}
        TrajectoryColor::Speed => scale(painter, corner, color, ("mean speed (m/s)", FASTEST_COLOR)),
        TrajectoryColor::Density => scale(painter, corner, color, ("mean density (people/m²)", DENSEST_COLOR)),
        TrajectoryColor::Destination => directions(painter, corner),
    }
}

/// Shade and title; returns the room below the title.
fn card(painter: &Painter, corner: Pos2, title: &str, height: f32) -> Rect {
    let shade = Align2::RIGHT_TOP.anchor_size(corner, vec2(WIDTH, height));
    painter.rect_filled(shade, 4.0, SHADE);
    let inside = shade.shrink(INSIDE);
    let title = painter.text(
        inside.left_top(),
        Align2::LEFT_TOP,
        title,
        FontId::proportional(13.0),
        INK,
    );
    inside.with_min_y(title.bottom() + 4.0)
}

/// Bar of a scale from 0 to `most`, and its title.
fn scale(painter: &Painter, corner: Pos2, color: TrajectoryColor, (title, most): (&str, f32)) {
    let room = card(painter, corner, title, 62.0);
    let step = room.width() / f32::from(STEPS);
    for number in 0..STEPS {
        let share = f32::from(number) / f32::from(STEPS - 1);
        let left = room.left() + step * f32::from(number);
        // Wider by half a point than a step, so that no gaps show between them.
        let bar = Rect::from_min_size(pos2(left, room.top()), vec2(step + 0.5, BAR));
        painter.rect_filled(bar.intersect(room), 0.0, color_at(color, share));
    }
    let below = room.top() + BAR + 2.0;
    let texts = [
        (room.left(), Align2::LEFT_TOP, "0".to_owned()),
        (room.center().x, Align2::CENTER_TOP, format!("{:.1}", 0.5 * most)),
        (room.right(), Align2::RIGHT_TOP, format!("≥ {most:.1}")),
    ];
    for (x, align, text) in texts {
        painter.text(pos2(x, below), align, text, FontId::proportional(12.0), INK);
    }
}

/// Ring of eight directions, as seen on the file's plan: x to the right, y up.
fn directions(painter: &Painter, corner: Pos2) {
    let room = card(painter, corner, "direction of the whole way", 88.0);
    let middle = pos2(room.center().x, room.top() + RING + 6.0);
    for number in 0..8_u8 {
        let share = f32::from(number) / 8.0;
        let angle = share * TAU;
        let toward = Vec2::new(angle.cos(), -angle.sin());
        painter.circle_filled(
            middle + toward * RING,
            5.5,
            color_at(TrajectoryColor::Destination, share),
        );
    }
    let small = FontId::proportional(12.0);
    painter.text(
        middle + vec2(RING + 10.0, 0.0),
        Align2::LEFT_CENTER,
        "x",
        small.clone(),
        INK,
    );
    painter.text(middle - vec2(RING + 10.0, 0.0), Align2::RIGHT_CENTER, "-x", small, INK);
}

/// Colour of clothes at a share of the scale.
fn color_at(color: TrajectoryColor, share: f32) -> Color32 {
    let [r, g, b] = track_color(color, share);
    Color32::from_rgb(r, g, b)
}
