//! Overlay: time line of trajectories below the picture, with the controls of a video player and the number of people
//! who are there.

use egui::{Align2, Area, Color32, CursorIcon, Id, Order, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::{
    app::{
        annotate::minutes,
        panel::widgets::{
            icons::{self, Icon},
            style,
        },
        state::{
            AppState,
            action::Action,
            playback::{AtEnd, Playback},
        },
    },
    tracks::Presence,
};

/// Distance from the edges of the picture (points).
const MARGIN: f32 = 12.0;
/// Width of the card in a large picture, and the smallest that holds its controls (points).
const WIDTHS: [f32; 2] = [760.0, 260.0];
/// Height of the graph (points).
const GRAPH: f32 = 26.0;
/// Moments that the graph shows.
const COLUMNS: u16 = 240;
/// Scene seconds per second of real time that the button offers.
const SCALES: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// Time line at the lower edge of the picture, where people follow trajectories and there is room.
pub(crate) fn show(ui: &Ui, state: &mut AppState, picture: Rect) {
    let Some(scene) = state.shown.scene.clone() else { return };
    let Some(presence) = scene.tracks.as_ref().map(|tracks| &tracks.presence) else {
        return;
    };
    let width = WIDTHS[0].min(picture.width() - 2.0 * MARGIN);
    if width < WIDTHS[1] {
        return;
    }
    let window = ui.ctx().content_rect();
    let place = vec2(picture.center().x - window.center().x, -MARGIN);
    let area = Area::new(Id::unique("time line"))
        .order(Order::Middle)
        .anchor(Align2::CENTER_BOTTOM, place);
    area.show(ui.ctx(), |ui| {
        style::card(ui, Color32::from_gray(225), |ui| {
            ui.set_width(width - 2.0 * MARGIN);
            graph(ui, state, presence);
            ui.horizontal(|ui| controls(ui, state, presence));
        });
    });
}

/// People who are there over time, and a mark at the scene's time that a drag moves.
fn graph(ui: &mut Ui, state: &mut AppState, presence: &Presence) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), GRAPH), Sense::click_and_drag());
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), state.clock.seconds, "time of the trajectories"));
    let duration = presence.duration().max(f64::EPSILON);
    if let Some(at) = response.interact_pointer_pos() {
        let share = f64::from((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
        state.clock.seconds = share * duration;
    }
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 2.0, Color32::from_gray(38));
    let now = (state.clock.seconds / duration).clamp(0.0, 1.0) as f32;
    let counts: Vec<usize> = (0..COLUMNS)
        .map(|number| presence.at(duration * (f64::from(number) + 0.5) / f64::from(COLUMNS)))
        .collect();
    let column = rect.width() / COLUMNS as f32;
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    for (number, &people) in counts.iter().enumerate() {
        let left = rect.left() + column * number as f32;
        let top = rect.bottom() - (rect.height() - 2.0) * people as f32 / most as f32;
        let bar = Rect::from_min_max(pos2(left, top), pos2(left + column, rect.bottom()));
        let is_past = left - rect.left() <= now * rect.width();
        let color = if is_past {
            style::ACCENT
        } else {
            Color32::from_gray(110)
        };
        painter.add(Shape::rect_filled(bar, 0.0, color));
    }
    let x = rect.left() + now * rect.width();
    painter.vline(x, rect.y_range(), Stroke::new(2.0, Color32::WHITE));
    if let Some(at) = response.hover_pos() {
        let share = f64::from((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
        let people = style::people(presence.at(share * duration) as u64);
        response.on_hover_text_at_pointer(format!("{}: {people}", minutes(share * duration)));
    }
}

/// Pause, jumps, time, speed and loop.
fn controls(ui: &mut Ui, state: &mut AppState, presence: &Presence) {
    let (icon, hint) = match state.clock.paused {
        true => (Icon::Play, "resume (Space)"),
        false => (Icon::Pause, "pause (Space)"),
    };
    for (icon, hint, request) in [
        (Icon::Back, "5 s back (left arrow)", Playback::Skip(-5.0)),
        (icon, hint, Playback::TogglePause),
        (Icon::Forward, "5 s forward (right arrow)", Playback::Skip(5.0)),
    ] {
        if icons::button(ui, icon, hint).clicked() {
            state.actions.push(Action::Play(request));
        }
    }
    let time = format!("{} / {}", minutes(state.clock.seconds), minutes(presence.duration()));
    ui.label(time)
        .on_hover_text("time since the first sample, and of the last");
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let repeats = state.clock.at_end == AtEnd::Repeat;
        let hint = "begin again after the last sample (L)";
        if ui.selectable_label(repeats, "loop").on_hover_text(hint).clicked() {
            state.actions.push(Action::Play(Playback::ToggleLoop));
        }
        ui.menu_button(format!("{} ×", state.clock.scale), |ui| {
            for scale in SCALES {
                if ui.button(format!("{scale} ×")).clicked() {
                    state.clock.scale = scale;
                }
            }
        })
        .response
        .on_hover_text("speed: [ halves, ] doubles");
        let people = presence.at(state.clock.seconds) as u64;
        ui.label(style::people(people))
            .on_hover_text("people who are there now");
    });
}

#[cfg(test)]
mod tests {
    use egui::{Event, Modifiers, PointerButton, Role};
    use egui_kittest::{Harness, kittest::Queryable};

    use super::*;
    use crate::{app::state::playback::tests, config::Config};

    #[test]
    fn the_graph_moves_time_and_buttons_request_playback() {
        let show = |ui: &mut Ui, state: &mut AppState| show(ui, state, ui.ctx().content_rect());
        let mut hand = Harness::builder()
            .with_size(vec2(900.0, 300.0))
            .build_ui_state(show, tests::walk());
        hand.run_steps(3);
        let graph = hand.get_by_role(Role::Slider).rect();
        let middle = graph.center();
        for pressed in [true, false] {
            hand.event(Event::PointerMoved(middle));
            hand.event(Event::PointerButton {
                pos: middle,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            });
            hand.run_steps(2);
        }
        assert!(
            (hand.state().clock.seconds - 5.0).abs() < 0.05,
            "{:?}",
            hand.state().clock
        );
        assert!(hand.query_by_label("0:05.0 / 0:10.0").is_some());
        for (label, request) in [
            ("loop", Playback::ToggleLoop),
            ("pause (Space)", Playback::TogglePause),
            ("5 s forward (right arrow)", Playback::Skip(5.0)),
        ] {
            hand.get_by_label(label).click();
            hand.run_steps(2);
            assert_eq!(std::mem::take(&mut hand.state_mut().actions), [Action::Play(request)]);
        }
    }

    #[test]
    fn a_scene_without_trajectories_has_no_time_line() {
        let show = |ui: &mut Ui, state: &mut AppState| show(ui, state, ui.ctx().content_rect());
        let mut config = Config::default();
        config.scene.characters = vec!["sword".into()];
        config.scene.count = 1;
        let hand = Harness::builder().build_ui_state(show, AppState::showing(config));
        assert!(hand.query_by_role(Role::Slider).is_none());
    }
}
