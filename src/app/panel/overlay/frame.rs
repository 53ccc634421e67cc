//! Overlay: frame of the picture that F12 and films save, while it is shown.

use egui::{Align2, Color32, FontId, Rect, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::app::{panel::widgets::style, state::AppState};

/// Darkens what is outside the saved picture.
pub(crate) fn show(ui: &Ui, state: &AppState, picture: Rect) {
    let window = &state.config.window;
    let pixels = ui.ctx().pixels_per_point();
    let size = (window.width, window.height);
    let Some(frame) = state.picture_frame(size, picture.left() * pixels) else {
        return;
    };
    let [x, y] = frame.center.map(|px| px / pixels);
    let [width, height] = frame.size.map(|px| px / pixels);
    let frame = Rect::from_center_size(pos2(x, y), vec2(width, height));
    let painter = ui.painter().with_clip_rect(picture);
    let outside = [
        picture.with_max_y(frame.top()),
        picture.with_min_y(frame.bottom()),
        Rect::from_x_y_ranges(picture.left()..=frame.left(), frame.y_range()),
        Rect::from_x_y_ranges(frame.right()..=picture.right(), frame.y_range()),
    ];
    for part in outside {
        painter.rect_filled(part, 0.0, Color32::from_black_alpha(150));
    }
    let color = if state.files.filming.is_some() {
        style::ERROR
    } else {
        Color32::from_gray(235)
    };
    painter.rect_stroke(frame, 0.0, Stroke::new(1.5, color), StrokeKind::Outside);
    let text = format!("{} × {} px", window.width, window.height);
    let at = frame.right_bottom() - vec2(6.0, 4.0);
    painter.text(at, Align2::RIGHT_BOTTOM, text, FontId::proportional(11.5), color);
}
