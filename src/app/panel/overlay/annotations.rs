//! Overlay: annotations of trajectories, as saved pictures have them.

use egui::{Rect, Ui};

use crate::app::{annotate::Annotations, state::AppState};

/// Height of the pause symbol with its margins (points).
const PAUSE: f32 = 38.0;

/// Paints annotations over the picture, below the pause symbol.
pub(crate) fn show(ui: &Ui, state: &AppState, picture: Rect) {
    let (Some(scene), Some(view)) = (&state.shown.scene, &state.shown.picture) else {
        return;
    };
    let annotations = Annotations {
        scene,
        config: &state.config.scene.trajectories,
        view,
        time: state.clock.seconds,
    };
    let top = if state.clock.paused { PAUSE } else { 0.0 };
    let painter = ui.painter().with_clip_rect(picture);
    annotations.paint(&painter, picture.with_min_y(picture.top() + top));
}
