//! Person tab: facts about the selected person, and the marker in the picture.

use egui::{Color32, FontId, Painter, Pos2, Rect, RichText, Stroke, Ui, pos2};
use glam::Vec3;

use crate::{
    app::{
        panel::widgets::style::{self, fact, grouped, row},
        person::{
            inspect::{PersonInspection, ShownClip, inspect},
            pick,
        },
        state::{AppState, view::PictureView},
    },
    crowd::tints::{REGION_NAMES, REGIONS},
    view::Camera,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let (Some(scene), Some(selected)) = (state.shown.scene.clone(), state.person.selected) else {
        ui.add_space(6.0);
        ui.weak("Click a person in the crowd to select them.");
        return;
    };
    let Some(seen) = inspect(&scene, selected, state.clock.seconds) else {
        return;
    };
    style::section(ui, "Person", true, |ui| {
        fact(ui, "character", "name of the character", &seen.character);
        fact(
            ui,
            "number",
            "number among the people who have this character",
            grouped(selected.index.into()),
        );
        fact(ui, "group", "group in the layout", seen.group);
        let at = seen.pose.position;
        fact(
            ui,
            "position",
            "position on the ground, x and z (m)",
            format!("{:.2}, {:.2}", at.x, at.z),
        );
        fact(
            ui,
            "heading",
            "heading about the vertical axis (°)",
            format!("{:.0}°", seen.pose.yaw.to_degrees().rem_euclid(360.0)),
        );
        fact(ui, "size", "scale factor", format!("{:.3}", seen.instance.scale()));
        let width_scale = "factor on width and depth at constant height";
        fact(ui, "width", width_scale, format!("{:.3}", seen.instance.width_scale()));
        let material_variant = "material variant (of 8): which garments take which colours";
        fact(
            ui,
            "variant",
            material_variant,
            format!("{}", seen.instance.material_variant()),
        );
        tints(ui, state, seen.instance.tints());
        buttons(ui, state, &seen);
    });
    super::hero::show(ui, state, selected);
    style::section(ui, "Animation", true, |ui| animation(ui, &seen));
    style::section(ui, "Events", true, |ui| events(ui, &seen));
}

/// Row with the four colours of this person.
fn tints(ui: &mut Ui, state: &AppState, indices: [u8; REGIONS]) {
    let Some(scene) = &state.shown.scene else { return };
    row(ui, "colours", "colours of skin, hair, main and second garment", |ui| {
        for (region, (index, name)) in indices.into_iter().zip(REGION_NAMES).enumerate() {
            let colour = scene
                .ramps
                .colours
                .get(region)
                .and_then(|ramp| ramp.get(usize::from(index)));
            let [r, g, b, _] = colour.copied().unwrap_or_default().to_le_bytes();
            let (rect, response) = ui.allocate_exact_size(egui::vec2(22.0, 14.0), egui::Sense::hover());
            ui.painter().rect_filled(rect, 3.0, Color32::from_rgb(r, g, b));
            response.on_hover_text(format!("{name}: entry {index} of the palette"));
        }
    });
}

fn buttons(ui: &mut Ui, state: &mut AppState, seen: &PersonInspection) {
    ui.horizontal(|ui| {
        ui.checkbox(&mut state.person.follow, "follow")
            .on_hover_text("the camera follows this person");
        if ui.button("focus").on_hover_text("move the camera closer").clicked() {
            let now = state.lens_camera();
            let target = seen.pose.position + Vec3::Y * 1.0;
            state.rig.go_to(Camera {
                eye: target - now.forward().with_y(-0.18).normalize() * 5.0,
                target,
                ..now
            });
            state.view = None;
        }
        if ui.button("deselect").on_hover_text("select nobody (Esc)").clicked() {
            state.select(None);
        }
    });
}

fn animation(ui: &mut Ui, seen: &PersonInspection) {
    let told = |clip: &ShownClip| format!("{}  frame {:.1} of {}", clip.name, clip.frame, clip.intervals);
    fact(ui, "clip", "current clip and frame", told(&seen.to));
    fact(
        ui,
        "palette",
        "palette slots, and the two atlas frames that this pose blends",
        format!(
            "{} slots, frame {}-{}",
            seen.slots, seen.frames.first, seen.frames.second
        ),
    );
    fact(
        ui,
        "clip time",
        "time in the clip (s)",
        format!("{:.2} s", seen.to.seconds),
    );
    match &seen.from {
        Some(from) => {
            fact(ui, "fades from", "previous clip", told(from));
            row(ui, "fade", "weight of the new clip, 0 to 1", |ui| {
                ui.add(
                    egui::ProgressBar::new(seen.pose.moment.weight)
                        .show_percentage()
                        .desired_width(150.0),
                )
            });
        }
        None => fact(ui, "fade", "cross-fade between two clips", "none"),
    }
    fact(
        ui,
        "clip speed",
        "playback speed (factor); behaviours choose one per state",
        format!("{:.2} x", seen.instance.speed()),
    );
}

fn events(ui: &mut Ui, seen: &PersonInspection) {
    if seen.events.is_empty() {
        ui.weak("none in the last 4 seconds");
    }
    for (name, ago) in seen.events.iter().take(6) {
        ui.horizontal(|ui| {
            let fresh = (1.0 - ago / 1.5).clamp(0.25, 1.0) as f32;
            let color = style::ACCENT.gamma_multiply(fresh);
            ui.label(RichText::new(name).color(color));
            ui.weak(format!("{ago:.2} s ago"));
        });
    }
}

/// Ring at the feet of the selected person, and their name above the head.
pub(crate) fn mark(ui: &Ui, state: &AppState, picture: Rect) {
    let (Some(scene), Some(selected), Some(view)) = (&state.shown.scene, state.person.selected, &state.shown.picture)
    else {
        return;
    };
    let clock = crate::crowd::clock::Clock::from_seconds(state.clock.seconds);
    let Some((instance, pose)) = pick::pose_of(scene, selected, clock) else {
        return;
    };
    let Some(character) = scene.characters.get(selected.character) else {
        return;
    };
    let bounds = pick::clip_box(character, pose.moment.to.clip);
    let scale = instance.scale();
    let painter = ui.painter().with_clip_rect(picture);
    let pixels = ui.ctx().pixels_per_point();
    let radius = (0.3 * bounds.size().y).max(0.25) * scale;
    ring(&painter, view, pixels, pose.position, radius);
    let head = pose
        .world_from_model(&instance)
        .transform_point3(Vec3::Y * (bounds.max.y + 0.12));
    if let Some(at) = point(view, pixels, head) {
        tag(&painter, at, &format!("{} {}", character.model.name, selected.index));
    }
}

fn ring(painter: &Painter, view: &PictureView, pixels: f32, centre: Vec3, radius: f32) {
    let around = (0..=48).map(|i| {
        let angle = i as f32 / 48.0 * std::f32::consts::TAU;
        point(
            view,
            pixels,
            centre + Vec3::new(angle.cos(), 0.02, angle.sin()) * radius.max(0.01),
        )
    });
    let Some(points) = around.collect::<Option<Vec<Pos2>>>() else {
        return;
    };
    painter.add(egui::Shape::line(
        points.clone(),
        Stroke::new(4.0, Color32::from_black_alpha(110)),
    ));
    painter.add(egui::Shape::line(points, Stroke::new(2.0, style::ACCENT)));
}

fn tag(painter: &Painter, at: Pos2, text: &str) {
    let galley = painter.layout_no_wrap(text.to_owned(), FontId::proportional(12.5), Color32::WHITE);
    let frame = egui::Align2::CENTER_BOTTOM.anchor_size(at, galley.size() + egui::vec2(12.0, 6.0));
    painter.rect_filled(frame, 4.0, Color32::from_black_alpha(180));
    painter.galley(frame.min + egui::vec2(6.0, 3.0), galley, Color32::WHITE);
}

/// Screen position (points) of a point in world space; `None` behind the camera.
pub(crate) fn point(view: &PictureView, pixels: f32, place: Vec3) -> Option<Pos2> {
    view.pixel_of(place).map(|p| pos2(p.x / pixels, p.y / pixels))
}
