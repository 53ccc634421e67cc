//! Joints drawn over a character: the first of its kind, or the person picked.

use egui::{Color32, Rect, Stroke, Ui};

use crate::{
    app::{
        panel::person::point,
        person::{
            pick,
            skeleton::{bones, joints},
        },
        state::{AppState, action::Tab},
    },
    crowd::clock::Clock,
    scene::Selected,
};

const LINE: Color32 = Color32::from_rgb(120, 220, 255);

pub(crate) fn show(ui: &Ui, state: &AppState, picture: Rect) {
    let (Some(scene), Some(view)) = (&state.shown.scene, &state.shown.picture) else {
        return;
    };
    if !state.character.joints || state.tab != Tab::Character {
        return;
    }
    let selected = Selected {
        character: state.character.index,
        index: 0,
    };
    let clock = Clock::from_seconds(state.clock.seconds);
    let Some((instance, pose)) = pick::pose_of(scene, selected, clock) else {
        return;
    };
    let character = &scene.characters[selected.character];
    let joints = joints(character, &instance, &pose);
    let painter = ui.painter().with_clip_rect(picture);
    let pixels = ui.ctx().pixels_per_point();
    for [above, below] in bones(character, &joints) {
        if let (Some(a), Some(b)) = (point(view, pixels, above), point(view, pixels, below)) {
            painter.line_segment([a, b], Stroke::new(3.5, Color32::from_black_alpha(120)));
            painter.line_segment([a, b], Stroke::new(1.6, LINE));
        }
    }
    for place in joints.into_iter().flatten() {
        if let Some(at) = point(view, pixels, place) {
            painter.circle(
                at,
                2.6,
                Color32::WHITE,
                Stroke::new(1.0, Color32::from_black_alpha(160)),
            );
        }
    }
}
