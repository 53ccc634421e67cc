//! Legend of the colours of people on trajectories.

use std::f32::consts::TAU;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Vec2, pos2, vec2};

use crate::{
    app::annotate::{INK, SHADE},
    config::{TrajectoryColor, TrajectoryConfig},
    scene::track_color,
    tracks::ColorScale,
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
            TrajectoryColor::Speed | TrajectoryColor::Density | TrajectoryColor::Column | TrajectoryColor::Destination
        )
}

/// Paints the legend with its upper right corner at `corner` (points); `scale` is that of colours over time.
pub(super) fn paint(painter: &Painter, corner: Pos2, config: &TrajectoryConfig, scale: Option<ColorScale>) {
    match scale {
        Some(scale) => bar(painter, corner, config, scale),
        None if config.color == TrajectoryColor::Destination => directions(painter, corner),
        None => {}
    }
}

/// Meaning of colours over time, with the unit.
fn title(config: &TrajectoryConfig) -> &str {
    match config.color {
        TrajectoryColor::Density => "density (people/m²)",
        TrajectoryColor::Column if config.color_column.is_empty() => "value",
        TrajectoryColor::Column => &config.color_column,
        _ => "speed (m/s)",
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

/// Bar of a scale, and its title.
fn bar(painter: &Painter, corner: Pos2, config: &TrajectoryConfig, scale: ColorScale) {
    let room = card(painter, corner, title(config), 62.0);
    let step = room.width() / f32::from(STEPS);
    for number in 0..STEPS {
        let share = f32::from(number) / f32::from(STEPS - 1);
        let left = room.left() + step * f32::from(number);
        // Wider by half a point than a step, so that no gaps show between them.
        let bar = Rect::from_min_size(pos2(left, room.top()), vec2(step + 0.5, BAR));
        painter.rect_filled(bar.intersect(room), 0.0, color_at(config.color, share));
    }
    let below = room.top() + BAR + 2.0;
    let (from, to) = (f64::from(scale.from), f64::from(scale.to));
    let texts = [
        (
            room.left(),
            Align2::LEFT_TOP,
            if from == 0.0 {
                number(from)
            } else {
                format!("≤ {}", number(from))
            },
        ),
        (room.center().x, Align2::CENTER_TOP, number(0.5 * (from + to))),
        (room.right(), Align2::RIGHT_TOP, format!("≥ {}", number(to))),
    ];
    for (x, align, text) in texts {
        painter.text(pos2(x, below), align, text, FontId::proportional(12.0), INK);
    }
}

/// Number with three digits at most, without trailing zeros.
fn number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.1e}");
    }
    let decimals = (2.0 - value.abs().max(1e-3).log10().floor()).clamp(0.0, 5.0) as usize;
    let text = format!("{value:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_more_digits_than_needed() {
        let shown = [0.0, 0.75, 1.5, 20.0, -0.05, 299.0, 7.002, 250_000.0, 3e-5, -2e7].map(number);
        assert_eq!(
            shown,
            [
                "0", "0.75", "1.5", "20", "-0.05", "299", "7", "250000", "3.0e-5", "-2.0e7"
            ]
        );
    }
}
