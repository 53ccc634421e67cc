//! Overlay of the difference map: colour scale, and the measured difference of the pictures.

use egui::{Align2, Color32, FontId, Painter, Rect, pos2, vec2};

use crate::{
    app::panel::{overlay::sides::label, widgets::style},
    render::{heat, passes::PictureSteps},
};

/// Steps of 8-bit display values from black to white.
const STEPS: f32 = 255.0;
/// Size of the scale (points).
const SIZE: egui::Vec2 = vec2(240.0, 12.0);
/// Number of pieces of the colour scale.
const PIECES: usize = 48;

/// Shows the names of both sides, the colour scale and the measured difference.
pub(crate) fn show(painter: &Painter, picture: Rect, names: &[String; 2], gain: f32, apart: Option<PictureSteps>) {
    let told = match apart {
        Some(PictureSteps { largest: 0, .. }) => "identical bytes".to_owned(),
        Some(apart) => format!("largest {} of 255, mean {:.4}", apart.largest, apart.mean),
        None => "measuring…".to_owned(),
    };
    let at = pos2(picture.center().x, picture.top() + 10.0);
    let title = format!("{}  against  {}", names[0], names[1]);
    label(painter, at, Align2::CENTER_TOP, &title, &told);
    scale(painter, picture, gain);
}

/// Colour scale from no difference to the difference shown as white.
fn scale(painter: &Painter, picture: Rect, gain: f32) {
    let around = vec2(SIZE.x + 44.0, SIZE.y + 34.0);
    let frame = Align2::CENTER_BOTTOM.anchor_size(pos2(picture.center().x, picture.bottom() - 14.0), around);
    painter.rect_filled(frame, 5.0, Color32::from_black_alpha(190));
    let bar = Rect::from_min_size(pos2(frame.center().x - 0.5 * SIZE.x, frame.top() + 8.0), SIZE);
    let width = SIZE.x / PIECES as f32;
    for piece in 0..PIECES {
        let share = (piece as f32 + 0.5) / PIECES as f32;
        let left = pos2(bar.left() + piece as f32 * width, bar.top());
        let rect = Rect::from_min_size(left, vec2(width + 0.5, SIZE.y));
        painter.rect_filled(rect, 0.0, heat_color(share));
    }
    for mark in 0..=3_u8 {
        let share = f32::from(mark) / 3.0;
        let at = pos2(bar.left() + share * SIZE.x, bar.bottom() + 3.0);
        let unit = if mark == 3 { " of 255" } else { "" };
        let text = steps(share * STEPS / gain) + unit;
        painter.text(at, Align2::CENTER_TOP, text, FontId::monospace(11.0), style::ACCENT);
    }
}

/// Value in steps of 1/255.
fn steps(value: f32) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v < 10.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// Colour of the map for a value from 0 (black) to 1 (white).
pub(in crate::app::panel) fn heat_color(share: f32) -> Color32 {
    let [r, g, b] = heat::heat_color(share);
    egui::Rgba::from_rgb(r, g, b).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_colours_equal_those_of_the_shader() {
        assert_eq!(heat_color(0.0), Color32::BLACK);
        assert_eq!(heat_color(1.0), Color32::WHITE);
        let violet: Color32 = egui::Rgba::from_rgb(0.55, 0.1, 0.6).into();
        assert_eq!(heat_color(1.0 / 3.0), violet);
    }

    #[test]
    fn marks_are_short() {
        assert_eq!([0.0, 85.0 / 64.0, 255.0].map(steps), ["0", "1.3", "255"]);
    }
}
