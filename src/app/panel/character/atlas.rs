//! Atlas section: the atlas as a picture with a row per frame and three columns per slot. The wheel zooms it, dragging
//! moves it.

use std::sync::Arc;

use egui::{Color32, FontId, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use crate::{
    app::{panel::widgets::style, state::AppState},
    character::Character,
    crowd::InstancePose,
};

/// Height of the picture (points).
const HEIGHT: f32 = 300.0;
/// Maximum zoom factor.
const NEAREST: f32 = 64.0;

pub(crate) fn show(ui: &mut Ui, state: &mut AppState, character: &Arc<Character>, first: Option<InstancePose>) {
    let format = state.config.render.format;
    ui.weak(format!("{}: one row per frame, three columns per slot", format.name()))
        .on_hover_text("deviation of each value from its mean over all frames; grey values never change");
    let texture = state.character.picture(ui.ctx(), character, format);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    let tab = &mut state.character;
    tab.zoom = tab.zoom.clamp(1.0, NEAREST);
    if let Some(pointer) = response.hover_pos() {
        let wheel = ui.input(|i| i.smooth_scroll_delta.y);
        zoom(
            &mut tab.zoom,
            &mut tab.corner,
            (wheel * 0.01).exp(),
            (pointer - rect.min) / rect.size(),
        );
        // The wheel zooms the picture instead of scrolling the panel.
        ui.input_mut(|i| i.smooth_scroll_delta = Vec2::ZERO);
    }
    let moved = response.drag_delta() / rect.size() / tab.zoom;
    let most = 1.0 - 1.0 / tab.zoom;
    tab.corner = [tab.corner[0] - moved.x, tab.corner[1] - moved.y].map(|c| c.clamp(0.0, most));
    if response.double_clicked() {
        (tab.zoom, tab.corner) = (1.0, [0.0; 2]);
    }
    let seen = Rect::from_min_size(pos2(tab.corner[0], tab.corner[1]), Vec2::splat(1.0 / tab.zoom));
    let painter = ui.painter().with_clip_rect(rect);
    painter.image(texture, rect, seen, Color32::WHITE);
    painter.rect_stroke(rect, 0.0, Stroke::new(1.0, Color32::from_gray(70)), StrokeKind::Inside);
    clips(&painter, rect, seen, character);
    if let Some(pose) = first {
        present(&painter, rect, seen, character, &pose);
    }
    if let Some(pointer) = response.hover_pos() {
        let at = seen.min + (pointer - rect.min) / rect.size() * seen.size();
        response.on_hover_text_at_pointer(what_is_at(character, at.x, at.y));
    }
    ui.weak("wheel: zoom, drag: pan, double click: fit");
}

/// Zooms by `factor` around a point of the visible part, 0 to 1.
fn zoom(zoom: &mut f32, corner: &mut [f32; 2], factor: f32, around: Vec2) {
    let after = (*zoom * factor).clamp(1.0, NEAREST);
    let shift = 1.0 / *zoom - 1.0 / after;
    *corner = [corner[0] + around.x * shift, corner[1] + around.y * shift];
    *zoom = after;
}

/// Vertical screen position of an atlas frame.
fn height_of(rect: Rect, seen: Rect, character: &Character, frame: f32) -> f32 {
    let share = frame / character.palettes.frame_count.max(1) as f32;
    rect.top() + (share - seen.top()) / seen.height() * rect.height()
}

/// Lines where clips begin, with their names where they fit.
fn clips(painter: &egui::Painter, rect: Rect, seen: Rect, character: &Character) {
    for clip in &character.palettes.clips {
        let top = height_of(rect, seen, character, clip.first_frame as f32);
        let bottom = height_of(rect, seen, character, (clip.first_frame + clip.frame_count) as f32);
        painter.hline(rect.x_range(), top, Stroke::new(1.0, Color32::from_black_alpha(170)));
        let room = bottom.min(rect.bottom()) - top.max(rect.top());
        if room >= 12.0 {
            let name = painter.layout_no_wrap(clip.name.clone(), FontId::proportional(10.5), Color32::WHITE);
            let at = pos2(rect.left() + 4.0, top.max(rect.top()) + 1.0);
            let frame = Rect::from_min_size(at, name.size()).expand2(vec2(3.0, 0.0));
            painter.rect_filled(frame, 2.0, Color32::from_black_alpha(150));
            painter.galley(at, name, Color32::WHITE);
        }
    }
}

/// Line at the frame that the first instance shows.
fn present(painter: &egui::Painter, rect: Rect, seen: Rect, character: &Character, pose: &InstancePose) {
    let playing = pose.moment.to;
    let Some(clip) = character.palettes.clips.get(playing.clip as usize) else {
        return;
    };
    let frame = clip.pair_at(playing.position).frame() + 0.5;
    let at = height_of(rect, seen, character, frame);
    painter.hline(rect.x_range(), at, Stroke::new(3.0, Color32::from_black_alpha(120)));
    painter.hline(rect.x_range(), at, Stroke::new(1.5, style::ACCENT));
}

/// Text about frame, clip, slot and joint at a position of the atlas, 0 to 1.
fn what_is_at(character: &Character, x: f32, y: f32) -> String {
    let palettes = &character.palettes;
    let frame = ((y * palettes.frame_count as f32) as u32).min(palettes.frame_count.saturating_sub(1) as u32);
    let slot = ((x * palettes.slot_count as f32) as usize).min(palettes.slot_count.saturating_sub(1));
    let skeleton = &character.model.skeleton;
    let joint = skeleton
        .slots
        .get(slot)
        .and_then(|s| skeleton.joints.get(s.joint as usize));
    let name = joint.map_or("", |j| j.name.as_str());
    let clip = palettes.clips.iter().rev().find(|c| c.first_frame <= frame);
    match clip {
        Some(clip) => format!("{} frame {}\nslot {slot}: {name}", clip.name, frame - clip.first_frame),
        None => format!("frame {frame}\nslot {slot}: {name}"),
    }
}
