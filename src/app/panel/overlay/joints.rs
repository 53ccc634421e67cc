//! Overlay: joints of a character's first instance, or of the selected person.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, Ui};

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
    scene::PersonRef,
};

/// Distance (points) between pointer and joint within which its name is shown.
const NEAR: f32 = 12.0;
const LINE: Color32 = Color32::from_rgb(120, 220, 255);

pub(crate) fn show(ui: &Ui, state: &AppState, picture: Rect) {
    let (Some(scene), Some(view)) = (&state.shown.scene, &state.shown.picture) else {
        return;
    };
    if !state.character.joints || state.ui.tab != Tab::Character {
        return;
    }
    let selected = PersonRef {
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
    let pointer = ui.ctx().pointer_latest_pos().filter(|at| picture.contains(*at));
    let mut pointed: Option<(f32, Pos2, usize)> = None;
    for (joint, place) in joints.into_iter().enumerate() {
        if let Some(at) = place.and_then(|place| point(view, pixels, place)) {
            let away = pointer.map_or(f32::INFINITY, |pointer| pointer.distance(at));
            if away < pointed.map_or(NEAR, |(nearest, ..)| nearest) {
                pointed = Some((away, at, joint));
            }
            painter.circle(
                at,
                2.6,
                Color32::WHITE,
                Stroke::new(1.0, Color32::from_black_alpha(160)),
            );
        }
    }
    if let Some((_, at, joint)) = pointed {
        let name = &character.model.skeleton.joints[joint].name;
        let text = painter.layout_no_wrap(name.clone(), FontId::proportional(13.0), Color32::WHITE);
        let place = Align2::LEFT_CENTER.anchor_size(at + egui::vec2(10.0, 0.0), text.size());
        painter.rect_filled(place.expand(3.0), 3.0, Color32::from_black_alpha(190));
        painter.galley(place.min, text, Color32::WHITE);
        painter.circle_stroke(at, 5.0, Stroke::new(1.6, Color32::WHITE));
    }
}
