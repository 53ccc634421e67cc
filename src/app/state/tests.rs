use crate::{
    app::{
        AppOptions,
        state::{open::FileRequest, *},
    },
    config::Technique,
    scene::StartupTimes,
};

impl AppState {
    /// State with the scene of a configuration on the screen.
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
fn an_unknown_file_is_reported_in_one_line() {
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
fn next_technique_wraps_around() {
    let all = Technique::value_variants();
    let mut technique = all[0];
    for _ in all {
        technique = next(technique);
    }
    assert_eq!(technique, all[0]);
}

#[test]
fn narrow_windows_widen_the_field_of_view() {
    let state = state();
    let (camera, composed) = (*state.rig.camera(), state.min_aspect());
    let widened = |aspect: f32| camera.widened(composed, aspect);
    assert_eq!(widened(1.8).fov, camera.fov);
    let half_width = |c: Camera, aspect: f32| (0.5 * c.fov).tan() * aspect;
    let (narrow, composed) = (half_width(widened(0.5), 0.5), half_width(camera, composed));
    assert!((narrow - composed).abs() < 1e-4);
}

#[test]
fn a_prop_file_is_carried_or_rejected_in_one_line() {
    let mut state = state();
    let group = crate::config::Group::from_name("musician").expect("a group");
    let before = state.config.scene.groups["musician"].props.clone();
    let folder = tempfile::tempdir().expect("a folder");
    let [lute, notes] = ["lute.glb", "notes.glb"].map(|name| folder.path().join(name));
    let guitar = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/guitar.glb");
    std::fs::copy(guitar, &lute).expect("copied");
    std::fs::write(&notes, "no mesh").expect("written");
    let mut choose = |number, file: &std::path::PathBuf| {
        state.files.arrivals.asked(FileRequest::Prop(group, number));
        state.open_chosen(std::slice::from_ref(file));
        let props = state.config.scene.groups["musician"].props.clone();
        (
            props,
            state.notices.current().map(|n| n.text.clone()).collect::<Vec<_>>(),
        )
    };
    let (props, told) = choose(before.len(), &notes);
    assert_eq!((props, told.len()), (before.clone(), 1));
    assert!(told[0].contains("notes.glb has no mesh"), "{told:?}");
    let (props, _) = choose(before.len(), &lute);
    assert_eq!(props[..before.len()], before);
    let lute_text = lute.to_str().expect("text");
    assert_eq!(
        (props.len(), props[before.len()].mesh.as_str()),
        (before.len() + 1, lute_text)
    );
    // Replacing the first prop keeps its socket.
    let (props, told) = choose(0, &lute);
    assert_eq!((props[0].mesh.as_str(), props[0].turn), (lute_text, before[0].turn));
    assert_eq!((props.len(), told.len()), (before.len() + 1, 1));
    // The scene loads with it.
    state.config.scene.count = 40;
    let scene = Scene::load(&state.config, &mut StartupTimes::default()).expect("carried");
    assert!(scene.attachments.iter().any(|kind| kind.mesh.contains("lute.glb")));
}
