//! Character tab: facts, LODs, clips to play, joints and the atlas.

mod atlas;
mod cast;
mod frames;
mod parts;
#[cfg(test)]
mod tests;
mod variants;
mod viewer;

pub(crate) use cast::offer;

use std::sync::Arc;

use egui::{Response, RichText, Ui, UiBuilder};

use crate::{
    app::{
        panel::{
            scene::{play_only, use_default_clips},
            widgets::{
                filter::filter,
                style::{self, fact, grouped, row, slider},
            },
        },
        person::pick,
        state::AppState,
    },
    character::Character,
    crowd::{InstancePose, clock::Clock},
    model::USUAL_INFLUENCES,
    render::stats,
    scene::{PersonRef, Scene},
};

/// Share of a clip's row that its name takes.
const NAME_SHARE: f32 = 0.42;

pub(crate) fn show(ui: &mut Ui, state: &mut AppState) {
    let Some(scene) = state.shown.scene.clone() else { return };
    state.character.index = state.character.index.min(scene.characters.len().saturating_sub(1));
    style::section(ui, "Characters", true, |ui| cast::show(ui, state, &scene));
    let Some(character) = scene.characters.get(state.character.index) else {
        return;
    };
    viewer::switches(ui, state);
    if state.character.viewer.is_on() {
        style::section(ui, "Clips", true, |ui| clips(ui, state, &scene, character));
        style::section(ui, "Drawn", true, |ui| viewer::drawn(ui, state, &scene, character));
        style::section(ui, "Facts", true, |ui| facts(ui, state, character));
    } else {
        first_instance_row(ui, state, &scene);
        style::section(ui, "Facts", true, |ui| facts(ui, state, character));
    }
    if character.model.parts.len() > 1 {
        style::section(ui, "Parts", false, |ui| parts::show(ui, state, character));
    }
    if !character.model.variants.is_empty() {
        style::section(ui, "Variants", true, |ui| variants::show(ui, state, character));
    }
    if !character.lods().is_empty() {
        style::section(ui, "Levels of detail", true, |ui| lods(ui, character));
    }
    if !state.character.viewer.is_on() {
        style::section(ui, "Clips", true, |ui| clips(ui, state, &scene, character));
    }
    style::section(ui, "Atlas", true, |ui| {
        atlas::show(ui, state, character, first(state, &scene))
    });
}

fn first_instance_row(ui: &mut Ui, state: &mut AppState, scene: &Scene) {
    row(ui, "first person", "first person who has this character", |ui| {
        if ui.button("focus").on_hover_text("move the camera to it").clicked() {
            look_at_first(state, scene);
        }
        ui.checkbox(&mut state.character.joints, "show joints")
            .on_hover_text("draw joints and bones; point at a joint for its name");
    });
}

fn look_at_first(state: &mut AppState, scene: &Scene) {
    let (Some(character), Some(pose)) = (scene.characters.get(state.character.index), first(state, scene)) else {
        return;
    };
    let instances = &scene.crowd.per_character[state.character.index];
    let size = character.rest_bounds.size() * instances[0].scale();
    let reach = size.max_element().max(0.1);
    let target = pose.position + glam::Vec3::Y * size.y * 0.5;
    let aside = glam::Quat::from_rotation_y(pose.yaw + 0.5) * glam::Vec3::new(0.0, 0.25, 1.9);
    state.rig.go_to(crate::view::Camera {
        eye: target + aside * reach,
        target,
        ..*state.rig.camera()
    });
    state.view = None;
}

/// Current pose of the character's first instance.
fn first(state: &AppState, scene: &Scene) -> Option<InstancePose> {
    let selected = PersonRef {
        character: state.character.index,
        index: 0,
    };
    pick::pose_of(scene, selected, Clock::from_seconds(state.clock.seconds)).map(|(_, pose)| pose)
}

fn facts(ui: &mut Ui, state: &mut AppState, character: &Arc<Character>) {
    let frames = character.palettes.frame_count;
    let info = state.character.info(character);
    let size = [0, 1, 2].map(|a| info.mesh.bounds_max[a] - info.mesh.bounds_min[a]);
    fact(
        ui,
        "size",
        "size in the rest pose (m)",
        format!("{:.2} x {:.2} x {:.2} m", size[0], size[1], size[2]),
    );
    let mesh = format!("{} triangles", grouped(info.mesh.triangles.into()));
    fact(
        ui,
        "mesh",
        &format!("triangles of all parts; {} vertices", info.mesh.vertices),
        mesh,
    );
    let wide: u32 = info.mesh.influences[USUAL_INFLUENCES..].iter().sum();
    if wide > 0 {
        let told = format!("{wide} vertices have more than four, up to eight");
        fact(
            ui,
            "influences",
            "joints per vertex; more than four are kept only where four would give too large an error",
            told,
        );
    }
    let skeleton = format!("{} joints, {} slots", info.skeleton.joints.len(), info.skeleton.slots);
    fact(
        ui,
        "skeleton",
        "joints, and palette slots: one matrix per joint and inverse bind matrix",
        skeleton,
    );
    let materials: Vec<&str> = info.materials.iter().map(|m| m.name.as_str()).collect();
    fact(ui, "materials", "names of the materials", materials.join(", "));
    if !info.mesh.morphs.is_empty() {
        fact(
            ui,
            "morphs",
            "number of animated morph targets",
            info.mesh.morphs.len().to_string(),
        );
    }
    if !info.skeleton.sockets.is_empty() {
        let sockets: Vec<&str> = info.skeleton.sockets.iter().map(|(name, _)| name.as_str()).collect();
        fact(ui, "sockets", "attachment points", sockets.join(", "));
    }
    fact(
        ui,
        "frames",
        "number of baked frames of all clips",
        grouped(frames as u64),
    );
    // The info gives sizes for its own rate; scale them to the frames in use.
    let in_use = |bytes: u64| (bytes as f64 / info.sampling.frames.max(1) as f64 * frames as f64) as u64;
    let sizes = info
        .sampling
        .sizes
        .iter()
        .map(|s| format!("{} {}", s.format, stats::bytes(in_use(s.bytes))));
    let sizes: Vec<String> = sizes.collect();
    fact(
        ui,
        "sizes",
        "size of the animation data of all clips, by encoding",
        sizes.join(", "),
    );
    for note in &info.notes {
        fact(ui, "note", "note of the import", note);
    }
    for dropped in &info.dropped {
        fact(ui, "not drawn", "in the file, but not supported", dropped);
    }
}

/// Facts about every LOD: its maximum height and its error there.
fn lods(ui: &mut Ui, character: &Character) {
    let height_mm = 1000.0 * character.largest_edge();
    for lod in character.lods() {
        let rows_off = lod.worst_mm / height_mm * lod.max_sample_rows;
        fact(
            ui,
            &format!("{} {}", grouped(lod.triangles() as u64), lod.kind()),
            "largest height (sample rows: pixels times the square root of the samples) at which it cannot be told \
             from full detail, and the error of its worst vertex over all clips",
            format!(
                "up to {:.0} rows; error {:.1} mm, {rows_off:.2} rows there",
                lod.max_sample_rows, lod.worst_mm
            ),
        );
    }
}

fn clips(ui: &mut Ui, state: &mut AppState, scene: &Scene, character: &Arc<Character>) {
    let alone = state.playing_alone().map(str::to_owned);
    if let Some(pose) = first(state, scene) {
        clip_time(ui, state, scene, character, &pose);
        frames::show(ui, state, character, &pose);
    }
    row(ui, "", "", |ui| {
        let mut repeat = !state.character.once;
        ui.checkbox(&mut repeat, "loop")
            .on_hover_text("if off, time pauses at the end of a clip that is played alone; resume to play it again");
        state.character.once = !repeat;
        let all = ui.add_enabled(alone.is_some(), egui::Button::new("play all clips again").small());
        if all.clicked() {
            use_default_clips(state);
        }
    });
    ui.weak("click a clip to play it on everyone");
    let clips = &character.palettes.clips;
    let shown = filter(ui, "clips of the character", clips.len());
    for clip in clips.iter().filter(|clip| shown.matches(&clip.name)) {
        let now = alone.as_deref() == Some(clip.name.as_str());
        if clip_row(ui, &clip.name, now, &told(clip)).clicked() {
            play_only(state, &clip.name);
            state.clock.paused = false;
        }
    }
}

/// Row of a clip: its name and its facts in two columns, cut where they are long. Returns the name's response.
fn clip_row(ui: &mut Ui, name: &str, now: bool, told: &str) -> Response {
    let row = ui.horizontal(|ui| {
        let size = egui::vec2(NAME_SHARE * ui.available_width(), ui.spacing().interact_size.y);
        let (_, place) = ui.allocate_space(size);
        let mut cell = ui.new_child(UiBuilder::new().max_rect(place));
        let button = cell.add(egui::Button::selectable(now, name).truncate());
        ui.add(egui::Label::new(RichText::new(told).small().weak()).truncate());
        button
    });
    row.inner.on_hover_text(format!("{name}: {told}"))
}

fn told(clip: &crate::bake::BakedClip) -> String {
    let mut told = format!("{:.2} s, {} frames", clip.duration, clip.frame_count);
    if clip.speed > 0.0 {
        told += &format!(", {:.1} m/s", clip.speed);
    }
    let mut events: Vec<&str> = clip.events.iter().map(|e| e.name.as_str()).collect();
    events.dedup();
    if !events.is_empty() {
        told += &format!(", {}", events.join(" "));
    }
    told
}

fn clip_time(ui: &mut Ui, state: &mut AppState, scene: &Scene, character: &Character, pose: &InstancePose) {
    let Some(clip) = character.palettes.clips.get(pose.moment.to.clip as usize) else {
        return;
    };
    let speed = f64::from(scene.crowd.per_character[state.character.index][0].speed());
    row(
        ui,
        &clip.name,
        "clip time of the first person who has this character (s); dragging changes the scene time",
        |ui| {
            let duration = f64::from(clip.duration);
            // Round as the slider does; otherwise its rounding would count as a change.
            let now = (f64::from(pose.moment.to.position) * duration * 1000.0).round() / 1000.0;
            let mut time = now;
            ui.add(slider(&mut time, 0.0..=duration).max_decimals(3).suffix(" s"));
            if time != now && speed != 0.0 {
                let way = (time - now) / speed;
                state.clock.paused = true;
                state.clock.seconds = (state.clock.seconds + way).max(0.0);
            }
        },
    );
}
