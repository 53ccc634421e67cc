//! Hero section of the person tab: taking the selected person over, and their layers.

use egui::{ComboBox, Ui};

use crate::{
    app::{
        panel::widgets::style::{self, fact, row, slider},
        person::heroes::{end_layer, replace_layer, set_look},
        state::{AppState, action::Action},
    },
    character::Character,
    crowd::heroes::{Hero, upper_body},
    scene::PersonRef,
};

pub(crate) fn show(ui: &mut Ui, state: &mut AppState, who: PersonRef) {
    // Vehicles have no skeleton to pose.
    if state.shown.scene.as_ref().is_some_and(|scene| scene.is_vehicle(who)) {
        return;
    }
    style::section(ui, "Hero", true, |ui| {
        if !state.config.render.technique.facts().heroes {
            ui.weak("Heroes are disabled: they require technique matrix.");
            return;
        }
        let seconds = state.clock.seconds;
        if state.person.heroes.is_live(who, seconds) {
            live(ui, state, who);
        } else {
            baked(ui, state, who);
        }
        others(ui, state);
    });
}

fn baked(ui: &mut Ui, state: &mut AppState, who: PersonRef) {
    let weight = state
        .person
        .heroes
        .of(who)
        .map_or(0.0, |hero| hero.weight(state.clock.seconds));
    ui.horizontal(|ui| {
        let take = ui
            .button("take over")
            .on_hover_text("pose this person live in the same draw (G)");
        if take.clicked() {
            state.actions.push(Action::TakeOver);
        }
        if weight > 0.0 {
            ui.weak(format!("handing back: {:.0} % live", weight * 100.0));
        }
    });
}

fn live(ui: &mut Ui, state: &mut AppState, who: PersonRef) {
    let (seconds, fade) = (state.clock.seconds, state.person.heroes.fade);
    let Some(scene) = state.shown.scene.clone() else { return };
    let Some(character) = scene.characters.get(who.character) else {
        return;
    };
    if ui
        .button("hand back")
        .on_hover_text("fade back to the baked animation (G)")
        .clicked()
    {
        state.actions.push(Action::TakeOver);
    }
    let Some(hero) = state.person.heroes.of_mut(who) else {
        return;
    };
    row(ui, "live", "weight of the live pose against the baked pose (%)", |ui| {
        ui.add(
            egui::ProgressBar::new(hero.weight(seconds))
                .show_percentage()
                .desired_width(150.0),
        )
    });
    let looks = hero.look.as_ref().is_some_and(|look| seconds < look.span.until);
    let mut wanted = looks;
    row(
        ui,
        "head",
        "turns the head towards the camera, within its limits, on top of the clips",
        |ui| {
            ui.checkbox(&mut wanted, "looks at the camera");
        },
    );
    if wanted != looks {
        set_look(hero, wanted, seconds, fade);
    }
    layers(ui, character, hero, seconds, fade);
}

fn layers(ui: &mut Ui, character: &Character, hero: &mut Hero, seconds: f64, fade: f32) {
    let mut change = None;
    for (number, layer) in hero
        .layers
        .iter_mut()
        .enumerate()
        .filter(|(_, l)| seconds < l.span.until)
    {
        row(
            ui,
            &format!("layer {}", number + 1),
            "clip layered on a joint and the joints below it",
            |ui| {
                let clips = character.palettes.clips.iter().map(|clip| clip.name.as_str());
                let clip = choose(ui, ("clip", number), &layer.clip, clips, 70.0);
                let joints = character.model.skeleton.joints.iter().map(|joint| joint.name.as_str());
                let joint = choose(
                    ui,
                    ("joint", number),
                    &layer.joint,
                    std::iter::once("").chain(joints),
                    80.0,
                );
                if clip.is_some() || joint.is_some() {
                    let clip = clip.unwrap_or_else(|| layer.clip.clone());
                    change = Some((number, clip, joint.unwrap_or_else(|| layer.joint.clone())));
                }
            },
        );
        row(ui, "", "", |ui| {
            ui.spacing_mut().slider_width = 90.0;
            ui.add(slider(&mut layer.weight, 0.0..=1.0).max_decimals(2))
                .on_hover_text("weight of the layer, 0 to 1");
            if ui.small_button("end").clicked() {
                end_layer(layer, seconds, fade);
            }
        });
    }
    if let Some((number, clip, joint)) = change {
        replace_layer(hero, Some(number), &clip, &joint, seconds, fade);
    }
    row(ui, "", "", |ui| {
        if ui.small_button("add a layer").clicked() {
            let skeleton = &character.model.skeleton;
            let upper = upper_body(skeleton).map_or("", |joint| skeleton.joints[joint].name.as_str());
            let clip = character.palettes.clips.first().map_or("", |clip| clip.name.as_str());
            replace_layer(hero, None, clip, upper, seconds, fade);
        }
    });
}

/// Drop-down list of names; returns the new name if another one was clicked.
fn choose<'a>(
    ui: &mut Ui,
    id: (&str, usize),
    now: &str,
    names: impl Iterator<Item = &'a str>,
    width: f32,
) -> Option<String> {
    let shown = |name: &str| {
        if name.is_empty() {
            "all joints".to_owned()
        } else {
            name.to_owned()
        }
    };
    let mut chosen = None;
    ComboBox::from_id_salt(id)
        .width(width)
        .truncate()
        .selected_text(shown(now))
        .show_ui(ui, |ui| {
            for name in names {
                if ui.selectable_label(name == now, shown(name)).clicked() && name != now {
                    chosen = Some(name.to_owned());
                }
            }
        });
    chosen
}

fn others(ui: &mut Ui, state: &mut AppState) {
    row(ui, "fade", "fade time of heroes, layers and looks (s)", |ui| {
        ui.add(
            slider(&mut state.person.heroes.fade, 0.05..=3.0)
                .suffix(" s")
                .max_decimals(2),
        )
    });
    let count = state.person.heroes.count(state.clock.seconds);
    if count > 0 {
        fact(
            ui,
            "heroes",
            "number of people posed live; drawn in the same draw call as everyone else",
            count.to_string(),
        );
        if ui.small_button("hand back all").clicked() {
            state.person.heroes.hand_over_all(state.clock.seconds);
        }
    }
}
