//! Characters section: characters of the scene with counts and weights, files to open, and files of clips.

use egui::{RichText, Ui};

use crate::{
    app::{
        panel::widgets::style::{grouped, number},
        state::{
            AppState,
            open::{FileRequest, Join, shown_name},
        },
    },
    scene::Scene,
};

/// Maximum weight in the panel.
const HEAVIEST: f32 = 1000.0;

pub(super) fn show(ui: &mut Ui, state: &mut AppState, scene: &Scene) {
    let mut removed = None;
    for index in 0..scene.characters.len() {
        ui.horizontal(|ui| entry(ui, state, scene, index, &mut removed));
    }
    if let Some(index) = removed {
        state.remove_character(index);
    }
    ui.horizontal_wrapped(|ui| {
        let asks = |ui: &mut Ui, state: &mut AppState, label: &str, hint: &str, wanted| {
            let button = ui.add_enabled(!state.files.dialog.is_open(), egui::Button::new(label).small());
            if button.on_hover_text(hint).clicked() {
                state.ask_for_files(wanted);
            }
        };
        let open = FileRequest::Characters(Join::Instead);
        asks(
            ui,
            state,
            "Open character…",
            "replace these characters by those of files",
            open,
        );
        let add = FileRequest::Characters(Join::Beside);
        asks(ui, state, "add…", "add characters from files", add);
        let hint = "add files whose clips these characters play, where joints match by name";
        asks(ui, state, "add clips…", hint, FileRequest::Clips);
        let own = !state.config.scene.characters.is_empty();
        let back = egui::Button::new("embedded").small();
        let back = ui.add_enabled(own && !state.character.viewer.is_on(), back);
        if back.on_hover_text("use the embedded characters").clicked() {
            (state.config.scene.characters, state.config.scene.weights) = Default::default();
        }
    });
    if state.files.takes_drops {
        ui.weak("or drop files and folders on the window (Shift, Ctrl: add)");
    }
    animations(ui, state);
}

/// Row of a character: name, number of people, weight, remove button.
fn entry(ui: &mut Ui, state: &mut AppState, scene: &Scene, index: usize, removed: &mut Option<usize>) {
    let name = &scene.characters[index].model.name;
    let people = scene.crowd.per_character.get(index).map_or(0, Vec::len) as u64;
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let viewed = state.character.viewer.is_on();
        ui.add_enabled_ui(!viewed && scene.characters.len() > 1, |ui| {
            if ui
                .small_button("remove")
                .on_hover_text("remove this character from the scene")
                .clicked()
            {
                *removed = Some(index);
            }
            let mut weight = state.config.scene.weights.get(index).copied().unwrap_or(1.0);
            let set_weight = number(&mut weight).range(0.0..=HEAVIEST).speed(0.02).max_decimals(2);
            let hint = "weight: frequency relative to the other characters, 0 to 1000";
            if ui.add(set_weight.prefix("× ")).on_hover_text(hint).changed() {
                state.set_weight(index, weight);
            }
        });
        ui.label(RichText::new(grouped(people)).weak())
            .on_hover_text("number of people with this character");
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            let selected = state.character.index == index;
            let label = egui::Button::selectable(selected, name).truncate();
            if ui.add(label).on_hover_text(file_of(state, index, name)).clicked() && !selected {
                state.character.index = index;
                state.show_in_viewer(index);
            }
        });
    });
}

/// File of a character, for the tooltip.
fn file_of(state: &AppState, index: usize, name: &str) -> String {
    let file = state.config.scene.characters.get(index);
    file.map_or_else(|| format!("{name} (embedded)"), |path| path.display().to_string())
}

/// Files of clips that the characters play.
fn animations(ui: &mut Ui, state: &mut AppState) {
    let mut removed = None;
    for (index, library) in state.config.scene.animations.iter().enumerate() {
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let button = ui.small_button("remove");
                if button.on_hover_text("stop playing its clips").clicked() {
                    removed = Some(index);
                }
                let name = format!("clips of {}", shown_name(library));
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let label = egui::Label::new(RichText::new(name).weak()).truncate();
                    ui.add(label).on_hover_text(library.display().to_string());
                });
            });
        });
    }
    if let Some(index) = removed {
        state.drop_clips_of(index);
    }
}

/// Card that offers to keep or restore replaced characters, in the corner of the picture.
pub(crate) fn offer(ui: &mut Ui, state: &mut AppState) {
    let Some(offer) = &state.files.arrivals.offer else {
        return;
    };
    let told = match offer.files.as_slice() {
        [one] => format!("{} replaced the previous characters", shown_name(one)),
        many => format!("{} characters replaced the previous ones", many.len()),
    };
    crate::app::panel::widgets::style::card(ui, egui::Color32::from_gray(235), |ui| {
        ui.label(told);
        ui.horizontal(|ui| {
            if ui
                .button("keep both")
                .on_hover_text("keep the previous characters as well")
                .clicked()
            {
                state.take_offer(Join::Beside);
            }
            if ui
                .button("restore")
                .on_hover_text("restore the previous characters")
                .clicked()
            {
                state.take_offer(Join::Instead);
            }
            if ui.button("dismiss").clicked() {
                state.files.arrivals.offer = None;
            }
        });
    });
}
