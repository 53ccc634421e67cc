//! Buttons with drawn icons, which the embedded fonts lack.

use std::f32::consts::TAU;

use egui::{Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};

/// Icon of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Icon {
    /// Play: a triangle.
    Play,
    /// Pause: two bars.
    Pause,
    /// Step back: a bar and a triangle to the left.
    Back,
    /// Step forward: a bar and a triangle to the right.
    Forward,
    /// Next seed: the five of a die.
    Die,
}

/// Small icon button; its tooltip is also its name for screen readers.
pub(crate) fn button(ui: &mut Ui, icon: Icon, hint: &str) -> Response {
    let side = ui.spacing().interact_size.y;
    let (rect, response) = ui.allocate_exact_size(vec2(side + 6.0, side), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), hint));
    let visuals = ui.style().interact(&response);
    let painter = ui.painter();
    painter.rect(
        rect,
        visuals.corner_radius,
        visuals.weak_bg_fill,
        visuals.bg_stroke,
        StrokeKind::Inside,
    );
    let ink = visuals.fg_stroke.color;
    draw(
        painter,
        icon,
        Rect::from_center_size(rect.center(), Vec2::splat(10.0)),
        ink,
    );
    response.on_hover_text(hint)
}

fn draw(painter: &Painter, icon: Icon, r: Rect, ink: egui::Color32) {
    let middle = r.center().y;
    let triangle = |tip: Pos2, base: f32| {
        let points = vec![tip, pos2(base, r.top()), pos2(base, r.bottom())];
        painter.add(Shape::convex_polygon(points, ink, Stroke::NONE));
    };
    let bar = |left: f32| {
        painter.rect_filled(
            Rect::from_min_size(pos2(left, r.top()), vec2(2.5, r.height())),
            0.0,
            ink,
        );
    };
    match icon {
        Icon::Play => triangle(pos2(r.right(), middle), r.left() + 1.0),
        Icon::Pause => {
            bar(r.left() + 1.5);
            bar(r.right() - 4.0);
        }
        Icon::Back => {
            bar(r.right() - 2.5);
            triangle(pos2(r.left(), middle), r.right() - 4.0);
        }
        Icon::Forward => {
            bar(r.left());
            triangle(pos2(r.right(), middle), r.left() + 4.0);
        }
        Icon::Die => {
            painter.rect_stroke(r.expand(1.0), 2.0, Stroke::new(1.2, ink), StrokeKind::Inside);
            painter.circle_filled(r.center(), 1.2, ink);
            for corner in 0..4 {
                let angle = TAU * (corner as f32 + 0.5) / 4.0;
                painter.circle_filled(r.center() + Vec2::angled(angle) * 4.0, 1.2, ink);
            }
        }
    }
}
