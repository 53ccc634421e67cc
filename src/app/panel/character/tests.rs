//! Tests of the list of characters and the viewer, laid out without a window.

use std::sync::Arc;

use crate::{
    app::{
        AppOptions,
        panel::tests::{PanelScreen, at, has},
        state::{AppState, action::Tab, open::Join},
    },
    config::{Config, Ground},
    scene::{Scene, StartupTimes},
};

fn shown(state: &mut AppState) {
    let scene = Scene::load(&state.config, &mut StartupTimes::default()).expect("embedded");
    state.show(Arc::new(scene), false);
}

fn state(characters: &[&str], count: u32) -> AppState {
    let mut config = Config::default();
    config.scene.characters = characters.iter().map(Into::into).collect();
    config.scene.count = count;
    let mut state = AppState::new(&AppOptions::of(config));
    shown(&mut state);
    state.ui.tab = Tab::Character;
    state
}

#[test]
fn characters_are_listed_with_counts_and_can_be_weighted_and_removed() {
    let (mut state, mut screen) = (state(&["knight", "man"], 30), PanelScreen::new());
    state.set_weight(0, 0.0);
    shown(&mut state);
    let texts = screen.settled(&mut state);
    for part in ["knight", "man", "30", "0.00", "1.00"] {
        assert!(has(&texts, part), "{part}: {texts:?}");
    }
    // The knight has weight 0, so the last weight above 0 stays.
    state.set_weight(1, 0.0);
    assert_eq!(state.config.scene.weights, [0.0, 1.0]);
    let first = at(&texts, "remove");
    screen.click(&mut state, first + egui::vec2(4.0, 4.0));
    assert_eq!(state.config.scene.characters, [std::path::PathBuf::from("man")]);
    shown(&mut state);
    let texts = screen.settled(&mut state);
    screen.click(&mut state, at(&texts, "remove") + egui::vec2(4.0, 4.0));
    assert_eq!(state.config.scene.characters.len(), 1, "the last one stays");
}

#[test]
fn clips_of_other_files_are_listed_and_can_be_removed() {
    let mut state = state(&["knight"], 2);
    state.config.scene.animations = vec!["walks.glb".into()];
    let mut screen = PanelScreen::new();
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "clips of walks.glb"), "{texts:?}");
    let below = at(&texts, "clips of walks.glb").y;
    let button = texts
        .iter()
        .find(|(text, at)| text == "remove" && (at.y - below).abs() < 6.0);
    screen.click(&mut state, button.expect("a button").1 + egui::vec2(4.0, 4.0));
    assert!(state.config.scene.animations.is_empty());
}

#[test]
fn replaced_characters_can_be_restored_from_the_panel() {
    let (mut state, mut screen) = (state(&["knight"], 2), PanelScreen::new());
    let before = state.config.scene.clone();
    state.open_files(&["hero.glb".into()], Join::Instead);
    let texts = screen.settled(&mut state);
    assert!(has(&texts, "hero.glb replaced the previous characters"), "{texts:?}");
    screen.click(&mut state, at(&texts, "keep both") + egui::vec2(4.0, 4.0));
    let both: Vec<std::path::PathBuf> = vec!["knight".into(), "hero.glb".into()];
    assert_eq!(state.config.scene.characters, both);
    assert!(!has(&screen.settled(&mut state), "hero.glb replaced"));
    state.config.scene = before.clone();
    state.open_files(&["hero.glb".into()], Join::Instead);
    let texts = screen.settled(&mut state);
    screen.click(&mut state, at(&texts, "restore") + egui::vec2(4.0, 4.0));
    assert_eq!(state.config.scene, before);
}

#[test]
fn the_viewer_lists_clips_first_and_names_what_is_drawn() {
    let (mut state, mut screen) = (state(&["knight", "man"], 20), PanelScreen::new());
    let before = (state.config.scene.clone(), state.config.look.clone());
    let texts = screen.settled(&mut state);
    assert!(at(&texts, "Clips").y > at(&texts, "Facts").y);
    screen.click(&mut state, at(&texts, "on") + egui::vec2(2.0, 4.0));
    assert!(state.character.viewer.is_on() && state.config.look.ground == Ground::Studio);
    shown(&mut state);
    let texts = screen.settled(&mut state);
    assert!(at(&texts, "Clips").y < at(&texts, "Facts").y);
    for part in ["turn", "path", "joints", "LOD", "error"] {
        assert!(has(&texts, part), "{part}: {texts:?}");
    }
    screen.click(&mut state, at(&texts, "walk") + egui::vec2(4.0, 4.0));
    assert_eq!(state.playing_alone(), Some("walk"));
    // The other character, and back to the scene.
    screen.click(&mut state, at(&texts, "man") + egui::vec2(4.0, 4.0));
    assert_eq!(state.config.scene.weights, [0.0, 1.0]);
    screen.click(&mut state, at(&texts, "on") + egui::vec2(2.0, 4.0));
    assert_eq!((state.config.scene.clone(), state.config.look.clone()), before);
}

#[test]
fn drawing_the_tab_changes_no_setting() {
    let mut config = Config::default();
    config.scene.characters = vec!["knight".into()];
    config.scene.count = 1;
    let mut state = AppState::new(&AppOptions::of(config));
    let scene = Scene::load(&state.config, &mut StartupTimes::default()).expect("embedded");
    state.shown.scene = Some(Arc::new(scene));
    let context = egui::Context::default();
    for step in 0..20 {
        state.clock.seconds = 0.3 + f64::from(step) / 59.0;
        let before = state.clock.seconds;
        let mut output = context.run_ui(egui::RawInput::default(), |ui| super::show(ui, &mut state));
        output.textures_delta.clear();
        assert!(!state.clock.paused, "at {before} s");
        assert_eq!(state.clock.seconds, before);
    }
}
