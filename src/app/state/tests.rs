use crate::{
    app::{AppOptions, state::*},
    config::Technique,
    scene::StartupTimes,
};

impl AppState {
    /// With the scene of a configuration on the screen.
    pub(in crate::app) fn showing(config: Config) -> Self {
        let scene = Scene::load(&config, &mut StartupTimes::default()).expect("embedded");
        let mut state = Self::new(&AppOptions::of(config));
        state.show(Arc::new(scene), false);
        state
    }
}

fn state() -> AppState {
    AppState::new(&AppOptions::of(Config::scene("plaza").expect("the default scene")))
}

#[test]
fn counts_stay_in_range() {
    let mut state = state();
    for factor in [10.0, 10.0, 10.0, 10.0, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 2.0] {
        assert_eq!(state.act(Action::ScaleCount(factor)), None);
        assert!(COUNT.contains(&state.config.scene.count));
    }
    assert_eq!(state.config.scene.count, 2);
}

#[test]
fn presets_keep_own_characters_and_technique() {
    let mut state = state();
    state.open_model(std::path::Path::new("hero.GLB"));
    let _ = state.act(Action::NextTechnique);
    let technique = state.config.render.technique;
    state.open_preset("stadium");
    assert_eq!(state.config.scene.characters, [std::path::PathBuf::from("hero.GLB")]);
    assert_eq!(
        (state.config.scene.name.as_str(), state.config.render.technique),
        ("stadium", technique)
    );
}

#[test]
fn dropping_something_else_is_one_line() {
    let mut state = state();
    state.open_model(std::path::Path::new("notes.txt"));
    assert!(state.config.scene.characters.is_empty());
    assert!(
        state
            .notices
            .current()
            .all(|n| n.is_error && n.text.contains("notes.txt"))
    );
    assert_eq!(state.notices.current().count(), 1);
}

#[test]
fn techniques_go_round() {
    let all = Technique::value_variants();
    let mut technique = all[0];
    for _ in all {
        technique = next(technique);
    }
    assert_eq!(technique, all[0]);
}

#[test]
fn narrow_pictures_keep_their_width() {
    let state = state();
    let (camera, composed) = (*state.rig.camera(), state.min_aspect());
    let widened = |aspect: f32| camera.widened(composed, aspect);
    assert_eq!(widened(1.8).fov, camera.fov);
    let half_width = |c: Camera, aspect: f32| (0.5 * c.fov).tan() * aspect;
    let (narrow, composed) = (half_width(widened(0.5), 0.5), half_width(camera, composed));
    assert!((narrow - composed).abs() < 1e-4);
}
