//! Overlay of the compare view: draw method and cost of each side, and the divider.

use egui::{Align2, Area, Color32, CursorIcon, FontId, Id, Order, Painter, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};

use crate::{
    app::{
        compare::{Compare, SideTimes},
        panel::{overlay::heat, profiling::cpu_label, widgets::style},
        state::AppState,
    },
    render::DrawMethod,
};

/// Width of the divider's grab area (points).
const GRIP: f32 = 14.0;

pub(crate) fn show(ui: &Ui, state: &mut AppState, picture: Rect) {
    if !state.compare.on || state.shown.scene.is_none() || picture.width() < 80.0 {
        return;
    }
    let render = &state.config.render;
    let names = [
        DrawMethod::new(render.technique, render.format, state.source).name(),
        state.compare.right.name(),
    ];
    let painter = ui.painter().with_clip_rect(picture);
    if state.compare.heat {
        let Compare { gain, apart, .. } = state.compare;
        heat::show(&painter, picture, &names, gain, apart);
        return;
    }
    let line = picture.left() + state.compare.divider * picture.width();
    let (cpu, _) = cpu_label(state.shown.stats.adapter.is_software());
    let [left, right] = state.compare.times.map(|times| cost(times, cpu));
    let top = picture.top() + 10.0;
    label(&painter, pos2(line - 12.0, top), Align2::RIGHT_TOP, &names[0], &left);
    label(&painter, pos2(line + 12.0, top), Align2::LEFT_TOP, &names[1], &right);
    divider(ui, state, picture, line);
}

/// Times of a side; `cpu` names its CPU time.
fn cost(times: Option<SideTimes>, cpu: &str) -> String {
    match times.map(|times| (times.cpu_ms, times.crowd_ms)) {
        Some((ms, Some(crowd))) => format!("{cpu} {ms:.2} ms   GPU crowd {crowd:.2} ms"),
        Some((ms, None)) => format!("{cpu} {ms:.2} ms   GPU not timed"),
        None => "measuring…".to_owned(),
    }
}

/// Label of two lines on a dark background.
pub(super) fn label(painter: &Painter, at: Pos2, align: Align2, title: &str, text: &str) {
    let title = painter.layout_no_wrap(title.to_owned(), FontId::proportional(14.0), style::ACCENT);
    let text = painter.layout_no_wrap(text.to_owned(), FontId::monospace(11.5), Color32::from_gray(225));
    let size = vec2(title.size().x.max(text.size().x), title.size().y + text.size().y) + vec2(18.0, 10.0);
    let frame = align.anchor_size(at, size);
    painter.rect_filled(frame, 5.0, Color32::from_black_alpha(190));
    let inner = frame.shrink2(vec2(9.0, 5.0));
    let below = inner.left_top() + vec2(0.0, title.size().y);
    painter.galley(inner.left_top(), title, Color32::WHITE);
    painter.galley(below, text, Color32::WHITE);
}

/// Divider; dragging moves it, a double click centres it.
fn divider(ui: &Ui, state: &mut AppState, picture: Rect, line: f32) {
    let grip = Rect::from_center_size(pos2(line, picture.center().y), vec2(GRIP, picture.height()));
    let area = Area::new(Id::unique("divider"))
        .order(Order::Middle)
        .fixed_pos(grip.min)
        .constrain(false);
    let shown = area.show(ui.ctx(), |ui| {
        let (_, response) = ui.allocate_exact_size(grip.size(), Sense::click_and_drag());
        response.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal)
    });
    let response = shown.inner;
    let held = response.hovered() || response.dragged();
    let color = if held { style::ACCENT } else { Color32::from_gray(235) };
    // Painted outside the area, because egui hides an area in its first frame.
    let painter = ui.painter();
    painter.vline(line, picture.y_range(), Stroke::new(4.0, Color32::from_black_alpha(90)));
    painter.vline(line, picture.y_range(), Stroke::new(1.5, color));
    handle(painter, pos2(line, picture.center().y), color);
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        state.compare.divider = ((pointer.x - picture.left()) / picture.width()).clamp(0.02, 0.98);
    }
    if response.double_clicked() {
        state.compare.divider = 0.5;
    }
}

fn handle(painter: &Painter, at: Pos2, color: Color32) {
    painter.circle(at, 11.0, Color32::from_black_alpha(200), Stroke::new(1.5, color));
    for side in [-1.0, 1.0] {
        let tip = at + vec2(side * 6.5, 0.0);
        let base = at + vec2(side * 2.5, 0.0);
        let points = vec![tip, base + vec2(0.0, -3.5), base + vec2(0.0, 3.5)];
        painter.add(egui::Shape::convex_polygon(points, color, Stroke::NONE));
    }
}
