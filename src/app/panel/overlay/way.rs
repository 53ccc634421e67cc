//! Overlay of the viewer: root motion path of the clip on the ground, with a dot each second.

use egui::{Color32, Rect, Stroke, Ui};
use glam::{Quat, Vec3};

use crate::{
    app::{panel::person::point, person::pick, state::AppState, viewer::root_motion_after},
    crowd::clock::Clock,
};

const LINE: Color32 = Color32::from_rgb(255, 190, 90);
/// Number of line points per second.
const STEPS: u32 = 20;
/// Length of the path, in repetitions of the clip.
const CLIPS: f32 = 2.0;
const LONGEST: f32 = 20.0;

pub(crate) fn show(ui: &Ui, state: &AppState, picture: Rect) {
    let viewer = &state.character.viewer;
    let (Some(scene), Some(view), true) = (&state.shown.scene, &state.shown.picture, viewer.is_on() && viewer.way)
    else {
        return;
    };
    let viewed = state.viewed();
    let clock = Clock::from_seconds(state.clock.seconds);
    let Some((instance, pose)) = pick::pose_of(scene, viewed, clock) else {
        return;
    };
    let clips = &scene.characters[viewed.character].palettes.clips;
    let Some(clip) = clips.get(pose.moment.to.clip as usize).filter(|clip| clip.speed != 0.0) else {
        return;
    };
    let ground = pose.position.with_y(0.0);
    let world = |seconds: f32| -> Vec3 {
        let way = root_motion_after(clip.speed, clip.turn, seconds) * instance.shape().z;
        ground + Quat::from_rotation_y(pose.yaw) * way
    };
    let pixels = ui.ctx().pixels_per_point();
    let painter = ui.painter().with_clip_rect(picture);
    let length = (clip.duration * CLIPS).clamp(1.0, LONGEST);
    let steps = (length * STEPS as f32) as u32;
    let at = |step: u32| point(view, pixels, world(step as f32 / STEPS as f32));
    for step in 0..steps {
        if let (Some(a), Some(b)) = (at(step), at(step + 1)) {
            painter.line_segment([a, b], Stroke::new(4.0, Color32::from_black_alpha(90)));
            painter.line_segment([a, b], Stroke::new(2.0, LINE));
        }
    }
    for second in (0..=steps).step_by(STEPS as usize) {
        if let Some(at) = at(second) {
            painter.circle_filled(at, 3.5, LINE);
        }
    }
}
