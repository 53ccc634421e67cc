//! Scrolling plot of frame times: GPU passes stacked, CPU time and frame interval as lines.

use egui::{Color32, Stroke, Ui};
use egui_plot::{FilledArea, GridMark, Line, Plot, PlotPoints};

use crate::{
    app::state::profile::{FRAMES, History, Series},
    render::Pass,
};

/// Colour of CPU time.
pub(crate) const CPU: Color32 = Color32::from_rgb(120, 190, 255);
/// Colour of the time between frames.
pub(crate) const FRAME: Color32 = Color32::from_gray(150);

/// Colour of a GPU pass.
pub(crate) fn pass_color(pass: Pass) -> Color32 {
    let [red, green, blue] = pass.color();
    Color32::from_rgb(red, green, blue)
}

/// Plot without interaction, whose view stays fixed while its values change.
pub(crate) fn still<'a>(name: &str, height: f32) -> Plot<'a> {
    Plot::new(name)
        .height(height)
        .y_axis_min_width(44.0)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .label_formatter(|_| None)
}

/// Plots the newest [`FRAMES`] frames.
pub(crate) fn show(ui: &mut Ui, history: &History) {
    let top = history
        .frame
        .summary()
        .p95
        .max(history.gpu_total.summary().p95)
        .max(1.0)
        * 1.25;
    still("times", 104.0)
        .show_axes([false, true])
        .show_grid([false, true])
        .y_grid_spacer(move |_| marks(top))
        .y_axis_formatter(|mark, _| format!("{} ms", mark.value))
        .default_x_bounds(0.0, FRAMES as f64)
        .show(ui, |plot| {
            plot.set_plot_bounds_x(0.0..=FRAMES as f64);
            plot.set_plot_bounds_y(0.0..=top);
            for area in stacked(history) {
                plot.add(area);
            }
            plot.line(line("frame", &history.frame, FRAME));
            plot.line(line("CPU", &history.cpu, CPU));
        });
}

/// Grid lines at round values (ms).
fn marks(top: f64) -> Vec<GridMark> {
    let step = round_step(top / 3.0);
    let values = (0..=3).map(|i| step * f64::from(i)).filter(|value| *value <= top);
    let mark = |value| GridMark { value, step_size: step };
    values.map(mark).collect()
}

/// Smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factors = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= least);
    power * factors.unwrap_or(10.0)
}

fn stacked(history: &History) -> Vec<FilledArea> {
    let mut below = vec![0.0; history.gpu_total.iter().len()];
    let xs: Vec<f64> = positions(below.len()).collect();
    let area = |(&pass, series): (&Pass, &Series)| {
        let above: Vec<f64> = below.iter().zip(series.iter()).map(|(b, ms)| b + ms).collect();
        let color = pass_color(pass);
        let area = FilledArea::new(pass.name(), &xs, &below, &above).fill_color(color.gamma_multiply(0.85));
        below = above;
        area.stroke(Stroke::new(0.5, color)).allow_hover(false)
    };
    history.gpu.iter().map(area).collect()
}

fn line<'a>(name: &str, series: &Series, color: Color32) -> Line<'a> {
    let values = series.iter();
    let points: Vec<[f64; 2]> = positions(values.len()).zip(values).map(|(x, ms)| [x, ms]).collect();
    Line::new(name, PlotPoints::from(points))
        .color(color)
        .width(1.2)
        .allow_hover(false)
}

/// Horizontal positions, with the newest frame at the right edge.
fn positions(count: usize) -> impl Iterator<Item = f64> {
    (FRAMES - count..FRAMES).map(|i| i as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plot_steps_are_round() {
        let steps = [0.9, 16.0, 40.0, 700.0].map(round_step);
        assert_eq!(steps.map(|s| (s * 10.0).round() / 10.0), [1.0, 20.0, 50.0, 1000.0]);
    }
}
