//! Viewer switches, and facts about the character as drawn now.

use std::sync::Arc;

use egui::Ui;

use crate::{
    app::{
        panel::widgets::style::{fact, grouped, row},
        person::pick,
        state::AppState,
    },
    character::Character,
    crowd::clock::Clock,
    scene::Scene,
};

pub(super) fn switches(ui: &mut Ui, state: &mut AppState) {
    let mut on = state.character.viewer.is_on();
    row(
        ui,
        "viewer",
        "show this character alone before a plain background (I)",
        |ui| {
            if ui.checkbox(&mut on, "on").changed() {
                state.toggle_viewer();
            }
            if state.character.viewer.is_on() {
                ui.checkbox(&mut state.character.viewer.turning, "turn")
                    .on_hover_text("rotate the character; moving the camera stops it");
                ui.checkbox(&mut state.character.viewer.way, "path")
                    .on_hover_text("draw the root motion path of the clip, with a dot each second");
                ui.checkbox(&mut state.character.joints, "joints")
                    .on_hover_text("draw joints and bones; point at a joint for its name");
            }
        },
    );
}

/// Facts about the picture: LOD, triangles, error and root motion.
pub(super) fn drawn(ui: &mut Ui, state: &mut AppState, scene: &Scene, character: &Arc<Character>) {
    let triangles = state.shown.stats.triangles;
    let lods = character.lods();
    let lod = lods.iter().position(|lod| lod.triangles() as u64 == triangles);
    let kind = lod.map_or("triangles", |lod| lods[lod].kind());
    let told = match lod {
        Some(lod) => format!("LOD {} of {}", lod + 1, lods.len()),
        None => "full detail".to_owned(),
    };
    let told = if triangles == 0 {
        "…".to_owned()
    } else {
        format!("{told}, {} {kind}", grouped(triangles))
    };
    fact(ui, "LOD", "level of detail in this picture, and its triangles", told);
    let clock = Clock::from_seconds(state.clock.seconds);
    let Some((_, pose)) = pick::pose_of(scene, state.viewed(), clock) else {
        return;
    };
    let clip = pose.moment.to.clip as usize;
    let Some(playing) = character.palettes.clips.get(clip) else {
        return;
    };
    let now = f64::from(pose.moment.to.position * playing.duration);
    let format = state.config.render.format;
    let curve = state.character.error.of(ui.ctx(), (character, format, clip));
    let told = match at(curve, now) {
        Some(millimetres) => format!("{millimetres:.2} mm"),
        None => "…".to_owned(),
    };
    fact(
        ui,
        "error",
        "error of the worst vertex against the exact keys at this time (mm)",
        told,
    );
    let way = match (playing.speed, playing.turn) {
        (0.0, _) => "in place".to_owned(),
        (speed, 0.0) => format!("{speed:.2} m/s"),
        (speed, turn) => format!("{speed:.2} m/s, {:.0}°/s", turn.to_degrees()),
    };
    fact(
        ui,
        "root motion",
        "root motion of this clip: speed (m/s) and turn (°/s)",
        way,
    );
}

/// Linearly interpolated value of a curve.
fn at(curve: &[[f64; 2]], x: f64) -> Option<f64> {
    let after = curve.partition_point(|point| point[0] < x);
    let [x1, y1] = *curve.get(after).or(curve.last())?;
    let [x0, y0] = *curve.get(after.saturating_sub(1))?;
    let share = if x1 > x0 {
        ((x - x0) / (x1 - x0)).clamp(0.0, 1.0)
    } else {
        1.0
    };
    Some(y0 + (y1 - y0) * share)
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn errors_between_samples_are_interpolated_linearly() {
        let curve = [[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]];
        for (x, y) in [(-1.0, 1.0), (0.0, 1.0), (0.5, 2.0), (1.5, 1.5), (9.0, 0.0)] {
            assert_eq!(at(&curve, x), Some(y), "{x}");
        }
        assert_eq!(at(&[], 1.0), None);
    }
}
