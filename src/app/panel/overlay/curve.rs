//! Overlay: plot of frame time against number of people, measured by the stress test.

use std::path::Path;

use egui::{Align2, Area, Color32, Id, Label, Order, Rect, RichText, Ui, vec2};
use egui_plot::{GridMark, HLine, Line, LineStyle, MarkerShape, Plot, PlotPoint, PlotPoints, Points, Text, VLine};

use crate::app::{
    panel::widgets::style::{self, grouped},
    state::AppState,
    stress::{SearchEnd, Stress},
};

/// Size of the plot in a large picture (points).
const SIZE: egui::Vec2 = vec2(400.0, 190.0);
/// Smallest width of the plot (points).
const NARROWEST: f32 = 180.0;
/// Room that the card leaves beside and above the plot (points).
const ROOM: egui::Vec2 = vec2(40.0, 150.0);

/// Plot in the lower right corner of the picture, with the result beside it; hidden before the first count was
/// measured, and where there is no room.
pub(crate) fn show(ui: &Ui, state: &mut AppState, picture: Rect) {
    let stress = &state.stress;
    let size = SIZE.min(picture.size() - ROOM);
    if !stress.shows_curve || stress.curve.is_empty() || size.x < NARROWEST || size.y < 0.3 * SIZE.y {
        return;
    }
    let corner = picture.right_bottom() - ui.ctx().content_rect().right_bottom() - vec2(12.0, 12.0);
    let area = Area::new(Id::unique("stress curve"))
        .order(Order::Middle)
        .anchor(Align2::RIGHT_BOTTOM, corner);
    let (mut save, mut close) = (false, false);
    area.show(ui.ctx(), |ui| {
        style::card(ui, Color32::from_gray(225), |ui| {
            ui.set_width(size.x);
            ui.horizontal(|ui| {
                ui.add(Label::new(RichText::new("frame time against people").strong()).truncate());
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    close = ui.button("×").on_hover_text("hide").clicked();
                    save = ui
                        .button("save CSV")
                        .on_hover_text("write the measurements to stress.csv")
                        .clicked();
                });
            });
            for line in result_lines(stress) {
                ui.add(Label::new(line).wrap());
            }
            plot(ui, stress, size.y);
        });
    });
    if save {
        state.save_stress_curve(Path::new(""));
    }
    state.stress.shows_curve = !close;
}

/// Result of the search, and what the scene costs without a crowd.
fn result_lines(stress: &Stress) -> Vec<String> {
    let found = match (stress.max_crowd, stress.trying()) {
        (Some(max_crowd), _) => Some(max_crowd.sentence(stress.target_ms)),
        (None, Some(_)) => Some(format!("searching: limit {:.1} ms per frame", stress.target_ms)),
        (None, None) => None,
    };
    let empty = stress
        .empty_ms
        .map(|ms| format!("the scene with one person: {ms:.1} ms"));
    found.into_iter().chain(empty).collect()
}

/// Plot with two logarithmic axes, on which proportional cost is a straight line.
fn plot(ui: &mut Ui, stress: &Stress, height: f32) {
    let points: Vec<[f64; 2]> = (stress.curve.iter())
        .map(|trial| [f64::from(trial.count).log10(), trial.ms.log10()])
        .collect();
    let [low, high] = bounds(&points, stress.target_ms.log10());
    let marks = |low: f64, high: f64| move |_: egui_plot::GridInput| decades(low, high);
    Plot::new("stress curve")
        .height(height)
        .x_axis_label("people")
        .y_axis_label("time per frame (ms)")
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .x_grid_spacer(marks(low[0], high[0]))
        .y_grid_spacer(marks(low[1], high[1]))
        .x_axis_formatter(|mark, _| grouped(10_f64.powf(mark.value).round() as u64))
        .y_axis_formatter(|mark, _| tidy(10_f64.powf(mark.value)))
        .y_axis_min_width(36.0)
        .label_formatter(|_| None)
        .show(ui, |plot| {
            plot.set_plot_bounds_x(low[0]..=high[0]);
            plot.set_plot_bounds_y(low[1]..=high[1]);
            let target = HLine::new("target", stress.target_ms.log10());
            plot.hline(target.color(Color32::from_gray(150)).style(LineStyle::dashed_dense()));
            let limit = RichText::new(format!("limit {:.1} ms", stress.target_ms)).size(11.0);
            let place = PlotPoint::new(low[0] + 0.01 * (high[0] - low[0]), stress.target_ms.log10());
            let limit = Text::new("limit", place, limit).anchor(Align2::LEFT_BOTTOM);
            plot.text(limit.color(Color32::from_gray(200)));
            if let Some(max_crowd) = stress.max_crowd.filter(|max_crowd| max_crowd.end != SearchEnd::Least) {
                plot.vline(VLine::new("maximum", f64::from(max_crowd.count).log10()).color(style::ACCENT));
            }
            let color = Color32::from_rgb(120, 190, 255);
            plot.line(Line::new("frame", PlotPoints::from(points.clone())).color(color));
            let dots = Points::new("frame", PlotPoints::from(points));
            plot.points(dots.color(color).radius(2.5).shape(MarkerShape::Circle));
        });
}

/// Bounds around all points and the target, with a margin.
fn bounds(points: &[[f64; 2]], target: f64) -> [[f64; 2]; 2] {
    let of = |axis: usize, more: Option<f64>| {
        let values = || points.iter().map(|point| point[axis]).chain(more);
        let (low, high) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(f64::NEG_INFINITY, f64::max),
        );
        let room = (0.08 * (high - low)).max(0.1);
        [low - room, high + room]
    };
    let (people, ms) = (of(0, None), of(1, Some(target)));
    [[people[0], ms[0]], [people[1], ms[1]]]
}

/// Grid lines at 1, 2 and 5 times powers of ten; only at the powers if there are many.
fn decades(low: f64, high: f64) -> Vec<GridMark> {
    let factors: &[f64] = if high - low > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let powers = low.floor() as i32..=high.ceil() as i32;
    let values = powers.flat_map(|power| factors.iter().map(move |factor| f64::from(power) + factor.log10()));
    let inside = values.filter(|value| (low..=high).contains(value));
    inside.map(|value| GridMark { value, step_size: 0.2 }).collect()
}

/// Number without insignificant decimals.
fn tidy(value: f64) -> String {
    if value < 0.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_and_the_cost_of_the_scene_stand_beside_the_plot() {
        let mut stress = Stress::default();
        assert!(result_lines(&stress).is_empty());
        stress.empty_ms = Some(12.25);
        stress.max_crowd = Some(crate::app::stress::MaxCrowd {
            count: 40,
            ms: 16.0,
            mtris: 3.0,
            end: SearchEnd::Time,
        });
        let told = result_lines(&stress);
        assert!(told[0].starts_with("40 people in 16.0 ms") && told[0].ends_with("more would exceed 16.7 ms"));
        assert_eq!(told[1], "the scene with one person: 12.2 ms");
    }

    #[test]
    fn the_plot_holds_all_points_and_the_request() {
        let points = [[3.0, 0.2], [4.0, 1.1]];
        let [low, high] = bounds(&points, 1.5);
        assert!(low[0] < 3.0 && high[0] > 4.0 && low[1] < 0.2 && high[1] > 1.5);
        let [low, high] = bounds(&points[..1], 0.2);
        assert!(low[0] < high[0] && low[1] < high[1], "a single point has a margin, too");
    }

    #[test]
    fn lines_are_round_numbers_and_not_too_many() {
        let values = |low, high| {
            let marks = decades(low, high).into_iter();
            marks.map(|mark| tidy(10_f64.powf(mark.value))).collect::<Vec<_>>()
        };
        assert_eq!(values(0.9, 1.75), ["10", "20", "50"]);
        assert_eq!(values(-0.4, 0.35), ["0.5", "1", "2"]);
        assert_eq!(values(0.0, 7.0).len(), 8);
    }
}
