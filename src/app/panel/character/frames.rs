//! Plot of a clip: its baked frames on the time line, and the error of the worst vertex along it.

use std::sync::Arc;

use egui::{Color32, Ui};
use egui_plot::{HLine, Line, PlotPoints, VLine};

use crate::{
    app::{
        panel::widgets::{plot, style},
        state::AppState,
    },
    atlas::placement::{DEFAULT_PERCENT, height},
    character::Character,
    crowd::InstancePose,
};

/// Colour of frame lines.
const FRAME: Color32 = Color32::from_gray(85);
/// Colour of the error curve.
const ERROR: Color32 = Color32::from_rgb(238, 160, 84);

/// Plots the clip that the first instance of the character plays.
pub(crate) fn show(ui: &mut Ui, state: &mut AppState, character: &Arc<Character>, pose: &InstancePose) {
    let playing = pose.moment.to;
    let index = playing.clip as usize;
    let Some(clip) = character.palettes.clips.get(index).filter(|clip| clip.frame_count > 1) else {
        return;
    };
    let format = state.config.render.format;
    let curve = state.character.error.of(ui.ctx(), (character, format, index)).to_vec();
    let bound = f64::from(height(&character.model) * DEFAULT_PERCENT * 10.0);
    let worst = curve.iter().map(|[_, mm]| *mm).fold(0.0, f64::max);
    let told = match curve.is_empty() {
        true => "…".to_owned(),
        false => format!("error at most {worst:.2} mm"),
    };
    ui.weak(format!(
        "{}: {} frames in {}, {told}",
        clip.name,
        clip.frame_count,
        format.name()
    ))
    .on_hover_text("lines: baked frames; curve: error of the worst vertex (mm); dashed: 0.1 % of the height");
    let top = worst.max(bound) * 1.2;
    let duration = f64::from(clip.duration);
    plot::still("frames", 88.0)
        .show_axes([true, true])
        .show_grid([false, false])
        // The corner has room for one label.
        .x_axis_formatter(|mark, _| match mark.value > 0.0 {
            true => format!("{} s", mark.value),
            false => String::new(),
        })
        .y_axis_formatter(|mark, _| format!("{} mm", mark.value))
        .show(ui, |drawn| {
            drawn.set_plot_bounds_x(0.0..=duration);
            drawn.set_plot_bounds_y(0.0..=top);
            for frame in 0..clip.frame_count {
                drawn.vline(
                    VLine::new("frame", f64::from(clip.time_of(frame)))
                        .color(FRAME)
                        .width(1.0),
                );
            }
            let dashes = egui_plot::LineStyle::dashed_dense();
            drawn.hline(HLine::new("0.1 %", bound).color(Color32::GRAY).style(dashes));
            drawn.line(Line::new("error", PlotPoints::from(curve)).color(ERROR).width(1.5));
            let now = f64::from(playing.position) * duration;
            drawn.vline(VLine::new("now", now).color(style::ACCENT).width(1.5));
        });
}
